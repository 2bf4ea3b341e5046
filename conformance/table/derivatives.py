"""The derivatives of the programs in `saving`.

The programs run on jets: in place of a subject they are given what the table says an operation is.
"""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..strategies.saving import REPEATABLE, SAVING
from ..truth.oracles.jets import Jet
from . import TABLE
from .drawing import Array

PROGRAMS = {**SAVING, **REPEATABLE}
POINT = np.array([[0.5, 1.25], [0.75, 0.25]])

MEANT: Any = SimpleNamespace(**{operation.name: operation.forward for operation in TABLE})
"""Each operation by its name, with its arguments in the order of its record."""

CALLED = {
    "tensor": np.asarray,
    "where": lambda c, x, y: MEANT.where(x, y, c),
    "scatter": lambda x, dim, index, src: MEANT.scatter(x, src, dim, index),
    "scatter_add": lambda x, dim, index, src: MEANT.scatter_add(
        x + np.zeros_like(src), src, dim, index
    ),
    "flatten": lambda x: MEANT.flatten(x, 0, x.ndim),
    "unbind": lambda x: MEANT.unbind(x, 0),
    "split": lambda x, size: MEANT.split(x, size, 0),
    "chunk": lambda x, count: MEANT.chunk(x, count, 0),
    "cat": lambda tensors: MEANT.cat(*tensors, dim=0),
    "stack": lambda tensors: MEANT.stack(*tensors, dim=0),
}
"""What the programs call with arguments in another order, or fewer of them."""

NUMPY: Any = SimpleNamespace(**vars(MEANT) | CALLED)
"""The functions that the programs call, on jets."""


def derivatives(name: str, x: Array) -> Jet:
    """Return all partial derivatives of a program at `x`, indices of the output first."""
    (seeds,) = Jet.seeds([x])
    partial = np.moveaxis(PROGRAMS[name](NUMPY, seeds).numbers[:, 0, 1:], 1, -1)
    return Jet(partial.reshape(2, 1, 1, *partial.shape[1:-1], *x.shape))


def smooth_points(name: str) -> Iterator[Array]:
    """Yield 2x2 matrices near which a program is smooth, negative ones if it has values there.

    Entries differ, and none is a bound of a program or 0.
    """
    yield POINT
    if name not in ("log(x)", "sqrt(x)", "x ** 1"):
        yield -POINT
