"""The clock waits for the device, and it is noticed where it does not."""

import pytest
from queued import EACH, FIXED, Drifting, Forgetful, Queued, now, simulate

from gradspec.conformance import Subject
from gradspec.conformance.speed.clock import (
    ALLOWED,
    Clock,
    Unsynchronised,
    check_events,
    check_finished,
)

COUNT = 500_000
SECONDS = FIXED + EACH * COUNT


@pytest.fixture(autouse=True)
def _simulated(monkeypatch):
    simulate(monkeypatch.setattr)


def on_cuda(adapter):
    """Return a subject on the second device, its clock, and a program that takes `SECONDS`."""
    be = Subject(adapter(), "cuda", "float32")
    x = be.tensor([1.5] * COUNT)
    return be, Clock(be), lambda: be.add(x, x)


def test_a_clock_waits_for_what_is_queued():
    _, clock, run = on_cuda(Queued)
    start = clock()
    run()
    assert clock() - start >= SECONDS


def test_without_a_clock_that_waits_a_queue_looks_like_nothing():
    _, _, run = on_cuda(Queued)
    start = now()
    run()
    assert now() - start < SECONDS / 3


def test_finished_work_is_told_from_unfinished():
    check_finished(*on_cuda(Queued))
    with pytest.raises(
        Unsynchronised, match=r"unsynchronised: .*Forgetful.synchronize has to wait"
    ):
        check_finished(*on_cuda(Forgetful))


def test_a_plain_clock_is_noticed_though_the_adapter_could_wait():
    be, _, run = on_cuda(Queued)
    with pytest.raises(Unsynchronised, match="unsynchronised"):
        check_finished(be, now, run)


def test_the_clock_is_compared_with_that_of_the_device():
    gap = check_events(*on_cuda(Queued), SECONDS)
    assert gap is not None
    assert gap <= ALLOWED
    with pytest.raises(Unsynchronised, match="the device's own"):
        check_events(*on_cuda(Drifting), SECONDS)


def test_a_clock_that_does_not_wait_disagrees_with_the_device():
    be, _, run = on_cuda(Queued)
    be.backend.drain = lambda: None
    with pytest.raises(Unsynchronised, match="differ by"):
        check_events(be, Clock(be), run, SECONDS)


def test_short_work_is_not_compared():
    assert check_events(*on_cuda(Drifting), 1e-4) is None
