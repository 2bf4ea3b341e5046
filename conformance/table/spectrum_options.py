"""Fourier transforms by all of their options, and those of parts of a signal that overlap.

What is left out counts as PyTorch's documentation of `torch.fft`, `torch.stft` and `torch.istft`
says. The estimate of a signal is that of least squares (Griffin & Lim, 1984).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from .arguments import Arguments
from .drawing import SMALL, SMALL_POSITIVE, Array, Draw, Shape
from .operation import Operation
from .parts import Flag
from .transforms import NORMS, Pair, along, from_real, full, half, joined, mirrored, parted, to_real

LINES: tuple[Shape, ...] = ((4,), (2, 3), (3, 2, 2))
BLOCKS: tuple[Shape, ...] = ((2, 3), (2, 2, 3))
ENDINGS = {"": 1, "2": 2, "n": None}
"""What the names of transforms along one axis, two and any number of axes end with."""

# ---- transforms ----------------------------------------------------------------------------------


def left_open(forward: Callable[..., Array], count: int, axes: int | None, *, back: bool) -> Any:
    """Let a transform of so many parts find out what is left out."""

    def transformed(*x: Array, size: Any, dim: Any, norm: str | None) -> Array:
        parts = x if len(x) == count else (*x, 0 * x[0])
        shape = x[0].shape
        if dim is None:
            dim = range(-(axes or (len(shape) if size is None else len(size))), 0)
        dims = (dim,) if isinstance(dim, int) else tuple(dim)
        own = [shape[axis] for axis in dims]
        if back:
            own[-1] = 2 * own[-1] - 2
        given = (size,) if isinstance(size, int) else size or own
        sizes = tuple(n if m < 0 else m for m, n in zip(given, own, strict=True))
        return forward(*parts, sizes, dims, norm or "backward")

    return transformed


def open_options(count: int, axes: int | None, *, back: bool) -> Callable[[Draw], Arguments]:
    """Draw the parts of numbers, and what is said of sizes, axes and the factor, or left out."""

    def draw(d: Draw) -> Arguments:
        shape = d.shape(*(LINES if axes == 1 else BLOCKS), many=0)
        rank = len(shape)
        if axes == 1:
            dim: Any = d.pick(None, 0, -1)
            size: Any = d.pick(None, 2, 5)
        else:
            dim = d.pick(None, (-1, 0), (0, 1), *(() if axes else ((0,), tuple(range(rank)))))
            long = len(dim) if dim else axes or d.pick(1, 2)
            # In a transform that goes back, what -1 means along the last axis is not said.
            size = d.pick(None, (1, 3, 2)[-long:], (4, 1 if back else -1, 4)[:long])
        tensors = tuple(d.array(shape, SMALL) for _ in range(d.pick(count, 1)))
        norms = (None, *NORMS) if axes == 1 else (None, "ortho", "forward")
        return Arguments(tensors, (), {"size": size, "dim": dim, "norm": d.pick(*norms)})

    return draw


def call_open(name: str, word: str, *, pairs: bool) -> Callable[..., Any]:
    """Call a transform of numbers that are made of their parts, saying only what is said."""

    def call(be: Any, *parts: Any, size: Any, dim: Any, norm: str | None) -> Any:
        x = be.complex(*parts) if len(parts) == 2 else parts[0]
        named = {word: size, "dim": dim, "norm": norm}
        found = getattr(be, name)(x, **{k: v for k, v in named.items() if v is not None})
        return parted(be, found) if pairs else found

    return call


def transform(
    name: str, ending: str, forward: Callable[..., Array], count: int, *, back: bool = False
) -> Operation:
    """Make the record of a transform of so many parts, `back` to real numbers or not."""
    word, axes = f"{name}{ending}_options", ENDINGS[ending]
    return Operation(
        word, left_open(forward, count, axes, back=back), open_options(count, axes, back=back),
        linear=True, call=call_open(word, "s" if ending else "n", pairs=not back),
    )  # fmt: skip


def family(ending: str) -> tuple[Operation, ...]:
    """Make the records of all transforms with such an ending."""
    return (
        transform("fft", ending, full(-1), 2),
        transform("ifft", ending, full(1), 2),
        transform("rfft", ending, from_real(-1), 1),
        transform("irfft", ending, to_real(1), 2, back=True),
        transform("hfft", ending, to_real(-1), 2, back=True),
        transform("ihfft", ending, from_real(1), 1),
    )


# ---- parts that overlap --------------------------------------------------------------------------

PADS = {"reflect": "reflect", "constant": "constant", "replicate": "edge", "circular": "wrap"}
"""How a signal goes on beyond its ends, and what numpy calls that."""


def window_of(d: Draw, size: int, own: int | None) -> tuple[Array, ...]:
    """Draw a window of its own length or of the size of parts, or none."""
    return d.pick((d.array((own or size,), SMALL_POSITIVE),), ())


def overlapping(d: Draw) -> Arguments:
    """Draw a signal or some, perhaps a window, and how parts are taken of them."""
    d.go_on()
    shape, size = d.pick(((6,), 4), ((2, 5), 4), ((7,), 5), ((8,), 8), ((1, 6), 4))
    parts, own = d.pick(1, 2), d.pick(None, size - 1, size - 2, size)
    named = {"n_fft": size, "hop_length": d.pick(None, 2, 3, 1), "win_length": own,
             "center": d.pick(None, False, True), "pad_mode": d.pick(None, *PADS),
             "normalized": d.pick(None, True, False),
             "onesided": d.pick(None, False, *([True] if parts == 1 else [])),
             "return_complex": d.pick(True, False, *([None] if parts == 2 else []))}  # fmt: skip
    window = window_of(d, size, own)
    return Arguments((*(d.array(shape, SMALL) for _ in range(parts)), *window), (), {
        "parts": parts, **named})  # fmt: skip


def padded_window(window: tuple[Array, ...], size: int, own: int | None) -> Array:
    """A window with zeros on both sides, up to the size of a part."""
    given = window[0] if window else np.ones(own or size)
    left = (size - given.shape[0]) // 2
    return np.pad(given, ((left, size - given.shape[0] - left),))


def short_time(
    *tensors: Array,
    parts: int,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    center: Flag,
    pad_mode: str | None,
    normalized: Flag,
    onesided: Flag,
    return_complex: Flag,
) -> Array:
    """The transforms of parts of a signal."""
    del return_complex
    signal, hop = tensors[:parts], hop_length or n_fft // 4
    window = padded_window(tensors[parts:], n_fft, win_length)
    count, beyond = signal[0].shape[-1], n_fft // 2 if center is not False else 0
    mode: Any = PADS[pad_mode or "reflect"] if beyond else "constant"
    at = np.pad(np.arange(1, count + 1), beyond, mode)
    at = np.stack([at[n : n + n_fft] for n in range(0, len(at) - n_fft + 1, hop)])
    re, im = (np.where(at > 0, x[..., at - 1], 0) * window for x in (*signal, 0 * signal[0])[:2])
    found = along((re, im), -1, n_fft, "ortho" if normalized else "backward", -1)
    if onesided is not False and parts == 1:
        found = half(found[0], -1), half(found[1], -1)
    return joined((found[0].swapaxes(-2, -1), found[1].swapaxes(-2, -1)))


def call_short(be: Any, *tensors: Any, parts: int, return_complex: Flag, **named: Any) -> Any:
    """Call it with what is said, and return pairs of real numbers."""
    x = tensors[0] if parts == 1 else be.complex(*tensors[:2])
    given = {**named, "return_complex": return_complex,
             "window": tensors[parts] if len(tensors) > parts else None}  # fmt: skip
    found = be.stft_options(x, **{k: v for k, v in given.items() if v is not None})
    return found if return_complex is False else parted(be, found)


def overlapped(d: Draw) -> Arguments:
    """Draw transforms of parts, perhaps a window, and how these were taken."""
    d.go_on()
    size, real = d.pick(4, 6), d.pick(True, False)
    center = d.pick(None, False, True)
    hop = d.pick(None, 1, 2)
    own = None if center is False else d.pick(None, size - 1, size - 2, size)
    onesided = d.pick(None, True, False) if real else d.pick(None, False)
    rows, count = size // 2 + 1 if real else size, d.pick(3, 4)
    whole = (count - 1) * (hop or size // 4) + (size if center is False else 0)
    # Windows without zeros reach as far as half of the last part, and zeros follow.
    more = size // 2 + 1 if center is not False and own in (None, size) else 0
    named = {"n_fft": size, "hop_length": hop, "win_length": own, "center": center,
             "normalized": d.pick(None, True, False), "onesided": onesided,
             "length": d.pick(None, whole, whole - 1, whole + more),
             "return_complex": d.pick(None, False) if real else True}  # fmt: skip
    shape = (*d.pick((), (2,)), rows, count)
    window = window_of(d, size, own)
    return Arguments((d.array(shape, SMALL), d.array(shape, SMALL), *window), (), named)


def estimated(
    re: Array,
    im: Array,
    *window: Array,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    center: Flag,
    normalized: Flag,
    onesided: Flag,
    length: int | None,
    return_complex: Flag,
) -> Array:
    """The signal of least squares whose parts have such transforms."""
    del onesided
    hop, norm = hop_length or n_fft // 4, "ortho" if normalized else "backward"
    own = padded_window(window, n_fft, win_length)
    x: Pair = (re.swapaxes(-2, -1), im.swapaxes(-2, -1))
    frames = along(x if return_complex else mirrored(x, -1, n_fft), -1, n_fft, norm, 1)
    starts = range(0, re.shape[-1] * hop, hop)
    total = starts[-1] + n_fft
    first = 0 if center is False else n_fft // 2
    last = first + length if length else total - first
    # Each place of the signal against each entry of each part.
    placed = np.zeros((total, len(starts), n_fft))
    for n, start in enumerate(starts):
        placed[range(start, start + n_fft), n, range(n_fft)] = 1
    placed = placed[first:last]
    envelope = (placed * (own * own)).sum((-2, -1))
    made = [((each * own)[..., None, :, :] * placed).sum((-2, -1)) / envelope for each in frames]
    if last > total:
        made = [np.concatenate([each, 0 * each[..., : last - total]], -1) for each in made]
    return joined((made[0], made[1])) if return_complex else made[0]


def call_estimate(be: Any, re: Any, im: Any, *window: Any, **named: Any) -> Any:
    """Call it with what is said; of real signals the second half is that of the first."""
    if named["onesided"] is False and not named["return_complex"]:
        n = named["n_fft"]
        back = be.tensor(np.array([n - k for k in range(n // 2 + 1, n)]))
        # What is of a real signal has real numbers first and in the middle.
        own = np.ones((n // 2 + 1, 1))
        own[[0, -1]] = 0
        im = be.mul(im, be.tensor(own))
        re = be.cat([re, be.index_select(re, -2, back)], -2)
        im = be.cat([im, be.neg(be.index_select(im, -2, back))], -2)
    given = {**named, "window": window[0] if window else None}
    found = be.istft_options(
        be.complex(re, im), **{k: v for k, v in given.items() if v is not None}
    )
    return parted(be, found) if named["return_complex"] else found


SPECTRUM_OPTIONS = (
    *family(""),
    *family("2"),
    *family("n"),
    Operation("stft_options", short_time, overlapping, call=call_short),
    Operation("istft_options", estimated, overlapped, call=call_estimate),
)
"""Fourier transforms."""
