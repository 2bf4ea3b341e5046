"""Shapes to go to, ways to name and order axes, and chains of views.

What is drawn under a label fits the shape that `arrays` draws under the same label and limits.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import prod
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ..protocol.backend import Native
from ..protocol.subject import Subject
from .arrays import (
    ANY,
    SHAPES,
    Array,
    Layout,
    contiguous,
    expanded,
    shapes,
    sliced,
    so_many_bytes,
    transposed,
)

Shape = tuple[int, ...]

CONTIGUOUS: tuple[Layout, ...] = (contiguous,)
PACKED: tuple[Layout, ...] = (contiguous, transposed)
"""Layouts that fill their memory, in some order of the axes."""
GAPPED: tuple[Layout, ...] = (sliced, expanded)
"""Layouts that leave memory out or meet it more than once."""


# ---- shapes to go to -----------------------------------------------------------------------------


@cache
def same_size(count: int) -> tuple[Shape, ...]:
    """List shapes of up to three dimensions that hold `count` elements."""
    if count == 0:
        return ((0,), (0, 3), (3, 0), (2, 0, 2), (0, 1), (0, 0))
    pairs = [(a, count // a) for a in range(1, count + 1) if count % a == 0]
    triples = [(a, b, rest // b) for a, rest in pairs for b in range(1, rest + 1) if rest % b == 0]
    return ((count,), *pairs, *triples, *(((),) if count == 1 else ()))


@cache
def _inferable(count: int) -> tuple[Shape, ...]:
    return tuple(
        (*sizes[:axis], -1, *sizes[axis + 1 :])
        for sizes in same_size(count)
        for axis in range(len(sizes))
        if prod(sizes[:axis]) * prod(sizes[axis + 1 :])
    )


@cache
def _uninferable(count: int) -> tuple[Shape, ...]:
    other = next(n for n in (2, 3, 5, 7) if count == 0 or count % n)
    several = ((-1, -1), (-1, 1, -1), (-1, count or 1, -1))
    negative = ((-2,), (count, -2), (-2, -1))
    return (*several, *negative, (-1, 0), *(((-1, other), (other, -1)) if count else ()))


@cache
def _of_another_size(count: int) -> tuple[Shape, ...]:
    return tuple(s for n in (count + 1, 2 * count or 2, count - 1) if n >= 0 for s in same_size(n))


@st.composite
def _fitting(
    draw: st.DrawFn,
    choices: Callable[[int], tuple[Shape, ...]],
    label: str,
    min_dims: int,
    min_size: int,
) -> Shape:
    return draw(st.sampled_from(choices(prod(draw(shapes(label, min_dims, min_size))))))


def targets(label: str = "shape", min_dims: int = 0, min_size: int = 0) -> st.SearchStrategy[Shape]:
    """Draw a shape with as many elements as the label's."""
    return _fitting(same_size, label, min_dims, min_size)


def inferable(
    label: str = "shape", min_dims: int = 0, min_size: int = 0
) -> st.SearchStrategy[Shape]:
    """Draw such a shape with one size given as -1, where the others leave one answer."""
    return _fitting(_inferable, label, min_dims, min_size)


def uninferable(
    label: str = "shape", min_dims: int = 0, min_size: int = 0
) -> st.SearchStrategy[Shape]:
    """Draw sizes with negative ones that have no answer, or more than one."""
    return _fitting(_uninferable, label, min_dims, min_size)


def of_another_size(
    label: str = "shape", min_dims: int = 0, min_size: int = 0
) -> st.SearchStrategy[Shape]:
    """Draw a shape with more or fewer elements than the label's."""
    return _fitting(_of_another_size, label, min_dims, min_size)


@st.composite
def other_shapes(draw: st.DrawFn, label: str = "shape") -> Shape:
    """Draw a shape that is not the label's, but nearly: reshaped, stretched, squeezed or cut."""
    shape = draw(shapes(label))
    near = (*same_size(prod(shape)), (1, *shape), (*shape, 1), (2, *shape), shape[1:], shape[:-1])
    return draw(st.sampled_from([s for s in (*near, (1,) * len(shape)) if s != shape]))


@st.composite
def widths(draw: st.DrawFn, label: str = "shape", min_dims: int = 0, min_size: int = 1) -> int:
    """Draw a number that divides the number of elements."""
    count = prod(draw(shapes(label, min_dims, min_size)))
    return draw(st.sampled_from([k for k in range(1, count + 1) if count % k == 0]))


# ---- strides and the shapes they allow -----------------------------------------------------------


def dense(shape: Shape, strides: Shape) -> bool:
    """Whether such a tensor fills its memory, each place once, in some order of its axes."""
    filled = 1
    for step, size in sorted(zip(strides, shape, strict=True)):
        if size > 1 and step != filled:
            return False
        filled *= size
    return True


def rotated(shape: Shape, values: Array) -> Array:
    """Put the last dimension outermost in memory."""
    order = (*range(1, len(shape)), 0) if shape else ()
    return values.reshape(shape[-1:] + shape[:-1]).transpose(order)


def alternate(shape: Shape, values: Array) -> Array:
    """Keep every second row of a longer first dimension; each row lies in one piece."""
    if not shape:
        return contiguous(shape, values)
    return np.repeat(values.reshape(shape), 2, axis=0)[::2]


STRIDED: tuple[Layout, ...] = (contiguous, transposed, sliced, rotated, alternate, expanded)


@cache
def _requests(possible: bool) -> list[tuple[Layout, Shape, Shape]]:  # noqa: FBT001
    """List layout, shape and shape asked for, by whether strides can express it."""
    found = []
    for shape in SHAPES:
        for layout in STRIDED:
            x = layout(shape, np.arange(float(prod(shape))))
            for sizes in same_size(x.size):
                shared = np.shares_memory(x, x.reshape(sizes)) or x.size == 0
                if shared is possible:
                    found.append((layout, shape, sizes))
    return found


@st.composite
def requests(draw: st.DrawFn, *, possible: bool) -> tuple[Array, Shape]:
    """Draw an array and a shape of its size that strides over its memory can express, or cannot."""
    layout, shape, sizes = draw(st.sampled_from(_requests(possible)))
    codes = np.frombuffer(draw(so_many_bytes(prod(shape))), np.uint8)
    return layout(shape, ANY[codes]), sizes


# ---- axes ----------------------------------------------------------------------------------------


@st.composite
def axes(draw: st.DrawFn, label: str = "shape", min_dims: int = 0, min_size: int = 0) -> int:
    """Draw an axis, counted from either end; a 0-d shape counts as 1-d."""
    rank = len(draw(shapes(label, min_dims, min_size))) or 1
    axis: int = draw(st.sampled_from((*range(rank), *range(-rank, 0))))
    return axis


@st.composite
def gaps(draw: st.DrawFn, label: str = "shape", min_dims: int = 0, min_size: int = 0) -> int:
    """Draw a place for a new axis, counted from either end."""
    rank = len(draw(shapes(label, min_dims, min_size)))
    place: int = draw(st.sampled_from((*range(rank + 1), *range(-rank - 1, 0))))
    return place


@st.composite
def subsets(
    draw: st.DrawFn, label: str = "shape", min_dims: int = 0, min_size: int = 0
) -> tuple[int, ...]:
    """Draw some of the axes, or none, counted from either end."""
    rank = len(draw(shapes(label, min_dims, min_size)))
    codes = draw(so_many_bytes(2 * rank))
    return tuple(
        axis - rank if codes[rank + axis] & 1 else axis for axis in range(rank) if codes[axis] & 1
    )


@st.composite
def orders(
    draw: st.DrawFn, label: str = "shape", min_dims: int = 0, min_size: int = 0
) -> tuple[int, ...]:
    """Draw an order of all axes, counted from either end."""
    rank = len(draw(shapes(label, min_dims, min_size)))
    order, signs = draw(so_many_bytes(2))
    return tuple(
        axis - rank if signs >> axis & 1 else axis
        for axis in _orders(rank)[order % len(_orders(rank))]
    )


@cache
def _orders(rank: int) -> list[tuple[int, ...]]:
    return list(permutations(range(rank)))


Axes = int | tuple[int, ...]


@st.composite
def moves(
    draw: st.DrawFn, label: str = "shape", min_dims: int = 1, min_size: int = 0
) -> tuple[Axes, Axes]:
    """Draw axes to take out, and as many places to put them back: one, or a tuple of some."""
    source, destination = (
        draw(orders(label, min_dims, min_size)),
        draw(orders(label, min_dims, min_size)),
    )
    count = draw(st.integers(0, len(source)))
    return (source[:count], destination[:count]) if count else (source[0], destination[0])


@st.composite
def stretches(
    draw: st.DrawFn, label: str = "shape", min_dims: int = 1, min_size: int = 0
) -> tuple[int, int, int]:
    """Draw an axis, a start on it counted from either end, and a length that fits."""
    shape = draw(shapes(label, min_dims, min_size))
    axis, start, length, signs = draw(so_many_bytes(4))
    size = shape[axis := axis % len(shape)]
    start %= size + 1
    length %= size - start + 1
    # From the end, position `size` cannot be named: -0 is the beginning.
    return axis, start - size if signs & 1 and start < size else start, length


@st.composite
def keys(
    draw: st.DrawFn, label: str = "shape", min_dims: int = 0, min_size: int = 1
) -> tuple[Any, ...]:
    """Draw an index of integers, slices, None and Ellipsis."""
    shape = draw(shapes(label, min_dims, min_size))
    kept, extra, *codes = draw(so_many_bytes(2 + 2 * len(shape)))
    items: list[Any] = []
    for size, kind, place in zip(shape, codes[::2], codes[1::2], strict=True):
        match kind % 5:
            case 0:
                items.append(slice(None))
            case 1:
                items.append(place % (2 * size) - size)
            case 2:
                items.append(slice(place % size, None, 1 + place // 128))
            case 3:
                # From any place to any other, beyond the ends too, in steps of one to four.
                start, stop = place % 16 - 8, (kind + place) // 16 % 16 - 8
                items.append(slice(start, stop, 1 + kind // 64))
            case _:
                items.append(slice(None, -(place % size) or None))
    items = items[: kept % (len(items) + 1)]
    if extra & 1:
        items.append(Ellipsis)
    if extra & 2:
        items.insert(extra // 4 % (len(items) + 1), None)
    return tuple(items)


# ---- chains of views -----------------------------------------------------------------------------

REARRANGING = "view permute transpose t movedim squeeze unsqueeze"
"""Views of all elements."""

CUTTING = "narrow select"
"""Views of some elements."""

IN_NUMPY: dict[str, Callable[..., Array]] = {
    "view": lambda x, sizes: np.reshape(x, sizes, copy=False),
    "permute": np.transpose,
    "transpose": np.swapaxes,
    "t": np.transpose,
    "movedim": np.moveaxis,
    "squeeze": lambda x, dim: x.squeeze(dim) if x.shape[dim] == 1 else x,
    "unsqueeze": np.expand_dims,
    "narrow": lambda x, dim, start, length: np.moveaxis(
        np.moveaxis(x, dim, 0)[start : start + length], 0, dim
    ),
    "select": lambda x, dim, index: np.moveaxis(x, dim, 0)[index, ...],
}
"""Each view operation as numpy has it."""


@dataclass(frozen=True)
class Chain:
    """Views made one from the other; a step is the name of an operation and its arguments."""

    steps: tuple[tuple[Any, ...], ...]

    def of(self, be: Subject, x: Native) -> Native:
        """Return the last view of `x`."""
        for name, *arguments in self.steps:
            x = getattr(be, name)(x, *arguments)
        return x

    def of_array(self, x: Array) -> Array:
        """Return the same view of a numpy array."""
        for name, *arguments in self.steps:
            x = IN_NUMPY[name](x, *arguments)
        return x


Turn = Callable[[Any], Any]

TURNS: dict[str, tuple[Turn, Turn]] = {
    "transpose": (lambda t: t.transpose(0, 1), lambda x: x.swapaxes(0, 1)),
    "narrow": (lambda t: t.narrow(0, 1, len(t) - 1), lambda x: x[1:]),
    "every other": (lambda t: t[::2], lambda x: x[::2]),
    "select": (lambda t: t.select(0, -1), lambda x: x[-1]),
    "diagonal": (lambda t: t.diagonal(1), lambda x: x.diagonal(1)),
    "mirrored": (lambda t: t.diagonal(0, -1, 0), lambda x: x.diagonal(0, -1, 0)),
    "unfold": (
        lambda t: t.unfold(1, 2, 2),
        lambda x: np.moveaxis(
            x[:, : x.shape[1] // 2 * 2].reshape(len(x), -1, 2, *x.shape[2:]), 2, -1
        ),
    ),
    "unsqueeze": (lambda t: t.unsqueeze(-1), lambda x: x[..., None]),
}
"""Views as PyTorch has them and as numpy does; two in a row are possible from three axes on."""

STARTS = ("pairs", "real", "imag", "turned")
"""What is seen of pairs: themselves, the parts of the numbers that they are, or those turned."""

Turned = tuple[str, Sequence[str]]


def turned() -> st.SearchStrategy[Turned]:
    """Draw where views of pairs begin, and one or two turns from there."""
    names = st.sampled_from(sorted(TURNS))
    return st.tuples(st.sampled_from(STARTS), st.lists(names, max_size=2))


def turn(be: Subject, pairs: Native, how: Turned) -> tuple[Native, Array]:
    """Return a view of pairs of numbers, and the places of its entries among theirs."""
    start, names = how
    places = np.arange(np.prod(pairs.shape)).reshape(tuple(pairs.shape))
    numbers = be.lookup("torch:view_as_complex")(pairs)
    if start == "pairs":
        view = pairs
    elif start == "turned":
        view = be.lookup("torch:view_as_real")(numbers.transpose(0, 1))
        places = places.swapaxes(0, 1)
    else:
        view, places = getattr(numbers, start), places[..., int(start == "imag")]
    for name in names:
        view, places = (way(z) for way, z in zip(TURNS[name], (view, places), strict=True))
    return view, places


STEP = 3  # bytes
MOST = 3  # steps


@st.composite
def chains(
    draw: st.DrawFn,
    label: str = "shape",
    min_dims: int = 0,
    min_size: int = 0,
    *,
    cut: bool = False,
) -> Chain:
    """Draw one to three views that every layout allows; with `cut`, some may leave elements out."""
    x = np.empty(draw(shapes(label, min_dims, min_size)))
    count, *codes = draw(so_many_bytes(1 + MOST * STEP))
    names = (f"{CUTTING} {REARRANGING}" if cut else REARRANGING).split()
    steps = []
    for n in range(1 + count % MOST):
        kind, *choices = codes[n * STEP :][:STEP]
        step = _step(x.shape, names[kind % len(names)], *choices)
        x = IN_NUMPY[step[0]](x, *step[1:])
        steps.append(step)
    return Chain(tuple(steps))


def _step(shape: Shape, name: str, a: int, b: int) -> tuple[Any, ...]:
    """Choose the arguments of one step on a tensor of `shape`; where none fit, unsqueeze."""
    rank = len(shape)
    if rank == 0:
        return "unsqueeze", -(a & 1)
    axis, other = a % rank, b % rank
    size = shape[axis]
    match name:
        case "view":
            # Splitting an axis is possible whatever the strides; merging is not.
            factors = same_size(size)[:-1] or ((size,),)
            parts = factors[b % len(factors)]
            return name, (*shape[:axis], *parts, *shape[axis + 1 :])
        case "permute":
            return name, _orders(min(rank, 4))[b % len(_orders(min(rank, 4)))] + tuple(
                range(4, rank)
            )
        case "transpose" | "movedim":
            return name, axis, other
        case "t" if rank <= 2:
            return (name,)
        case "squeeze":
            ones = [d for d, length in enumerate(shape) if length == 1] or [axis]
            return name, ones[b % len(ones)]
        case "narrow":
            start = b % (size + 1)
            return name, axis, start, (size - start + 1) // 2
        case "select" if size:
            return name, axis, b % size
        case _:
            return "unsqueeze", axis
