"""What Hypothesis will draw for a claim over the table, noted once for all of them."""

from functools import cache

import hypothesis
from hypothesis import Verbosity
from hypothesis.strategies import binary


def is_silent(settings: hypothesis.settings) -> bool:
    """Whether Hypothesis keeps, times and says nothing of examples that pass."""
    return (
        settings.database is None
        and settings.deadline is None
        and settings.verbosity <= Verbosity.normal
    )


@cache
def bytes_drawn(size: int, seed: int, settings: hypothesis.settings) -> tuple[bytes, ...]:
    """Return the bytes that every claim meets which draws so many of them, by a seed."""
    drawn = []

    @hypothesis.seed(seed)
    @settings
    @hypothesis.given(binary(min_size=size, max_size=size))
    def note(codes: bytes) -> None:
        drawn.append(codes)

    note()
    return tuple(drawn)
