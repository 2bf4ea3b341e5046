"""Transforms: functions made of functions, within each other and in any order."""

from dataclasses import replace
from functools import partial, reduce

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, every, example, given
from gradspec.conformance.strategies import (
    DENSE,
    NONZERO,
    arrays,
    booleans,
    integers,
    lists,
    one_of,
    sampled_from,
)
from gradspec.conformance.strategies.transforms import (
    REFUSED,
    SELECTED,
    THREE,
    axes,
    quadratics,
    stacked,
    summed,
)
from gradspec.conformance.truth.oracles.jets import Jet

NO_WORKLOAD = "what a transform costs is measured on the workloads of what it transforms"

NONE = sampled_from([None])


# ---- mapping -------------------------------------------------------------------------------------


@claim("TRF-01", about="vmap", needs="vmap")
@given(
    f=quadratics(bent=True),
    x=arrays("batch", shape=(3, 2, 2)),
    y=arrays("other", shape=(3, 2, 2)),
    first=axes(3),
    second=one_of(axes(3), NONE),
    out=axes(3),
)
def test_a_mapped_function_works_slice_by_slice(be, f, x, y, first, second, out):
    """A function mapped over an axis of its arguments computes of each slice what it computes of
    that slice alone, whichever axes are mapped and wherever results are put; an argument that is
    not mapped belongs to every slice.
    """
    here = be.tensor(np.moveaxis(x, 0, first))
    there = be.tensor(y[0] if second is None else np.moveaxis(y, 0, second))
    partners = [y[0]] * 3 if second is None else y
    true = stacked([f.value(*each) for each in zip(x, partners, strict=True)], out)
    be.check(be.vmap(f.of, (first, second), out)(here, there), true)
    turned = be.vmap(lambda b, a: f.of(a, b), (second, first), out)
    be.check(turned(there, here), true, "the arguments in the other order")


@claim("TRF-15", about="vmap", needs="vmap")
@given(x=arrays("batch", shape=(3, 2)), y=arrays("other", shape=(2,)), out=integers(0, 1))
def test_what_depends_on_no_slice_is_there_for_each(be, x, y, out):
    """The result of a mapped function that does not depend on the argument that is mapped is there
    once for each slice, along the axis where results are put.
    """
    found = be.vmap(lambda _, b: b * b, (0, None), out)(be.tensor(x), be.tensor(y))
    be.check(found, np.stack([y * y] * 3, out))


@claim("TRF-540", about="vmap", needs="vmap vjp index_select torch", level="contract")
@example(x=np.arange(12.0).reshape(3, 4), index=[2, 0], dim=0, both=False)
@example(x=np.arange(12.0).reshape(3, 4), index=[2, 0, 1], dim=1, both=True)
@given(
    x=arrays("rows", shape=(3, 4)),
    index=lists(integers(0, 2), min_size=3, max_size=3),
    dim=integers(0, 1),
    both=booleans(),
)
def test_numbers_that_select_are_mapped(be, x, index, dim, both):
    """Mapped over numbers that select, index_select has for each of them the one slice that it has
    for it alone, and the slice receives its gradient; so it is if what is selected from is mapped.
    """
    numbers = be.tensor(np.array(index))
    sources = [x * (n + 1) for n in range(len(index))] if both else [x] * len(index)
    alone = [np.take(source, [n], dim) for source, n in zip(sources, index, strict=True)]
    mapped = be.vmap(lambda z, n: be.index_select(z, dim, n), (0 if both else None, 0))
    value, pull = be.vjp(lambda z: mapped(z, numbers), np.stack(sources) if both else x)
    be.check(value, np.stack(alone))
    slopes = np.zeros((len(index), *x.shape))
    for slope, n, w in zip(slopes, index, range(1, len(index) + 1), strict=True):
        slope[(slice(None),) * dim + (n,)] = w
    weights = np.stack([np.full_like(a, n + 1) for n, a in enumerate(alone)])
    be.check_gradient(*pull(weights), Total.of(slopes) if both else Total.along(slopes, 0))


@claim(
    "TRF-780",
    about="vmap",
    needs="vmap vjp gather take_along_dim take embedding where torch",
    level="contract",
)
@every(name=list(SELECTED))
@given(
    x=arrays("matrix", shape=(3, 4)),
    numbers=arrays("numbers", values=THREE, shape=(2, 3, 4)),
    axis=axes(3),
)
def test_what_is_selected_by_mapped_numbers_alone(be, name, x, numbers, axis):
    """Mapped over numbers alone, what selects by them has for each slice what it has of it alone,
    and what it selects from receives the gradients of all slices.
    """
    select, selected = SELECTED[name]
    slices = numbers.astype(int)
    index = be.tensor(np.moveaxis(slices, 0, axis))
    mapped = be.vmap(lambda z, n: select(be, z, n), (None, axis))
    value, pull = be.vjp(lambda z: mapped(z, index), x)
    be.check(value, np.stack([selected(x, n) for n in slices]))
    w = np.arange(1.0, 1 + be.numpy(value).size).reshape(be.numpy(value).shape)
    units = np.eye(12).reshape(12, 3, 4)
    true = [sum(np.sum(v * selected(u, n)) for v, n in zip(w, slices, strict=True)) for u in units]
    be.check_gradient(pull(w)[0], Total.of(np.reshape(true, (3, 4))))


@claim("TRF-02", about="vmap", needs="vmap vjp")
@given(
    f=quadratics(bent=True),
    x=arrays("batch", shape=(3, 2, 2)),
    y=arrays("other", shape=(3, 2, 2)),
    w=arrays("cotangent", shape=(3, 2, 2), values=NONZERO),
    axis=axes(3),
    shared=booleans(),
)
def test_the_gradients_of_a_mapped_function(be, f, x, y, w, axis, shared):
    """The pullback of a mapped function gives each slice its gradient, and an argument that is not
    mapped the sum of the gradients of all slices.
    """
    partners = [y[0]] * 3 if shared else y
    mapped = be.vmap(f.of, (axis, None if shared else 0), axis)
    _, pull = be.vjp(mapped, np.moveaxis(x, 0, axis), y[0] if shared else y)
    by_x, by_y = pull(np.moveaxis(w, 0, axis))
    slices = [f.gradients(*each) for each in zip(w, x, partners, strict=True)]
    be.check_gradient(by_x, stacked([first for first, _ in slices], axis))
    each = [second for _, second in slices]
    be.check_gradient(by_y, summed(each) if shared else stacked(each, 0))


@claim("TRF-03", about="vmap", needs="vmap transforms")
@given(
    f=quadratics(),
    x=arrays("batch", shape=(3, 2, 2), layouts=DENSE),
    y=arrays("other", shape=(2, 2), layouts=DENSE),
    w=arrays("cotangent", shape=(3, 2, 2), layouts=DENSE, values=NONZERO),
    v=arrays("tangent", shape=(3, 2, 2), layouts=DENSE, values=NONZERO),
    axis=axes(3),
)
def test_derivatives_are_mapped_like_functions(be, f, x, y, w, v, axis):
    """The gradients and the directional derivatives of a function are functions that can be mapped:
    each slice has its own, those for an argument that all slices share as well.
    """
    ours, other = be.tensor(np.moveaxis(x, 0, axis)), be.tensor(y)

    def gradient(place):
        return lambda at, c: be.pulled(f.of, [at, other], c)[place]

    def along(at, direction):
        return be.pushed(lambda z: f.of(z, other), [at], [direction])

    slices = [f.gradients(c, each, y) for c, each in zip(w, x, strict=True)]
    for place in (0, 1):
        found = be.vmap(gradient(place), (axis, 0))(ours, be.tensor(w))
        be.check(found, stacked([each[place] for each in slices], 0))
    tangents = [f.along(t, each, y) for t, each in zip(v, x, strict=True)]
    be.check(be.vmap(along, (axis, 0))(ours, be.tensor(v)), stacked(tangents, 0))


@claim("TRF-04", about="vmap", needs="vmap")
@given(
    f=quadratics(),
    x=arrays("batches", shape=(3, 2, 2, 2)),
    y=arrays("batch", shape=(2, 2, 2)),
    outer=axes(4),
    inner=axes(3),
    out=axes(3),
)
def test_mapped_functions_are_mapped_again(be, f, x, y, outer, inner, out):
    """A mapped function can be mapped over another axis: the axes of the inner mapping are those of
    a slice of the outer one.
    """
    given_x = np.moveaxis(np.moveaxis(x, 1, inner + (inner >= 0)), 0, outer)
    slices = np.moveaxis(given_x, outer, 0)
    mapped = be.vmap(be.vmap(f.of, (inner, 0), out), (outer, None))
    true = [
        stacked([f.value(a, b) for a, b in zip(np.moveaxis(each, inner, 0), y, strict=True)], out)
        for each in slices
    ]
    be.check(mapped(be.tensor(given_x), be.tensor(y)), stacked(true, 0))


@claim("TRF-05", about="vmap", needs="vmap")
@given(x=arrays("batch", shape=(3, 2)), y=arrays("fewer", shape=(2, 2)))
def test_what_cannot_be_mapped_is_refused(be, x, y):
    """Axes of different sizes cannot be mapped together, nor one that an argument does not have,
    and a mapped function cannot let Python branch on one of its values: each is refused.
    """
    a, b = be.tensor(x), be.tensor(y)
    with be.raises(ErrorKind.SHAPE):
        be.vmap(lambda u, v: u * v, (0, 0))(a, b)
    with be.raises(ErrorKind.DIMENSION):
        be.vmap(lambda u: u * u, (2,))(a)
    with be.raises(ErrorKind.TRANSFORM):
        be.vmap(lambda u: u if (u[0] > 0) else -u, (0,))(a)


@claim("TRF-730", about="vmap", needs="vmap torch", level="contract")
@example(name="torch.nn.functional:layer_norm")
@given(name=sampled_from(list(REFUSED)))
def test_what_is_refused_of_each_is_refused_of_all(be, name):
    """A function that refuses every slice, which has too few axes for it or another shape than it
    was told, refuses all of them when it is mapped: the axis of the map is none of theirs.
    """
    function, (shape, options) = be.lookup(name), REFUSED[name]
    told, slices = partial(function, **options), be.tensor(np.ones((4, *shape)))
    for way, call, x in (("", told, slices[0]), (", mapped,", be.vmap(told, (0,)), slices)):
        try:
            call(x)
        except (RuntimeError, IndexError, ValueError):
            continue
        pytest.fail(f"{name}{way} refuses nothing")


# ---- derivatives of derivatives ------------------------------------------------------------------


@claim("TRF-06", about="jacrev jacfwd", needs="jacobians")
@given(
    f=quadratics(),
    x=arrays("x", shape=(2, 2), layouts=DENSE),
    y=arrays("y", shape=(2, 2), layouts=DENSE),
)
def test_both_modes_give_one_matrix(be, f, x, y):
    """Row by row in reverse mode or column by column in forward mode, the matrix of derivatives is
    one: its rows are the gradients of the entries of the result.
    """
    units = np.eye(4).reshape(4, 2, 2)
    rows = stacked([f.gradients(unit, x, y)[0] for unit in units], 0).reshape((2, 2, 2, 2))
    for jacobian in (be.jacrev, be.jacfwd):
        be.check(jacobian(f.of)(be.tensor(x), be.tensor(y)), rows, "matrix of derivatives")


@claim("TRF-07", about="jacrev jacfwd", needs="jacobians")
@given(
    f=quadratics(),
    x=arrays("x", shape=(2, 2), layouts=DENSE),
    y=arrays("y", shape=(2, 2), layouts=DENSE),
    w=arrays("w", shape=(2, 2), layouts=DENSE, values=NONZERO),
)
def test_the_hessian_is_one_and_symmetric(be, f, x, y, w):
    """The second derivatives of a scalar are symmetric, and the same by forward mode over reverse
    mode, by reverse mode over forward mode, and by either over itself.
    """
    weights = be.tensor(w)

    def scalar(a, b):
        return be.sum(weights * f.of(a, b))

    units = np.eye(4).reshape(4, 2, 2)
    true = stacked([f.bent(w, unit, y) for unit in units], 0).reshape((2, 2, 2, 2))
    for outer in (be.jacrev, be.jacfwd):
        for inner in (be.jacrev, be.jacfwd):
            found = outer(inner(scalar))(be.tensor(x), be.tensor(y))
            be.check(found, true, "second derivatives")
            be.check(found, replace(true, value=true.value.transpose(2, 3, 0, 1)), "transposed")


@claim("TRF-08", about="pulled pushed", needs="transforms")
@given(
    f=quadratics(),
    x=arrays("x", shape=(2, 2), layouts=DENSE),
    y=arrays("y", shape=(2, 2), layouts=DENSE),
    w=arrays("w", shape=(2, 2), layouts=DENSE, values=NONZERO),
    v=arrays("v", shape=(2, 2), layouts=DENSE, values=NONZERO),
)
def test_second_derivatives_along_a_direction(be, f, x, y, w, v):
    """The gradient of a directional derivative is the directional derivative of the gradient, and
    the gradient of a pairing of the gradient with the direction.
    """
    at, other, weights, direction = map(be.tensor, (x, y, w, v))

    def gradient(a):
        return be.pulled(f.of, [a, other], weights)[0]

    def slope(a):
        return be.pushed(lambda z: f.of(z, other), [a], [direction])

    true = f.bent(w, v, y)
    be.check(be.pulled(slope, [at], weights)[0], true, "reverse over forward")
    be.check(be.pushed(gradient, [at], [direction]), true, "forward over reverse")
    be.check(be.pulled(gradient, [at], direction)[0], true, "reverse over reverse")


@claim("TRF-09", about="linearize", needs="linearize")
@given(
    f=quadratics(),
    x=arrays("x", shape=(2, 2), layouts=DENSE),
    y=arrays("y", shape=(2, 2), layouts=DENSE),
    v=arrays("v", shape=(2, 2), layouts=DENSE),
    factors=lists(sampled_from([1.0, -2.0, 0.0, 0.5]), min_size=1, max_size=3),
)
def test_what_is_linearized_is_linear(be, f, x, y, v, factors):
    """The linear part of a function at a point gives its value there and, however often it is
    asked, derivatives that are linear in the tangent: of -2 times a tangent -2 times as much, of
    zeros zeros. Of several arguments each has a tangent of its own.
    """
    other = be.tensor(y)
    value, push = be.linearize(lambda a: f.of(a, other), be.tensor(x))
    be.check(value, f.value(x, y))
    for factor in factors:
        true = f.along(v, x, y)
        size = abs(factor)
        scaled = replace(
            true,
            value=factor * true.value,
            magnitude=size * true.magnitude,
            error_bound=size * np.asarray(true.error_bound),
        )
        be.check(push(be.tensor(factor * v)), scaled, f"along {factor} times the tangent")
    value, push = be.linearize(f.of, be.tensor(x), other)
    be.check(value, f.value(x, y))
    tangent, none = be.tensor(v), be.tensor(np.zeros((2, 2)))
    be.check(push(tangent, none), f.along(v, x, y), "along the first argument")
    exchanged = replace(f, of=lambda b, a: f.of(a, b))
    be.check(push(none, tangent), exchanged.along(v, y, x), "along the second argument")


# ---- computed again, several at once -------------------------------------------------------------


@claim("TRF-10", about="checkpoint", needs="checkpoint vjp")
@given(
    f=quadratics(),
    x=arrays("x", shape=(2, 2)),
    y=arrays("y", shape=(2, 2)),
    w=arrays("w", shape=(2, 2)),
)
def test_computing_again_changes_nothing(be, f, x, y, w):
    """A function that is computed again when it is differentiated has its value and its gradients,
    bit by bit, also where its result is used twice.
    """

    def plainly(a, b):
        return f.of(be.sin(a), b)

    def twice(function):
        return lambda a, b: f.of(*[function(a, b)] * 2)

    other, push = be.vjp(twice(plainly), x, y)
    value, pull = be.vjp(twice(lambda a, b: be.checkpoint(plainly, a, b)), x, y)
    be.same(value, other)
    for found, true in zip(pull(w), push(w), strict=True):
        both = [np.zeros((2, 2)) if g is None else be.numpy(g) for g in (found, true)]
        be.same(*map(be.tensor, both), "gradient")


@claim("TRF-11", about="checkpoint", needs="checkpoint vjp random rand_like")
@example(x=np.ones(3), w=np.ones(3), seed=0)
@given(x=arrays("x", values=NONZERO), w=arrays("x"), seed=integers(0, 100))
def test_computing_again_draws_the_same_numbers(be, x, w, seed):
    """What is computed again draws the random numbers that it drew before, and whoever draws after
    it finds the generator as after the first time.
    """
    with be.fork_random():
        be.manual_seed(seed)
        _, push = be.vjp(lambda a: a * be.rand_like(a), x)
        before = be.numpy(be.random_state(be.device))
        be.manual_seed(seed)
        _, pull = be.vjp(lambda a: be.checkpoint(lambda b: b * be.rand_like(b), a), x)
        found = pull(w)
        be.same(be.random_state(be.device), before, "the state of the generator")
        be.same(*found, *push(w), "gradient")


@claim("TRF-160", about="checkpoint", needs="checkpoint vjp random nn torch", level="contract")
@example(name="RReLU", x=-np.ones(4), w=np.ones(4), seed=0)
@given(
    name=sampled_from(["RReLU", "Dropout", "Dropout1d"]),
    x=arrays("x", shape=(2, 4), values=NONZERO),
    w=arrays("w", shape=(2, 4)),
    seed=integers(0, 100),
)
def test_a_random_layer_under_a_checkpoint(be, name, x, w, seed):
    """A layer that multiplies each entry by a number it draws has that number as its derivative,
    also where it is computed again.
    """
    layer = be.layer(name)
    with be.fork_random():
        be.manual_seed(seed)
        value, pull = be.vjp(lambda a: be.checkpoint(layer, a), x)
        found = pull(w)
    be.check(*found, Jet.exact(w) * Jet.exact(be.numpy(value)) / Jet.exact(x))


@claim("TRF-180", about="lookup", needs="random torch", level="contract")
@example(seed=0, count=3, size=1)
@given(seed=integers(0, 2**32), count=integers(2, 5), size=one_of(integers(1, 6), NONE))
def test_what_is_drawn_within_a_mapped_function(be, seed, count, size):
    """A function that is mapped, however many slices at a time, or differentiated column by column
    may draw random numbers only where that is asked for: the same ones for every slice or column,
    or different ones for each.
    """
    vmap, zeros = be.lookup("torch.func:vmap"), be.tensor(np.zeros((count, 3)))

    def function(z):
        return z + be.rand(3, dtype=be.dtype)

    def scaled(z):
        return be.sum(z) * be.rand(3, dtype=be.dtype)

    jacfwd = be.lookup("torch.func:jacfwd")
    for refused in (vmap(function, chunk_size=size), jacfwd(scaled)):
        with pytest.raises(RuntimeError, match="randomness"):
            refused(zeros)
    with be.fork_random():
        be.manual_seed(seed)
        for kind, different in (("same", 1), ("different", count)):
            drawn = be.numpy(vmap(function, randomness=kind, chunk_size=size)(zeros))
            assert len(np.unique(drawn, axis=0)) == different
            columns = jacfwd(scaled, randomness=kind)(be.tensor(np.zeros(count)))
            assert len(np.unique(be.numpy(columns), axis=1).T) == different


@claim("TRF-12", about="batched", needs="batched backward gradients")
@given(
    f=quadratics(),
    x=arrays("x", shape=(2, 2)),
    y=arrays("y", shape=(2, 2)),
    w=arrays("cotangents", shape=(3, 2, 2)),
)
def test_gradients_of_several_cotangents_at_once(be, f, x, y, w):
    """Gradients for several cotangents at once are those for each of them, put together."""
    leaves = be.leaf(x), be.leaf(y)
    result = f.of(*leaves) + leaves[0] * leaves[1]
    slices = [f.gradients(c, x, y) for c in w]
    for place, found in enumerate(be.batched(result, leaves, be.tensor(w))):
        true = [
            summed([each[place], Total.of(c * (y, x)[place])])
            for c, each in zip(w, slices, strict=True)
        ]
        be.check(found, stacked(true, 0))


# ---- in any order --------------------------------------------------------------------------------


@claim("TRF-14", about="vmap pulled pushed", needs="vmap transforms")
@example(x=np.ones((3, 2)), c=np.full((3, 2), 2.0), order=["vmap", "pulled", "pushed"])
@example(x=np.ones((3, 2)), c=np.full((3, 2), 2.0), order=["pushed", "vmap", "pulled"])
@given(
    x=arrays("batch", shape=(3, 2), layouts=DENSE),
    c=arrays("batch", shape=(3, 2), layouts=DENSE, values=NONZERO),
    order=lists(sampled_from(["vmap", "pulled", "pushed"]), min_size=1, max_size=3),
)
def test_transforms_compose_in_any_order(be, x, c, order):
    """Mapping, reverse mode and forward mode may stand within each other in any order: of a
    function that works entry by entry each derivative is one, whichever mode has taken it, and
    mapping changes nothing.
    """
    transforms = {
        "vmap": lambda f: be.vmap(f, (0, 0)),
        "pulled": lambda f: lambda a, b: be.pulled(lambda z: f(z, b), [a], b)[0],
        "pushed": lambda f: lambda a, b: be.pushed(lambda z: f(z, b), [a], [b]),
    }
    # A row has but one axis to map over.
    order = [name for n, name in enumerate(order) if name != "vmap" or n == order.index("vmap")]
    function = reduce(lambda f, name: transforms[name](f), order, lambda a, b: a * a * a * b)
    derivatives = (x**3 * c, 3 * x**2 * c**2, 6 * x * c**3, 6 * c**4)
    true = derivatives[len(order) - order.count("vmap")]
    be.check(function(be.tensor(x), be.tensor(c)), true)


@claim("TRF-172", about="pulled pushed", needs="transforms no_grad", level="contract")
@given(
    x=arrays(layouts=DENSE),
    w=arrays(layouts=DENSE, values=NONZERO),
    recording=booleans(),
)
def test_modes_inside_a_function_count_and_others_do_not(be, x, w, recording):
    """Derivatives of a function by transforms do not depend on the mode around them, while a block
    under no_grad within the function makes constants in reverse mode.
    """

    def function(z):
        with be.no_grad():
            constant = z * z
        return z * z * z + z * constant

    def plain(z):
        return z * z * z

    point, direction = be.tensor(x), be.tensor(w)
    with be.enable_grad() if recording else be.no_grad():
        found = be.pulled(function, [point], direction)[0]
        others = [be.pulled(plain, [point], direction)[0], be.pushed(plain, [point], [direction])]
    be.check(found, Total.of(3 * w * x * x, w * x * x))
    for other in others:
        be.check(other, 3 * w * x * x)
