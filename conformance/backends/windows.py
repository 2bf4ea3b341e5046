"""Windows along axes, for adapters of libraries that do not count them as gradspec's names do."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Sizes = int | Sequence[int]


def spread(size: Sizes, axes: int) -> tuple[int, ...]:
    """Let one number stand for all axes."""
    return (size,) * axes if isinstance(size, int) else tuple(size)


def counted(n: int, reach: int, step: int, before: int, *, ceil: bool) -> int:
    """How many windows begin on an axis of `n` entries, or on the `before` entries before it.

    All end on the axis or on as many entries after it; with `ceil` the last one may end beyond.
    """
    room = n + 2 * before - reach
    count = -(-room // step) if ceil else room // step
    return count if ceil and count * step >= n + before else count + 1


def beyond(n: int, reach: int, step: int, before: int, *, ceil: bool) -> int:
    """How much longer an axis has to be for a last window that begins on it and ends beyond."""
    last = (counted(n, reach, step, before, ceil=ceil) - 1) * step
    return max(0, last + reach - n - 2 * before)


def taken(
    n: int, size: int, step: int, before: int, gap: int, *, ceil: bool
) -> tuple[npt.NDArray[Any], int]:
    """Return the entries that windows along an axis read, and the step from window to window.

    What lies around is another entry of the same window; windows with gaps lie side by side.
    """
    many = counted(n, gap * (size - 1) + 1, step, before, ceil=ceil)
    if gap == 1:
        return np.clip(np.arange((many - 1) * step + size) - before, 0, n - 1), step
    at = np.arange(many)[:, None] * step + np.arange(size) * gap - before
    inside = (at >= 0) & (at < n)
    first = np.take_along_axis(at, inside.argmax(1)[:, None], 1)
    return np.where(inside, at, first).reshape(-1), size
