"""Fourier transforms: complex numbers are pairs here, so that a derivative is one of real numbers.

The sums are those of PyTorch's documentation of `torch.fft`: the transform of n entries x is the
sum of x[j] e ** (-2 pi i j k / n), its inverse has the other sign, and a factor makes it one.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .arguments import Arguments, alike
from .drawing import POSITIVE, SMALL, Array, Draw, Shape
from .operation import Operation

NORMS = ("backward", "ortho", "forward")
LINES: tuple[Shape, ...] = ((4,), (3,), (2, 3), (1, 4), (3, 2))
PLANES: tuple[Shape, ...] = ((2, 3), (3, 2), (1, 4), (2, 2, 2))
Pair = tuple[Any, Any]


def factor(n: int, norm: str, sign: int) -> float:
    """What a transform is multiplied by."""
    if norm == "ortho":
        return 1 / math.sqrt(n)
    return 1 / n if (norm == "forward") == (sign < 0) else 1.0


def fitted(x: Array, n: int, axis: int) -> Array:
    """Cut off what is beyond n entries, or add zeros."""
    size = x.shape[axis]
    if n <= size:
        return np.take(x, range(n), axis=axis)
    widths = [(0, 0)] * x.ndim
    widths[axis] = (0, n - size)
    return np.pad(x, widths)


def along(x: Pair, axis: int, n: int, norm: str, sign: int) -> Pair:
    """Transform along an axis."""
    re, im = (np.moveaxis(fitted(each, n, axis), axis, -1) for each in x)
    turns = np.outer(np.arange(n), np.arange(n)) % n * (2 * math.pi / n)
    scale = factor(n, norm, sign)
    # A quarter of a turn is exact.
    c, s = (np.where(np.abs(f(turns)) < 1e-9, 0, f(turns)) for f in (np.cos, np.sin))
    real = scale * (mapped(re, c) - sign * mapped(im, s))
    other = scale * (sign * mapped(re, s) + mapped(im, c))
    if n > EXACT:
        real, other = (passed_by(z, scale * (size_of(re) + size_of(im))) for z in (real, other))
    return np.moveaxis(real, -1, axis), np.moveaxis(other, -1, axis)


EXACT = 16
"""So many entries are transformed by few and simple factors."""


def size_of(x: Array) -> Array:
    """The sum of the absolute values along the last axis."""
    size: Array = np.abs(x).sum(-1)[..., None]
    return size


def passed_by(z: Array, whole: Array) -> Array:
    """Add a sum, and take it off: fast transforms round sums of all entries on their way.

    They are exact in relation to the largest of all results (Higham, Accuracy and Stability of
    Numerical Algorithms, section 24.1), not each by itself.
    """
    return z + whole - whole


def mapped(x: Array, matrix: Array) -> Array:
    """Multiply by a matrix of numbers that are rounded themselves."""
    made: Array = (x[..., None] * matrix).sum(-2)
    return made


def half(x: Array, axis: int) -> Array:
    """The entries up to the middle: the others are their conjugates."""
    return np.take(x, range(x.shape[axis] // 2 + 1), axis=axis)


def mirrored(x: Pair, axis: int, n: int) -> Pair:
    """All n entries, given those up to the middle; where these must be real, they are taken so."""
    re, im = (np.moveaxis(fitted(each, n // 2 + 1, axis), axis, 0) for each in x)
    real = [0] if n % 2 else [0, n // 2]
    own = np.ones((n // 2 + 1, *(1,) * (re.ndim - 1)))
    own[real] = 0
    im = im * own
    back = [n - k for k in range(n // 2 + 1, n)]
    re = np.concatenate([re, re[back]]) if back else re[:n]
    im = np.concatenate([im, -im[back]]) if back else im[:n]
    return np.moveaxis(re, 0, axis), np.moveaxis(im, 0, axis)


def joined(x: Pair) -> Array:
    """The two parts side by side."""
    return np.stack(x, -1)


def full(sign: int) -> Callable[..., Array]:
    """A transform of complex numbers, or its inverse."""

    def forward(re: Array, im: Array, sizes: Shape, dims: Shape, norm: str) -> Array:
        x: Pair = (re, im)
        for axis, n in zip(dims, sizes, strict=True):
            x = along(x, axis, n, norm, sign)
        return joined(x)

    return forward


def from_real(sign: int) -> Callable[..., Array]:
    """A transform of real numbers: half of what comes of it."""

    def forward(x: Array, sizes: Shape, dims: Shape, norm: str) -> Array:
        pair = tuple(half(each, dims[-1])
                     for each in along((x, 0 * x), dims[-1], sizes[-1], norm, sign))  # fmt: skip
        found: Pair = (pair[0], pair[1])
        for axis, n in zip(dims[:-1], sizes[:-1], strict=True):
            found = along(found, axis, n, norm, sign)
        return joined(found)

    return forward


def to_real(sign: int) -> Callable[..., Array]:
    """A transform of half of what has real numbers for its transform."""

    def forward(re: Array, im: Array, sizes: Shape, dims: Shape, norm: str) -> Array:
        x: Pair = (re, im)
        for axis, n in zip(dims[:-1], sizes[:-1], strict=True):
            x = along(x, axis, n, norm, sign)
        made: Array = along(mirrored(x, dims[-1], sizes[-1]), dims[-1], sizes[-1], norm, sign)[0]
        return made

    return forward


def drawn(count: int, axes: int, *, back: bool) -> Callable[[Draw], Arguments]:
    """Draw the parts of numbers, how many entries count, along which axes, and the factor."""

    def draw(d: Draw) -> Arguments:
        shape = d.shape(*(LINES if axes == 1 else PLANES), many=0)
        dims = (d.axis(shape),) if axes == 1 else d.pick((-2, -1), (0, -1))
        sizes = []
        for place, axis in enumerate(dims, start=1):
            size = shape[axis]
            last = back and place == len(dims)
            sizes.append(d.pick(*((2 * size - 2 or 2, 2 * size - 1) if last
                                  else (size, size + 1, max(1, size - 1)))))  # fmt: skip
        tensors = tuple(d.array(shape, SMALL) for _ in range(count))
        return Arguments(tensors, (tuple(sizes), dims, d.pick(*NORMS)))

    return draw


def parted(be: Any, x: Any) -> Any:
    """The parts of complex numbers, side by side."""
    return be.stack([be.real(x), be.imag(x)], -1)


def call(name: str, count: int, *, one: bool, pairs: bool) -> Callable[..., Any]:
    """Call a transform of complex numbers that are made of their parts."""

    def called(be: Any, *arguments: Any) -> Any:
        parts, (sizes, dims, norm) = arguments[:count], arguments[count:]
        x = be.complex(*parts) if count == 2 else parts[0]
        found = getattr(be, name)(x, sizes[0] if one else sizes, dims[0] if one else dims, norm)
        return parted(be, found) if pairs else found

    return called


def transform(name: str, forward: Callable[..., Array], count: int, axes: int, *, back: bool,
              pairs: bool) -> Operation:  # fmt: skip
    """Make the record of a transform."""
    return Operation(name, forward, drawn(count, axes, back=back), linear=True,
                     call=call(name, count, one=axes == 1, pairs=pairs))  # fmt: skip


def family(ending: str, axes: int) -> tuple[Operation, ...]:
    """Make the records of all transforms along so many axes."""
    return (
        transform(f"fft{ending}", full(-1), 2, axes, back=False, pairs=True),
        transform(f"ifft{ending}", full(1), 2, axes, back=False, pairs=True),
        transform(f"rfft{ending}", from_real(-1), 1, axes, back=False, pairs=True),
        transform(f"irfft{ending}", to_real(1), 2, axes, back=True, pairs=False),
        transform(f"hfft{ending}", to_real(-1), 2, axes, back=True, pairs=False),
        transform(f"ihfft{ending}", from_real(1), 1, axes, back=False, pairs=True),
    )


def along_the_result(r: Array, a: Array) -> Array:
    """Numbers of an absolute value, in the direction of what they come to."""
    there = np.stack([r * np.cos(a), r * np.sin(a)], -1)
    made: Array = r[..., None] * there / np.sqrt((there * there).sum(-1, keepdims=True))
    return made


TRANSFORMS = (
    *family("", 1),
    *family("2", 2),
    *family("n", 2),
    Operation("complex", lambda x, y: np.stack([x, y], -1), alike(SMALL, SMALL), linear=True,
              call=lambda be, x, y: parted(be, be.complex(x, y))),
    Operation("polar", lambda r, a: np.stack([r * np.cos(a), r * np.sin(a)], -1),
              alike(POSITIVE, SMALL), formulas=(along_the_result,),
              call=lambda be, r, a: parted(be, be.polar(r, a))),
)  # fmt: skip
"""Transforms, and complex numbers made of their parts."""
