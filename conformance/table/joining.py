"""Several tensors put together."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .arguments import Arguments, Drawing
from .drawing import Array, Draw, Shape
from .operation import Operation

GRIDS: tuple[tuple[Shape, ...], ...] = (
    ((2, 3), (2, 3)), ((3, 1), (3, 1), (3, 1)), ((2, 2, 3), (2, 2, 3)), ((0, 3), (0, 3)),
    ((1, 2),) * 6,
)  # fmt: skip
ROWS: tuple[tuple[Shape, ...], ...] = (((3,), (3,)), ((4,), (4,), (4,)), ((1,), (1,)), ((0,), (0,)))
NUMBERS: tuple[tuple[Shape, ...], ...] = (((), ()), ((), (), ()))
OF_OTHER_LENGTH: tuple[tuple[Shape, ...], ...] = (
    ((2, 3), (1, 3)), ((3, 2), (3, 2), (0, 2)), ((2,), (3,), (1,)), ((4,),), ((0,), (3,)),
)  # fmt: skip


def parts(*pool: tuple[Shape, ...]) -> Drawing:
    """Draw tensors in one of the given groups of shapes."""
    return lambda d: Arguments(tuple(d.array(shape) for shape in d.shapes(*pool)))


def joined(d: Draw) -> Arguments:
    """Draw tensors that differ along one axis at most, and this axis."""
    shapes = d.shapes(*OF_OTHER_LENGTH, *GRIDS, *ROWS)
    axis = 0 if shapes in OF_OTHER_LENGTH else d.axis(shapes[0])
    return Arguments(tuple(d.array(shape) for shape in shapes), (), {"dim": axis})


def stacked(d: Draw) -> Arguments:
    """Draw tensors of one shape, and a place for a new axis."""
    shapes = d.shapes(*GRIDS, *ROWS, *NUMBERS)
    places = len(shapes[0]) + 1
    axis = d.pick(*range(places), *range(-places, 0))
    return Arguments(tuple(d.array(shape) for shape in shapes), (), {"dim": axis})


def join(name: str) -> Callable[..., Any]:
    """Call a function of a list of tensors."""
    return lambda be, *tensors, **named: getattr(be, name)(tensors, **named)


def joining(name: str, forward: Callable[..., Array], draw: Drawing) -> Operation:
    """Make a record: all of these are linear and take a list."""
    return Operation(name, forward, draw, call=join(name), linear=True)


def diagonally(*blocks: Array) -> Array:
    """Put matrices on the diagonal of one."""
    sizes = [block.shape[1] for block in blocks]
    return np.concatenate([
        np.pad(block, ((0, 0), (sum(sizes[:n]), sum(sizes[n + 1 :]))))
        for n, block in enumerate(blocks)
    ])  # fmt: skip


def listed(function: Callable[..., Array]) -> Callable[..., Array]:
    """Let a function of a list take its entries one by one."""
    return lambda *tensors: function(tensors)


HALF_GRIDS = tuple(group for group in GRIDS if len(group[0]) == 2)

JOINING = (
    joining("cat", lambda *x, dim: np.concatenate(x, dim), joined),
    joining("concat", lambda *x, dim: np.concatenate(x, dim), joined),
    joining("stack", lambda *x, dim: np.stack(x, dim), stacked),
    joining("hstack", listed(np.hstack), parts(*GRIDS, *ROWS, *NUMBERS)),
    joining("vstack", listed(np.vstack), parts(*GRIDS, *ROWS, *NUMBERS)),
    joining("row_stack", listed(np.vstack), parts(*GRIDS, *ROWS)),
    joining("dstack", listed(np.dstack), parts(*GRIDS, *ROWS, *NUMBERS)),
    joining("column_stack", listed(np.column_stack), parts(*ROWS, *HALF_GRIDS)),
    Operation("block_diag", diagonally, parts(((2, 3), (1, 2)), ((2, 2), (2, 2)), ((1, 1),)),
              linear=True),
)  # fmt: skip
