"""Windows over the last axes of an array: with strides, gaps, and what lies around it."""

from collections.abc import Sequence

import numpy as np

from .drawing import Array, Shape
from .parts import pick

Sizes = Sequence[int]


def sides(padding: int | Sizes, count: int) -> list[tuple[int, int]]:
    """What lies before and after each axis."""
    each = [padding] * count if isinstance(padding, int) else list(padding)
    return [(n, n) for n in each]


def spread(value: int | Sizes, count: int) -> list[int]:
    """One number for each axis."""
    return [value] * count if isinstance(value, int) else list(value)


class Windows:
    """Where windows of some sizes lie over axes of some sizes.

    Number o of window k along an axis stands at o * stride - before + k * dilation. With `ceil` a
    window may overhang at the end, if it starts within the axis or before it (PyTorch's rule).
    """

    def __init__(
        self,
        shape: Shape,
        sizes: Sizes,
        stride: int | Sizes = 1,
        around: Sequence[tuple[int, int]] = (),
        dilation: int | Sizes = 1,
        *,
        ceil: bool = False,
    ) -> None:
        count = len(sizes)
        around = around or [(0, 0)] * count
        places, inside, counted, self.out = [], [], [], []
        for n, k, s, (before, after), d in zip(
            shape, sizes, spread(stride, count), around, spread(dilation, count), strict=True
        ):
            room = n + before + after - d * (k - 1) - 1
            out = (-(-room // s) if ceil else room // s) + 1
            if ceil and (out - 1) * s >= n + before:
                out -= 1
            at = np.arange(out)[:, None] * s - before + np.arange(k) * d
            self.out.append(out)
            places.append(np.clip(at, 0, n - 1))
            inside.append((at >= 0) & (at < n))
            counted.append(at < n + after)
        self.places = self._joined(np.ravel_multi_index(self._grids(places), tuple(shape)))
        self.inside = self._joined(np.logical_and.reduce(np.broadcast_arrays(*self._grids(inside))))
        self.counted = self._joined(
            np.logical_and.reduce(np.broadcast_arrays(*self._grids(counted)))
        )
        self.count = count

    def _grids(self, each: list[Array]) -> tuple[Array, ...]:
        """Arrange (out, k) of every axis as (out, ..., k, ...)."""
        count = len(each)
        return tuple(
            a.reshape([*(a.shape[0] if n == m else 1 for m in range(count)),
                       *(a.shape[1] if n == m else 1 for m in range(count))])
            for n, a in enumerate(each)
        )  # fmt: skip

    def _joined(self, grid: Array) -> Array:
        return grid.reshape(*self.out, -1)

    def of(self, x: Array, beside: float = 0) -> Array:
        """Take windows of the last axes: (..., *out, entries), `beside` where there is no entry."""
        flat = x.reshape((*x.shape[: x.ndim - self.count], -1))
        return pick(self.inside, flat[..., self.places], beside)
