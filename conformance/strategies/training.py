"""Training of small networks whose every step is known."""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import cycle, islice
from typing import Any

import numpy as np

from ..protocol.subject import Subject
from ..truth.oracles.backpropagation import squared_error
from ..truth.oracles.jets import Jet
from ..truth.oracles.optimizers import STEPS
from .arrays import Array
from .modules import fill


@dataclass(frozen=True)
class Training:
    """A network of affine maps with tanh in between, its data, and the optimizer that trains it.

    `widths` are the inputs and outputs of each layer. `paths` say in which order the layers are
    used, step after step and then over again. Data (`samples` rows) and first parameters are random
    numbers from `seed`, rounded to short binary fractions that are the same in every dtype.
    """

    seed: int
    samples: int
    widths: tuple[tuple[int, int], ...]
    paths: tuple[tuple[int, ...], ...]
    optimizer: str
    options: dict[str, float]

    def values(self) -> tuple[Array, Array, list[Array]]:
        """Return the inputs, the targets, and the parameters that training starts from."""
        draw = np.random.default_rng(self.seed)
        data = [draw.normal(size=(self.samples, self.widths[n][n])) for n in (0, -1)]
        start = [
            draw.uniform(-1, 1, shape) / np.sqrt(inputs)
            for inputs, outputs in self.widths
            for shape in ((outputs, inputs), (outputs,))
        ]
        x, y, *parameters = (np.round(64 * values) / 64 for values in (*data, *start))
        return x, y, parameters

    def train(self, be: Subject, steps: int) -> list[float]:
        """Train for some steps, and return the loss before each; every entry of them is compared.

        Each step starts at the parameters there are: loss and gradients have to be those of the
        formulas at this point, and the parameters those to which the optimizer's walk leads along
        the gradients so far. So rounding does not add up over the steps, and by induction the whole
        course is the true one. Raises AssertionError.
        """
        __tracebackhide__ = True
        x, y, start = self.values()
        layers = [be.layer("Linear", *width) for width in self.widths]
        parameters = list(fill(be, be.layer("Sequential", *layers), *start).parameters())
        optimizer = be.optimizer(self.optimizer, parameters, **self.options)
        walks = [Walk(p, self.optimizer, self.options) for p in start]
        losses = []
        for path in islice(cycle(self.paths), steps):
            here = [Jet.exact(be.numpy(p)) for p in parameters]
            true_loss, true_gradients = squared_error(x, y, here, path)
            optimizer.zero_grad()
            h = layers[path[0]](be.tensor(x))
            for n in path[1:]:
                h = layers[n](be.tanh(h))
            error = h - be.tensor(y)
            loss = be.sum(error * error)
            be.backward(loss)
            optimizer.step()
            be.check(loss, true_loss.total, "the loss")
            for p, gradient, walk in zip(parameters, true_gradients, walks, strict=True):
                if gradient is None:
                    assert be.grad(p) is None, "a layer that was not used has a gradient"
                else:
                    be.check(be.grad(p), gradient.total, "a gradient")
                    walk.step(be.numpy(be.grad(p)))
                be.check(p, walk.place.total, "a parameter")
            losses.append(be.item(loss))
        return losses


class Walk:
    """One parameter on the walk of an optimizer, led by gradients that come one at a time."""

    def __init__(self, start: Array, optimizer: str, options: dict[str, float]) -> None:
        self.place = Jet.exact(start)
        self.rule = partial(STEPS[optimizer], memory={}, **options)

    def step(self, gradient: Array) -> None:
        """Go on along `gradient`, which counts as exact."""
        self.place = self.rule(self.place, Jet.exact(gradient))


def least_squares(x: Array, y: Array) -> tuple[Fraction, Fraction, Fraction]:
    """Return sum x^2, the w with the least sum of (y - w x)^2, and this sum, without any error."""
    a, b = ([Fraction(value) for value in each.tolist()] for each in (x, y))
    squares = sum((p * p for p in a), Fraction())
    best = sum((p * q for p, q in zip(a, b, strict=True)), Fraction()) / squares
    return squares, best, sum(((q - best * p) ** 2 for p, q in zip(a, b, strict=True)), Fraction())


def uniform(seed: int, module: Any) -> list[Array]:
    """Return parameters for `module`, uniform within one over the root of a layer's inputs.

    This is how PyTorch starts affine and convolutional layers, but from a `seed` of ours.
    """
    draw = np.random.default_rng(seed)
    values: list[Array] = []
    for parameter in module.parameters():
        shape = tuple(parameter.shape)
        # A bias comes right after its weight, and has the same inputs.
        inputs = np.prod(shape[1:]) if len(shape) > 1 else np.prod(values[-1].shape[1:])
        values.append(draw.uniform(-1, 1, shape) / np.sqrt(inputs))
    return values
