"""Cases: what a function is given. All of them are made from the inputs that its author gave."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..strategies.arrays import SPECIAL, expanded, sliced, transposed

Array = npt.NDArray[Any]
Shape = tuple[int, ...]


LAYOUTS: Mapping[str, Callable[[Array], Array]] = {
    "transposed": lambda x: transposed(x.shape, x.T.ravel()),
    "sliced": lambda x: sliced(x.shape, x.ravel()),
    "expanded": lambda x: expanded(x.shape, x.ravel()),
    "reversed": lambda x: x.ravel()[::-1].copy()[::-1].reshape(x.shape),
}
"""Memory that is not row-major, by a word; all but one keep the values."""


@dataclass(frozen=True)
class Case:
    """One call: float64 values of the inputs that are differentiated, and how they are given.

    `result` is the number of the result that is differentiated; its cotangent is drawn from `seed`,
    or all `ones`. `layout` and `pulled` are the layouts of inputs and cotangent.
    """

    inputs: tuple[Array, ...]
    seed: int = 0
    dtype: str = "float64"
    result: int = 0
    layout: str = ""
    pulled: str = ""
    ones: bool = False

    def laid_out(self) -> list[Array]:
        """Return the inputs in their layout; where entries share memory they are made equal."""
        return [in_layout(x, self.layout) for x in self.inputs]

    def drawn(self, shape: Shape, salt: int = 0) -> Array:
        """Draw short binary fractions, none of which is zero."""
        chance = np.random.default_rng([self.seed, salt, *shape])
        return chance.choice([-2.0, -1.5, -0.75, -0.5, 0.5, 1.0, 1.25, 3.0], shape)


def in_layout(values: Array, layout: str) -> Array:
    """Return `values` in other memory; what is `expanded` repeats its first block."""
    if not layout or not values.size:
        return values
    return LAYOUTS[layout](values)


def near(inputs: tuple[Array, ...], seed: int) -> tuple[Array, ...]:
    """Draw other inputs of the same signs and about the same sizes: domains are kept."""
    chance = np.random.default_rng(seed)
    found = []
    for x in inputs:
        factor = 2.0 ** chance.uniform(-1, 1, x.shape)
        found.append(chance.permuted(x.ravel()).reshape(x.shape) * factor)
    return tuple(found)


def short(values: Array) -> Array:
    """Round to numbers that every dtype has, of 8 bits."""
    fraction, exponent = np.frexp(values)
    rounded: Array = np.ldexp(np.rint(fraction * 256) / 256, exponent)
    return rounded


def special(inputs: tuple[Array, ...], seed: int) -> Iterator[tuple[Array, ...]]:
    """Yield inputs at zeros, ties, halves and whole numbers."""
    yield tuple(np.zeros_like(x) for x in inputs)
    yield tuple(np.ones_like(x) for x in inputs)
    chance = np.random.default_rng(seed)
    for table in (SPECIAL[:3], SPECIAL):
        yield tuple(chance.choice(table, x.shape) for x in inputs)
    one_zero = tuple(x.copy() for x in inputs)
    for x in one_zero:
        if x.size:
            x.flat[chance.integers(x.size)] = 0.0
    yield one_zero


def sizes(inputs: tuple[Array, ...]) -> list[int]:
    """List the sizes of dimensions."""
    return sorted({size for x in inputs for size in x.shape}, reverse=True)


def resized(inputs: tuple[Array, ...], old: int, new: int) -> tuple[Array, ...]:
    """Give every dimension of size `old` the smaller size `new`."""
    return tuple(
        x[tuple(slice(new if size == old else size) for size in x.shape)].copy() for x in inputs
    )


def enlarged(inputs: tuple[Array, ...], old: int, new: int, seed: int) -> tuple[Array, ...]:
    """Give every dimension of size `old` the size `new`, by repeating entries and drawing near."""
    found = []
    for x in inputs:
        for axis in [n for n, size in enumerate(x.shape) if size == old]:
            x = np.take(x, np.arange(new) % old, axis)  # noqa: PLW2901
        found.append(x)
    return near(tuple(found), seed)


def scalars(inputs: tuple[Array, ...]) -> tuple[Array, ...]:
    """Keep one entry of each input."""
    return tuple(x.ravel()[:1].reshape(()) if x.size else np.ones(()) for x in inputs)


def broadcasts(inputs: tuple[Array, ...]) -> Iterator[tuple[Array, ...]]:
    """Yield inputs of which one is smaller, so that it would be repeated along some dimensions."""
    for n, x in enumerate(inputs):
        smaller = [x[(slice(1),) * x.ndim].reshape(())] if x.ndim and x.size else []
        smaller += [x[(slice(None),) * d + (slice(1),)] for d in range(x.ndim) if x.shape[d] > 1]
        smaller += [x[0]] if x.ndim > 1 and x.shape[0] else []
        for each in smaller:
            yield (*inputs[:n], each.copy(), *inputs[n + 1 :])


def simpler(case: Case) -> Iterator[Case]:
    """Yield cases that are smaller or plainer than this one, the simplest first."""
    inputs = case.inputs
    for old in sizes(inputs):
        yield from (replace(case, inputs=resized(inputs, old, new)) for new in (1, 2) if new < old)
    if not case.ones and not case.pulled:
        yield replace(case, ones=True)
    for other in _plainer(inputs):
        if any((x != y).any() for x, y in zip(inputs, other, strict=True)):
            yield replace(case, inputs=other)


def _plainer(inputs: tuple[Array, ...]) -> Iterator[tuple[Array, ...]]:
    """Yield inputs of the same shapes with plainer numbers, all at once, one by one, by entries."""
    for value in (1.0, 2.0):
        yield tuple(np.full_like(x, value) for x in inputs)
    yield tuple(np.where(np.abs(x) < 0.5, np.sign(x) * 0.5, np.rint(x)) for x in inputs)
    for n, x in enumerate(inputs):
        for value in (1.0, 2.0):
            yield (*inputs[:n], np.full_like(x, value), *inputs[n + 1 :])
        for at in range(min(x.size, 12)):
            for value in (0.0, 1.0):
                if abs(x.flat[at]) not in {0.0, 1.0}:
                    other = x.copy()
                    other.flat[at] = value
                    yield (*inputs[:n], other, *inputs[n + 1 :])
