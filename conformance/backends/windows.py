"""Windows along axes, for adapters of libraries that do not count them as gradspec's names do."""

from collections.abc import Sequence

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
