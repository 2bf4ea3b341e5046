"""Several outputs: what holds of a tensor holds of each output of an operation."""

import warnings

import numpy as np

from gradspec.conformance import Total, claim, given
from gradspec.conformance.strategies import DENSE, arrays, booleans, integers, lists
from gradspec.conformance.strategies.custom import SLOPES, multiples
from gradspec.conformance.truth.oracles.jets import Jet

NO_WORKLOAD = "the chapter of custom functions times them"

# ---- what comes out, and what backward gets ------------------------------------------------------


@claim("FUN-107", about="custom", needs="backward custom gradients")
@given(x=arrays(), v=arrays(), w=arrays(), both=booleans())
def test_each_output_has_a_gradient_of_its_own(be, x, v, w, both):
    """Each output of an operation that has several has its own gradient, the sum over all its uses,
    which backward gets in its place, whichever of them are asked for.
    """
    leaf = be.leaf(x)
    p, q, r = multiples(be).apply(leaf)
    z = be.mul(v, q) * 7 + (q + q + r * 11 + r + r if both else 0)
    wanted = [leaf, q, r] if both else [q, leaf]
    found = dict(zip(map(id, wanted), be.gradients(z, wanted, w), strict=True))
    be.check(found[id(q)], Total.of(7 * w * v, *[w, w] * both))
    be.check(found[id(leaf)], Total.of(21 * w * v, *[k * w for k in (3, 3, 55, 5, 5)] * both))
    if both:
        be.check(found[id(r)], Total.of(11 * w, w, w))
    be.check(p, 2 * x)


@claim("FUN-108", about="custom", needs="backward custom", level="contract")
@given(x=arrays(), w=arrays(), marked=lists(booleans(), min_size=3, max_size=3))
def test_several_outputs_may_be_constants(be, x, w, marked):
    """The outputs that are marked as not differentiable, however many, do not require grad; the
    others do, and have their gradients.
    """

    def forward(ctx, a):
        made = tuple(a * k for k in (2, 3, 5))
        ctx.mark_non_differentiable(*[y for y, flag in zip(made, marked, strict=True) if flag])
        return made

    rule = be.custom(forward, lambda _, f, g, h: 2 * f + 3 * g + 5 * h)
    leaf = be.leaf(x)
    outputs = rule.apply(leaf)
    assert [be.requires_grad(y) for y in outputs] == [not flag for flag in marked]
    kept = [k for k, flag in zip((2, 3, 5), marked, strict=True) if not flag]
    be.check(outputs[0] + outputs[1] + outputs[2], Total.of(2 * x, 3 * x, 5 * x))
    if kept:
        be.backward(outputs[0] + outputs[1] + outputs[2], w)
        be.check(be.grad(leaf), Total.of(*[k * w for k in kept]))


@claim("FUN-109", about="custom", needs="backward custom", level="contract")
@given(x=arrays(), w=arrays(), count=integers(0, 3), tracked=booleans())
def test_apply_returns_what_forward_does(be, x, w, count, tracked):
    """apply returns a tuple if forward does, also of one entry, and a tensor if forward does."""
    leaf = be.leaf(x) if tracked else be.tensor(x)
    rule = be.custom(
        lambda _, a: tuple(a * 2 for _ in range(count)) if count else a * 2,
        lambda _, *gradients: 2 * sum(gradients),
    )
    made = rule.apply(leaf)
    assert isinstance(made, tuple) is bool(count)
    outputs = made if count else [made]
    assert len(outputs) == max(count, 1)
    if tracked:
        be.backward(outputs[-1], w)
        be.check(be.grad(leaf), 2 * w)


@claim("FUN-70", about="custom", needs="backward custom")
@given(x=arrays(), w=arrays(), zeros=booleans(), second=booleans())
def test_unused_outputs_have_zero_gradients(be, x, w, zeros, second):
    """An output that no pass reaches hands zeros of its own shape to backward, or None if the
    operation has asked not to materialize them.
    """
    leaf, seen = be.leaf(x), []

    def forward(ctx, a):
        ctx.set_materialize_grads(zeros)
        return a * 2, be.sum(a) * 3

    def backward(_, *gradients):
        seen.extend(gradients)
        return sum(
            g * k for g, k in zip(gradients, (2, be.tensor(factor)), strict=True) if g is not None
        )

    factor = np.full(np.shape(x), 3.0)
    cotangents = [w, np.array(5.0)]
    be.backward(be.custom(forward, backward).apply(leaf)[second], cotangents[second])
    unused = seen.pop(not second)
    if zeros:
        be.check(unused, 0 * cotangents[not second])
    else:
        assert unused is None
    be.check(seen[0], cotangents[second])
    be.check(be.grad(leaf), 5 * factor if second else 2 * w)


# ---- hooks, writes, second derivatives -----------------------------------------------------------


@claim("FUN-171", about="custom", needs="backward custom hooks")
@given(x=arrays(), weights=arrays("three", shape=(3,)), used=integers(1, 7))
def test_each_output_has_hooks_of_its_own(be, x, weights, used):
    """A hook on one of several outputs is called with the gradient of that output, and what it
    returns replaces that; an output that retains its gradient retains its own.
    """
    leaf, seen = be.leaf(x), {}
    outputs, places = multiples(be).apply(leaf), [n for n in range(3) if used >> n & 1]

    def hook(place):
        def see(gradient):
            assert place not in seen
            seen[place] = gradient * 1
            return gradient * (place + 2)

        return see

    for place in places[::-1]:
        be.retain_grad(outputs[place])
        be.register_hook(outputs[place], hook(place))
    parts = [outputs[n] * float(weights[n]) for n in places]
    be.backward(be.sum(sum(parts[1:], parts[0])))
    spread = 0 * x
    for place in places:
        be.check(seen[place], spread + weights[place])
        be.check(be.grad(outputs[place]), spread + weights[place] * (place + 2))
    terms = [spread + SLOPES[n] * weights[n] * (n + 2) for n in places]
    be.check(be.grad(leaf), Total.of(*terms))
    with warnings.catch_warnings(action="ignore"):
        assert all(be.grad(y) is None for n, y in enumerate(outputs) if n not in places)


@claim("FUN-172", about="custom", needs="backward custom inplace mul_")
@given(
    x=arrays(layouts=DENSE),
    c=arrays(),
    u=arrays(),
    v=arrays(),
    w=arrays(),
    place=integers(0, 2),
)
def test_each_output_may_be_written(be, x, c, u, v, w, place):
    """One of several outputs may be written in place: it has the gradient of its new value from
    then on, and the others keep theirs.
    """
    leaf, weights = be.leaf(x), (u, v, w)
    outputs = multiples(be).apply(leaf)
    be.mul_(outputs[place], be.tensor(c))
    factors = [c if n == place else 1 + 0 * c for n in range(3)]
    for n, y in enumerate(outputs):
        be.check(y, SLOPES[n] * factors[n] * x)
    products = [be.mul(weight, y) for weight, y in zip(weights, outputs, strict=True)]
    be.backward(be.sum(products[0] + products[1] + products[2]))
    terms = [k * f * weight for k, f, weight in zip(SLOPES, factors, weights, strict=True)]
    be.check(be.grad(leaf), Total.of(*terms))


@claim("FUN-173", about="custom", needs="backward custom gradients create_graph exp")
@given(x=arrays(), v=arrays(), w=arrays(), place=integers(0, 1), own=booleans())
def test_each_output_is_differentiated_twice(be, x, v, w, place, own):
    """What is saved of one of several outputs, by the operation itself or by one that uses it, is
    differentiated in a recorded pass as that output.
    """

    def forward(ctx, a):
        made = be.exp(a), be.exp(a * 2)
        ctx.save_for_backward(*made)
        return made

    def backward(ctx, f, g):
        p, q = ctx.saved_tensors
        return f * p + 2 * g * q

    leaf, slope = be.leaf(x), place + 1
    output = be.custom(forward, backward).apply(leaf)[place]
    result, degree = (output, 1) if own else (output * output, 2)
    rate = degree * slope
    (gradient,) = be.gradients(result, [leaf], w, create_graph=True)
    (second,) = be.gradients(gradient, [leaf], v)
    value = np.exp(slope * Jet.exact(x))
    value = value if own else value * value
    be.check(gradient, w * rate * value)
    be.check(second, v * w * rate * rate * value)
