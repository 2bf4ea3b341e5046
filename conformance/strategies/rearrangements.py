"""Operations that move entries and compute nothing: what they take, and their gradients."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ..truth.tolerance import Total
from .arrays import ANY, LAYOUTS, SHAPES, Array, so_many_bytes

MOST = 4  # pieces
LONGEST = 12  # entries along the axis that is cut


def origins(move: Callable[..., Any], w: Array, *sources: Array) -> list[Total]:
    """Send each entry of `w` back to the entry of `sources` that `move` puts in its place.

    Entries taken several times receive the sum, those not taken zero: the gradients of `move` for
    the cotangent `w`.
    """
    ends = np.cumsum([0, *(source.size for source in sources)])
    numbers = [
        np.arange(start, start + source.size).reshape(source.shape)
        for start, source in zip(ends[:-1], sources, strict=True)
    ]
    places = np.ravel(move(*numbers))
    value, magnitude, times = np.zeros((3, ends[-1]))
    np.add.at(value, places, w.ravel())
    np.add.at(magnitude, places, np.abs(w).ravel())
    np.add.at(times, places, 1)
    count = int(times.max(initial=1))
    return [
        Total(value[start:end], magnitude[start:end], count).reshape(s.shape)
        for start, end, s in zip(ends[:-1], ends[1:], sources, strict=True)
    ]


# ---- joining -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Pieces:
    """Arrays that fit together along axis `dim`, and as many numbers as they have entries."""

    arrays: tuple[Array, ...]
    dim: int
    weights: Array

    def joined(self, join: Callable[..., Any]) -> tuple[Array, Array, list[Total]]:
        """Return what `join` of numpy makes of the arrays, a cotangent, and their gradients."""
        value: Array = join(self.arrays)
        w = self.weights.reshape(value.shape)
        return value, w, origins(lambda *sources: join(sources), w, *self.arrays)


@st.composite
def pieces(
    draw: st.DrawFn, axis: int | None = None, *, min_dims: int = 1, ragged: int = 0
) -> Pieces:
    """Draw one to four arrays of one rank that differ along one axis only, if at all.

    That axis is `axis`, or any, counted from either end. Shapes without it, and those of fewer than
    `ragged` axes, are equal. One of the arrays may be empty.
    """
    kind, count, place, *codes = draw(so_many_bytes(3 + 2 * MOST))
    pool = [shape for shape in SHAPES if len(shape) >= min_dims]
    shape = pool[kind % len(pool)]
    dim = place % max(1, len(shape)) if axis is None else axis
    shapes = [
        (*shape[:dim], code % 4, *shape[dim + 1 :]) if max(dim + 1, ragged) <= len(shape) else shape
        for code in codes[: 1 + count % MOST]
    ]
    sizes = [int(np.prod(s)) for s in shapes]
    entries = ANY[np.frombuffer(draw(so_many_bytes(2 * sum(sizes))), np.uint8)]
    weights, *parts = np.split(entries, np.cumsum([sum(sizes), *sizes])[:-1])
    layouts = [LAYOUTS[code % len(LAYOUTS)] for code in codes[MOST:]]
    return Pieces(
        arrays=tuple(
            layout(s, part) for layout, s, part in zip(layouts, shapes, parts, strict=False)
        ),
        dim=dim - len(shape) if place & 128 else dim,
        weights=weights,
    )


# ---- cutting -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Line:
    """An array to be cut along axis `dim` into `sections`, a divisor of its `size` there."""

    x: Array
    w: Array
    dim: int
    sections: int

    @property
    def size(self) -> int:
        """The number of entries along the axis."""
        size: int = self.x.shape[self.dim]
        return size


@st.composite
def lines(
    draw: st.DrawFn, axis: int | None = None, *, ranks: tuple[int, ...] = (1, 2, 3), least: int = 0
) -> Line:
    """Draw an array with `least` to twelve entries along one axis, and at most two along others.

    That axis is `axis`, or any, counted from either end.
    """
    kind, place, count, each, *codes = draw(so_many_bytes(4 + max(ranks)))
    rank = ranks[kind % len(ranks)]
    dim = place % rank if axis is None else axis
    sections = 1 + count % LONGEST
    shape = [2 - code // 192 for code in codes[:rank]]
    shape[dim] = sections * max(least, each % (LONGEST // sections + 1))
    size = int(np.prod(shape))
    x, w = np.split(ANY[np.frombuffer(draw(so_many_bytes(2 * size)), np.uint8)], 2)
    return Line(
        x=LAYOUTS[each // 16 % len(LAYOUTS)](tuple(shape), x),
        w=w.reshape(shape),
        dim=dim - rank if axis is None and place & 128 else dim,
        sections=sections,
    )
