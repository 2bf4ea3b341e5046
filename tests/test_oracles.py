"""The formulas of layers and optimizers, against loops and complex steps."""

import numpy as np
import pytest

from gradspec import reference as R  # noqa: N812
from gradspec.conformance.strategies.layers import GEOMETRIES
from gradspec.conformance.strategies.modules import lenet_shapes, lenet_values
from gradspec.conformance.truth.oracles import layers
from gradspec.conformance.truth.oracles.backpropagation import squared_error
from gradspec.conformance.truth.oracles.jets import Jet
from gradspec.conformance.truth.oracles.normalization import moments, normalized, updated
from gradspec.conformance.truth.oracles.optimizers import adam, rmsprop, sgd
from gradspec.conformance.truth.oracles.steps import directional_derivative, gradients
from gradspec.conformance.truth.tolerance import Total


def normal(*shapes, seed=0):
    random = np.random.default_rng(seed)
    return [random.standard_normal(shape) for shape in shapes]


# ---- convolutions --------------------------------------------------------------------------------


def looped(x, weight, bias, stride, padding, dilation, groups):
    """A convolution, one product at a time."""
    outputs, channels, *taps = weight.shape
    sizes = [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(x.shape[2:], taps, stride, padding, dilation, strict=True)
    ]
    out = np.zeros((len(x), outputs, *sizes))
    for n, o, h, w in np.ndindex(out.shape):
        out[n, o, h, w] = bias[o]
        for c, i, j in np.ndindex(channels, *taps):
            row = h * stride[0] - padding[0] + i * dilation[0]
            column = w * stride[1] - padding[1] + j * dilation[1]
            if 0 <= row < x.shape[2] and 0 <= column < x.shape[3]:
                channel = o // (outputs // groups) * channels + c
                out[n, o, h, w] += x[n, channel, row, column] * weight[o, c, i, j]
    return out


@pytest.fixture(params=GEOMETRIES, ids=lambda g: "-".join(map(str, g.images)))
def convolution(request):
    g = request.param
    options = {name: getattr(g, name) for name in ("stride", "padding", "dilation", "groups")}
    shapes = g.images, (g.outputs, g.images[1] // g.groups, *g.kernel), (g.outputs,)
    return normal(*shapes), options


def test_a_convolution_is_its_loop(convolution):
    arrays, options = convolution
    np.testing.assert_allclose(
        layers.conv2d(*arrays, **options), looped(*arrays, **options), rtol=1e-12, atol=1e-12
    )


def test_gradients_of_a_convolution_are_its_slopes(convolution):
    (x, weight, bias), options = convolution
    (g,) = normal(layers.conv2d(x, weight, bias, **options).shape, seed=1)
    by_x, by_weight = gradients(
        lambda x, weight: (g * layers.conv2d(x, weight, bias, **options)).sum(), x, weight
    )
    for function, expected in (
        (layers.conv2d_input_gradient, by_x),
        (layers.conv2d_weight_gradient, by_weight),
    ):
        np.testing.assert_allclose(
            function(x, weight, g, **options), expected, rtol=1e-12, atol=1e-12
        )


def test_products_count_their_terms():
    """A convolution of ones counts them: here two channels of kernels of six, and a bias."""
    x, weight, bias = normal((1, 2, 3, 4), (3, 2, 2, 3), (3,))
    total = Total.products(layers.conv2d, x, weight, bias)
    assert total.count == 13
    assert np.array_equal(total.value, layers.conv2d(x, weight, bias))
    assert np.array_equal(total.magnitude, layers.conv2d(*map(np.abs, (x, weight, bias))))


# ---- other layers --------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2)])
@pytest.mark.parametrize("stride", [None, (1, 1), (2, 3)])
def test_pooling_is_its_loop(size, stride):
    (x,) = normal((2, 2, 5, 6))
    found = layers.max_pool2d(x, size, stride)
    step = stride or size
    rows, columns = ((n - k) // s + 1 for n, k, s in zip((5, 6), size, step, strict=True))
    assert found.shape == (2, 2, rows, columns)
    for n, c, h, w in np.ndindex(found.shape):
        window = x[n, c, h * step[0] :, w * step[1] :][: size[0], : size[1]]
        assert found[n, c, h, w] == window.max()
    (g,) = normal(found.shape, seed=1)
    (expected,) = gradients(lambda x: (g * layers.max_pool2d(x, size, stride)).sum(), x)
    np.testing.assert_allclose(
        layers.max_pool2d_gradient(x, g, size, stride), expected, rtol=1e-12, atol=1e-12
    )


def test_cross_entropy_is_what_its_name_says():
    z, shares, weights = normal((4, 3), (4, 3), (4, 1))
    targets = np.abs(shares) / np.abs(shares).sum(-1, keepdims=True)
    chances = np.exp(z) / np.exp(z).sum(-1, keepdims=True)
    expected = -(weights * targets * np.log(chances)).sum()
    terms = layers.cross_entropy_terms(z, targets, weights)
    np.testing.assert_allclose(terms.sum(), expected, rtol=1e-12)
    np.testing.assert_allclose(layers.softmax(z), chances, rtol=1e-12)
    (by_z,) = gradients(lambda z: layers.cross_entropy_terms(z, targets, weights).sum(), z)
    np.testing.assert_allclose(by_z, weights * (chances - targets), rtol=1e-11, atol=1e-12)


def test_a_perceptron_has_the_gradients_of_the_reference():
    arrays = normal((5, 3), (4, 3), (4,), (2, 4), (2,), (5, 2))
    *inputs, g = arrays
    leaves = [R.Tensor(a, requires_grad=True) for a in inputs]
    x, a, b, c, d = leaves
    y = R.relu(x @ a.t() + b) @ c.t() + d
    np.testing.assert_allclose(layers.perceptron(*inputs), y.array, rtol=1e-12)
    expected = R.grad(y, leaves, R.Tensor(g))
    found = gradients(lambda *each: (g * layers.perceptron(*each)).sum(), *inputs)
    for got, want in zip(found, expected, strict=True):
        np.testing.assert_allclose(got, want.array, rtol=1e-11, atol=1e-12)


def test_the_convolutional_net_is_composed_of_its_layers():
    """With kernels that pick the middle of a window, features are pooled entries of the image."""
    parameters = [np.zeros(shape) for shape in lenet_shapes().values()]
    parameters[0][0, 0, 2, 2] = parameters[2][0, 0, 2, 2] = 1
    parameters[4][0, :3] = parameters[6][0, 0] = 1
    parameters[8][3, 0], parameters[9][3] = 2, 0.5
    (x,) = np.abs(normal((1, 1, 32, 32)))
    pooled = x[0, 0, 2:30, 2:30].reshape(14, 2, 14, 2).max((1, 3))
    pooled = pooled[2:12, 2:12].reshape(5, 2, 5, 2).max((1, 3))
    expected = np.zeros((1, 10))
    expected[0, 3] = 2 * pooled.ravel()[:3].sum() + 0.5
    np.testing.assert_allclose(layers.lenet(x, *parameters), expected, rtol=1e-12)


def test_a_step_of_nothing_but_an_imaginary_part_leaves_choices_alone():
    """Where terms cancel, the real part stays exactly 0, and relu stays shut."""
    values, moves = lenet_values(3), lenet_values(4)
    x = np.round(normal((1, 1, 32, 32))[0])
    rate = directional_derivative(lambda *each: layers.lenet(x, *each), values, moves)
    assert np.array_equal(rate, np.round(rate))


# ---- optimizers ----------------------------------------------------------------------------------


def walked(step, w, gradients, **options):
    """Every place that a walk comes to."""
    memory = {}
    return [w := step(w, g, memory, **options) for g in gradients]


def test_walks_of_known_numbers():
    """Worked by hand: momentum 0.9 at a rate of 0.1, and the first steps of Adam and RMSprop."""
    heavy = walked(sgd, 1.0, [1.0, 2.0, -1.0, 0.5], lr=0.1, momentum=0.9)
    np.testing.assert_allclose(heavy, [0.9, 0.61, 0.449, 0.2541], rtol=1e-12)
    assert walked(sgd, 0.0, [1.0, 1.0], lr=1.0, momentum=0.5, nesterov=True) == [-1.5, -3.25]
    assert walked(sgd, 0.0, [1.0, 1.0], lr=1.0, momentum=0.5, dampening=0.5) == [-1.0, -2.0]
    assert walked(sgd, 2.0, [0.0, 0.0], lr=0.5, weight_decay=0.5) == [1.5, 1.125]
    for g in (1e-3, 1.0, -1e3):
        np.testing.assert_allclose(adam(0.0, g, {}, lr=0.1), -0.1 * g / (abs(g) + 1e-8))
        first = rmsprop(0.0, g, {}, lr=0.1, alpha=0.75)
        np.testing.assert_allclose(first, -0.1 * g / (0.5 * abs(g) + 1e-8))


def test_adam_of_equal_gradients_walks_evenly():
    """Bias correction makes both means those of the gradients so far: equal ones are their mean."""
    places = walked(adam, 0.0, [3.0] * 20, lr=0.5)
    np.testing.assert_allclose(places, -0.5 * np.arange(1, 21), rtol=1e-8)


def test_rmsprop_of_equal_gradients_slows_down():
    """The mean square of k equal gradients g is (1 - alpha^k) g^2."""
    places = walked(rmsprop, 0.0, [3.0] * 20, lr=0.5, eps=0.0, alpha=0.75)
    lengths = -np.diff([0.0, *places])
    np.testing.assert_allclose(lengths, 0.5 / np.sqrt(1 - 0.75 ** np.arange(1, 21)), rtol=1e-12)


def test_steps_are_differentiable():
    """With momentum m, the first of k gradients counts 1 + m + ... + m^(k-1) times the rate."""
    (by_gradient,) = gradients(
        lambda g: walked(sgd, 0.0, g, lr=0.5, momentum=0.5)[-1], np.array([1.0, 2.0, 3.0])
    )
    np.testing.assert_allclose(by_gradient, [-0.875, -0.75, -0.5])


# ---- networks in training ------------------------------------------------------------------------


@pytest.mark.parametrize("path", [(0, 2), (0, 1, 2), (0, 1, 1, 1, 2)], ids=str)
def test_backpropagation_by_hand_is_the_slope(path):
    """Of layers used not at all, once and several times."""
    x, y, *parameters = normal((4, 3), (4, 2), (5, 3), (5,), (5, 5), (5,), (2, 5), (2,))

    def loss(*parameters):
        h = x
        for n, layer in enumerate(path, start=1):
            h = h @ parameters[2 * layer].T + parameters[2 * layer + 1]
            h = np.tanh(h) if n < len(path) else h
        return np.sum((h - y) ** 2)

    value, found = squared_error(x, y, [Jet.exact(p) for p in parameters], path)
    np.testing.assert_allclose(value.value, loss(*parameters), rtol=1e-12)
    for got, want in zip(found, gradients(loss, *parameters), strict=True):
        if got is None:
            assert not want.any()
        else:
            np.testing.assert_allclose(got.value, want, rtol=1e-10, atol=1e-12)


def test_batches_are_normalized_to_mean_zero_and_variance_one():
    x, weight, bias = normal((50, 4), (4,), (4,))
    mean, variance = moments(x)
    np.testing.assert_allclose([mean, variance], [x.mean(0), x.var(0)], rtol=1e-12)
    y = (normalized(x, mean, variance, weight, bias) - bias) / weight
    np.testing.assert_allclose(y.mean(0), 0, atol=1e-12)
    np.testing.assert_allclose(y.var(0), variance / (variance + 1e-5), rtol=1e-9)
    running = mean, x.var(0, ddof=1)
    np.testing.assert_allclose(updated(running, x, 0.3), running, rtol=1e-12)
    np.testing.assert_allclose(updated((0.0, 1.0), x, 1.0), running, rtol=1e-12)
