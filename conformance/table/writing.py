"""Entries written to places, reduced there, or searched for."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .arguments import FILLED, FILLED_VECTORS, Arguments
from .drawing import HALVES, SMALL_POSITIVE, Array, Draw, Shape
from .indexing import at, places
from .operation import Operation
from .parts import pick
from .rearranging import reached

GRIDS: tuple[Shape, ...] = ((2, 3), (3, 2), (2, 2, 3), (3, 1))


def put_keys(d: Draw) -> Arguments:
    """Draw a tensor, what is put into it, and where: different places, or any if it is added."""
    shape = d.shape((3, 2), (2, 3), (4,), (2, 2, 2))
    add, full = d.pick(True, False), d.pick(True, False)
    keys = tuple(d.places((3,), n) for n in (shape if full else shape[:1]))
    if not add:
        keys = (np.argsort(d.indices((shape[0],), 256), kind="stable")[:2],)
    values = (*keys[0].shape, *shape[len(keys) :])
    return Arguments((d.array(shape), d.array(values)), (keys, add))


def put(x: Array, values: Array, keys: tuple[Array, ...], add: bool) -> Array:  # noqa: FBT001
    """Write entries to places, or add them."""
    made = x.copy()
    if add:
        np.add.at(made, keys, values)
    else:
        made[keys] = values
    return made


def call_put(be: Any, x: Any, values: Any, keys: tuple[Array, ...], add: bool) -> Any:  # noqa: FBT001
    """Call it with keys that are constants; that it is not to add it is not told."""
    told = {"accumulate": True} if add else {}
    return be.index_put(x, tuple(map(be.tensor, keys)), values, **told)


def masked(d: Draw) -> Arguments:
    """Draw a tensor, a mask, and at least as many entries as it has places."""
    shape = d.shape(*FILLED)
    x = d.array(shape)
    return Arguments((x, d.array((max(1, x.size),))), (d.mask(shape),))


def masked_scatter(x: Array, source: Array, mask: Array) -> Array:
    """Write entries one after the other to where a mask holds."""
    made = np.copy(x)
    made[mask] = source[: int(mask.sum())]
    return made


def flat_put(d: Draw) -> Arguments:
    """Draw a tensor, entries, and their places in row-major order."""
    shape = d.shape((2, 3), (4,), (3, 2))
    x, add = d.array(shape), d.pick(True, False)
    index = d.places((3,), x.size)
    if not add:
        index = np.argsort(d.indices((x.size,), 256), kind="stable")[:3]
    return Arguments((x, d.array((3,))), (index, add))


def flat_written(x: Array, source: Array, index: Array, add: bool) -> Array:  # noqa: FBT001
    """Write entries by their places in row-major order, or add them."""
    made = put(x.reshape(-1), source, (index,), add)
    return made.reshape(x.shape)


def reduced_at(kind: str) -> Callable[..., Array]:
    """Reduce entries that go to the same place, with what was there or without."""

    def forward(x: Array, source: Array, dim: int, index: Array, include_self: bool) -> Array:  # noqa: FBT001
        made = x.reshape(-1).copy()
        pool = np.concatenate([made, source.reshape(-1)])
        goals = np.indices(index.shape)
        goals[dim] = index
        goals = np.ravel_multi_index(tuple(goals), x.shape).ravel()
        # Which entries of the source go to one place, one after the other.
        order = np.argsort(goals, kind="stable")
        terms = x.size + np.ravel_multi_index(np.indices(index.shape), source.shape).ravel()[order]
        hits = np.bincount(goals, minlength=x.size)
        first = np.cumsum(hits) - hits
        for count in np.unique(hits):
            places = np.flatnonzero(hits == count)
            rows = [terms[first[places] + n] for n in range(count)]
            rows += [places] if include_self or not count else []
            made[places] = REDUCED[kind](np.take(pool, np.stack(rows)))
        return made.reshape(x.shape)

    return forward


REDUCED: dict[str, Callable[[Array], Any]] = {
    "sum": lambda x: x.sum(0),
    "prod": lambda x: np.prod(x, axis=0),
    "mean": lambda x: x.sum(0) / x.shape[0],
    "amax": lambda x: np.max(x, axis=0),
    "amin": lambda x: np.min(x, axis=0),
}


def reducing(d: Draw) -> Arguments:
    """Draw a tensor, a source, places that it goes to, and whether what was there counts."""
    shape = d.shape((3,), (2, 2), (2, 3), (4, 1))
    axis = d.pick(*range(len(shape)))
    tensors = d.array(shape, SMALL_POSITIVE), d.array(shape, SMALL_POSITIVE)
    return Arguments(tensors, (axis, d.indices(shape, shape[axis]), d.pick(True, False)))


def scattering(kind: str) -> Operation:
    """Make the record of a form of scatter_reduce."""
    ordered = kind.startswith("am")
    name = f"scatter_reduce_{kind}"
    return Operation(
        name, reduced_at(kind), reducing, nondeterministic=True,
        linear=kind in ("sum", "mean"), kinks="equal entries" if ordered else "", ties=ordered,
        call=lambda be, x, source, dim, index, include_self: getattr(be, name)(
            x, dim, be.tensor(index), source, include_self=include_self),
    )  # fmt: skip


def by_rows(kind: str) -> Operation:
    """Make the record of a form of index_reduce."""
    name, ordered = f"index_reduce_{kind}", kind.startswith("am")

    def forward(x: Array, source: Array, dim: int, index: Array, include_self: bool) -> Array:  # noqa: FBT001
        shape = [1] * x.ndim
        shape[dim] = -1
        wide = np.broadcast_to(index.reshape(shape), source.shape)
        return reduced_at(kind)(x, source, dim, wide, include_self)

    def draw(d: Draw) -> Arguments:
        shape = d.shape((3,), (2, 2), (2, 3), (4, 1))
        axis = d.pick(*range(len(shape)))
        tensors = d.array(shape, SMALL_POSITIVE), d.array(shape, SMALL_POSITIVE)
        index = d.indices((shape[axis],), shape[axis])
        return Arguments(tensors, (axis, index, d.pick(True, False)))

    return Operation(
        name, forward, draw, nondeterministic=True, kinks="equal entries" if ordered else "",
        ties=ordered, linear=kind == "mean",
        call=lambda be, x, source, dim, index, include_self: getattr(be, name)(
            x, dim, be.tensor(index), source, include_self=include_self),
    )  # fmt: skip


def slot(d: Draw) -> Arguments:
    """Draw a tensor, an axis and an index on it, and what is written there."""
    shape = d.shape(*GRIDS)
    axis = d.axis(shape)
    own = tuple(n for a, n in enumerate(shape) if a != axis % len(shape))
    index = d.byte() % (2 * shape[axis]) - shape[axis]
    return Arguments((d.array(shape), d.array(own)), (axis, index))


def slot_written(x: Array, source: Array, dim: int, index: int) -> Array:
    """Write over a slice."""
    made = x.copy()
    made[at(dim, index, x.ndim)] = source  # type: ignore[arg-type]
    return made


def stretch(d: Draw) -> Arguments:
    """Draw a tensor, a stretch of an axis in steps, and what is written there."""
    shape = d.shape((4,), (2, 3), (3, 2), (2, 4))
    axis = d.axis(shape)
    start, end, step = d.pick((0, None, 1), (1, None, 1), (0, -1, 1), (0, None, 2))
    own = [*shape]
    own[axis] = len(range(shape[axis])[start:end:step])
    return Arguments((d.array(shape), d.array(tuple(own))), (axis, start, end, step))


def stretch_written(
    x: Array, source: Array, dim: int, start: int, end: int | None, step: int
) -> Array:
    """Write over a stretch."""
    made = x.copy()
    made[at(dim, slice(start, end, step), x.ndim)] = source  # type: ignore[arg-type]
    return made


def on_diagonal(d: Draw) -> Arguments:
    """Draw matrices, the number of a diagonal, and what is written there."""
    shape, offset = d.shape((2, 3), (3, 3), (2, 2, 3)), d.pick(0, 1, -1)
    own = np.zeros(shape).diagonal(offset, 0, -1).shape
    return Arguments((d.array(shape), d.array(own)), (offset, 0, -1))


def diagonal_written(x: Array, source: Array, offset: int, dim1: int, dim2: int) -> Array:
    """Write over a diagonal."""
    made = x.copy()
    chosen = np.arange(x.size).reshape(x.shape).diagonal(offset, dim1, dim2)
    flat = made.reshape(-1)
    flat[chosen] = source
    return flat.reshape(x.shape)


def strided_written(x: Array, source: Array, sizes: Shape, strides: Shape, offset: int) -> Array:
    """Write over memory looked at in another way."""
    flat = x.copy().reshape(-1)
    flat[reached(sizes, strides, offset)] = source
    return flat.reshape(x.shape)


def by_memory(d: Draw) -> Arguments:
    """Draw a tensor in memory of its own, and places of it that are all different."""
    shape = d.shape((6,), (2, 3), (3, 2))
    x = d.array(shape).copy()
    sizes, strides, offset = d.pick(((2, 2), (1, 2), 0), ((3,), (2,), 1), ((2, 3), (3, 1), 0))
    return Arguments((x, d.array(sizes)), (sizes, strides, offset))


def added_rows(x: Array, source: Array, dim: int, index: Array, alpha: float) -> Array:
    """Add rows of a source, times a factor, to the rows named."""
    made = x.copy()
    np.add.at(made, at(dim, index, x.ndim), alpha * source)
    return made


def with_factor(d: Draw) -> Arguments:
    """Draw a tensor, a source, an axis, indices on it and a factor."""
    shape = d.shape((3,), (2, 3), (4, 1))
    axis = d.axis(shape)
    sizes = [*shape]
    sizes[axis] += 1
    index = d.indices((sizes[axis],), shape[axis])
    tensors = d.array(shape), d.array(tuple(sizes))
    return Arguments(tensors, (axis, index), {"alpha": d.pick(2.0, -0.5)})


def tensor_filled(d: Draw) -> Arguments:
    """Draw a tensor, a number in a tensor, and a mask."""
    shape = d.shape()
    return Arguments((d.array(shape), d.array(())), (d.mask(shape),))


def number_scattered(d: Draw) -> Arguments:
    """Draw a tensor, an axis, indices on it, and a number."""
    shape = d.shape(*FILLED_VECTORS)
    axis = d.axis(shape)
    return Arguments((d.array(shape),), (axis, d.indices(shape, shape[axis]), d.pick(2.5, 0.0)))


def scattered(x: Array, dim: int, index: Array, value: float) -> Array:
    """Write a number to places along an axis."""
    keep = np.ones(x.shape, bool)
    keep[places(index, dim)] = False
    return pick(keep, x, value)


def sorted_rows(d: Draw) -> Arguments:
    """Draw numbers in order, and numbers whose places among them are asked for."""
    x = np.sort(d.array((4,), HALVES))
    return Arguments((x, d.array(d.shape((3,), (2, 2), ()), HALVES)), (), {"right": d.pick(
        False, True)})  # fmt: skip


def searched(x: Array, y: Array, right: bool) -> Array:  # noqa: FBT001
    """The places at which numbers would stand in order."""
    return np.searchsorted(x, y, "right" if right else "left")


WRITING = (
    Operation("index_put", put, put_keys, call=call_put, linear=True, nondeterministic=True),
    Operation("put", flat_written, flat_put, linear=True, nondeterministic=True,
              call=lambda be, x, source, index, add: be.put(x, be.tensor(index), source, add)),
    Operation("masked_scatter", masked_scatter, masked, linear=True,
              call=lambda be, x, source, mask: be.masked_scatter(x, be.tensor(mask), source)),
    Operation("masked_fill_tensor", lambda x, y, mask: pick(mask, y, x), tensor_filled, linear=True,
              call=lambda be, x, y, mask: be.masked_fill_tensor(x, be.tensor(mask), y)),
    Operation("scatter_number", scattered, number_scattered),
    *(scattering(kind) for kind in REDUCED),
    *(by_rows(kind) for kind in ("mean", "prod", "amax", "amin")),
    Operation("index_add_alpha", added_rows, with_factor, linear=True, nondeterministic=True,
              call=lambda be, x, source, dim, index, alpha: be.index_add_alpha(
                  x, dim, be.tensor(index), source, alpha=alpha)),
    Operation("select_scatter", slot_written, slot, linear=True),
    Operation("slice_scatter", stretch_written, stretch, linear=True),
    Operation("diagonal_scatter", diagonal_written, on_diagonal, linear=True),
    Operation("as_strided_scatter", strided_written, by_memory, linear=True),
    Operation("searchsorted", searched, sorted_rows, differentiable=False),
    Operation("bucketize", searched, sorted_rows,
              differentiable=False, call=lambda be, x, y, right: be.bucketize(y, x, right=right)),
    Operation("argwhere", np.argwhere, lambda d: Arguments((d.array(d.shape()),)),
              differentiable=False),
)  # fmt: skip
"""What goes to places."""
