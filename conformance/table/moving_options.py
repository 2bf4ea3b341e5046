"""What moves, repeats and joins entries, by all options at once."""

from typing import Any

import numpy as np

from .arguments import Arguments
from .drawing import SMALL, Array, Draw, Shape
from .operation import Operation
from .optional import calling, given
from .rearranging import as_strided

CUBES: tuple[Shape, ...] = ((2, 3), (4,), (2, 3, 2))
"""Shapes of one axis, two and three."""


def rolled(d: Draw) -> Arguments:
    """Draw a tensor, distances, also round more than once, and axes for them or none."""
    shape = d.shape(*CUBES, many=0)
    some = ((1, -1), (0, -1)), ((-4, 3), (-1, 0)), ((2, 1), (0, 0))
    shifts, dims = d.pick((1, None), (-2, None), (7, None), (-1, 0), (5, -1), ((-3,), (0,)), *some)
    return Arguments((d.array(shape),), (), {"shifts": shifts, "dims": dims})


def turned(d: Draw) -> Arguments:
    """Draw matrices or more, how often they are turned either way, and in which plane, or none."""
    shape = d.shape((2, 3), (2, 3, 2), (3, 1), many=0)
    named = {"k": d.pick(None, 2, -1, 3, 0, 4, 5, -2, -3, -5),
             "dims": d.pick(None, (1, 0), (-2, -1), (0, -1))}  # fmt: skip
    return Arguments((d.array(shape),), (), named)


def repeated(d: Draw) -> Arguments:
    """Draw a tensor, how often all entries are repeated or each, along an axis or in one row."""
    shape = d.shape(*CUBES, (1, 3), many=0)
    dim = d.pick(None, *range(-len(shape), len(shape)))
    count = int(np.prod(shape)) if dim is None else shape[dim]
    counts = d.indices((count,), 4)
    times: Any = d.pick(2, counts, np.array([2]), 0, 3, 1, np.array([0]))
    total = int(np.broadcast_to(times, (count,)).sum())
    said = d.pick(False, True) and isinstance(times, np.ndarray)
    named = {"dim": dim, "output_size": total if said else None}
    return Arguments((d.array(shape),), (times,), named)


def repeat(x: Array, times: Any, dim: int | None, output_size: int | None) -> Array:
    """Repeat entries or slices."""
    del output_size
    flat = x.reshape(-1) if dim is None else x
    axis = 0 if dim is None else dim
    counts = np.broadcast_to(times, (flat.shape[axis],))
    return np.take(flat, np.repeat(np.arange(flat.shape[axis]), counts), axis=axis)


def call_repeat(be: Any, x: Any, times: Any, **named: Any) -> Any:
    """Call it with counts that are constants."""
    known = be.tensor(times) if isinstance(times, np.ndarray) else times
    return be.repeat_interleave_options(x, known, **given(**named))


def by_strides(d: Draw) -> Arguments:
    """Draw a tensor in memory of its own, and sizes, strides and perhaps an offset within it."""
    shape = d.shape((6,), (2, 3), (3, 2), many=0)
    x = d.array(shape).copy()
    sizes, strides = d.pick(((2, 2), (1, 2)), ((2, 2), (0, 1)), ((3,), (1,)), ((), ()),
                            ((2, 2, 2), (1, 1, 0)), ((3, 2), (1, 1)), ((1, 2), (3, 2)))  # fmt: skip
    return Arguments((x,), (), {"size": sizes, "stride": strides,
                                "storage_offset": d.pick(None, 0, 1, 2)})  # fmt: skip


def to_join(d: Draw) -> Arguments:
    """Draw one to three tensors, and perhaps the axis along which they are joined."""
    shape, dim = d.shape(*CUBES, many=0), d.pick(None, -1, 0)
    axis, tensors = dim or 0, []
    for size in d.pick((2,), (1, 2), (0, 2), (2, 1, 1)):
        own = [*shape]
        own[axis] = size
        tensors.append(d.array(tuple(own)))
    return Arguments(tuple(tensors), (), {"dim": dim})


def with_value(d: Draw) -> Arguments:
    """Draw three tensors that broadcast, and perhaps a factor."""
    shapes = d.pick(((2, 3), (3,), (2, 1)), ((3,), (3,), (3,)), ((), (2, 1), (1, 2)))
    tensors = tuple(d.array(shape, SMALL) for shape in shapes)
    return Arguments((*tensors[:2], tensors[2] + 3), (), {"value": d.pick(None, 0.0, -2.0, 0.5)})


def by_powers(d: Draw) -> Arguments:
    """Draw a tensor, perhaps with a zero, and whole exponents of either width that fit it."""
    shape, other = d.pick(((3,), (3,)), ((2, 3), (3,)), ((2, 1), (1, 2)), ((), (2,)), ((2,), ()))
    x = d.array(shape, SMALL).copy()
    x.reshape(-1)[0] *= d.pick(0, 1)
    exponents = np.resize([d.pick(3, 0, -2, 1, -1, 5), d.pick(-3, 2, 4)], other)
    return Arguments((x,), (exponents.astype(d.pick(np.int64, np.int32)),))


def mapped(d: Draw) -> Arguments:
    """Draw two tensors of rows, the forms that join them, and perhaps a bias."""
    lead = d.pick((2,), (), (2, 1), (1,))
    bias = d.pick(((2,),), ())
    shapes = ((*lead, 3), (*lead, 2), (2, 3, 2), *bias)
    return Arguments(tuple(d.array(shape, SMALL) for shape in shapes))


def bilinear(x: Array, y: Array, weight: Array, *bias: Array) -> Array:
    """Sums of products of two rows, weighed for each output."""
    products = x[..., None, :, None] * y[..., None, None, :]
    made: Array = (products * weight).sum((-2, -1))
    return made + bias[0] if bias else made


MOVING_OPTIONS = (
    Operation("roll_options", lambda x, shifts, dims: np.roll(x, shifts, axis=dims), rolled,
              linear=True, call=calling("roll_options")),
    Operation("rot90_options", lambda x, k, dims: np.rot90(
        x, 1 if k is None else k, (0, 1) if dims is None else dims), turned, linear=True,
        call=calling("rot90_options")),
    Operation("repeat_interleave_options", repeat, repeated, linear=True, call=call_repeat),
    Operation("as_strided_options", lambda x, size, stride, storage_offset: as_strided(
        x, size, stride, storage_offset or 0), by_strides, linear=True, view="always",
        call=calling("as_strided_options")),
    Operation("cat_options", lambda *x, dim: np.concatenate(x, dim or 0), to_join, linear=True,
              call=lambda be, *x, **named: be.cat_options(x, **given(**named))),
    Operation("addcmul_options", lambda x, y, z, value: x + (
        1.0 if value is None else value) * y * z, with_value, call=calling("addcmul_options")),
    Operation("addcdiv_options", lambda x, y, z, value: x + (
        1.0 if value is None else value) * y / z, with_value, call=calling("addcdiv_options")),
    Operation("bilinear_options", bilinear, mapped),
    Operation("ldexp_options", lambda x, exponents: x * 2.0**exponents, by_powers, linear=True,
              call=lambda be, x, exponents: be.ldexp_options(x, be.tensor(exponents))),
)  # fmt: skip
"""What moves, repeats and joins, and products."""
