"""A clock that waits for the device before it is read, and checks that it did."""

from collections.abc import Callable
from math import ceil, inf
from time import perf_counter

from ..protocol.backend import Native
from ..protocol.capabilities import Capability
from ..protocol.subject import Subject

ALLOWED = 0.02
"""How far the clock may be from the device's own on work of at least `LONG` seconds, relatively."""

LONG = 1e-3
TRIES = 5
"""Disturbances come and go: of so many tries one is enough, and what is wrong fails them all."""

PATIENCE = 25
"""Tries to compare two clocks, on a machine that is busy with other things."""

HIDDEN = 0.5
"""The share of a measured time that may be found unfinished after it; a queue shows far more."""

SHORT = 0.5e-3
"""What is found unfinished has to last so many seconds to be told from the reading of a value."""


class Unsynchronised(AssertionError):
    """A time was read before the work was done."""


class Clock:
    """Seconds, read by a call that returns once everything queued on a device is done."""

    def __init__(self, be: Subject) -> None:
        self.be = be
        self.__name__ = f"clock of {be.id}"

    def __call__(self) -> float:
        """Wait, and return the time in seconds."""
        self.be.backend.synchronize(self.be.device)
        return perf_counter()


def check_finished(be: Subject, clock: Callable[[], float], run: Callable[[], Native]) -> None:
    """See that nothing is left to wait for once the clock was read; raises Unsynchronised.

    Reading a value of the result has to wait for it. Reading it a second time does not, so that the
    difference is what was unfinished.
    """
    left: list[tuple[float, float]] = []
    for _ in range(TRIES):
        start = clock()
        result = run()
        end = clock()
        waited, again = (_seconds(lambda: be.numpy(be.sum(result))) for _ in range(2))  # noqa: B023
        left.append((waited - again, end - start))
        if left[-1][0] <= max(SHORT, HIDDEN * left[-1][1]):
            return
    hidden, seen = min(left)
    raise Unsynchronised(
        f"unsynchronised: the clock of {be.id} showed {1e3 * seen:.3f} ms, after which its work "
        f"went on for {1e3 * hidden:.3f} ms; {type(be.backend).__name__}.synchronize has to wait "
        "for all of it"
    )


def check_events(
    be: Subject, clock: Callable[[], float], run: Callable[[], object], seconds: float
) -> float | None:
    """Compare the clock with the device's own; raises Unsynchronised if they never agree.

    `seconds` is what one call of `run` was measured to take; short ones are repeated, so that what
    the calls of the clocks themselves cost does not count. Returns the relative difference, or None
    if the device has no clock or the work takes less than `LONG`.
    """
    if seconds < LONG or be.lacks([Capability.EVENTS]):
        return None
    repeats = ceil(10 * LONG / seconds)

    def work() -> None:
        for _ in range(repeats):
            run()

    best, ratio = (inf, inf), inf
    for tried in range(1, PATIENCE + 1):
        start = clock()
        own = be.backend.device_seconds(work, be.device)
        seen = clock() - start
        # What disturbs the host comes on top of what it sees, so the smallest ratio is the truest.
        ratio, best = min((ratio, best), (seen / own if own > 0 else inf, (own, seen)))
        if tried >= TRIES and ratio <= 1 + ALLOWED:
            break
    gap = abs(ratio - 1)
    if gap <= ALLOWED:
        return gap
    own, seen = best
    raise Unsynchronised(
        f"the clock of {be.id} showed {1e3 * seen:.3f} ms, the device's own {1e3 * own:.3f} ms: "
        f"they differ by {gap:.1%}, and {ALLOWED:.0%} are allowed"
    )


def _seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start
