"""Images in other sizes, at other places and with a frame, by all of their options at once."""

import math
from typing import Any

import numpy as np

from ..strategies.arrays import table_of
from .arguments import Arguments
from .drawing import ANY, SMALL, Array, Draw, Shape
from .operation import Operation
from .optional import one_of
from .resampling import affine_grid, cubic, filled_around, framed, grid_sample, weights
from .windows import spread

# ---- other sizes ---------------------------------------------------------------------------------

SIZED = ((2, 4), (4, 2), (3, 4), (5, 4), (1, 2), (3, 3))
SIZED_BY_ENDS = ((2, 3), (3, 5), (3, 2), (5, 3), (3, 1), (3, 3))
SCALED = ((4, 0.8), (3, 2.0), (5, 0.5), (5, 0.4))
SCALED_BY_ENDS = ((2, 1.5), (3, 1.75), (5, 0.7))
SCALED_ANEW = ((5, 0.5), (3, 2.0), (3, 0.4), (4, 0.6))
"""Sizes, with those they become or the factors: steps between entries are binary fractions."""

MODES = {
    1: ("linear", "nearest", "nearest-exact", "area"),
    2: ("bilinear", "bicubic", "nearest", "nearest-exact", "area", "bilinear", "bicubic"),
    3: ("trilinear", "nearest", "nearest-exact", "area"),
}
"""What is between entries, by the number of axes."""


def shares(n: int, out: int, step: float, mode: str, *, ends: bool, filtered: bool) -> Any:
    """How much each entry of an axis counts for each of one of another size: (out, n)."""
    if mode == "area":
        return weights(n, out, mode, align=False)
    middle = np.arange(out) + (0.0 if mode == "nearest" or ends else 0.5)
    if mode.startswith("nearest"):
        return np.eye(n)[np.minimum(np.floor(middle * step), n - 1).astype(int)]
    at = middle * step - (0.0 if ends else 0.5)
    if filtered:
        far = (np.arange(n) - at[:, None]) / max(step, 1)
        each = cubic(far, -0.5) if mode == "bicubic" else np.maximum(0, 1 - np.abs(far))
        return each / each.sum(1, keepdims=True)
    at = at if mode == "bicubic" else np.clip(at, 0, n - 1)
    near = np.arange(-2, n + 2)
    far = near - at[:, None]
    each = cubic(far, -0.75) if mode == "bicubic" else np.maximum(0, 1 - np.abs(far))
    return each @ np.eye(n)[np.clip(near, 0, n - 1)]


def resampled(
    x: Array, size: Any = None, factor: Any = None, mode: str = "nearest",
    *, align_corners: bool = False, recompute_scale_factor: bool = False, antialias: bool = False,
) -> Array:  # fmt: skip
    """Resample images along each of their axes, to sizes or by factors."""
    axes, ends = x.ndim - 2, align_corners
    shape = x.shape[2:]
    factors = list(factor) if isinstance(factor, tuple) else [factor] * axes
    sizes = spread(size, axes) if factor is None else [
        math.floor(n * by) for n, by in zip(shape, factors, strict=True)]  # fmt: skip
    for axis, (n, out, by) in enumerate(zip(shape, sizes, factors, strict=True), start=2):
        step = n / out if by is None or recompute_scale_factor else 1 / by
        step = (n - 1) / max(1, out - 1) if ends else step
        matrix = shares(n, out, step, mode, ends=ends, filtered=antialias)
        x = np.moveaxis(np.moveaxis(x, axis, -1) @ matrix.T, -1, axis)
    return x


def to_resample(d: Draw) -> Arguments:
    """Draw images, sizes or factors, and what is between entries."""
    d.go_on()
    axes, lead = d.pick(2, 1, 3), d.pick((1, 1), (1, 2), (2, 1))
    mode = d.pick(*MODES[axes])
    named: dict[str, Any] = {"mode": mode}
    smooth = mode not in ("nearest", "nearest-exact", "area")
    align = d.pick(None, False, True) if smooth else None
    named |= {} if align is None else {"align_corners": align}
    by_factor, anew = d.pick(False, True), d.pick(None, True, False)
    fitting: Any = SIZED_BY_ENDS if align else SIZED
    if by_factor:
        fitting = SCALED_BY_ENDS if align else SCALED_ANEW if anew else SCALED
        named |= {} if anew is None or align else {"recompute_scale_factor": anew}
    if axes == 2 and smooth and not align and d.pick(False, True):
        named["antialias"] = True
    fitting = [pair for pair in fitting if axes < 3 or pair[0] < 4]
    one = d.pick(True, False)
    pairs = [d.pick(*fitting)] * axes if one else [d.pick(*fitting) for _ in range(axes)]
    wanted: Any = pairs[0][1] if one else tuple(to for _, to in pairs)
    x = d.array((*lead, *(n for n, _ in pairs)))
    return Arguments((x,), (None, wanted) if by_factor else (wanted, None), named)


# ---- other places --------------------------------------------------------------------------------

PLACES = table_of(*(np.arange(-67, 68, 2) / 16))
"""Places within four of the middle, none of which lies on an entry or a border."""


def sampled(x: Array, grid: Array, mode: str = "bilinear", padding_mode: str = "zeros",
            *, align_corners: bool = False) -> Array:  # fmt: skip
    """Sample images at places with the usual options."""
    return grid_sample(x, grid, mode, padding_mode, align_corners)


def to_sample(d: Draw) -> Arguments:
    """Draw images or volumes, places, and what is between and beyond entries."""
    d.go_on()
    axes = d.pick(2, 3)
    sizes = d.pick((2, 4), (3, 1), (4, 2)) if axes == 2 else d.pick((2, 3, 2), (1, 2, 4))
    samples, out = d.pick(1, 2), (*d.pick((1, 2), (2, 1)), 1)[:axes]
    between = ("usual", "nearest", *["bicubic"] * (axes == 2))
    named = one_of(d, mode=between, padding_mode=("usual", "border", "reflection"),
                   align_corners=("usual", True, False))  # fmt: skip
    x = d.array((samples, d.pick(1, 2), *sizes), SMALL, fixed=True)
    return Arguments((x, d.array((samples, *out, axes), PLACES, fixed=True)), (), named)


def mapped(d: Draw) -> Arguments:
    """Draw matrices, the sizes of images or volumes, and whether their ends are aligned."""
    d.go_on()
    named, samples = one_of(d, align=("usual", True, False)), d.pick(1, 2)
    sizes: Shape = d.pick((2, 1), (1, 2), (2, 2), (2, 1, 2), (1, 2, 2))
    if named.get("align"):
        # Between ends that are aligned there is one step less.
        sizes = tuple(n + (n > 1) for n in sizes)
    theta = d.array((samples, len(sizes), len(sizes) + 1), SMALL)
    return Arguments((theta,), ((samples, 2, *sizes),), named)


# ---- frames --------------------------------------------------------------------------------------

FRAMES = (((1, 2), (1, 2)), ((2, -1), (1, -2)), ((-1, 0), (0, 1)), ((0, 1), (-2, 1)))
"""What goes before and after axes, or is cut off, for each of the last two of them."""

WAYS = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def around(x: Array, sizes: Shape, mode: str = "constant", value: float = 0.0) -> Array:
    """Cut off where sizes are negative, then continue an array beyond its ends."""
    key = [slice(None)] * x.ndim
    for n in range(0, len(sizes), 2):
        whole = x.shape[-1 - n // 2]
        key[-1 - n // 2] = slice(max(0, -sizes[n]), whole - max(0, -sizes[n + 1]))
    added = tuple(max(0, n) for n in sizes)
    if mode == "constant":
        return filled_around(x[tuple(key)], added, value)
    return framed(WAYS[mode])(x[tuple(key)], added)


def to_frame(d: Draw) -> Arguments:
    """Draw arrays, what goes around their last axes or is cut off there, and what that is."""
    d.go_on()
    mode, axes = d.pick("constant", *WAYS), d.pick(1, 2, 3)
    sizes = tuple(n for _ in range(axes) for n in d.pick(*FRAMES)[d.pick(0, 1)])
    lead = d.pick((2,), (1, 2)) if mode != "constant" else d.pick((), (2,), (1, 2))
    shape = (*lead, *(4, 5, 4)[:axes])
    if mode == "constant" and axes == 3:
        shape, sizes = (2, *shape[-axes:]), (*sizes, 1, 0)
    named = {"mode": mode} | ({"value": d.pick(2.5, 0.0)} if mode == "constant" else {})
    return Arguments((d.array(shape, ANY),), (sizes,), named)


RESAMPLING_OPTIONS = (
    Operation("interpolate_options", resampled, to_resample, linear=True),
    Operation("grid_sample_options", sampled, to_sample, nondeterministic=True, kinks="pixels"),
    Operation("affine_grid_options", lambda theta, sizes, align=False: affine_grid(
        theta, sizes, align), mapped, linear=True,
        call=lambda be, theta, sizes, align=None: be.affine_grid_options(theta, sizes, align)),
    Operation("pad_options", around, to_frame),
)  # fmt: skip
"""What images go through."""
