"""Gradients returned, and gradients of gradients."""

import math
import warnings

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, every, example, given, workload
from gradspec.conformance.strategies import DENSE, arrays, integers, lists, shapes
from gradspec.conformance.truth.oracles.jets import Jet

# ---- returned ------------------------------------------------------------------------------------


@claim(
    "HGH-02", "HGH-51", about="gradients", needs="backward gradients grad_assign", level="contract"
)
@given(
    x=arrays(),
    y=arrays(),
    w=arrays(),
    start=arrays(layouts=DENSE),
    asked=lists(integers(0, 2), min_size=1, max_size=4),
)
def test_gradients_are_returned_and_not_added(be, x, y, w, start, asked):
    """gradients returns one gradient for each tensor asked for, leaf or not, in the order asked and
    as often, the one that backward would add; every .grad stays the object it was, with its value.
    """
    a, b, held = be.leaf(x), be.leaf(y), be.tensor(start)
    be.set_grad(b, held)
    product = a * b
    tensors, full = (a, b, product), (2 * w * x * y, w * x * x, w * x)
    found = be.gradients(product * a, [tensors[k] for k in asked], w)
    for gradient, k in zip(found, asked, strict=True):
        be.check(gradient, full[k])
    assert be.grad(a) is None
    assert be.grad(b) is held
    be.check(held, start)


@claim("HGH-52", about="gradients", needs="backward gradients", level="contract")
@example(x=np.array([1.0, 2.0]), v=1.0, w=np.ones(2))
@given(x=arrays(), v=arrays("scalar", shape=()), w=arrays())
def test_several_results_give_one_gradient(be, x, v, w):
    """From several results, with a cotangent for each, gradients returns the sum of what each would
    give; of a result of one entry it may be None, one of several entries or none needs it.
    """
    leaf = be.leaf(x)
    results = [be.sum(leaf), leaf * leaf]
    with be.raises(ErrorKind.COTANGENT_SHAPE):
        be.gradients(results, [leaf], [v])
    for shape in ((2,), (0,)):
        several = be.leaf(np.ones(shape))
        with be.raises(ErrorKind.NONSCALAR_BACKWARD):
            be.gradients([be.sum(several), several * several], [several], [v, None])
    for first in (v, None):
        (gradient,) = be.gradients(results, [leaf], [first, w], retain_graph=True)
        be.check(gradient, Total.of(1 if first is None else v, 2 * w * x))


@claim("HGH-56", about="gradients", needs="backward gradients", level="contract")
@example(x=np.ones(2), y=np.ones((3, 1)), w=np.ones(2), used=[1])
@given(
    x=arrays(),
    y=arrays("other"),
    w=arrays(),
    used=lists(integers(0, 1), min_size=1, max_size=4),
)
def test_unused_inputs_are_refused_none_or_zeros(be, x, y, w, used):
    """The gradient of a tensor that took no part is refused unless allow_unused asks for None, or
    materialize_grads for zeros of its own shape; that of a constant is always refused.
    """
    taken, unused = be.leaf(x), be.leaf(y)
    result, asked = taken * taken, [(unused, taken)[k] for k in used]
    for options, missing in (({"allow_unused": True}, None), ({"materialize_grads": True}, 0)):
        found = be.gradients(result, [*asked, unused], w, retain_graph=True, **options)
        for gradient, k in zip(found, [*used, 0], strict=True):
            if k:
                be.check(gradient, 2 * w * x)
            elif missing is None:
                assert gradient is None
            else:
                be.check(gradient, np.zeros(y.shape))
    with be.raises(ErrorKind.UNREACHABLE):
        be.gradients(result, [*asked, unused], w)
    with be.raises(ErrorKind.NO_GRAPH):
        be.gradients(result, [*asked, be.tensor(x)], w, allow_unused=True)


@claim("HGH-220", about="gradients", needs="backward gradients torch", level="contract")
@given(x=arrays(), w=arrays())
def test_zeros_are_allowed_for_what_is_unused(be, x, w):
    """Zeros in the place of None are refused where nothing may be unused, which contradicts them,
    and taken where that is said twice.
    """
    taken, unused = be.leaf(x), be.leaf(x)
    result = taken * taken
    for allowed in (True, None):
        options = {"materialize_grads": True, "allow_unused": allowed}
        found = be.gradients(result, [taken, unused], w, retain_graph=True, **options)
        for gradient, want in zip(found, (2 * w * x, 0 * x), strict=True):
            be.check(gradient, want)
    with be.raises(ErrorKind.ARGUMENT):
        be.gradients(result, [taken, unused], w, materialize_grads=True, allow_unused=False)


@claim("HGH-120", about="gradients", needs="backward gradients inplace add_")
@given(x=arrays(layouts=DENSE), w=arrays())
def test_zeros_have_memory_of_their_own(be, x, w):
    """The zeros that materialize_grads makes are tensors of their own: what is written to one shows
    in no other, and not in the inputs.
    """
    taken, *unused = (be.leaf(x) for _ in range(3))
    found = be.gradients(taken * taken, [*unused, taken], w, materialize_grads=True)
    be.add_(found[0], 1)
    for got, want in zip((*found, *unused), (0 * x + 1, 0 * x, 2 * w * x, x, x), strict=True):
        be.check(got, want)


@claim("HGH-850", about="gradients", needs="backward gradients torch", level="contract")
@every(dtype=["float32", "float64", "complex64", "complex128"])
@given(x=arrays(), shape=shapes())
def test_zeros_are_like_the_input_they_belong_to(be, dtype, x, shape):
    """The zeros that materialize_grads makes have the shape and the dtype of their input, whichever
    the result and the other inputs have.
    """
    taken, unused = be.leaf(x), be.backend.leaf(np.ones(shape, dtype), dtype, be.device)
    for place in (0, 1):
        inputs = [taken]
        inputs.insert(place, unused)
        found = be.gradients(be.sum(taken), inputs, materialize_grads=True)
        be.same(found[place], np.zeros(shape, dtype))


@claim(
    "HGH-170",
    about="gradients",
    needs="backward gradients retain_graph inplace mul_ torch",
    level="contract",
)
@given(x=arrays(layouts=DENSE), v=arrays(), w=arrays())
def test_an_edge_stands_for_the_value_it_was_taken_of(be, x, v, w):
    """The gradient edge of a tensor takes its place among inputs and results; it goes on standing
    for the value that the tensor had, though that was written since, and is none of a constant.
    """
    edge_of, leaf = be.lookup("torch.autograd.graph:get_gradient_edge"), be.leaf(x)
    y = leaf * 2
    former = edge_of(y)
    be.mul_(y, 3)
    z = y * 5
    for result, wanted in ((z, [former, y, leaf]), (edge_of(z), [former, y, edge_of(leaf)])):
        found = be.gradients(result, wanted, be.tensor(w), retain_graph=True)
        for gradient, slope in zip(found, (15, 5, 30), strict=True):
            be.check(gradient, slope * w)
    be.backend.backward(former, be.tensor(v))
    be.check(be.grad(leaf), 2 * v)
    with pytest.raises(RuntimeError, match="does not require gradients"):
        edge_of(be.tensor(x))


@claim("HGH-57", about="gradients", needs="backward gradients torch", level="contract")
@given(x=arrays(), y=arrays(), w=arrays())
def test_only_inputs_is_ignored(be, x, y, w):
    """gradients never adds to a leaf, asked for or not: only_inputs, whatever its value, is an old
    word that is ignored, with a warning if it is False.
    """
    a, b = be.leaf(x), be.leaf(y)
    with pytest.warns(FutureWarning, match="only_inputs argument is deprecated"):
        (gradient,) = be.gradients(a * b, [a], w, only_inputs=False)
    be.check(gradient, w * y)
    be.check(be.gradients(a * b, [a], w, only_inputs=True)[0], w * y)
    assert be.grad(a) is be.grad(b) is None


# ---- of gradients --------------------------------------------------------------------------------


@workload
def curvature(be, leaf):
    """The gradient of the gradient of a cube."""

    def slope(x):
        value, pull = be.vjp(lambda z: z * z * z, x, create_graph=True)
        return pull(be.mul(value, 0) + 1)[0]

    value, pull = be.vjp(slope, leaf)
    return pull(be.mul(value, 0) + 1)[0]


@claim("HGH-53", about="vjp", needs="vjp create_graph")
@example(x=np.array([3.0]), w=np.ones(1), c=np.array([0.0, 0.0, 1.0, 0.0, 0.0]), order=1)
@example(x=np.array([3.0]), w=np.ones(1), c=np.array([0.0, 0.0, 1.0, 0.0, 0.0]), order=2)
@given(x=arrays(), w=arrays(), c=arrays("coefficients", shape=(5,)), order=integers(1, 3))
def test_a_gradient_can_be_differentiated(be, x, w, c, order):
    """With create_graph the gradient of a polynomial can be differentiated like the polynomial,
    order after order: x^2 has 2 x, and 2 x has 2.
    """
    k0, k1, k2, k3, k4 = c.tolist()

    def derivative(function):
        return lambda z: be.vjp(function, z, create_graph=True)[1](w)[0]

    function = lambda z: (((z * k4 + k3) * z + k2) * z + k1) * z + k0  # noqa: E731
    for _ in range(order):
        function = derivative(function)
    terms = [math.perm(n, order) * c[n] * x ** (n - order) for n in range(order, 5)]
    be.check(function(be.tensor(x)), Total.of(*[w**order * term for term in terms]))
    be.check(curvature(be, be.tensor(x)), 6 * x)


@claim("HGH-322", about="vjp", needs="vjp create_graph")
@given(x=arrays(), y=arrays(), z=arrays(), w=arrays())
def test_derivatives_within_each_other_are_kept_apart(be, x, y, z, w):
    """Of derivatives that are taken within each other, three deep, each is by its own argument:
    those that others vary are constants to it, and it varies with them.
    """

    def slope(function, at):
        return be.vjp(function, at, create_graph=True)[1](w)[0]

    def inner(a, b):
        return slope(lambda c: a * b * c * c, z)

    def between(a):
        return slope(lambda b: a * b * inner(a, b), y)

    found = slope(lambda a: a * between(a), x)
    be.check(found, Jet.given(x) * x * y * z * w * w * w * 12)


@claim(
    "HGH-103", about="gradients", needs="backward gradients create_graph no_grad", level="contract"
)
@given(x=arrays(), w=arrays(), v=arrays())
def test_a_recorded_pass_records_under_no_grad(be, x, w, v):
    """With create_graph a gradient is recorded even under no_grad."""
    leaf, factor = be.leaf(x), be.leaf(w)
    y = leaf * leaf
    with be.no_grad():
        (gradient,) = be.gradients(y, [leaf], factor, create_graph=True)
        (passed,) = be.gradients(y, [y], factor, create_graph=True)
    assert be.requires_grad(gradient)
    assert be.requires_grad(passed)
    (second,) = be.gradients(gradient, [leaf], be.tensor(v))
    be.check(second, 2 * w * v)


@claim("HGH-54", about="gradients", needs="backward gradients create_graph", level="contract")
@given(x=arrays(), w=arrays(), v=arrays())
def test_a_gradient_is_a_constant_unless_recorded(be, x, w, v):
    """A gradient does not require grad, and is refused where backward would start at it, unless it
    was asked for with create_graph; then it does where it depends on a leaf, and can be.
    """
    leaf = be.leaf(x)
    (constant,) = be.gradients(leaf * leaf, [leaf], w)
    assert not be.requires_grad(constant)
    with be.raises(ErrorKind.NO_GRAPH, ErrorKind.UNREACHABLE):
        be.gradients(constant, [leaf], v)
    (gradient,) = be.gradients(leaf * leaf, [leaf], w, create_graph=True)
    assert be.requires_grad(gradient)
    be.check(gradient, be.numpy(constant))
    be.check(be.gradients(gradient, [leaf], v)[0], 2 * w * v)
    (slope,) = be.gradients(leaf * 3, [leaf], w, create_graph=True)
    assert not be.requires_grad(slope)


@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph=True")
@claim("HGH-55", about="backward", needs="backward create_graph")
@example(x=np.array([1.0]), w=np.ones(1), v=np.ones(1))
@given(x=arrays(), w=arrays(), v=arrays())
def test_backward_can_be_run_from_grad(be, x, w, v):
    """With create_graph the .grad of a cube can be run backward from: that adds the second
    derivative to what .grad holds by then, nothing if it was cleared, the first if it was not.
    """
    for cleared in (True, False):
        leaf = be.leaf(x)
        be.backward(leaf * leaf * leaf, w, create_graph=True)
        first = be.grad(leaf)
        be.check(first, 3 * w * x * x)
        if cleared:
            be.clear(leaf)
        be.backward(first, v)
        second = 6 * w * v * x
        be.check(be.grad(leaf), second if cleared else Total.of(3 * w * x * x, second))


@claim("HGH-101", about="backward", needs="backward torch", level="contract")
@given(x=arrays(), w=arrays())
def test_a_recorded_backward_warns_of_a_cycle(be, x, w):
    """backward with create_graph warns that .grad then holds on to its own leaf; without it, and
    for gradients that are returned, nothing warns.
    """
    leaf, always = be.leaf(x), be.lookup("torch:set_warn_always")
    always(True)
    try:
        with pytest.warns(UserWarning, match="reference cycle between the parameter and its"):
            be.backward(leaf * leaf, w, create_graph=True)
    finally:
        always(False)
    be.clear(leaf)
    with warnings.catch_warnings(action="error"):
        be.backward(leaf * leaf, w)
        be.gradients(leaf * leaf, [leaf], w, create_graph=True)
    be.check(be.grad(leaf), 2 * w * x)


@claim("HGH-102", about="gradients", needs="backward gradients create_graph stack")
@given(x=arrays("three", shape=(3, 2)), w=arrays("three", shape=(3, 2)), v=arrays(shape=(2,)))
def test_recorded_gradients_depend_on_their_cotangent(be, x, w, v):
    """Every gradient that was asked for with create_graph can be differentiated by the cotangent as
    by its input: for a square, weighed with v, that gives 2 x v and 2 w v.
    """
    leaves, cotangent = [be.leaf(row) for row in x], be.leaf(w)
    rows = be.stack(leaves)
    found = be.gradients(rows * rows, leaves, cotangent, create_graph=True)
    for n, gradient in enumerate(found):
        by_input, by_cotangent = be.gradients(
            gradient, [leaves[n], cotangent], v, retain_graph=True
        )
        be.check(by_input, 2 * w[n] * v)
        be.check(by_cotangent, np.eye(3)[n][:, None] * 2 * x[n] * v)
