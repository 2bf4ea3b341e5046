"""The order of measuring where there may be no time for everything."""

from collections.abc import Sequence
from itertools import pairwise

import pytest

from .workloads import workload_of


def by_halves(count: int) -> list[int]:
    """Return 0 to count - 1: the first, the one in the middle, the last, then what halves the gaps.

    The middle comes before the end, which may take too long: that is seen by what is smaller.
    """
    found = list(dict.fromkeys([0, count // 2, count - 1])) if count else []
    while len(found) < count:
        known = sorted(found)
        found += [(a + b) // 2 for a, b in pairwise(known) if b - a > 1]
    return found


def ends_first(item: pytest.Item) -> tuple[str, int]:
    """Return what to sort timed tests by: their function, then when their size is to be taken."""
    parameters = item.callspec.params  # type: ignore[attr-defined]
    sizes: Sequence[int] = workload_of(parameters["program"]).sizes
    place = by_halves(len(sizes)).index([*sizes].index(parameters["size"]))
    return item.nodeid.partition("[")[0], place
