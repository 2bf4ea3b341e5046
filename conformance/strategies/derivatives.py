"""The derivatives of the programs in `saving`.

The programs run on jets, with the functions below in place of a subject.
"""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..truth.oracles.elementary import sigmoid
from ..truth.oracles.jets import Jet
from .arrays import Array
from .saving import REPEATABLE, SAVING
from .shaping import IN_NUMPY

PROGRAMS = {**SAVING, **REPEATABLE}
POINT = np.array([[0.5, 1.25], [0.75, 0.25]])


def _softmax(x: Array, dim: int) -> Array:
    shares: Array = np.exp(x) / np.exp(x).sum(dim, keepdims=True)
    return shares


def _scatter(x: Array, dim: int, index: Array, src: Array) -> Array:
    out = x.copy()
    np.put_along_axis(out, index.astype(np.int64), src, dim)
    return out


def _scatter_add(x: Array, dim: int, index: Array, src: Array) -> Array:
    out = x + np.zeros_like(src)
    places = [np.broadcast_to(p, index.shape) for p in np.ogrid[tuple(map(slice, index.shape))]]
    np.add.at(out, (*places[:dim], index, *places[dim + 1 :]), src)
    return out


NUMPY: Any = SimpleNamespace(
    **IN_NUMPY
    | {
        "tensor": np.asarray,
        "pow": np.power,
        "exp": np.exp,
        "log": np.log,
        "sin": np.sin,
        "cos": np.cos,
        "tanh": np.tanh,
        "sqrt": np.sqrt,
        "abs": lambda x: np.maximum(x, -x),
        "relu": lambda x: np.maximum(x, 0),
        "sigmoid": sigmoid,
        "maximum": np.maximum,
        "minimum": np.minimum,
        "clamp": lambda x, lo, hi: np.minimum(np.maximum(x, lo), hi),
        "where": np.where,
        "sum": np.sum,
        "mean": np.mean,
        "prod": np.prod,
        "amax": np.max,
        "amin": np.min,
        "logsumexp": lambda x, dim: np.log(np.exp(x).sum(dim)),
        "softmax": _softmax,
        "log_softmax": lambda x, dim: np.log(_softmax(x, dim)),
        "cumsum": np.cumsum,
        "matmul": np.matmul,
        "gather": lambda x, dim, index: np.take_along_axis(x, index, dim),
        "scatter": _scatter,
        "scatter_add": _scatter_add,
        "reshape": np.reshape,
        "flatten": np.ravel,
        "squeeze": np.squeeze,
        "expand": lambda x, *sizes: np.broadcast_to(x, sizes),
        "unbind": tuple,
        "split": lambda x, size: np.split(x, range(size, len(x), size)),
        "chunk": np.array_split,
        "cat": np.concatenate,
        "stack": np.stack,
        "flip": np.flip,
        "clone": np.copy,
        "contiguous": np.copy,
    }
)
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
