"""Images in other sizes: resampled, padded, and with channels made places."""

import math
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from ..strategies.arrays import table_of
from .arguments import Arguments, Drawing
from .drawing import SMALL, Array, Draw, Shape
from .operation import Operation
from .parts import between, floats, pick
from .shaping import shape_of

# ---- other sizes ---------------------------------------------------------------------------------


def places(n: int, out: int, *, align: bool) -> Array:
    """Where the entries of an axis of another size lie on it, counted in entries."""
    if align:
        return np.arange(out) * ((n - 1) / max(1, out - 1))
    return (np.arange(out) + 0.5) * (n / out) - 0.5


def cubic(t: Array, a: float = -0.75) -> Array:
    """What an entry at a distance counts (Keys, 1981, eq. 4)."""
    t = np.abs(t)
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    far = ((t - 5) * t + 8) * t * a - 4 * a
    return np.where(t <= 1, near, np.where(t < 2, far, 0))


def weights(n: int, out: int, mode: str, *, align: bool) -> Any:
    """How much each entry of an axis counts for each of one of another size: (out, n)."""
    if mode == "area":
        starts, ends = np.arange(out) * n // out, -(-(np.arange(out) + 1) * n // out)
        inside = (np.arange(n) >= starts[:, None]) & (np.arange(n) < ends[:, None])
        return inside / inside.sum(1, keepdims=True)
    if mode.startswith("nearest"):
        shift = 0.5 if mode == "nearest-exact" else 0.0
        return np.eye(n)[np.floor((np.arange(out) + shift) * n / out).astype(int)]
    at = places(n, out, align=align)
    made = np.zeros((out, n))
    reach, weigh = (2, cubic) if mode == "bicubic" else (1, lambda t: np.maximum(0, 1 - np.abs(t)))
    if mode != "bicubic":
        at = np.clip(at, 0, n - 1)
    for row, x in enumerate(at):
        first = math.floor(x)
        for k in range(first - reach + 1, first + reach + 1):
            made[row, min(max(k, 0), n - 1)] += weigh(np.asarray(x - k))
    return made


def interpolate(x: Array, sizes: Shape, mode: str, align: bool | None) -> Array:  # noqa: FBT001
    """Resample images along each of their axes."""
    for axis, out in enumerate(sizes, start=x.ndim - len(sizes)):
        matrix = weights(x.shape[axis], out, mode, align=bool(align))
        x = np.moveaxis(np.moveaxis(x, axis, -1) @ matrix.T, -1, axis)
    return x


PAIRS = {True: ((2, 3), (3, 5), (3, 2), (3, 1)), False: ((2, 4), (4, 2), (2, 3), (3, 4), (1, 2))}
"""Old and new sizes between which steps are short binary fractions, with ends aligned or not."""


def resampled(mode: str, axes: int) -> Drawing:
    """Draw images and sizes for them."""

    def draw(d: Draw) -> Arguments:
        smooth = "linear" in mode or "cubic" in mode
        align = d.pick(False, True) if smooth else None
        fitting = [pair for pair in PAIRS[bool(align)] if axes < 3 or max(pair) < 4]
        if (mode == "bicubic" or d.is_large) and not align:
            # Beyond the ends, where others stop, places of two thirds would be rounded.
            fitting.remove((2, 3))
        pairs = [d.pick(*fitting) for _ in range(axes)]
        if "nearest" not in mode and d.pick(False, False, True):
            # Where nothing is to be done, a way of its own may be taken.
            pairs = [(3, 3)] * axes
        lead, times = d.sized(*(((1, 1), 1), ((1, 2), 1))[: 1 if axes == 3 else 2])
        # The steps are the same in larger images.
        first = 1 if align else 0
        before, after = (
            tuple(times * (n - first) + first for n in sizes) for sizes in zip(*pairs, strict=True)
        )
        return Arguments((d.array((*lead, *before)),), (after, mode, align))

    return draw


def resampling(mode: str, axes: int) -> Operation:
    """Make the record of a mode of `interpolate`."""
    name = f"interpolate_{mode.replace('-', '_')}"
    name += f"{axes}d" if mode == "area" or mode.startswith("nearest") else ""
    return Operation(
        name, interpolate, resampled(mode, axes), linear=True,
        call=lambda be, x, sizes, mode, align: getattr(be, name)(
            x, sizes, mode=mode, align_corners=align),
    )  # fmt: skip


# ---- any places ----------------------------------------------------------------------------------

GRID = table_of(*(np.arange(-19, 20, 2) / 16))
"""Places of which none lies on an entry of two or four of them, or on a border."""


def reflected(x: Array, low: float, high: float) -> Array:
    """Fold a line back at two ends."""
    span = high - low
    if not span:
        return 0 * x
    away = pick(floats(x) < low, low - x, x - low)
    times = np.floor(floats(away) / span)
    rest = away - times * span
    return pick(times % 2 == 0, rest + low, high - rest)


def grid_sample(x: Array, grid: Array, mode: str, padding: str, align: bool) -> Array:  # noqa: FBT001
    """Sample images at places between -1 and 1 (Jaderberg et al., 2015, section 3.3)."""
    if len(x) != len(grid):
        raise ValueError(f"{len(x)} images have {len(grid)} grids")
    sizes, at = x.shape[2:], []
    for axis, n in enumerate(reversed(sizes)):
        p = grid[..., axis]
        at.append((p + 1) / 2 * (n - 1) if align else ((p + 1) * n - 1) / 2)
        if padding == "reflection" and mode != "bicubic":
            at[-1] = reflected(at[-1], *((0, n - 1) if align else (-0.5, n - 0.5)))
        if padding != "zeros" and mode != "bicubic":
            at[-1] = between(at[-1], 0, n - 1)
    at.reverse()
    reach = range(-1, 3) if mode == "bicubic" else range(2)
    if mode == "nearest":
        at, reach = [np.rint(floats(p)) + 0 * floats(p) for p in at], range(1)
    firsts = [np.floor(floats(p)) for p in at]
    samples = np.arange(x.shape[0]).reshape((-1, *(1,) * (at[0].ndim - 1)))
    total: Any = 0
    for taps in product(reach, repeat=len(sizes)):
        weight: Any = 1.0
        key, inside = [], np.ones(at[0].shape, bool)
        for p, first, tap, n in zip(at, firsts, taps, sizes, strict=True):
            k, t = first + tap, p - (first + tap)
            weight = weight * (_cubic_of(t) if mode == "bicubic" else _linear(t))
            if mode == "bicubic" and padding == "reflection":
                k = np.clip(np.rint(reflected(k, *((0, n - 1) if align else (-0.5, n - 0.5)))),
                            0, n - 1)  # fmt: skip
            if padding == "zeros":
                inside &= (k >= 0) & (k < n)
            key.append(np.clip(k, 0, n - 1).astype(int))
        entries = np.moveaxis(np.moveaxis(x, 1, -1)[(samples, *key)], -1, 1)
        total = total + pick(inside[:, None], entries, 0) * (
            weight if isinstance(weight, float) else weight[:, None])  # fmt: skip
    result: Array = total
    return result


def _linear(t: Array) -> Array:
    return 1 - pick(floats(t) < 0, -t, t)


def _cubic_of(t: Array) -> Array:
    t, a = pick(floats(t) < 0, -t, t), -0.75
    near = ((a + 2) * t - (a + 3)) * t * t + 1
    return pick(floats(t) <= 1, near, ((t - 5) * t + 8) * t * a - 4 * a)


def sampled(d: Draw) -> Arguments:
    """Draw images, places, and what is between and beyond entries."""
    x = d.array(d.shape((1, 1, 2, 2), (1, 2, 2, 4), (2, 1, 4, 2), many=0), SMALL, fixed=True)
    grid = d.array((x.shape[0], *d.pick((1, 2), (2, 1)), 2), GRID, fixed=True)
    mode, beyond = (
        d.pick("bilinear", "nearest", "bicubic"),
        d.pick("zeros", "border", "reflection"),
    )
    return Arguments((x, grid), (mode, beyond, d.pick(False, True)))


def affine_grid(theta: Array, sizes: Shape, align: bool) -> Array:  # noqa: FBT001
    """Places of a grid, mapped by a matrix and moved."""
    lines = [
        (np.linspace(-1, 1, n) if n > 1 else np.zeros(1)) * (1 if align else (n - 1) / n)
        for n in sizes[2:]
    ]
    base = np.stack([*np.meshgrid(*lines, indexing="ij")[::-1], np.ones(sizes[2:])], -1)
    made = base.reshape((1, -1, base.shape[-1])) @ theta.swapaxes(1, 2)
    return made.reshape((sizes[0], *sizes[2:], len(lines)))


def mapped(d: Draw) -> Arguments:
    """Draw matrices, and the sizes of images."""
    theta = d.array(d.shape((1, 2, 3), (2, 2, 3), many=0), SMALL)
    return Arguments((theta,), ((len(theta), 1, *d.pick((2, 4), (2, 2), (1, 2))), d.pick(
        False, True) and False))  # fmt: skip


# ---- around --------------------------------------------------------------------------------------


def around(*pool: tuple[tuple[int, ...], Shape]) -> Drawing:
    """Draw arrays, and how much goes before and after their last axes, the last one first."""

    def draw(d: Draw) -> Arguments:
        sizes, shape = d.sized(*pool)
        return Arguments((d.array(shape),), (sizes,))

    return draw


FRAMES = (((1, 1), (1, 2, 3)), ((2, 0, 1, 1), (1, 3, 3)), ((1, 0, 0, 1), (1, 1, 2, 2)),
          ((0, 1, 1, 0, 1, 1), (1, 1, 2, 2, 2)))  # fmt: skip
ROUND = (((3, 2), (1, 2, 3)), *FRAMES[1:])
"""The same where an axis may be gone through as a whole."""


def framed(mode: str) -> Callable[..., Array]:
    """Continue an array beyond its ends."""

    def forward(x: Array, sizes: tuple[int, ...]) -> Array:
        pairs = [(sizes[n], sizes[n + 1]) for n in range(0, len(sizes), 2)]
        widths = [(0, 0)] * (x.ndim - len(pairs)) + pairs[::-1]
        return np.pad(x, widths, mode=mode)  # type: ignore[call-overload, no-any-return]

    return forward


def filled_around(x: Array, sizes: tuple[int, ...], value: float) -> Array:
    """Put a number before and after."""
    plain = framed("constant")
    return pick(plain(np.ones(x.shape), sizes) > 0, plain(x, sizes), value)


def with_value(d: Draw) -> Arguments:
    """Draw arrays, how much goes around them, and a number."""
    arguments = around(*FRAMES, ((1, 2), (3,)), ((-1, 1), (2, 3)))(d)
    return Arguments(arguments.tensors, (*arguments.options, d.pick(2.5, -1.0)))


def cut_or_filled(x: Array, sizes: tuple[int, ...], value: float) -> Array:
    """The same, where a negative size cuts off."""
    key = [slice(None)] * x.ndim
    for n in range(0, len(sizes), 2):
        first, last = sizes[n], sizes[n + 1]
        key[-1 - n // 2] = slice(max(0, -first), x.shape[-1 - n // 2] - max(0, -last))
    return filled_around(x[tuple(key)], tuple(max(0, n) for n in sizes), value)


# ---- channels as places --------------------------------------------------------------------------


def shuffled(x: Array, r: int) -> Array:
    """Make places of channels: r * r of these become a block."""
    *lead, c, h, w = x.shape
    parts = x.reshape((*lead, c // (r * r), r, r, h, w))
    k = len(lead) + 1
    order = (*range(k), k + 2, k, k + 3, k + 1)
    return np.transpose(parts, order).reshape((*lead, c // (r * r), h * r, w * r))


def gathered(x: Array, r: int) -> Array:
    """Make channels of places."""
    *lead, c, h, w = x.shape
    parts = x.reshape((*lead, c, h // r, r, w // r, r))
    k = len(lead) + 1
    order = (*range(k), k + 1, k + 3, k, k + 2)
    return np.transpose(parts, order).reshape((*lead, c * r * r, h // r, w // r))


def mixed(x: Array, groups: int) -> Array:
    """Take channels of all groups in turn."""
    parts = x.reshape((x.shape[0], groups, -1, *x.shape[2:]))
    return parts.swapaxes(1, 2).reshape(x.shape)


def blocks(by_three: Callable[[Shape], bool], *shapes: Shape) -> Drawing:
    """Draw images, and 3 where their channels or places can be parted by it, else 2."""

    def draw(d: Draw) -> Arguments:
        shape = d.shape(*shapes)
        return Arguments((d.array(shape),), (3 if by_three(shape) else 2,))

    return draw


RESAMPLING = (
    resampling("nearest", 1), resampling("nearest", 2), resampling("nearest-exact", 1),
    resampling("nearest-exact", 2), resampling("area", 1), resampling("area", 2),
    resampling("linear", 1), resampling("bilinear", 2), resampling("trilinear", 3),
    resampling("bicubic", 2),
    Operation("grid_sample", grid_sample, sampled, nondeterministic=True, kinks="pixels"),
    Operation("affine_grid", affine_grid, mapped, linear=True),
    shape_of("pad_reflect", framed("reflect"), around(*FRAMES), "never"),
    shape_of("pad_replicate", framed("edge"), around(*FRAMES), "never"),
    shape_of("pad_circular", framed("wrap"), around(*ROUND), "never"),
    Operation("pad_value", cut_or_filled, with_value),
    shape_of("pixel_shuffle", shuffled, blocks(lambda s: s[-3] % 9 == 0, (1, 4, 1, 2), (4, 2, 1),
             (1, 8, 1, 1), (1, 9, 1, 2), (2, 1, 4, 1, 2)), "maybe"),
    shape_of("pixel_unshuffle", gathered, blocks(
        lambda s: s[-1] % 3 == s[-2] % 3 == 0, (1, 1, 2, 4), (1, 2, 2), (2, 1, 2, 2), (1, 1, 3, 6),
        (2, 1, 1, 2, 4)), "maybe"),
    shape_of("channel_shuffle", mixed, blocks(
        lambda s: s[1] % 3 == 0, (1, 4, 2), (2, 4, 1), (1, 6, 1)), "maybe"),
)  # fmt: skip
"""What images go through."""
