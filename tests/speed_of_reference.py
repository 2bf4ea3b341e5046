"""How quick the reference is, beside hand-written numpy and other autograds, in one run.

    pytest tests/speed_of_reference.py --benchmark-only --benchmark-group-by func

Each test times forward and backward of one program. Libraries that are not installed are skipped.
"""

import numpy as np
import pytest

from gradspec import reference

RNG = np.random.default_rng(0)
BATCH, INPUTS, HIDDEN, OUTPUTS = 64, 784, 256, 10
X = RNG.standard_normal((BATCH, INPUTS), dtype=np.float32)
Y = RNG.standard_normal((BATCH, OUTPUTS), dtype=np.float32)
WEIGHTS = (
    0.05 * RNG.standard_normal((INPUTS, HIDDEN), dtype=np.float32),
    np.zeros(HIDDEN, np.float32),
    0.05 * RNG.standard_normal((HIDDEN, OUTPUTS), dtype=np.float32),
    np.zeros(OUTPUTS, np.float32),
)
LONG = 1 + RNG.random(1_000_000, dtype=np.float32)


class Numpy:
    """Derivatives written by hand: the limit."""

    @staticmethod
    def mlp():
        w1, b1, w2, b2 = WEIGHTS
        h = X @ w1 + b1
        a = np.maximum(h, 0)
        e = a @ w2 + b2 - Y
        g = e * np.float32(2 / e.size)
        ga = (g @ w2.T) * (h > 0)
        return X.T @ ga, ga.sum(0), a.T @ g, g.sum(0)

    @staticmethod
    def chain():
        y, g = 0.5, 1.0
        for _ in range(500):
            y = y * 0.999
            y = y + 0.001
        for _ in range(500):
            g = g * 0.999
        return g

    @staticmethod
    def long_chain():
        y = LONG
        for _ in range(5):
            y = y * np.float32(0.9)
            y = y + LONG
        g = total = np.ones_like(LONG)
        for _ in range(5):
            g = g * np.float32(0.9)
            total = total + g
        return g, y


class Tape:
    """A library whose tensors carry .grad and have a method backward."""

    def __init__(self, leaf, constant, relu):
        self.leaf, self.constant, self.relu = leaf, constant, relu
        self.x, self.y, self.long = constant(X), constant(Y), constant(LONG)

    def mlp(self):
        w1, b1, w2, b2 = leaves = [self.leaf(w) for w in WEIGHTS]
        e = self.relu(self.x @ w1 + b1) @ w2 + b2 - self.y
        (e * e).mean().backward()
        return [w.grad for w in leaves]

    def chain(self):
        x = y = self.leaf(np.array(0.5))
        for _ in range(500):
            y = y * 0.999
            y = y + 0.001
        y.backward()
        return x.grad

    def long_chain(self):
        x = y = self.leaf(LONG)
        for _ in range(5):
            y = y * 0.9
            y = y + self.long
        y.sum().backward()
        return x.grad


def _reference():
    return Tape(
        lambda a: reference.Tensor.from_array(a, requires_grad=True),
        reference.Tensor.from_array,
        reference.relu,
    )


def _torch():
    torch = pytest.importorskip("torch")
    return Tape(lambda a: torch.from_numpy(a).requires_grad_(), torch.from_numpy, torch.relu)


def _mygrad():
    mygrad = pytest.importorskip("mygrad")
    return Tape(
        lambda a: mygrad.tensor(a, copy=False),
        lambda a: mygrad.tensor(a, constant=True, copy=False),
        lambda a: mygrad.maximum(a, 0),
    )


class Autograd:
    """HIPS autograd: gradients of functions of arrays."""

    def __init__(self):
        self.np = pytest.importorskip("autograd.numpy")
        self.grad = pytest.importorskip("autograd").grad

    def mlp(self):
        def loss(weights):
            w1, b1, w2, b2 = weights
            e = self.np.dot(self.np.maximum(self.np.dot(X, w1) + b1, 0), w2) + b2 - Y
            return self.np.mean(e * e)

        return self.grad(loss)(WEIGHTS)

    def chain(self):
        def chained(y):
            for _ in range(500):
                y = y * 0.999
                y = y + 0.001
            return y

        return self.grad(chained)(0.5)

    def long_chain(self):
        def chained(y):
            for _ in range(5):
                y = y * np.float32(0.9)
                y = y + LONG
            return self.np.sum(y)

        return self.grad(chained)(LONG)


LIBRARIES = {
    "numpy": Numpy,
    "reference": _reference,
    "autograd": Autograd,
    "mygrad": _mygrad,
    "torch": _torch,
}


@pytest.fixture(params=LIBRARIES)
def library(request):
    """One library after the other."""
    return LIBRARIES[request.param]()


def test_mlp(benchmark, library):
    """A perceptron 784-256-10 on a batch of 64 in float32: the gradients of its four parameters."""
    benchmark(library.mlp)


def test_scalar_chain(benchmark, library):
    """A thousand operations on one number."""
    benchmark(library.chain)


def test_long_chain(benchmark, library):
    """Ten operations on a million numbers in float32."""
    benchmark(library.long_chain)
