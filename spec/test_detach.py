"""Detach and .data: aliases outside the graph."""

from functools import reduce
from itertools import chain, permutations, product

import numpy as np

from gradspec.conformance import ErrorKind, Total, claim, every, example, given, workload
from gradspec.conformance.strategies import (
    DENSE,
    NONZERO,
    arrays,
    booleans,
    integers,
    sampled_from,
)
from gradspec.conformance.truth.oracles.jets import Jet

CUTS = tuple(product((True, False), repeat=3))

ORDERS = tuple(chain(*(permutations(["vmap", mode]) for mode in ("pulled", "pushed"))))


@workload
def cut(be, leaf, cuts=(True, False, True), w=1.0):
    """The gradient of a weighted power, in which some of the factors are detached."""
    y = leaf
    for detached in cuts:
        y = y * (be.detach(leaf) if detached else leaf)
    be.backward(be.sum(be.mul(y, w)))
    return be.grad(leaf)


# ---- detach --------------------------------------------------------------------------------------


@claim("NOG-103", about="detach", needs="backward detach", level="contract")
@given(x=arrays(), v=arrays(), w=arrays(), in_place=booleans())
def test_detach_and_gradients_that_are_there(be, x, v, w, in_place):
    """What detach returns has no gradient, whatever its source has; a leaf that is detached in
    place keeps the gradient that it had, which no later pass adds to.
    """
    leaf = be.leaf(x)
    y = leaf * 2
    be.backward(y * 1, v)
    alias = be.detach(leaf)
    assert be.grad(alias) is None
    assert alias is not leaf
    assert be.detach(alias) is not alias
    if in_place:
        assert be.detach_(leaf) is leaf
        assert not be.requires_grad(leaf)
        assert not be.requires_grad(leaf * 2)
    be.check(be.grad(leaf), 2 * v)
    other = be.leaf(x)
    be.backward(other * leaf, w)
    be.check(be.grad(other), w * x)
    be.check(be.grad(leaf), 2 * v if in_place else Total.of(2 * v, w * x))


@claim("NOG-07", about="detach", needs="backward detach views")
@given(x=arrays(min_size=1), w=arrays(min_size=1), computed=booleans())
def test_detach_makes_an_alias_outside_the_graph(be, x, w, computed):
    """detach returns a new leaf on the same memory that does not require grad and whose results do
    not either; the tensor itself goes on requiring grad.
    """
    leaf = be.leaf(x)
    y = leaf * leaf if computed else leaf
    alias = be.detach(y)
    assert alias is not y
    assert be.shares_memory(alias, y)
    assert be.is_leaf(alias)
    assert not be.requires_grad(alias)
    assert not be.requires_grad(be.mul(w, alias))
    assert be.requires_grad(y)
    be.same(alias, y)


@claim("GEN-291", about="detach_copy", needs="backward detach views detach_copy inplace add_")
@given(x=arrays(layouts=DENSE, min_size=1), w=arrays(min_size=1), computed=booleans())
def test_a_detached_copy_is_outside_the_graph(be, x, w, computed):
    """detach_copy gives the values of a tensor in memory of its own, as a leaf that does not
    require grad; the tensor keeps its values and its gradient when the copy is written to.
    """
    leaf = be.leaf(x)
    y = leaf * 1 if computed else leaf
    copy = be.detach_copy(y)
    be.check(copy, x)
    assert not be.shares_memory(copy, y)
    assert not be.requires_grad(copy)
    assert be.is_leaf(copy)
    product = y * be.detach_copy(y)
    be.add_(copy, 1.0)
    be.check(y, x)
    be.backward(product, w)
    be.check_gradient(be.grad(leaf), w * x)


@claim("NOG-56", about="detach detach_", needs="backward detach views unsqueeze", level="contract")
@given(x=arrays(), w=arrays())
def test_only_detach_in_place_cuts_its_receiver(be, x, w):
    """detach leaves the tensor it is called on in the graph. detach_ takes that very tensor, a leaf
    or not, out of it, which a view refuses.
    """
    leaf, former = be.leaf(x), be.leaf(x)
    kept, lost = leaf * leaf, leaf * leaf
    be.detach(kept)
    with be.raises(ErrorKind.DETACH_VIEW):
        be.detach_(be.unsqueeze(kept, 0))
    for cut in (lost, former):
        assert be.detach_(cut) is cut
        assert be.is_leaf(cut)
        assert not be.requires_grad(cut)
    be.backward(kept + lost, w)
    be.check(be.grad(leaf), 2 * w * x)


@claim(
    "NOG-260",
    about="detach_",
    needs="backward detach inplace hooks retain_graph add_",
    level="contract",
)
@given(x=arrays(layouts=DENSE), w=arrays(), retained=booleans())
def test_what_was_cut_may_be_written(be, x, w, retained):
    """What detach_ has cut from its history gets another one by a write in place, whether or not
    its gradient was to be retained.
    """
    leaf, other = be.leaf(x), be.leaf(x)
    cut = leaf * 2
    if retained:
        be.retain_grad(cut)
    be.detach_(cut)
    be.add_(cut, other)
    be.backward(cut * 3, w)
    be.check(be.grad(other), 3 * w)
    assert be.grad(leaf) is None


@claim("NOG-08", about="detach", needs="backward detach")
@given(x=arrays(), w=arrays())
def test_a_detached_tensor_can_require_grad_again(be, x, w):
    """A detached tensor can be made to require grad, and is then a leaf of its own: gradients with
    respect to it stay with it.
    """
    leaf = be.leaf(x)
    y = be.neg(leaf)
    alias = be.set_requires_grad(be.detach(leaf))
    be.backward(y + alias * alias, w)
    be.check(be.grad(alias), 2 * w * x)
    be.check(be.grad(leaf), -w)


@claim("NOG-57", about="detach", needs="backward detach")
@example(x=3.0, w=1.0, cuts=(True,))
@every(cuts=CUTS)
@given(
    x=arrays(),
    w=arrays(),
)
def test_detached_factors_are_constants(be, x, w, cuts):
    """A detached occurrence of a variable counts as a constant: a product is differentiated in its
    other factors only.
    """
    gradient = cut(be, be.leaf(x), cuts, w)
    be.check(gradient, w * (1 + cuts.count(False)) * x ** len(cuts))


@claim("NOG-700", about="stop_gradient", needs="vjp create_graph stop_gradient")
@example(x=3.0, w=1.0, v=1.0, cuts=(True, False, True))
@every(cuts=CUTS)
@given(x=arrays(), w=arrays(), v=arrays())
def test_factors_that_are_cut_off_are_constants(be, x, w, v, cuts):
    """What gradients are stopped at is a constant of the same values, to first derivatives and to
    second ones: a product is differentiated in its other factors only.
    """
    weights, left = be.tensor(w), 1 + cuts.count(False)

    def power(a):
        return reduce(lambda y, cut: y * (be.stop_gradient(a) if cut else a), cuts, a)

    def slope(a):
        return be.vjp(power, a, create_graph=True)[1](weights)[0]

    first, pull = be.vjp(slope, x)
    be.check(first, left * w * x**3)
    be.check_gradient(*pull(v), Total.of(left * (left - 1) * v * w * x**2))
    value, pull = be.vjp(be.stop_gradient, x)
    be.check(value, x)
    be.check_gradient(*pull(w), Total.of(0 * w))


@claim("NOG-701", about="stop_gradient", needs="vmap transforms stop_gradient")
@example(x=np.ones((3, 2)), c=np.full((3, 2), 2.0), order=("vmap", "pulled"))
@every(order=ORDERS)
@given(
    x=arrays("batch", shape=(3, 2), layouts=DENSE),
    c=arrays("batch", shape=(3, 2), layouts=DENSE, values=NONZERO),
)
def test_what_is_cut_off_is_a_constant_to_every_transform(be, x, c, order):
    """Mapped, and differentiated in either mode, in whichever order, what gradients are stopped at
    is a constant of the same values.
    """
    transforms = {
        "vmap": lambda f: be.vmap(f, (0, 0)),
        "pulled": lambda f: lambda a, b: be.pulled(lambda z: f(z, b), [a], b)[0],
        "pushed": lambda f: lambda a, b: be.pushed(lambda z: f(z, b), [a], [b]),
    }
    function = reduce(
        lambda f, name: transforms[name](f), order, lambda a, b: a * a * be.stop_gradient(a * b)
    )
    be.check(function(be.tensor(x), be.tensor(c)), 2 * x**2 * c**2)


@claim("NOG-06", about="detach data exp", needs="backward detach data saved_tensors")
@given(x=arrays(), w=arrays(), alias=sampled_from(("detach", "data")))
def test_untracked_aliases_save_nothing(be, x, w, alias):
    """A program run on a detached tensor or on .data saves no value for backward; the same program
    run on the tensor itself does, and computes the same.
    """
    leaf = be.leaf(x)
    with be.saved_tensors() as saved:
        z = getattr(be, alias)(leaf)
        silent = be.mul(be.exp(z) * z, w)
        assert saved.packed == 0
        recorded = be.mul(be.exp(leaf) * leaf, w)
    assert saved.packed > 0
    be.same(silent, recorded)


# ---- writes through detach -----------------------------------------------------------------------


@claim("NOG-58", about="detach", needs="backward no_grad detach inplace mul_")
@example(x=np.array([1.0]), at=0, value=999.0, c=1.0)
@given(
    x=arrays(layouts=DENSE, min_size=1),
    at=integers(0, 11),
    value=integers(-9, 9),
    c=arrays(min_size=1),
)
def test_writes_show_on_both_sides_of_detach(be, x, at, value, c):
    """A tensor and its detached alias are one memory: what is written to either shows in both."""
    leaf = be.leaf(x)
    alias = be.detach(leaf)
    place = tuple(map(int, np.unravel_index(at % x.size, x.shape)))
    be.setitem(alias, place, float(value))
    want = x.copy()
    want[place] = value
    be.check(leaf, want)
    with be.no_grad():
        be.mul_(leaf, c)
    be.check(alias, want * c)


@claim(
    "NOG-14",
    "NOG-59",
    about="detach",
    needs="backward no_grad detach inplace version_counter mul_",
    level="contract",
)
@example(x=2.0, c=499.5, v=1.0, w=1.0)
@given(x=arrays(layouts=DENSE), c=arrays(), v=arrays(), w=arrays())
def test_writes_through_detach_are_counted(be, x, c, v, w):
    """An in-place write through detach, or under no_grad, counts as a write to the tensor: backward
    refuses to use a saved value it has overwritten, and goes on where nothing was saved.
    """
    leaf = be.leaf(x)
    square, linear, power = leaf * leaf, be.mul(v, leaf), be.exp(leaf)
    before = be.version_of(leaf)
    be.mul_(be.detach(leaf), c)
    assert be.version_of(leaf) == before + 1
    with be.raises(ErrorKind.STALE_SAVED_VALUE):
        be.backward(square, w)
    with be.no_grad():
        be.mul_(leaf, c)
        be.mul_(power, c)
    assert be.version_of(leaf) == before + 2
    with be.raises(ErrorKind.STALE_SAVED_VALUE):
        be.backward(power, w)
    be.backward(linear, w)
    be.check(be.grad(leaf), w * v)


# ---- .data ---------------------------------------------------------------------------------------


@claim("NOG-10", "NOG-60", about="data", needs="backward data views inplace version_counter neg_")
@given(x=arrays(layouts=DENSE, min_size=1), computed=booleans())
def test_data_is_an_untracked_uncounted_alias(be, x, computed):
    """Each access to .data returns a new leaf on the same memory that does not require grad and
    that counts the writes made through it on its own.
    """
    leaf = be.leaf(x)
    y = leaf * leaf if computed else leaf
    first, second = be.data(y), be.data(y)
    assert first is not second
    assert first is not y
    assert be.shares_memory(first, y)
    assert be.is_leaf(first)
    assert not be.requires_grad(first)
    before = [be.version_of(tensor) for tensor in (y, second, first)]
    be.neg_(first)
    after = [be.version_of(tensor) for tensor in (y, second, first)]
    assert after == [before[0], before[1], before[2] + 1]
    assert be.requires_grad(y)


@claim("NOG-11", about="data", needs="backward no_grad data inplace mul_ add_")
@example(x=1.0, c=100.0, v=0.0, computed=False)
@given(x=arrays(layouts=DENSE), c=arrays(), v=arrays(), computed=booleans())
def test_writes_show_on_both_sides_of_data(be, x, c, v, computed):
    """A tensor and its .data are one memory: what is written to either shows in both."""
    leaf = be.leaf(x)
    y = leaf * leaf if computed else leaf
    alias, value = be.data(y), x * x if computed else x
    be.mul_(alias, c)
    be.check(y, c * value)
    with be.no_grad():
        be.add_(y, v)
    be.check(alias, Total.of(c * value, v))


@claim("NOG-12", about="data", needs="backward data inplace mul_")
@example(x=1.0, v=2.0, c=100.0, w=1.0)
@given(x=arrays(layouts=DENSE), v=arrays(), c=arrays(), w=arrays())
def test_writes_through_data_are_not_recorded(be, x, v, c, w):
    """A write through .data is no step of the computation: results keep their value, the leaf stays
    a leaf, and a linear map keeps its gradient.
    """
    leaf = be.leaf(x)
    y = be.mul(v, leaf)
    be.mul_(be.data(leaf), c)
    be.check(leaf, c * x)
    be.check(y, v * x)
    assert be.is_leaf(leaf)
    assert be.requires_grad(leaf)
    be.backward(y, w)
    be.check(be.grad(leaf), w * v)


@claim("NOG-13", about="data", needs="backward data inplace version_counter mul_", level="contract")
@example(x=1.0, c=10.0, w=1.0)
@given(x=arrays(layouts=DENSE), c=arrays(), w=arrays())
def test_backward_believes_what_data_was_made_to_hold(be, x, c, w):
    """Backward does not notice that a saved value was overwritten through .data: it silently
    multiplies by the new value, which is not the derivative of what was computed.
    """
    leaf = be.leaf(x)
    y = leaf * leaf
    before = be.version_of(leaf)
    be.mul_(be.data(leaf), c)
    be.set_data(leaf, be.mul(be.data(leaf), c))
    assert be.version_of(leaf) == before
    be.check(y, x * x)
    be.backward(y, w)
    be.check(be.grad(leaf), 2 * w * c * c * x)

    other = be.leaf(x)
    power = be.exp(other)
    be.mul_(be.data(power), c)
    be.backward(power, w)
    be.check(be.grad(other), w * c * np.exp(Jet.exact(x)))


@claim("NOG-15", about="data", needs="backward data create_graph")
@example(x=1.0, w=1.0, differentiable=True)
@given(x=arrays(), w=arrays(), differentiable=booleans())
def test_arithmetic_on_gradients_is_recorded_on_request(be, x, w, differentiable):
    """Arithmetic on .data is never recorded; on .grad it is if that gradient comes from a backward
    with create_graph, and not otherwise.
    """
    leaf = be.leaf(x)
    be.backward(leaf * leaf, w, create_graph=differentiable)
    gradient = be.grad(leaf)
    assert be.requires_grad(gradient * gradient) == differentiable
    assert not be.requires_grad(be.data(gradient) * be.data(leaf))
    be.check(gradient, 2 * w * x)
    be.clear(leaf)


@claim("NOG-16", about="set_data", needs="backward detach data views version_counter")
@example(x=np.array([1.0]), v=np.array([41.0]), w=np.array([1.0]))
@given(x=arrays(), v=arrays("new", min_size=1), w=arrays("new", min_size=1))
def test_assigning_data_rebinds_memory(be, x, v, w):
    """Assigning .data gives a leaf the memory, the shape and the floating dtype of another tensor,
    uncounted, while earlier aliases keep the old; integers are refused if the leaf requires grad.
    """
    leaf, value = be.leaf(x), be.tensor(v)
    alias, before = be.detach(leaf), be.version_of(leaf)
    be.set_data(leaf, value)
    with be.raises(ErrorKind.DATA_ASSIGNMENT):
        be.set_data(leaf, be.tensor(np.arange(3)))
    assert be.shares_memory(leaf, value)
    be.check(alias, x)
    assert be.version_of(leaf) == before
    assert be.is_leaf(leaf)
    be.backward(leaf * leaf, w)
    be.check(be.grad(leaf), 2 * w * v)
    be.clear(leaf)
    other = "float32" if be.dtype == "float64" else "float64"
    be.set_data(leaf, be.backend.tensor(v, other, be.device))
    be.backward(leaf * leaf, be.backend.tensor(w, other, be.device))
    assert be.requires_grad(leaf)
    assert be.dtype_of(leaf) == be.dtype_of(be.grad(leaf)) == other
    be.same(be.grad(leaf), (2 * w * v).astype(other))
    be.clear(leaf)


@claim(
    "NOG-102",
    about="to_numpy",
    needs="backward detach numpy_interop version_counter",
    level="contract",
)
@given(x=arrays(min_size=1, layouts=DENSE), w=arrays(min_size=1))
def test_writes_through_an_array_are_not_counted(be, x, w):
    """A write to the array that a detached tensor of the host hands out shows in the tensor, is not
    counted, and backward believes it.
    """
    leaf = be.leaf(x, "cpu")
    y = leaf * leaf
    array = be.to_numpy(be.detach(leaf))
    array += 1
    be.check(leaf, x + 1)
    assert be.version_of(leaf) == 0
    be.backward(y, be.tensor(w, "cpu"))
    be.check(be.grad(leaf), 2 * w * (x + 1))


@claim("NOG-20", about="data", needs="backward data saved_tensors")
@example(x=np.array([1.0, -1.0, 2.0]), w=np.array([1.0, 10.0, 0.5]))
@given(x=arrays(values=NONZERO, min_size=1), w=arrays(min_size=1))
def test_reading_data_in_a_condition_leaves_no_trace(be, x, w):
    """A condition computed from .data saves nothing and adds nothing to the gradient of the loop
    that it ends.
    """
    y = leaf = be.leaf(x)
    size, doublings = 0.0, 0
    while size < 1000:
        y, doublings = y + y, doublings + 1
        with be.saved_tensors() as saved:
            norm = be.sum(be.data(y) * be.data(y))
        assert saved.packed == 0
        assert not be.requires_grad(norm)
        size = float(be.numpy(norm))
    be.backward(y, w)
    be.check(be.grad(leaf), 2.0**doublings * w)
