"""Several outputs: what holds of a tensor holds of each output of an operation."""

import warnings

import numpy as np

from gradspec.conformance import Total, claim, given
from gradspec.conformance.strategies import DENSE, arrays, booleans, integers
from gradspec.conformance.truth.oracles.jets import Jet

NO_WORKLOAD = "the chapter of custom functions times them"

SLOPES = (2, 3, 5)


@claim("FUN-171", about="custom", needs="backward custom hooks")
@given(x=arrays(), weights=arrays("three", shape=(3,)), used=integers(1, 7))
def test_each_output_has_hooks_of_its_own(be, x, weights, used):
    """A hook on one of several outputs is called with the gradient of that output, and what it
    returns replaces that; an output that retains its gradient retains its own.
    """
    rule = be.custom(
        lambda _, a: tuple(a * k for k in SLOPES),
        lambda _, *given: sum(g * k for g, k in zip(given, SLOPES, strict=True)),
    )
    leaf, seen = be.leaf(x), {}
    outputs, places = rule.apply(leaf), [n for n in range(3) if used >> n & 1]

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
    rule = be.custom(
        lambda _, a: tuple(a * k for k in SLOPES),
        lambda _, *given: sum(g * k for g, k in zip(given, SLOPES, strict=True)),
    )
    leaf, weights = be.leaf(x), (u, v, w)
    outputs = rule.apply(leaf)
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
