"""Calls of scatter, and of what reads by index.

Of scatter: what is written, where to, and the ways in which a call is ill-formed. Two draws make
one call: a few bytes for its shapes, then a byte for each entry. The simplest call writes a vector
of zeros over another one, in order.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from .arrays import ANY, LAYOUTS, Array, Layout, shapes, so_many_bytes

Indices = npt.NDArray[np.integer[Any]]
Place = tuple[int, ...]

SHAPES = ((3,), (2, 3), (), (1,), (4,), (3, 2), (0,), (2, 3, 2), (1, 3), (0, 3), (2, 1, 3))
"""Shapes of the tensor that is written."""


def _ties(entries: Array, best: Any) -> Array:
    ties: Array = (entries == best) / np.count_nonzero(entries == best)
    return ties


COMBINED: Mapping[str, tuple[Callable[[Array], Any], Callable[[Array], Any]]] = {
    "sum": (np.sum, np.ones_like),
    "prod": (
        np.prod,
        lambda v: np.array([np.prod(np.delete(v, n)) for n in range(v.size)]),
    ),
    "mean": (np.mean, lambda v: np.full(v.shape, 1 / v.size)),
    "amax": (np.max, lambda v: _ties(v, v.max())),
    "amin": (np.min, lambda v: _ties(v, v.min())),
}
"""How several entries become one, and the derivative of that by each of them."""


@dataclass(frozen=True, eq=False)
class Scatter:
    """The arguments of one call: `scatter(x, dim, index, src)` is `scatter(*call)`."""

    x: Array
    dim: int
    index: Indices
    src: Array

    def __iter__(self) -> Iterator[Any]:
        return iter((self.x, self.dim, self.index, self.src))

    def writes(self) -> list[tuple[Place, Place]]:
        """List each position p of `index` with the place it names: p, with index[p] along `dim`."""
        return [(p, self._place(p)) for p in np.ndindex(self.index.shape)]

    def _place(self, position: Place) -> Place:
        place = list(position)
        if place:
            place[self.dim] = int(self.index[position])
        return tuple(place)

    @property
    def hit(self) -> npt.NDArray[np.float64]:
        """One at every place of `x` that is written, zero elsewhere."""
        mask = np.zeros(self.x.shape)
        for _, place in self.writes():
            mask[place] = 1
        return mask

    @property
    def read(self) -> Array:
        """The part of `src` that lies within the shape of `index`."""
        return self.src[tuple(map(slice, self.index.shape))]

    def combined(self, name: str, *, include_self: bool) -> tuple[Array, Array, Array]:
        """Combine what is meant for each place: the result, and the shares of `x` and of `src`.

        A share is the derivative of the place by the entry: of an extremum it is split among ties.
        """
        value, of_x, of_src = self.x.copy(), np.ones(self.x.shape), np.zeros(self.index.shape)
        meant: dict[Place, list[Place]] = {}
        for position, place in self.writes():
            meant.setdefault(place, []).append(position)
        for place, positions in meant.items():
            entries = np.array([self.src[p] for p in positions] + [self.x[place]] * include_self)
            combine, share = COMBINED[name]
            value[place], shares = combine(entries), np.broadcast_to(share(entries), entries.shape)
            of_x[place] = shares[-1] if include_self else 0
            for position, part in zip(positions, shares, strict=False):
                of_src[position] = part
        return value, of_x, of_src

    def fitted(self) -> "Scatter":
        """Return the same call with nothing in `src` beyond the shape of `index`."""
        return replace(self, src=self.read)


Targets = Literal["distinct", "any", "shared"]
"""Whether the places named are all different, drawn at random, or surely meet somewhere."""


def _size(code: int, most: int, least: int) -> int:
    """Read a byte as a size: the largest in half of the cases, the least in a few."""
    if code < 128:
        return most
    return least if code >= 240 else min(most, 1 + code % max(1, most))


@st.composite
def scatters(
    draw: st.DrawFn,
    targets: Targets = "any",
    *,
    layouts: tuple[Layout, ...] = LAYOUTS,
    larger: bool = False,
    min_dims: int = 0,
    min_size: int = 0,
) -> Scatter:
    """Draw a well-formed call.

    `index` may be shorter than `x` and `src`, and, unless its targets are distinct, longer than `x`
    along `dim`; it holds int64 or int32. `layouts` are those of `x`. With `larger`, `src` has
    entries beyond the shape of `index`. `min_dims` excludes low ranks, `min_size` short dimensions
    of `x` and `index`.
    """
    pool = [s for s in SHAPES if len(s) >= min_dims and min(s, default=1) >= min_size]
    kind, axis, wide, *codes = draw(so_many_bytes(9))
    shape = pool[kind % len(pool)]
    rank = len(shape)
    dim = axis % max(1, rank)
    sizes = [_size(code, most, min_size) for code, most in zip(codes, shape, strict=False)]
    if rank and targets != "distinct" and shape[dim]:
        sizes[dim] += codes[dim] % 3
    if targets == "shared":
        sizes[dim] = max(2, sizes[dim])
    extra = [code % 3 // 2 for code in codes[3 : 3 + rank]]
    if larger:
        extra[wide % rank] = 1
    source = [size + more for size, more in zip(sizes, extra, strict=True)]

    keys = [*sizes]
    if rank and targets == "distinct":
        keys[dim] = shape[dim]
    counts = [int(np.prod(s, dtype=int)) for s in (shape, source, keys)]
    drawn = np.frombuffer(draw(so_many_bytes(1 + sum(counts))), np.uint8)
    x, src, numbers = np.split(drawn[1:], np.cumsum(counts)[:2])
    index = numbers.astype(np.int32 if drawn[0] & 1 else np.int64).reshape(keys)
    if rank and targets == "distinct":
        order = np.argsort(index, axis=dim, kind="stable").astype(index.dtype)
        index = order[tuple(map(slice, sizes))]
    else:
        np.mod(index, (shape[dim] or 1) if rank else 1, out=index)
    if targets == "shared":
        start = [0] * rank
        start[dim] = 1
        index[tuple(start)] = index[(0,) * rank]
    return Scatter(
        x=layouts[drawn[0] // 2 % len(layouts)](shape, ANY[x]),
        dim=dim - rank if axis & 128 else dim,
        index=np.array(index, order="F" if drawn[0] & 64 else "C"),
        src=LAYOUTS[drawn[0] // 4 % len(LAYOUTS)](tuple(source), ANY[src]),
    )


# ---- ill-formed calls ----------------------------------------------------------------------------


@st.composite
def misfits(draw: st.DrawFn) -> Scatter:
    """Draw a call whose sizes break exactly one rule."""
    call: Scatter = draw(scatters(min_dims=1, min_size=1))
    x, index, src = call.x, call.index, call.src
    other = (call.dim + 1) % x.ndim
    rules = ["rank of index", "rank of src", "size of src", "size of x", "no rank of src"]
    match draw(st.sampled_from(rules if x.ndim > 1 else rules[:3])):
        case "rank of index":
            return replace(call, index=index[None], src=src[None])
        case "rank of src":
            return replace(call, src=src[None])
        case "no rank of src":
            # A scalar passes for a vector, but for no more.
            return replace(call, src=np.array(2.0))
        case "size of src":
            return replace(call, src=call.read[1:])
        case _:
            longer = [
                (0, x.shape[d] + 1 - index.shape[d] if d == other else 0) for d in range(x.ndim)
            ]
            index = np.pad(index, longer, mode="edge")
            return replace(call, index=index, src=np.ones(index.shape))


@st.composite
def strays(draw: st.DrawFn) -> Scatter:
    """Draw a call in which one index value, at a random position, lies out of range."""
    call: Scatter = draw(scatters(min_dims=1, min_size=1))
    size = call.x.shape[call.dim]
    index = call.index.copy()
    position = draw(st.integers(0, index.size - 1))
    index.flat[position] = draw(st.sampled_from((size, -1, -size, size + 7)))
    return replace(call, index=index)


# ---- reading -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Selection:
    """An array that has entries, and places in it: along axis `dim`, or in row-major order."""

    x: Array
    dim: int
    index: Indices

    @property
    def size(self) -> int:
        """The number of places there are along the axis."""
        size: int = self.x.shape[self.dim]
        return size


Form = Literal["slices", "flat", "along"]
"""Places of whole slices; places in row-major order; places for each line along an axis."""

FLAT_SHAPES = ((3,), (), (2, 2), (1,), (0,), (4,), (2, 1, 2), (2, 0))


@st.composite
def selections(draw: st.DrawFn, form: Form) -> Selection:
    """Draw places, some of them named several times, or not at all.

    A vector for "slices", of int64 or int32, none counted from the end. For "flat" an array of any
    rank, for "along" one of the rank of `x`, whose other axes may be one long; both count some
    places from the end.
    """
    pool = [s for s in SHAPES if min(s, default=1) and (s or form == "flat")]
    kind, axis, count, short, layout = draw(so_many_bytes(5))
    shape = pool[kind % len(pool)]
    dim = axis % max(1, len(shape))
    places = int(np.prod(shape)) if form == "flat" else shape[dim]
    match form:
        case "slices":
            wanted: Place = (count % 5,)
        case "flat":
            wanted = FLAT_SHAPES[count % len(FLAT_SHAPES)]
        case _:
            sizes = [1 if short >> d & 1 and short & 128 else n for d, n in enumerate(shape)]
            wanted = (*sizes[:dim], count % 5, *sizes[dim + 1 :])
    total = int(np.prod(wanted, dtype=int))
    codes = np.frombuffer(draw(so_many_bytes(int(np.prod(shape)) + total)), np.uint8)
    entries, numbers = codes[: codes.size - total], codes[codes.size - total :].astype(np.int64)
    if form == "slices":
        index: Indices = (numbers % places).astype(np.int32 if short & 1 else np.int64)
    else:
        index = numbers % (2 * places) - places
    return Selection(
        x=LAYOUTS[layout % len(LAYOUTS)](shape, ANY[entries]),
        dim=dim - len(shape) if axis & 128 else dim,
        index=index.reshape(wanted),
    )


@st.composite
def copying_keys(
    draw: st.DrawFn, label: str = "shape", min_dims: int = 1, min_size: int = 1
) -> tuple[Any, ...]:
    """Draw a key with a list, an index array, a mask or a bare bool, for the label's shape."""
    shape = draw(shapes(label, min_dims, min_size))
    kind, axis, count, *codes = draw(so_many_bytes(3 + max(6, int(np.prod(shape)))))
    dim = axis % len(shape)
    size = shape[dim]
    places = [code % (2 * size) - size for code in codes[: 1 + count % 4]]
    front = (slice(None),) * dim
    match kind % 6:
        case 0:
            return (*front, places)
        case 1:
            return (*front, np.array([places, places[::-1]]))
        case 2:
            return (np.array(codes[: int(np.prod(shape))]).reshape(shape) % 2 == 0,)
        case 3:
            return (*front, [code % 2 == 0 for code in np.resize(codes, size).tolist()])
        case 4:
            return (count % 2 == 0,)
        case _:
            return (Ellipsis, np.array(places[:1]), *(slice(None),) * (len(shape) - 1 - dim))


# ---- keys with several arrays, and writing by them -----------------------------------------------

Key = tuple[Any, ...]


def _places(codes: list[int], size: int, count: int, *, distinct: bool) -> list[int]:
    """Read places on an axis of `size`, some counted from the end, each at most once if asked."""
    if distinct:
        chosen = np.argsort(codes[:size], kind="stable")[:count].tolist()
        return [p - size if codes[p] & 1 else p for p in chosen]
    return [code % (2 * size) - size for code in codes[:count]]


@st.composite
def mixed_keys(
    draw: st.DrawFn,
    label: str = "shape",
    min_dims: int = 1,
    min_size: int = 1,
    *,
    distinct: bool = False,
) -> Key:
    """Draw a key with one or two index arrays, lists or masks, among slices, None and Ellipsis.

    Two arrays broadcast against each other, next to each other or apart. With `distinct` no entry
    is named twice.
    """
    shape = draw(shapes(label, min_dims, min_size))
    form, first, other, count, extra, *codes = draw(so_many_bytes(5 + 24))
    rank = len(shape)
    a, b = first % rank, other % rank
    items: list[Any] = [
        slice(code % size, None, 1 + code // 128) if code & 4 else slice(None)
        for size, code in zip(shape, codes, strict=False)
    ]
    n = 1 + count % min(3, shape[a])
    places = _places(codes[:12], shape[a], n, distinct=distinct)
    match form % 5:
        case 0:
            items[a] = places
        case 1:
            items[a] = np.array(places, np.int32 if form & 64 else np.int64)
        case 2:
            items[a] = np.array([code % 2 == 0 for code in codes[: shape[a]]])
        case 3 if a != b:
            # As many places on both axes: pairs of them.
            pairs = [code % shape[b] for code in codes[12 : 12 + len(places)]]
            items[a], items[b] = np.array(places), pairs if form & 64 else np.array(pairs)
        case _ if a != b:
            # A column of places on one axis, a row on the other: a grid.
            row = _places(codes[12:], shape[b], 1 + extra % min(3, shape[b]), distinct=distinct)
            items[a], items[b] = np.array(places)[:, None], np.array(row)
        case _:
            items[a] = np.array([places])
    if extra & 8:
        items.insert(extra // 16 % (len(items) + 1), None)
    while extra & 1 and len(items) > 1 and isinstance(items[-1], slice):
        items.pop()
    if extra & 2 and isinstance(items[0], slice):
        items[0] = Ellipsis if items[0] == slice(None) and len(items) >= rank else items[0]
    return tuple(items)


@st.composite
def parted_keys(draw: st.DrawFn, label: str = "shape", min_dims: int = 2, min_size: int = 1) -> Key:
    """Draw a key with an integer and an index array or mask apart: a slice or None is between."""
    shape = draw(shapes(label, min_dims, min_size))
    order, before, after, count, extra, *codes = draw(so_many_bytes(5 + 8))
    low, high = sorted({before % len(shape), after % len(shape)} | {0, len(shape) - 1})[:2]
    number = codes[0] % (2 * shape[low]) - shape[low]
    places = _places(codes[1:], shape[high], 1 + count % 3, distinct=False)
    array: Any = np.array(places) if extra & 1 else places
    if order & 1:
        number = codes[0] % shape[high]
        array = [p % shape[low] for p in places]
    if extra & 4:
        array = np.isin(np.arange(shape[low if order & 1 else high]), array)
    items: list[Any] = [slice(None)] * (high + 1)
    items[low], items[high] = (array, number) if order & 1 else (number, array)
    if high == low + 1 or extra & 2:
        items.insert(low + 1, None)
    return tuple(items)


def taken_first(x: Array, key: Key) -> tuple[Array, Key]:
    """Take integers, slices and None of a key; return that view, and the key of what is left.

    So PyTorch reads brackets: an integer takes its axis away before index arrays are looked at,
    where to numpy an integer beside an index array is an index array itself.
    """
    first: list[Any] = []
    rest: list[Any] = []
    for item in key:
        if isinstance(item, bool):
            first.append(None)
            rest.append(np.zeros(int(item), int))
        elif isinstance(item, list | np.ndarray):
            array = np.asarray(item)
            first += [slice(None)] * (array.ndim if array.dtype == bool else 1)
            rest.append(array)
        else:
            first.append(item)
            if not isinstance(item, int):
                rest.append(item if item is Ellipsis else slice(None))
    if not any(item is Ellipsis for item in key):
        first.append(Ellipsis)
    return x[tuple(first)], tuple(rest)


VALUE_FORMS = 4


def value_for(values: Array, shape: Place, form: int) -> Array:
    """Make a value of numbers that broadcasts to `shape`: whole, a scalar, a row, or with ones."""
    match form % VALUE_FORMS:
        case 0:
            wanted = shape
        case 1:
            wanted = ()
        case 2:
            wanted = shape[1:]
        case _:
            wanted = tuple(1 if n % 2 else size for n, size in enumerate(shape))
    return np.resize(values, wanted) if np.prod(wanted, dtype=int) else np.zeros(wanted)
