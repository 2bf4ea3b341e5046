"""Gradients: from several results, to chosen tensors, and what they are good for."""

import inspect
import warnings

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, example, given, workload
from gradspec.conformance.strategies import POSITIVE, arrays, booleans, integers, lists

# ---- what a gradient is --------------------------------------------------------------------------


@claim("BWD-69", about="backward", needs="backward")
@example(x=2.0, v=0.0, w=3.0, direction=1.0)
@given(
    x=arrays(min_size=1),
    v=arrays(min_size=1),
    w=arrays(min_size=1),
    direction=arrays(min_size=1),
)
def test_a_gradient_tells_how_the_result_changes(be, x, v, w, direction):
    """A gradient belongs to a scalar result: weighed with a step of the leaf, in any direction, it
    tells how the result changes; for a quadratic, half of what steps to both sides differ by.
    """

    def result(z):
        return be.sum(be.mul(v, z * z) + be.mul(w, z))

    leaf = be.leaf(x)
    be.backward(result(leaf))
    ahead, behind = (float(be.numpy(result(be.tensor(x + s)))) for s in (direction, -direction))
    slope = be.sum(be.mul(be.grad(leaf), direction))
    be.check(slope, Total.of(ahead / 2, -behind / 2))


@workload
def descended(be, leaf, target=0.0, curvature=1.0, rate=2.0**-5):
    """A leaf after one step against the gradient of a weighted square."""
    error = be.sub(leaf, target)
    be.backward(be.sum(be.mul(error * error, curvature)))
    return leaf - rate * be.grad(leaf)


@claim("BWD-70", about="backward", needs="backward")
@given(x=arrays(min_size=1), target=arrays(min_size=1), c=arrays(min_size=1, values=POSITIVE))
def test_a_short_step_against_the_gradient_lowers_the_loss(be, x, target, c):
    """A step against the gradient lowers a loss unless the gradient is zero, if it is short: for
    the sum of c (x - target)^2 a rate r < 1 / c takes 2 r c of the way to the target.
    """
    moved = descended(be, be.leaf(x), target, c, rate=2.0**-5)
    be.check(moved, Total.of(x, -(2.0**-4) * c * (x - target)))
    before, after = ((c * (z - target) ** 2).sum() for z in (x, be.numpy(moved)))
    assert after < before or np.array_equal(x, target)


# ---- several results -----------------------------------------------------------------------------


@claim("BWD-59", "BWD-64", about="backward", needs="backward stack")
@example(x=2.0, w=1.0, v=np.array([1.0, 2.0]))
@example(x=2.0, w=1.0, v=np.array([1.0, 0.0]))
@given(
    x=arrays("scalar", shape=()), w=arrays("scalar", shape=()), v=arrays("cotangent", shape=(2,))
)
def test_results_put_together_count_by_their_cotangents(be, x, w, v):
    """From results put together a leaf receives the sum of their gradients, each weighed by its
    cotangent, and each the sum over all paths: (x + w)(w + 1) has x + 2w + 1 for w.
    """
    a, b = be.leaf(x), be.leaf(w)
    p, q = a + b, b + 1
    be.backward(be.stack([p * q, p + q]), v)
    be.check(be.grad(a), Total.of(v[0] * (w + 1), v[1]))
    be.check(be.grad(b), Total.of(v[0] * (w + 1), v[0] * (x + w), 2 * v[1]))


@claim("BWD-60", about="backward", needs="backward", level="contract")
@example(x=np.array(2.0), y=np.array(3.0), v=np.array(1.0), w=np.array(5.0))
@given(x=arrays(), y=arrays(), v=arrays(), w=arrays())
def test_several_results_count_in_one_pass(be, x, y, v, w):
    """Backward from a list of results adds what passes from each of them would add, also where one
    was computed from the other. There is a cotangent for each, or None for a one-element one.
    """
    a, b = be.leaf(x), be.leaf(y)
    product = a * b
    results = [product * a, be.sum(b * b), product]
    with be.raises(ErrorKind.COTANGENT_SHAPE):
        be.backward(results, [w])
    pair = be.leaf(np.ones(2))
    with be.raises(ErrorKind.NONSCALAR_BACKWARD):
        be.backward([pair * pair, be.sum(pair)], [None, None])
    assert be.grad(pair) is None
    be.backward(results, [w, None, v])
    be.check(be.grad(a), Total.of(v * y, 2 * w * x * y))
    be.check(be.grad(b), Total.of(v * x, w * x * x, 2 * y))


# ---- chosen tensors ------------------------------------------------------------------------------


@claim("BWD-63", about="backward", needs="backward retain_graph", level="contract")
@example(x=np.array(2.0), y=np.array(3.0), w=np.array(5.0), chosen=[2, 2])
@given(x=arrays(), y=arrays(), w=arrays(), chosen=lists(integers(0, 3), min_size=1, max_size=4))
def test_inputs_choose_who_receives(be, x, y, w, chosen):
    """With inputs, backward adds to .grad of exactly these tensors, leaves or not, once each though
    named twice, and leaves those alone that took no part; it frees what it runs. Constants cannot
    be named, and neither can nothing.
    """
    a, b, unused = be.leaf(x), be.leaf(y), be.leaf(y)
    product = a * b
    tensors, full = [a, b, product, unused], [2 * w * x * y, w * x * x, w * x, None]
    with be.raises(ErrorKind.ARGUMENT):
        be.backward(product * a, w, inputs=[])
    with be.raises(ErrorKind.NO_GRAPH):
        be.backward(product * a, w, inputs=[be.tensor(x)])
    be.backward(product * a, w, inputs=[tensors[place] for place in chosen])
    # Some libraries warn of whoever looks for the gradient of an intermediate tensor.
    with warnings.catch_warnings(action="ignore"):
        got = [be.grad(tensor) for tensor in tensors]
    for place, gradient in enumerate(full):
        if place in chosen and gradient is not None:
            be.check(got[place], gradient)
        else:
            assert got[place] is None
    earlier = [None if g is None else be.numpy(g) for g in got[1:2]]
    square = a * a * b
    be.backward(square, w, inputs=[a])
    with be.raises(ErrorKind.FREED_GRAPH):
        be.backward(square, w)
    assert [None if be.grad(b) is None else be.numpy(be.grad(b)).tolist()] == [
        None if g is None else g.tolist() for g in earlier
    ]


# ---- ways to ask ---------------------------------------------------------------------------------


@claim("BWD-62", about="backward", needs="torch", level="contract")
@given(x=arrays(), y=arrays(), w=arrays())
def test_the_method_does_what_the_function_does(be, x, y, w):
    """The method backward of a tensor takes the cotangent and the options of the function backward,
    and does the same, to leaves, to results and to gradients that are there: it returns None.
    """
    for backward in (be.backward, lambda z, v, **options: z.backward(be.tensor(v), **options)):
        a, b = be.leaf(x), be.leaf(y)
        product = a * b
        assert backward(product, w, inputs=[a], retain_graph=True) is None
        assert be.grad(b) is None
        backward(product, w)
        with be.raises(ErrorKind.FREED_GRAPH):
            backward(product, w)
        be.check(be.grad(a), 2 * w * y)
        be.check(be.grad(b), w * x)
        kept, half = be.grad(a), be.mul(a, 0.5)
        backward(half * b, w, inputs=[half, a])
        be.check(be.grad(half), w * y)
        assert be.grad(a) is kept
        be.check(kept, 2.5 * w * y)
        be.check(be.grad(b), w * x)
        recorded = be.leaf(x)
        with warnings.catch_warnings(action="ignore"):
            backward(recorded * recorded, w, create_graph=True)
        assert be.requires_grad(be.grad(recorded))
        be.clear(recorded)


@claim("BWD-61", about="backward", needs="torch", level="contract")
@given(x=arrays(), w=arrays())
def test_grad_variables_is_an_old_word_for_grad_tensors(be, x, w):
    """The function backward still takes its cotangent under the name grad_variables, with a warning
    that it is deprecated, but not together with one under the name grad_tensors. All its options
    default to None, but for create_graph, which is False.
    """
    options = inspect.signature(be.lookup("torch.autograd:backward")).parameters
    names = "tensors grad_tensors retain_graph create_graph grad_variables inputs"
    assert list(options) == names.split()
    defaults = {name: option.default for name, option in options.items() if name != "tensors"}
    assert defaults == dict.fromkeys(names.split()[1:]) | {"create_graph": False}
    leaf = be.leaf(x)
    with pytest.warns(FutureWarning, match="Use `grad_tensors` instead"):
        be.backward(leaf * leaf, grad_variables=be.tensor(w))
    with pytest.warns(FutureWarning), pytest.raises(RuntimeError, match="both passed"):
        be.backward(leaf * leaf, w, grad_variables=be.tensor(w))
    be.check(be.grad(leaf), 2 * w * x)


@claim("BWD-240", about="gradients backward", needs="backward gradients", level="contract")
@given(
    x=arrays("row", shape=(3,)),
    y=arrays("row", shape=(3,)),
    weights=lists(integers(-3, 3), min_size=4, max_size=4),
)
def test_many_results_have_a_cotangent_each(be, x, y, weights):
    """Of as many results as there are, each has the cotangent that stands at its place, and the
    gradients add up; a pass that is told several leaves, as function or as method, fills all of
    these and no other.
    """
    factors, ones = (1.0, 2.0, 4.0, 8.0), be.tensor(np.ones(3))
    for count in (1, 2, 3, 4):
        a, b = be.leaf(x), be.leaf(y)
        results = [be.mul(a, factor) + be.mul(b, -factor) for factor in factors[:count]]
        cotangents = [be.mul(ones, float(weight)) for weight in weights[:count]]
        total = float(sum(f * w for f, w in zip(factors, weights[:count], strict=False)))
        found = be.gradients(results, [a, b], cotangents, retain_graph=True)
        for gradient, sign in zip(found, (1, -1), strict=True):
            be.check(gradient, np.full(3, sign * total))
        be.backward(results, cotangents)
        be.check(be.grad(a), np.full(3, total))
    leaves = [be.leaf(x) for _ in range(4)]
    for chosen in (leaves[:1], leaves[1:3], leaves[:3], leaves):
        for method in (True, False):
            result = be.sum(leaves[0] * leaves[1] + leaves[2] * leaves[3])
            for leaf in leaves:
                be.clear(leaf)
            if method:
                result.backward(inputs=chosen)
            else:
                be.backward(result, inputs=chosen)
            for leaf in leaves:
                if any(leaf is each for each in chosen):
                    be.check(be.grad(leaf), x)
                else:
                    assert be.grad(leaf) is None


@claim("BWD-520", about="backward", needs="backward torch", level="contract")
@given(x=arrays(), y=arrays(), w=arrays(), method=booleans(), alone=booleans())
def test_one_tensor_may_be_told_alone(be, x, y, w, method, alone):
    """A pass may be told the one tensor that is to receive a gradient itself, in no list, as
    function or as method: it fills this one and no other.
    """
    a, b = be.leaf(x), be.leaf(y)
    product = a * b
    told = a if alone else [a]
    if method:
        product.backward(be.tensor(w), inputs=told)
    else:
        be.backward(product, w, inputs=told)
    assert be.grad(b) is None
    be.check(be.grad(a), w * y)
