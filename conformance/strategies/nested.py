"""Nested tensors: rows of different lengths in one memory, and what is computed with them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..protocol.backend import Native
from ..protocol.subject import Subject
from .arrays import Array
from .distributions import around

WIDTH = 2

MATRIX = np.array([[1.0, 2.0], [-3.0, 0.5], [0.25, 4.0]])

ROWWISE: Mapping[str, Callable[[Subject, Any], Native]] = {
    "sine": lambda be, x: be.sin(x),
    "cube": lambda _, x: x**3,
    "product": lambda be, x: x * be.exp(x),
    "scaled": lambda be, x: x * be.tensor(MATRIX[1]),
    "affine": lambda be, x: be.linear(x, be.tensor(MATRIX)),
    "matmul": lambda be, x: x @ be.tensor(MATRIX.T),
    "normalized": lambda be, x: be.layer_norm(x, (WIDTH,)),
    "softmax": lambda be, x: be.softmax(x, -1),
    "joined": lambda be, x: be.cat([x, x * x], -1),
    "part": lambda _, x: x.chunk(2, -1)[1] * 3,
    "unflattened": lambda _, x: x.unflatten(-1, (1, WIDTH)),
    "chosen": lambda be, x: be.where(x > 0, x * x, x),
    "filled": lambda _, x: x.masked_fill(x > 0, 0.5),
    "gelu": lambda be, x: be.gelu(x),
}
"""What makes of each row a row of as many entries, whatever their number."""

WHOLE: Mapping[str, Callable[[Any], Native]] = {
    "sum": lambda x: x.sum(),
    "mean": lambda x: x.mean(),
    "largest": lambda x: x.amax(),
}
"""What makes of all entries one number."""


def values(seed: int, count: int) -> Array:
    """Draw so many entries of rows, no two of them alike."""
    drawn = np.random.default_rng(seed).permutation(2 * count * WIDTH)[: count * WIDTH]
    entries: Array = (drawn.reshape(count, WIDTH) - count) / 4.0
    return entries


def borders(lengths: Sequence[int]) -> Array:
    """Where rows of these lengths begin, and where the last one ends."""
    return np.cumsum([0, *lengths])


def jagged(be: Subject, entries: Native, starts: Array, **told: Any) -> Any:
    """Make a nested tensor of all entries and the places where its rows begin."""
    if "lengths" in told:
        told["lengths"] = be.from_data(list(told["lengths"]), dtype="int64")
    offsets = be.from_data(starts.tolist(), dtype="int64")
    return be.lookup("torch.nested:nested_tensor_from_jagged")(entries, offsets, **told)


def check_alike(
    be: Subject, got: Native, want: Native, leaves: tuple[Native, Sequence[Native]], seed: int
) -> None:
    """Compare a result and its gradient by all entries with those of the rows by themselves.

    Raises AssertionError.
    """
    true = be.numpy(want)
    be.check(got, around(true, np.abs(true).max(initial=0) + 16, times=16))
    w = be.tensor(np.random.default_rng(seed).integers(-8, 8, true.shape) / 4.0)
    whole, rows = leaves
    (found,) = be.gradients(got, [whole], w)
    apart = [be.numpy(g) for g in be.gradients(want, rows, w)]
    slope = np.concatenate([g.reshape(-1, WIDTH) for g in apart])
    be.check_gradient(found, around(slope, np.abs(slope).max(initial=0) + 64, times=16))
