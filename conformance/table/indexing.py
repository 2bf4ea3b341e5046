"""Entries chosen by their places, and places written to."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .arguments import FILLED, FILLED_VECTORS, Arguments
from .drawing import MANY, Array, Draw, Shape
from .operation import Operation

KEYED: tuple[Shape, ...] = ((3,), (2, 3), (4, 3), (3, 1), (2, 3, 2))


def keyed(d: Draw) -> Arguments:
    """Draw a tensor and an index of every kind, with repetitions."""
    shape = d.shape(*KEYED)
    size = shape[0]
    key = d.pick(
        d.byte() % size,
        slice(None, None, 2),
        slice(1, None),
        d.places((4,), size),
        d.places((2, 2), size),
        np.arange(size) % 2 == 0,
        (Ellipsis, None, d.byte() % shape[-1]),
        (slice(None), *([d.places((2,), shape[1])] if len(shape) > 1 else [])),
        tuple(d.places((3,), n) for n in shape),
        -1 - d.byte() % size,
    )
    return Arguments((d.array(shape),), (key,))


def getitem(be: Any, x: Any, key: Any) -> Any:
    """Index by constants, within tuples as well."""
    whole = isinstance(key, tuple)
    parts = [be.tensor(k) if isinstance(k, np.ndarray) else k for k in (key if whole else [key])]
    return be.getitem(x, tuple(parts) if whole else parts[0])


def picked(d: Draw, shapes: tuple[Shape, ...] = FILLED_VECTORS) -> Arguments:
    """Draw a tensor, an axis, and indices on it, in a shape that fits."""
    shape = d.shape(*shapes)
    axis = d.axis(shape)
    sizes = [*shape]
    sizes[axis] += d.pick(0, 1, -1)
    return Arguments((d.array(shape),), (axis, d.indices(tuple(sizes), shape[axis])))


def gather(x: Array, dim: int, index: Array) -> Array:
    """Take the entry that each index names along an axis."""
    return np.take_along_axis(x, index, dim)


def taken(d: Draw) -> Arguments:
    """Draw a tensor, and places of its entries in row-major order, counted from either end."""
    shape = d.shape(*FILLED)
    x = d.array(shape)
    return Arguments((x,), (d.places(d.pick((4,), (2, 2), (), (0,)), x.size),))


def rows(d: Draw) -> Arguments:
    """Draw a tensor, an axis, and indices on it."""
    shape = d.shape(*FILLED_VECTORS)
    axis = d.axis(shape)
    return Arguments((d.array(shape),), (axis, d.indices((d.pick(3, 1, 0, 5),), shape[axis])))


def masked(d: Draw) -> Arguments:
    """Draw a tensor and a mask."""
    shape = d.shape()
    return Arguments((d.array(shape),), (d.mask(shape),))


def filled(d: Draw) -> Arguments:
    """Draw a tensor, a mask and a number."""
    shape = d.shape()
    return Arguments((d.array(shape),), (d.mask(shape), d.pick(0.0, 2.5, -1.0)))


def written(d: Draw) -> Arguments:
    """Draw a tensor, a source, and the places that it goes to, each one once."""
    shape = d.shape(*FILLED_VECTORS)
    axis = d.axis(shape)
    index = np.argsort(d.indices(shape, 256), axis=axis, kind="stable")
    return Arguments((d.array(shape), d.array(shape)), (axis, index))


def added(d: Draw) -> Arguments:
    """Draw a tensor, a source, and the places that it is added to, some of them several times."""
    shape = d.shape(*FILLED_VECTORS)
    axis = d.axis(shape)
    return Arguments((d.array(shape), d.array(shape)), (axis, d.indices(shape, shape[axis])))


def scatter(x: Array, source: Array, dim: int, index: Array) -> Array:
    """Write a source to places along an axis."""
    made = x.copy()
    np.put_along_axis(made, index, source, dim)
    return made


def places(index: Array, dim: int) -> tuple[Array, ...]:
    """Return the whole place that each index along an axis means."""
    grids = [np.broadcast_to(g, index.shape) for g in np.ogrid[tuple(map(slice, index.shape))]]
    grids[dim] = index
    return tuple(grids)


def scatter_add(x: Array, source: Array, dim: int, index: Array) -> Array:
    """Add a source at places along an axis."""
    made = x.copy()
    np.add.at(made, places(index, dim), source)
    return made


def row_wise(*, repeated: bool) -> Any:
    """Draw a tensor, an axis, indices on it, and a source with a row for each."""

    def draw(d: Draw) -> Arguments:
        shape = d.shape(*FILLED_VECTORS)
        axis = d.axis(shape)
        index = d.indices((shape[axis] + (1 if repeated else 0),), shape[axis])
        if not repeated:
            index = np.argsort(index, kind="stable")[: max(1, shape[axis] - 1)]
        sizes = [*shape]
        sizes[axis] = index.size
        return Arguments((d.array(shape), d.array(tuple(sizes))), (axis, index))

    return draw


def at(dim: int, index: Array, ndim: int) -> tuple[Any, ...]:
    """Index one axis."""
    key: list[Any] = [slice(None)] * ndim
    key[dim] = index
    return tuple(key)


def index_add(x: Array, source: Array, dim: int, index: Array) -> Array:
    """Add rows of a source to the rows named."""
    made = x.copy()
    np.add.at(made, at(dim, index, x.ndim), source)
    return made


def index_copy(x: Array, source: Array, dim: int, index: Array) -> Array:
    """Write rows of a source over the rows named."""
    made = x.copy()
    made[at(dim, index, x.ndim)] = source
    return made


def row_filled(d: Draw) -> Arguments:
    """Draw a tensor, an axis, indices on it, and a number."""
    shape = d.shape(*FILLED_VECTORS)
    axis = d.axis(shape)
    return Arguments((d.array(shape),), (axis, d.indices((2,), shape[axis]), d.pick(0.0, 2.5)))


def index_fill(x: Array, dim: int, index: Array, value: float) -> Array:
    """Write a number over the rows named."""
    made = x.copy()
    made[at(dim, index, x.ndim)] = value
    return made


def of_table(
    d: Draw, rows: Sequence[Shape], indices: Sequence[Shape]
) -> tuple[Shape, Sequence[Shape]]:
    """Choose the shape of a table, and say those of indices, which may be thousands as well."""
    if d.is_large:
        index, most = d.sized((indices[0], MANY))
        return d.shape(*rows, many=most), (index,)
    return d.shape(*rows), indices


def looked_up(d: Draw) -> Arguments:
    """Draw a table of rows, and the numbers of those that are asked for."""
    shape, sizes = of_table(d, ((3, 2), (4, 1), (2, 3), (1, 2)), ((4,), (2, 2), (), (0,)))
    return Arguments((d.array(shape),), (d.indices(d.pick(*sizes), shape[0]),))


def after_source(name: str) -> Any:
    """Call a function whose source comes last."""
    return lambda be, x, source, dim, index: getattr(be, name)(x, dim, index, source)


INDEXING = (
    Operation("getitem", lambda x, key: x[key], keyed, call=getitem, linear=True, view="maybe",
              nondeterministic=True),
    Operation("gather", gather, picked, linear=True, nondeterministic=True),
    Operation("take_along_dim", lambda x, index, dim: gather(x, dim, index),
              lambda d: swap(picked(d, FILLED_VECTORS)), linear=True, nondeterministic=True),
    Operation("take", lambda x, index: x.ravel()[index], taken, linear=True, nondeterministic=True),
    Operation("index_select", lambda x, dim, index: np.take(x, index, axis=dim), rows, linear=True,
              nondeterministic=True),
    Operation("masked_select", lambda x, mask: x[mask], masked, linear=True),
    Operation("masked_fill", lambda x, mask, value: np.where(mask, value, x), filled),
    Operation("scatter", scatter, written, call=after_source("scatter"), linear=True),
    Operation("scatter_add", scatter_add, added, call=after_source("scatter_add"), linear=True,
              nondeterministic=True),
    Operation("index_add", index_add, row_wise(repeated=True), call=after_source("index_add"),
              linear=True, nondeterministic=True),
    Operation("index_copy", index_copy, row_wise(repeated=False),
              call=after_source("index_copy"), linear=True),
    Operation("index_fill", index_fill, row_filled),
    Operation("embedding", lambda table, index: table[index], looked_up, linear=True,
              call=lambda be, table, index: be.embedding(be.tensor(index), table),
              nondeterministic=True),
    Operation("nonzero", np.argwhere, lambda d: Arguments((d.array(d.shape()),)),
              differentiable=False),
)  # fmt: skip


def swap(arguments: Arguments) -> Arguments:
    """Put the axis after the indices."""
    dim, index = arguments.options
    return Arguments(arguments.tensors, (index, dim))
