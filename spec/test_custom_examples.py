"""Custom functions at work: an exponential, a Legendre polynomial, a convolution."""

import numpy as np

from gradspec.conformance import Total, claim, example, given, workload
from gradspec.conformance.strategies import (
    arrays,
    integers,
)
from gradspec.conformance.strategies.custom import (
    convolution,
    convolved,
    exponential,
    legendre,
)
from gradspec.conformance.truth.oracles.jets import Jet


@claim("FUN-52", about="custom", needs="backward custom")
@example(x=1.0, w=1.0)
@given(x=arrays(), w=arrays())
def test_exponential_saves_its_output(be, x, w):
    """An exponential that saves its output and multiplies the gradient with it has the value as its
    derivative: both are e at 1.
    """
    leaf = be.leaf(x)
    y = exponential(be).apply(leaf)
    be.backward(y, w)
    be.check(y, np.exp(Jet.exact(x)))
    be.check(be.grad(leaf), w * np.exp(Jet.exact(x)))


@workload
def third_legendre(be, x, a=1.0, b=2.0, c=1.0, d=2.0, weights=1.0):
    """A model on the third Legendre polynomial, a custom operation, and its gradient."""
    y = be.add(be.mul(legendre(be).apply(be.add(be.mul(x, d), c)), b), a)
    be.backward(be.sum(be.mul(y, weights)))
    return y


@claim("FUN-61", about="custom", needs="backward custom")
@example(x=1.0, a=1.0, b=2.0, c=1.0, d=2.0, w=1.0)
@given(x=arrays(), a=arrays(), b=arrays(), c=arrays(), d=arrays(), w=arrays())
def test_legendre_model_has_four_gradients(be, x, a, b, c, d, w):
    """With P3(u) = (5 u**3 - 3 u) / 2, whose derivative is 1.5 (5 u**2 - 1), the model
    y = a + b P3(c + d x) has the gradients 1, P3(u), b P3'(u) and b P3'(u) x in a, b, c and d.
    """
    leaves = [be.leaf(each) for each in (a, b, c, d)]
    p, q, r, s = leaves
    y = p + q * legendre(be).apply(r + s * be.tensor(x))
    be.backward(y, w)
    u = c + d * x
    be.check(y, Total.of(a, b * 2.5 * u**3, -1.5 * b * u))
    be.check(be.grad(p), w)
    be.check(be.grad(q), Total.of(2.5 * w * u**3, -1.5 * w * u))
    be.check(be.grad(r), Total.of(7.5 * w * b * u**2, -1.5 * w * b))
    be.check(be.grad(s), Total.of(7.5 * w * b * u**2 * x, -1.5 * w * b * x))


@claim("FUN-62", about="custom", needs="backward custom")
@example(x=np.array([-1.0, -0.5, 0.0, 0.5, 1.0]), a=1, b=2, c=1, d=2, w=np.ones(5))
@given(
    x=arrays(),
    w=arrays(),
    a=integers(-3, 3),
    b=integers(-3, 3),
    c=integers(-3, 3),
    d=integers(-3, 3),
)
def test_legendre_model_is_a_cubic_with_other_coefficients(be, x, w, a, b, c, d):
    """a + b P3(c + d x) is a cubic in x with the coefficients a + b P3(c), b d P3'(c),
    7.5 b c d**2 and 2.5 b d**3; for a = c = 1 and b = d = 2 these are 3, 24, 60 and 40.
    """
    leaf = be.leaf(x)
    y = third_legendre(be, leaf, float(a), float(b), float(c), float(d), w)
    constant = [a, 2.5 * b * c**3, -1.5 * b * c]
    linear = [7.5 * b * c**2 * d, -1.5 * b * d]
    square, cubic = 7.5 * b * c * d**2, 2.5 * b * d**3
    if (a, b, c, d) == (1, 2, 1, 2):
        assert (sum(constant), sum(linear), square, cubic) == (3, 24, 60, 40)
    be.check(y, Total.of(*constant, *[k * x for k in linear], square * x**2, cubic * x**3))
    be.check(
        be.grad(leaf), Total.of(*[w * k for k in linear], 2 * w * square * x, 3 * w * cubic * x**2)
    )


@claim(
    "FUN-63", "FUN-64", about="conv2d", needs="backward custom conv2d conv_transpose2d transpose"
)
@given(
    x=arrays(shape=(2, 2, 3, 4)),
    kernels=arrays(shape=(3, 2, 2, 3)),
    g=arrays(shape=(2, 3, 2, 2)),
)
def test_convolution_written_by_hand(be, x, kernels, g):
    """A convolution of stride 1 without padding has two gradients: for the images the transposed
    convolution of the cotangent with the kernels, for the kernels the convolution of the images
    with the cotangent, batch and channels exchanged before and after.
    """
    images, weights = be.leaf(x), be.leaf(kernels)
    y = convolution(be).apply(images, weights)
    be.backward(y, g)
    padded = np.pad(g, ((0, 0), (0, 0), (1, 1), (2, 2)))
    be.check(y, convolved(x, kernels))
    flipped = kernels[:, :, ::-1, ::-1].swapaxes(0, 1)
    be.check(be.grad(images), convolved(padded, flipped))
    exchanged = be.transpose(be.grad(weights), 0, 1)
    be.check(exchanged, convolved(x.swapaxes(0, 1), g.swapaxes(0, 1)))


@claim(
    "FUN-103",
    about="conv2d",
    needs="backward custom gradients create_graph conv2d conv_transpose2d transpose",
)
@given(
    x=arrays(shape=(2, 2, 3, 4)),
    kernels=arrays(shape=(3, 2, 2, 3)),
    g=arrays(shape=(2, 3, 2, 2)),
    v=arrays(shape=(2, 2, 3, 4)),
)
def test_convolution_written_by_hand_is_differentiated_twice(be, x, kernels, g, v):
    """The gradient of a convolution for its images is linear in the kernels and in the cotangent:
    weighed with v, its derivatives are the convolution of v with the cotangent, batch and channels
    exchanged, and the convolution of v with the kernels.
    """
    images, weights, start = be.leaf(x), be.leaf(kernels), be.leaf(g)
    y = convolution(be).apply(images, weights)
    (gradient,) = be.gradients(y, [images], start, create_graph=True)
    by_weights, by_start = be.gradients(gradient, [weights, start], be.tensor(v))
    exchanged = be.transpose(by_weights, 0, 1)
    be.check(exchanged, convolved(v.swapaxes(0, 1), g.swapaxes(0, 1)))
    be.check(by_start, convolved(v, kernels))
