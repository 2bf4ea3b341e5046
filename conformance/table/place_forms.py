"""Entries chosen, written or moved, and arithmetic, by rarer options."""

from typing import Any

import numpy as np

from .activations import options_of
from .arguments import FILLED_VECTORS, Arguments, one
from .drawing import ANY, NONZERO, SMALL, Array, Draw, Shape
from .elementwise import toward_zero
from .indexing import at, places
from .operation import Operation
from .parts import floats, pick
from .shaping import expand, flatten, shape_of
from .transforms import Pair, along, joined, parted
from .writing import diagonal_written, stretch_written

# ---- numbers beside tensors ----------------------------------------------------------------------


def after_number(name: str) -> Any:
    """Call a function of a number and a tensor."""
    return lambda be, x, number: getattr(be, name)(number, x)


def beside_number(d: Draw) -> Arguments:
    """Draw a tensor, a number, on which side it is, and a condition."""
    shape = d.shape()
    return Arguments((d.array(shape),), (d.pick(2.5, -1.0), d.pick(False, True), d.mask(shape)))


def chosen(x: Array, number: float, first: bool, condition: Array) -> Array:  # noqa: FBT001
    """A number, or an entry."""
    return pick(condition, number, x) if first else pick(condition, x, number)


def call_where(be: Any, x: Any, number: float, first: bool, condition: Array) -> Any:  # noqa: FBT001
    """Call it with the number on its side."""
    operands = (number, x) if first else (x, number)
    return be.where_numbers(be.tensor(condition), *operands)


THREE: tuple[tuple[Shape, Shape, Shape], ...] = (
    ((2, 3), (3,), (2, 1)), ((3,), (2, 3), ()), ((1, 3), (2, 1), (3,)), ((), (2,), (1,)),
    ((2, 1), (2, 3), (2, 3)),
)  # fmt: skip
"""Shapes of three operands that broadcast."""


def three(last: Array, **options: tuple[Any, ...]) -> Any:
    """Draw three tensors that broadcast, and options."""

    def draw(d: Draw) -> Arguments:
        x, y, z = d.shapes(*THREE)
        named = {key: d.pick(*some) for key, some in options.items()}
        return Arguments((d.array(x), d.array(y), d.array(z, last)), (), named)

    return draw


def bounds(d: Draw) -> Arguments:
    """Draw a tensor and one bound that broadcast, or two bounds that are no wider than it."""
    sides = d.pick("both", "min", "max")
    pool = (((2, 3), (3,), (2, 1)), ((2, 3), (), (3,)))
    shapes = d.shapes(*(pool if sides == "both" else (*pool, *(each[:2] for each in THREE))))
    shapes = shapes if sides == "both" else shapes[:2]
    return Arguments(tuple(map(d.array, shapes)), (), {"sides": sides})


def wider_bounds(d: Draw) -> Arguments:
    """Draw a tensor, and two bounds, one of which is wider than it."""
    shapes = d.shapes(((3,), (2, 3), (3,)), ((), (1,), (2,)), ((1,), (1,), (3, 1)))
    return Arguments(tuple(map(d.array, shapes)), (), {"sides": "both"})


def clamped(x: Array, *bounds: Array, sides: str) -> Array:
    """Move to the nearest point between bounds."""
    if sides != "max":
        x = pick(floats(x) < floats(bounds[0]), bounds[0], x)
    return x if sides == "min" else pick(floats(x) > floats(bounds[-1]), bounds[-1], x)


def call_clamp(name: str) -> Any:
    """Call it with the bounds that there are."""

    def call(be: Any, x: Any, *bounds: Any, sides: str) -> Any:
        words = ("min", "max") if sides == "both" else (sides,)
        return getattr(be, name)(x, **dict(zip(words, bounds, strict=True)))

    return call


# ---- places --------------------------------------------------------------------------------------


def smaller(d: Draw) -> tuple[Shape, int, Shape]:
    """Draw a shape, an axis, and a shape that is smaller along the other axis."""
    shape, axis = d.pick(((2, 3), 0), ((2, 3), 1), ((3, 2), -1), ((3, 2), -2))
    own = [*shape]
    own[1 - axis % 2] -= 1
    return shape, axis, tuple(own)


def part_taken(d: Draw) -> Arguments:
    """Draw a tensor, an axis, and indices for some of its lines."""
    shape, axis, own = smaller(d)
    return Arguments((d.array(shape),), (axis, d.indices(own, shape[axis])))


def gather(x: Array, dim: int, index: Array) -> Array:
    """Take the entry that each index names along an axis, in the first lines."""
    result: Array = x[places(index, dim)]
    return result


def part_written(*, repeated: bool) -> Any:
    """Draw a tensor, a source, and places for some of its entries."""

    def draw(d: Draw) -> Arguments:
        shape, axis, own = smaller(d)
        index = d.indices(own, shape[axis] if repeated else 256)
        index = index if repeated else np.argsort(index, axis=axis, kind="stable")
        return Arguments((d.array(shape), d.array(own)), (axis, index))

    return draw


def scatter(x: Array, source: Array, dim: int, index: Array) -> Array:
    """Write a source to places in the first lines."""
    made = x.copy()
    made[places(index, dim)] = source
    return made


def scatter_add(x: Array, source: Array, dim: int, index: Array) -> Array:
    """Add a source at places in the first lines."""
    made = x.copy()
    np.add.at(made, places(index, dim), source)
    return made


def source_last(name: str) -> Any:
    """Call a function whose source comes last."""
    return lambda be, x, source, dim, index: getattr(be, name)(x, dim, be.tensor(index), source)


def from_one_row(d: Draw) -> Arguments:
    """Draw a tensor, and indices of its entries in row-major order."""
    x = d.array(d.shape((2, 3), (3,), (2, 2, 2)))
    return Arguments((x,), (d.indices(d.pick((4,), (2, 2)), x.size),))


def from_wide(d: Draw) -> Arguments:
    """Draw a tensor, indices whose shape broadcasts with its own, and an axis."""
    shape, own, axis = d.pick(((2, 3), (1, 2), 1), ((1, 3), (2, 2), 1), ((3, 1), (2, 2), 0),
                              ((2, 1, 3), (1, 2, 2), -1))  # fmt: skip
    return Arguments((d.array(shape),), (d.indices(own, shape[axis]), axis))


def taken_wide(x: Array, index: Array, dim: int) -> Array:
    """Take the entry that each index names along an axis, as if both were repeated in full."""
    axis = dim % x.ndim
    both = np.broadcast_shapes(*(
        tuple(1 if a == axis else n for a, n in enumerate(each.shape)) for each in (x, index)
    ))  # fmt: skip
    wide = np.broadcast_to(x, tuple(x.shape[a] if a == axis else n for a, n in enumerate(both)))
    where = tuple(index.shape[a] if a == axis else n for a, n in enumerate(both))
    return np.take_along_axis(wide, np.broadcast_to(index, where), axis)


def masked(*pool: tuple[Shape, Shape], options: tuple[Any, ...] = ()) -> Any:
    """Draw a tensor, a mask that broadcasts, and perhaps a number."""

    def draw(d: Draw) -> Arguments:
        shape, own = d.pick(*pool)
        return Arguments(
            (d.array(shape),), (d.mask(own), *((d.pick(*options),) if options else ()))
        )

    return draw


def selected(x: Array, mask: Array) -> Array:
    """The entries at which a mask holds, both repeated in full."""
    shape = np.broadcast_shapes(x.shape, mask.shape)
    result: Array = np.broadcast_to(x, shape)[np.broadcast_to(mask, shape)]
    return result


def scattered(x: Array, source: Array, mask: Array) -> Array:
    """Write entries one after the other to where a mask holds, repeated in full."""
    wide, made = np.broadcast_to(mask, x.shape), np.copy(x)
    made[wide] = source[: int(wide.sum())]
    return made


def to_scatter(d: Draw) -> Arguments:
    """Draw a tensor, as many entries as it has, and a mask that broadcasts to it."""
    shape, own = d.pick(((2, 3), (3,)), ((2, 3), (2, 1)), ((3,), ()))
    x = d.array(shape)
    return Arguments((x, d.array((x.size,))), (d.mask(own),))


def put_wide(d: Draw) -> Arguments:
    """Draw a tensor, values that broadcast to places, these, and whether they are added."""
    shape, own = d.pick(((3, 2), (2,)), ((3, 2), ()), ((3, 2), (2, 1)), ((4,), (1,)))
    index = np.argsort(d.indices(shape[:1], 256), kind="stable")[:2]
    return Arguments((d.array(shape), d.array(own)), (index, d.pick(True, False)))


def put(x: Array, values: Array, index: Array, add: bool) -> Array:  # noqa: FBT001
    """Write values over rows, or add them."""
    made = x.copy()
    wide = np.broadcast_to(values, (len(index), *x.shape[1:]))
    if add:
        np.add.at(made, at(0, index, x.ndim), wide)
    else:
        made[index] = wide
    return made


def put_masked(d: Draw) -> Arguments:
    """Draw a tensor, a mask of it or of its rows, one value for all, and whether it is added."""
    shape = d.shape((2, 3), (4,), (3, 2))
    own = d.pick(shape, shape[:1])
    return Arguments((d.array(shape), d.array(())), (d.mask(own), d.pick(True, False)))


def masked_put(x: Array, value: Array, mask: Array, add: bool) -> Array:  # noqa: FBT001
    """Write a value over the entries where a mask holds, or add it."""
    wide = np.broadcast_to(mask.reshape((*mask.shape, *(1,) * (x.ndim - mask.ndim))), x.shape)
    return pick(wide, x + value if add else value + 0 * x, x)


def call_put(name: str) -> Any:
    """Call it with one key that is a constant."""
    return lambda be, x, values, key, add: getattr(be, name)(
        x, (be.tensor(key),), values, accumulate=add
    )


def filled(x: Array, y: Array, dim: int, index: Array) -> Array:
    """Write a number over the rows named."""
    hit = np.zeros(x.shape, bool)
    hit[at(dim, index, x.ndim)] = True
    return pick(hit, y + 0 * x, x)


# ---- shapes --------------------------------------------------------------------------------------


def to_rest(d: Draw) -> Arguments:
    """Draw a tensor in one piece, and sizes of which one is left open."""
    shape, sizes = d.pick(
        ((2, 3), (-1,)), ((2, 3), (3, -1)), ((4,), (-1, 2)), ((2, 3, 2), (2, -1, 3))
    )
    return Arguments((np.ascontiguousarray(d.array(shape)).reshape(shape),), (sizes,))


def to_keep(d: Draw) -> Arguments:
    """Draw a tensor, and sizes of which some stay as they are."""
    shape, sizes = d.pick(
        ((1, 3), (2, -1)), ((3,), (2, -1)), ((2, 1), (-1, 3)), ((1, 2), (3, -1, -1))
    )
    return Arguments((d.array(shape),), sizes)


def kept(x: Array, *sizes: int) -> Array:
    """Repeat along axes of size 1, except where a size stays."""
    known = (1,) * (len(sizes) - x.ndim) + x.shape
    return expand(x, *(n if size < 0 else size for n, size in zip(known, sizes, strict=True)))


def from_ends(d: Draw) -> Arguments:
    """Draw a tensor, and a range of axes counted from the end."""
    shape = d.shape((2, 3), (2, 3, 2), (2, 1, 3))
    return Arguments((d.array(shape),), d.pick((-2, -1), (0, -1), (0, -2), (1, -1)))


def all_or_some(d: Draw) -> Arguments:
    """Draw a tensor, and axes, or none named."""
    shape = d.shape((2, 3), (4, 3), (3, 2, 2))
    return Arguments((d.array(shape),), d.pick((), ((0, 1),), ((-1,),)))


def shifted(sign: int) -> Any:
    """Exchange the halves of axes."""

    def forward(x: Array, dims: Any = None) -> Array:
        axes = tuple(range(x.ndim)) if dims is None else dims
        for a in axes:
            x = np.roll(x, x.shape[a] // 2 if sign > 0 else -(x.shape[a] // 2), a)
        return x

    return forward


def whole(sign: int) -> Any:
    """A transform along all axes."""

    def forward(re: Array, im: Array) -> Array:
        x: Pair = (re, im)
        for axis, n in enumerate(re.shape):
            x = along(x, axis, n, "backward", sign)
        return joined(x)

    return forward


def transform(name: str, sign: int) -> Operation:
    """Make the record of a transform of which nothing else is said."""
    return Operation(name, whole(sign), lambda d: Arguments(tuple(
        d.array(s, SMALL) for s in d.shapes(*((s, s) for s in ((2, 3), (3,), (2, 2, 2)))))),
        linear=True, call=lambda be, re, im: parted(be, getattr(be, name)(be.complex(re, im))),
    )  # fmt: skip


def from_end(d: Draw) -> Arguments:
    """Draw a tensor, a stretch that is counted from an end or goes beyond one, and a source."""
    shape = d.shape((4,), (3, 2), (4, 1))
    start, end, step = d.pick((-2, None, 1), (None, -1, 1), (1, 9, 2), (-3, -1, 1), (None, None, 3))
    count = len(range(shape[0])[start:end:step])
    return Arguments((d.array(shape), d.array((count, *shape[1:]))), (0, start, end, step))


def on_axes(d: Draw) -> Arguments:
    """Draw a tensor, a diagonal between two of its axes, and a source."""
    shape, options = d.shape((2, 3), (2, 3, 2)), d.pick((0, 1, 0), (1, -2, -1), (0, -1, -2))
    own = np.zeros(shape).diagonal(*options).shape
    return Arguments((d.array(shape), d.array(own)), options)


def far(*shapes: Shape) -> Any:
    """Draw matrices, and any diagonal."""
    return lambda d: Arguments((d.array(d.shape(*shapes)),), (d.pick(2, -2, 3, -3, 9, -9),))


PLACE_FORMS = (
    Operation("number_sub", lambda x, n: n - x, options_of(ANY, (2.0,), (-0.5,)), linear=False,
              call=after_number("number_sub")),
    Operation("number_div", lambda x, n: n / x, options_of(NONZERO, (2.0,), (-0.5,)),
              call=after_number("number_div")),
    Operation("number_remainder", lambda x, n: n - np.floor(n / floats(x)) * x, lambda d: Arguments(
        (d.array(d.shape(), np.resize([2.0, -2.0, 3.0, 1.5, -3.0, 5.0], 256), fixed=True),),
        (d.pick(7.0, -7.0),)), call=after_number("number_remainder"), differentiable=False),
    Operation("remainder_number", lambda x, n: x - np.floor(floats(x) / n) * n,
              options_of(ANY, (2.0,), (-3.0,)), kinks="multiples"),
    Operation("fmod_number", lambda x, n: x - toward_zero(floats(x) / n) * n,
              options_of(ANY, (2.0,), (-3.0,)), kinks="multiples"),
    Operation("where_numbers", chosen, beside_number, call=call_where),
    Operation("clamp_tensors_wide", clamped, bounds, call=call_clamp("clamp_tensors_wide"),
              kinks="ties"),
    Operation("clamp_tensors_wider", clamped, wider_bounds, call=call_clamp("clamp_tensors_wider"),
              kinks="ties"),
    Operation("lerp_wide", lambda x, y, w: x + w * (y - x), three(SMALL)),
    Operation("addcmul_wide", lambda x, y, z, value: x + value * y * z,
              three(SMALL, value=(1.0, 0.5, -2.0))),
    Operation("addcdiv_wide", lambda x, y, z, value: x + value * y / z,
              three(NONZERO, value=(1.0, 0.5, -2.0))),
    Operation("gather_part", gather, part_taken, linear=True, nondeterministic=True),
    Operation("scatter_part", scatter, part_written(repeated=False), linear=True,
              call=source_last("scatter_part")),
    Operation("scatter_add_part", scatter_add, part_written(repeated=True), linear=True,
              call=source_last("scatter_add_part"), nondeterministic=True),
    Operation("take_along_dim_flat", lambda x, index: x.reshape(-1)[index.reshape(-1)],
              from_one_row,
              linear=True, nondeterministic=True),
    Operation("take_along_dim_wide", taken_wide, from_wide, linear=True, nondeterministic=True),
    Operation("masked_select_wide", selected, masked(
        ((2, 3), (3,)), ((3,), (2, 3)), ((2, 1), (3,)), ((), (2,)), ((2, 3), ())), linear=True),
    Operation("masked_fill_wide", lambda x, mask, value: pick(mask, value, x), masked(
        ((2, 3), (3,)), ((2, 3), (2, 1)), ((3,), ()), options=(2.5, -1.0))),
    Operation("masked_scatter_wide", scattered, to_scatter, linear=True,
              call=lambda be, x, source, mask: be.masked_scatter_wide(x, be.tensor(mask), source)),
    Operation("index_put_wide", put, put_wide, linear=True, nondeterministic=True,
              call=call_put("index_put_wide")),
    Operation("index_put_mask", masked_put, put_masked, linear=True,
              call=call_put("index_put_mask")),
    Operation("index_fill_tensor", filled, lambda d: Arguments(
        (x := d.array(d.shape(*FILLED_VECTORS)), d.array(())),
        (axis := d.axis(x.shape), d.indices((2,), x.shape[axis]))), linear=True,
        call=lambda be, x, y, dim, index: be.index_fill_tensor(x, dim, be.tensor(index), y)),
    Operation("repeat_interleave_flat", np.repeat, lambda d: Arguments(
        (d.array(d.shape((3,), (2, 3), ())),), (d.pick(2, 3, 1),)), linear=True),
    shape_of("reshape_rest", np.reshape, to_rest, "maybe"),
    Operation("view_rest", np.reshape, to_rest, linear=True, view="always",
              call=lambda be, x, sizes: be.view_rest(x, *sizes)),
    shape_of("expand_rest", kept, to_keep, "always"),
    shape_of("flatten_ends", lambda x, first, last: flatten(x, first % x.ndim, last % x.ndim),
             from_ends, "maybe"),
    shape_of("fftshift_all", shifted(1), all_or_some, "never"),
    shape_of("ifftshift_all", shifted(-1), all_or_some, "never"),
    transform("fftn_whole", -1),
    transform("ifftn_whole", 1),
    Operation("slice_scatter_ends", stretch_written, from_end, linear=True),
    Operation("diagonal_scatter_axes", diagonal_written, on_axes, linear=True),
    shape_of("rot90_plain", np.rot90, one(shapes=((2, 3), (3, 2, 1))), "never"),
    shape_of("triu_far", np.triu, far((2, 3), (3, 3), (2, 3, 2)), "never"),
    shape_of("tril_far", np.tril, far((2, 3), (3, 3), (2, 3, 2)), "never"),
)  # fmt: skip
"""Forms of what chooses, writes and moves."""
