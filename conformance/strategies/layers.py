"""Sizes and values for layers: windows over images, rows of scores, stacks of affine maps."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from .arrays import Array, arrays

SMALL = np.resize([1.0, 2.0, -1.0, 0.0, -2.0], 256)
"""Whole numbers so small that float32 holds what a few layers of them compute."""

Pair = tuple[int, int]


@dataclass(frozen=True)
class Convolution:
    """Images, the kernels and biases to convolve them with, and a cotangent of the result.

    `options` are the groups, and the stride, padding and dilation along rows and columns.
    """

    x: Array
    weight: Array
    bias: Array
    cotangent: Array
    options: Mapping[str, Any]

    @property
    def sizes(self) -> tuple[int, int, Pair]:
        """Channels in, channels out and the size of the kernels."""
        out, _, *size = self.weight.shape
        return self.x.shape[1], out, (size[0], size[1])


class Geometry(NamedTuple):
    """Sizes of a convolution: images (n, channels, rows, columns), kernels, how they are laid."""

    images: tuple[int, int, int, int]
    outputs: int
    kernel: Pair
    stride: Pair = (1, 1)
    padding: Pair = (0, 0)
    dilation: Pair = (1, 1)
    groups: int = 1


GEOMETRIES = (
    Geometry((1, 1, 3, 3), 1, (2, 2)),
    Geometry((2, 2, 4, 5), 3, (3, 2)),
    Geometry((1, 1, 1, 1), 2, (1, 1)),
    Geometry((2, 3, 5, 4), 1, (2, 3), stride=(2, 1)),
    Geometry((1, 2, 6, 5), 2, (3, 3), stride=(2, 2), padding=(1, 1)),
    Geometry((1, 1, 2, 3), 2, (3, 1), padding=(2, 0)),
    Geometry((2, 1, 5, 6), 2, (2, 2), dilation=(2, 3)),
    Geometry((1, 4, 3, 4), 2, (2, 2), groups=2),
    Geometry((2, 2, 4, 3), 4, (1, 2), groups=2, padding=(0, 1)),
    Geometry((1, 3, 7, 6), 3, (2, 3), (3, 2), (1, 2), (2, 1), groups=3),
)
"""A small pool, since libraries prepare a convolution anew for every geometry."""


@st.composite
def convolutions(draw: st.DrawFn) -> Convolution:
    """Draw a convolution of one of the `GEOMETRIES`."""
    images, outputs, kernel, *where, groups = draw(st.sampled_from(GEOMETRIES))
    result = [
        (length + 2 * padding - dilation * (taps - 1) - 1) // stride + 1
        for length, taps, stride, padding, dilation in zip(images[2:], kernel, *where, strict=True)
    ]
    return Convolution(
        draw(arrays(shape=images)),
        draw(arrays(shape=(outputs, images[1] // groups, *kernel))),
        draw(arrays(shape=(outputs,))),
        draw(arrays(shape=(images[0], outputs, *result))),
        dict(zip(("stride", "padding", "dilation"), where, strict=True)) | {"groups": groups},
    )


@dataclass(frozen=True)
class Pooling:
    """Images of different entries, a window, a stride that is its size or not, and weights."""

    x: Array
    size: Pair
    stride: Pair
    cotangent: Array


@st.composite
def poolings(draw: st.DrawFn) -> Pooling:
    """Draw images to be pooled; every other window is square and moves by its own size."""
    codes = draw(st.binary(min_size=8, max_size=8))
    size = 1 + codes[0] % 3, 1 + codes[1] % 3
    stride = 1 + codes[2] % 3, 1 + codes[3] % 3
    if codes[4] % 2:
        size = stride = size[0], size[0]
    shape = (1 + codes[5] % 2, 2, size[0] + codes[6] % 4, size[1] + codes[7] % 4)
    result = [(n - k) // s + 1 for n, k, s in zip(shape[2:], size, stride, strict=True)]
    order = draw(st.permutations(range(prod(shape))))
    x = (np.array(order, float) - prod(shape) // 2).reshape(shape) / 4
    return Pooling(x, size, stride, draw(arrays(shape=(*shape[:2], *result))))


@dataclass(frozen=True)
class Classified:
    """Scores (n, classes), the label of each row, and which rows are to be left out."""

    scores: Array
    labels: np.ndarray[Any, np.dtype[np.int64]]
    ignored: np.ndarray[Any, np.dtype[np.bool_]]

    @property
    def targets(self) -> Array:
        """All of each row's weight on its label: (n, classes)."""
        rows: Array = np.eye(self.scores.shape[1])[self.labels]
        return rows

    @property
    def weights(self) -> Array:
        """What each row counts for in a mean: (n, 1)."""
        counted = np.float64(~self.ignored)
        return np.asarray(counted / counted.sum())[:, None]


@st.composite
def classified(draw: st.DrawFn) -> Classified:
    """Draw up to four rows of two to four scores; the first row is never left out."""
    codes = draw(st.binary(min_size=6, max_size=6))
    rows, classes = 1 + codes[0] % 4, 2 + codes[1] % 3
    labels = np.array([code % classes for code in codes[2 : 2 + rows]])
    ignored = np.array([n > 0 and code > 180 for n, code in enumerate(codes[2 : 2 + rows])])
    return Classified(draw(arrays(shape=(rows, classes))), labels, ignored)


@dataclass(frozen=True)
class Perceptron:
    """Rows of inputs, wanted outputs, and the parameters (weight, bias, ...) of affine maps."""

    x: Array
    wanted: Array
    parameters: tuple[Array, ...]


@cache
def widths() -> st.SearchStrategy[list[int]]:
    """Draw the widths of a network of one to three affine maps."""
    return st.lists(st.integers(1, 3), min_size=2, max_size=4)


@st.composite
def perceptrons(draw: st.DrawFn) -> Perceptron:
    """Draw a network of `widths`, with values that float32 holds throughout."""
    sizes, rows = draw(widths()), draw(st.integers(1, 3))
    shapes: list[tuple[int, ...]] = [(rows, sizes[0]), (rows, sizes[-1])]
    for inputs, outputs in pairwise(sizes):
        shapes += [(outputs, inputs), (outputs,)]
    x, wanted, *parameters = draw(several(*shapes))
    return Perceptron(x, wanted, tuple(parameters))


@cache
def several(*shapes: tuple[int, ...]) -> st.SearchStrategy[list[Array]]:
    """Draw arrays of `SMALL` numbers in these shapes, all in one draw."""
    ends = np.cumsum([prod(shape) for shape in shapes])
    together = arrays(shape=(int(ends[-1]),), values=SMALL)
    return together.map(
        lambda flat: [
            part.reshape(shape)
            for part, shape in zip(np.split(flat, ends[:-1]), shapes, strict=True)
        ]
    )
