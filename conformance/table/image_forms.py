"""Windows over images and images in other sizes, by options for each axis."""

import math
from typing import Any

import numpy as np

from .arguments import Arguments
from .convolutions import convolution, transposed
from .drawing import SMALL, SMALL_POSITIVE, Array, Draw, Shape
from .operation import Operation
from .pooling import adaptive, columns, folded, largest, mean, powers, put_back
from .resampling import GRID, affine_grid, cubic, grid_sample

# ---- convolutions --------------------------------------------------------------------------------


def unbiased(x: Array, weight: Array, stride: Shape, padding: Any, dilation: Shape) -> Array:
    """Convolve images, or one without a batch."""
    single = x.ndim < weight.ndim
    images, bias = x[None] if single else x, np.zeros(weight.shape[:1])
    made = convolution(images, weight, bias, stride, padding, dilation, groups=1)
    return made[0] if single else made


def uneven(*pool: tuple[Shape, Shape, tuple[Shape, ...]]) -> Any:
    """Draw images, kernels, and a stride, a padding and a dilation for each axis."""

    def draw(d: Draw) -> Arguments:
        x, weight, options = d.pick(*pool)
        return Arguments((d.array(x, SMALL), d.array(weight, SMALL)), options)

    return draw


def call_uneven(name: str) -> Any:
    """Call a convolution without a bias."""
    return lambda be, x, weight, *options: getattr(be, name)(x, weight, None, *options)


def widened(x: Array, weight: Array, stride: Shape, padding: Shape, more: Shape, dilation: Shape
            ) -> Array:  # fmt: skip
    """The adjoint of convolution in its images, without a bias."""
    return transposed(x, weight, np.zeros(weight.shape[1]), stride, padding, more, 1, dilation)


# ---- windows -------------------------------------------------------------------------------------

FIELDS = ((1, 1, 4, 3), (1, 2, 3, 4), (2, 3, 4))
FRAMES: tuple[dict[str, Any], ...] = (
    {"size": (2, 1), "stride": (1, 2), "padding": (1, 0)},
    {"size": (1, 2), "stride": None, "padding": (0, 1)},
    {"size": (3, 2), "stride": (2, 1), "padding": (1, 1)},
)


def framed(*, mean: bool) -> Any:
    """Draw images, and windows that differ along their axes."""

    def draw(d: Draw) -> Arguments:
        frame = dict(d.pick(*FRAMES))
        size, ceil = frame.pop("size"), d.pick(False, True)
        named = {**frame, "ceil_mode": ceil} | ({"count_include_pad": d.pick(True, False)}
                                                if mean else {"dilation": 1})  # fmt: skip
        return Arguments((d.array(d.shape(*FIELDS)),), (size,), named)

    return draw


def taken(be: Any, x: Any, size: Any, **named: Any) -> Any:
    """Take entries from the places that pooling names."""
    _, places = be.max_pool2d_places(x, size, return_indices=True, **named)
    rows, shape = be.flatten(x, -2, -1), tuple(be.shape(places))
    return be.reshape(be.gather(rows, -1, be.flatten(places, -2, -1)), shape)


def kept(reduce: Any) -> Any:
    """Reduce to a number of entries on each axis, where None keeps an axis."""

    def forward(x: Array, sizes: tuple[int | None, ...]) -> Array:
        whole = tuple(n or m for n, m in zip(sizes, x.shape[-2:], strict=True))
        return adaptive(2, reduce)(x, whole)

    return forward


def kept_sizes(d: Draw) -> Arguments:
    """Draw images, and sizes of which one stays as it is."""
    sizes = d.pick((None, 2), (1, None), (None, 3))
    return Arguments((d.array(d.shape((1, 1, 4, 3), (2, 3, 2))),), (sizes,))


def unpooled(x: Array, index: Array, size: int, stride: int, padding: int) -> Array:
    """Put entries back into an image of the size that was pooled."""
    sizes = tuple((n - 1) * stride - 2 * padding + size for n in x.shape[-2:])
    return put_back(2)(x, index, sizes)


def spread_out(d: Draw) -> Arguments:
    """Draw images, windows, and other places for entries."""
    shape = d.shape((1, 2, 2, 2), (1, 2, 2), many=0)
    size, stride, padding = d.pick((2, 2, 0), (3, 2, 1), (2, 1, 0))
    rows, columns_ = ((n - 1) * stride - 2 * padding + size for n in shape[-2:])
    places = np.argsort(d.indices((*shape[:-2], rows * columns_), 256), -1, kind="stable")
    index = places[..., :4].reshape(shape)
    return Arguments((d.array(shape),), (index, size, stride, padding))


def apart(d: Draw) -> Arguments:
    """Draw images, and windows with gaps that differ along their axes."""
    size, named = d.pick(
        ((2, 1), {"stride": (1, 2), "padding": (0, 1), "dilation": (2, 1)}),
        ((1, 2), {"stride": (2, 1), "padding": (1, 0), "dilation": (1, 2)}),
    )
    return Arguments((d.array(d.shape((1, 2, 3, 4), (1, 4, 3))),), (size,), dict(named))


def together(d: Draw) -> Arguments:
    """Draw columns, and how they lie in an image."""
    sizes, size, stride, padding, dilation, places = d.pick(
        ((3, 2), (2, 1), (1, 2), (0, 1), (2, 1), 2),
        ((2, 3), (1, 2), (1, 1), (0, 0), (1, 2), 2),
    )
    named = {"stride": stride, "padding": padding, "dilation": dilation}
    return Arguments((d.array((*d.pick((1,), ()), 4, places)),), (sizes, size), named)


# ---- other sizes ---------------------------------------------------------------------------------


def steps(n: int, out: int, step: float, mode: str) -> Array:
    """How much each entry of an axis counts for those of another one, in steps."""
    made = np.zeros((out, n))
    if mode == "nearest":
        rows: Array = np.eye(n)[np.minimum(np.floor(np.arange(out) * step), n - 1).astype(int)]
        return rows
    at = (np.arange(out) + 0.5) * step - 0.5
    reach = 2 if mode == "bicubic" else 1
    at = at if mode == "bicubic" else np.clip(at, 0, n - 1)
    for row, x in enumerate(at):
        for k in range(math.floor(x) - reach + 1, math.floor(x) + reach + 1):
            t = np.asarray(x - k)
            weight = cubic(t) if mode == "bicubic" else np.maximum(0, 1 - np.abs(t))
            made[row, min(max(k, 0), n - 1)] += weight
    return made


def scaled(x: Array, factors: tuple[float, ...], mode: str, anew: bool) -> Array:  # noqa: FBT001
    """Resample by factors, whose steps are found anew from the sizes or are their inverses."""
    for axis, factor in enumerate(factors, start=2):
        n, out = x.shape[axis], math.floor(x.shape[axis] * factor)
        matrix = steps(n, out, n / out if anew else 1 / factor, mode)
        x = np.moveaxis(np.moveaxis(x, axis, -1) @ matrix.T, -1, axis)
    return x


def by_factor(*, anew: bool) -> Any:
    """Draw images, a factor for each axis, and what is between entries."""

    def draw(d: Draw) -> Arguments:
        (rows, first), (across, second) = (
            d.pick((5, 0.5), (3, 2.0), (3, 0.4)) if anew else d.pick((4, 0.8), (3, 2.0), (5, 0.5))
            for _ in range(2)
        )
        x = d.array((1, 1, rows, across), SMALL)
        return Arguments((x,), ((first, second), d.pick("bilinear", "nearest", "bicubic"), anew))

    return draw


def call_scaled(name: str) -> Any:
    """Call it with factors."""

    def call(be: Any, x: Any, factors: tuple[float, ...], mode: str, anew: bool) -> Any:  # noqa: FBT001
        options = {"recompute_scale_factor": True} if anew else {}
        return getattr(be, name)(x, None, factors, mode=mode, **options)

    return call


def aligned(d: Draw) -> Arguments:
    """Draw matrices, and the sizes of images or volumes whose ends are aligned."""
    volume = d.pick(False, True)
    theta = d.array((d.pick(1, 2), *((3, 4) if volume else (2, 3))), SMALL)
    sizes = d.pick((2, 3, 2), (1, 2, 3)) if volume else d.pick((2, 3), (3, 5), (1, 2))
    return Arguments((theta,), ((len(theta), 1, *sizes), True))


def volumes(d: Draw) -> Arguments:
    """Draw volumes, places, and what is between and beyond entries."""
    x = d.array(d.shape((1, 1, 2, 2, 2), (1, 2, 2, 4, 2), many=0), SMALL, fixed=True)
    grid = d.array((1, 1, *d.pick((1, 2), (2, 1)), 3), GRID, fixed=True)
    beyond = d.pick("zeros", "border", "reflection")
    return Arguments((x, grid), (d.pick("bilinear", "nearest"), beyond, d.pick(False, True)))


IMAGE_FORMS = (
    Operation("conv2d_axes", unbiased, uneven(
        ((1, 2, 4, 3), (2, 2, 2, 1), ((2, 1), (0, 1), (1, 1))),
        ((2, 3, 4), (1, 2, 1, 2), ((1, 2), (1, 0), (1, 2))),
        ((1, 1, 4, 4), (1, 1, 2, 2), ((1, 2), (1, 2), (2, 1)))), call=call_uneven("conv2d_axes")),
    Operation("conv3d_axes", unbiased, uneven(
        ((1, 1, 2, 3, 2), (1, 1, 1, 2, 1), ((1, 2, 1), (0, 1, 0), (1, 1, 2))),
        ((1, 2, 2, 3), (1, 1, 2, 1, 2), ((2, 1, 1), (1, 0, 1), (1, 2, 1)))),
        call=call_uneven("conv3d_axes")),
    Operation("conv_transpose2d_axes", widened, uneven(
        ((1, 2, 2, 2), (2, 1, 1, 2), ((2, 1), (0, 1), (1, 0), (1, 2))),
        ((1, 1, 2, 3), (1, 2, 2, 1), ((1, 2), (1, 0), (0, 1), (2, 1)))),
        call=lambda be, x, w, stride, padding, more, dilation: be.conv_transpose2d_axes(
            x, w, None, stride, padding, more, 1, dilation)),
    Operation("max_pool2d_axes", largest(2), framed(mean=False), kinks="equal entries", ties=True),
    Operation("max_pool2d_places", largest(2), framed(mean=False), call=taken,
              differentiable=False),
    Operation("avg_pool2d_axes", mean(2), framed(mean=True), linear=True),
    Operation("lp_pool2d_axes", powers(2), lambda d: Arguments(
        (d.array(d.shape(*FIELDS), SMALL_POSITIVE),),
        (d.pick(2.0, 3.0), *d.pick(((2, 1), None), ((1, 2), (2, 1)), ((2, 2), (1, 2)))),
        {"ceil_mode": False})),
    Operation("lp_pool1d_ceil", powers(1), lambda d: Arguments(
        (d.array((1, 2, 3), SMALL_POSITIVE),), (d.pick(1.0, 2.0, 3.0), 2, 2), {"ceil_mode": True})),
    Operation("adaptive_avg_pool2d_kept", kept(np.mean), kept_sizes, linear=True, view="maybe"),
    Operation("adaptive_max_pool2d_kept", kept(np.max), kept_sizes, kinks="equal entries",
              ties=True),
    Operation("max_unpool2d_sized", unpooled, spread_out, linear=True,
              call=lambda be, x, index, *rest: be.max_unpool2d_sized(x, be.tensor(index), *rest)),
    Operation("unfold_patches_axes", columns, apart, linear=True),
    Operation("fold_axes", folded, together, linear=True),
    Operation("interpolate_scaled", scaled, by_factor(anew=False), linear=True,
              call=call_scaled("interpolate_scaled")),
    Operation("interpolate_rescaled", scaled, by_factor(anew=True), linear=True,
              call=call_scaled("interpolate_rescaled")),
    Operation("affine_grid_aligned", affine_grid, aligned, linear=True),
    Operation("grid_sample_volume", grid_sample, volumes, nondeterministic=True, kinks="pixels"),
)  # fmt: skip
"""Forms of what images go through."""
