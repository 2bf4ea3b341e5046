"""Groups of workers: they begin and end together, whatever becomes of their members."""

import os
import threading
import time
from importlib import import_module

import pytest

from bench import DOUBLED
from gradspec.conformance.results.verdict import Status

torch = pytest.importorskip("torch")
# Only PyTorch itself may be missing.
torch_groups = import_module("gradspec.conformance.backends.torch_groups")

Gloo = torch.distributed.ProcessGroupGloo


def run(member, ranks):
    return torch_groups.TorchGroups().distributed(member, ranks)


def pair(act):
    """Make a member that acts if it is the last of two, and else waits for that one's gradient."""
    layers = [torch.nn.Linear(2, 1) for _ in range(2)]

    def member(rank, replicate):
        replica = replicate(layers[rank])
        if rank == 1:
            return act()
        return replica(torch.ones(3, 2)).sum().backward()

    return member


@pytest.mark.parametrize("ranks", [1, 2, 3, 8])
def test_members_answer_in_order_and_leave_nothing_behind(ranks):
    threads = threading.active_count()
    assert run(lambda rank, _: rank, ranks) == list(range(ranks))
    assert not torch.distributed.is_initialized()
    assert threading.active_count() == threads


def test_no_member_begins_before_all_are_connected(monkeypatch):
    told = []

    class Slow(Gloo):
        def __init__(self, store, rank, ranks, options):
            super().__init__(store, rank, ranks, options)
            time.sleep(0.1 * rank)
            told.append("connected")

    monkeypatch.setattr(torch.distributed, "ProcessGroupGloo", Slow)
    run(lambda rank, _: told.append("begun"), 3)
    assert told == ["connected"] * 3 + ["begun"] * 3


def test_no_member_leaves_before_all_have_ended(monkeypatch):
    told = []
    leave = torch_groups._Place.leave
    monkeypatch.setattr(
        torch_groups._Place, "leave", lambda self: (told.append("left"), leave(self))
    )

    def member(rank, _):
        time.sleep(0.1 * rank)
        told.append("ended")

    run(member, 3)
    assert told == ["ended"] * 3 + ["left"] * 3


# ---- connections ---------------------------------------------------------------------------------


def refused(times):
    """Make a class that refuses to connect through the first so many devices."""
    devices = []

    class Refusing(Gloo):
        def __init__(self, store, rank, ranks, options):
            (device,) = options._devices
            if device not in devices:
                devices.append(device)
            if len(devices) <= times:
                raise RuntimeError("Connection refused")
            super().__init__(store, rank, ranks, options)

    return Refusing, devices


def test_a_refused_connection_is_tried_again_through_other_ports(monkeypatch):
    kind, devices = refused(torch_groups.ATTEMPTS - 1)
    monkeypatch.setattr(torch.distributed, "ProcessGroupGloo", kind)
    assert run(lambda rank, _: rank, 2) == [0, 1]
    assert len(devices) == torch_groups.ATTEMPTS


def test_a_group_that_never_connects_says_so(monkeypatch):
    kind, _ = refused(torch_groups.ATTEMPTS)
    monkeypatch.setattr(torch.distributed, "ProcessGroupGloo", kind)
    threads = threading.active_count()
    with pytest.raises(ConnectionError, match="in 3 attempts: Connection refused"):
        run(lambda rank, _: rank, 2)
    assert threading.active_count() == threads


@pytest.mark.parametrize(("load", "factor"), [(0.0, 1), (4.0, 1), (40.0, 10), (None, 1)])
def test_a_busy_machine_has_more_time(monkeypatch, load, factor):
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    if load is None:
        monkeypatch.delattr(os, "getloadavg", raising=False)
    else:
        monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0), raising=False)
    assert torch_groups._patience() == factor * torch_groups.PATIENCE


# ---- members that do not answer ------------------------------------------------------------------


@pytest.mark.parametrize("kind", [ArithmeticError, SystemExit, KeyboardInterrupt])
def test_a_member_that_fails_is_named_and_ends_its_group(kind):
    """The others are woken, and what they say of the one that is gone is not what is shown."""
    patience = torch_groups._patience()

    def fail():
        raise kind("mine")

    threads, begun = threading.active_count(), time.monotonic()
    with pytest.raises(kind, match="mine"):
        run(pair(fail), 2)
    assert threading.active_count() == threads
    assert time.monotonic() - begun < patience


def test_of_two_that_fail_the_first_in_the_group_is_named():
    def member(rank, _):
        raise ArithmeticError(f"member {rank}")

    with pytest.raises(ArithmeticError, match="member 0"):
        run(member, 3)


def test_a_member_that_waits_in_vain_is_named(monkeypatch):
    monkeypatch.setattr(torch_groups, "PATIENCE", 2.0)
    threads = threading.active_count()
    with pytest.raises(AssertionError, match="member 0 of 2 waited"):
        run(pair(lambda: None), 2)
    assert threading.active_count() == threads


def test_a_member_that_hangs_is_named_and_bars_other_groups_until_it_ends(monkeypatch):
    end = threading.Event()
    with monkeypatch.context() as patched:
        patched.setattr(torch_groups, "PATIENCE", 2.0)
        with pytest.raises(AssertionError, match="member 1 of 2 hangs"):
            run(pair(end.wait), 2)
    with pytest.raises(AssertionError, match="member 1 of 2 hangs"):
        run(lambda rank, _: rank, 2)
    (thread,) = torch_groups._hanging
    end.set()
    thread.join()
    assert torch_groups.hanging() == ""
    assert run(lambda rank, _: rank, 2) == [0, 1]


ADAPTER = """
from gradspec.conformance.backends import torch, torch_groups

torch_groups.PATIENCE = 2.0


class Mine(torch.Torch):
    name = "mine"
"""

GROUP = """
@claim("TST-03", about="distributed")
@given(times=integers(0, 100))
def test_group(be, times):
    "A group ends."
    import threading

    def member(rank, _):
        with open("members", "a") as file:
            print(os.getpid(), file=file)
        if rank == 1:
            {deed}

    be.distributed(member, 2)
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("deed", "status", "reason"),
    [
        ("os._exit(0)", Status.CRASH, "the process ended without a word"),
        ("os.abort()", Status.CRASH, "Fatal Python error: Aborted"),
        ("threading.Event().wait()", Status.FAIL, "member 1 of 2 hangs"),
        ("raise SystemExit('mine')", Status.ERROR, "mine"),
    ],
    ids=["exit", "abort", "hang", "leave"],
)
def test_what_a_member_does_costs_one_claim(bench, deed, status, reason):
    bench.write("mine.py", ADAPTER)
    bench.chapter(GROUP.replace("{deed}", deed), DOUBLED)
    result = bench.run_apart("--isolate", backend="mine:Mine")
    result.assert_outcomes(passed=1, failed=1)
    verdict = bench.verdicts()["TST-03"]
    assert (verdict.status, reason in verdict.reason) == (status, True), verdict.reason
    assert bench.verdicts()["TST-01"].status is Status.PASS
    pids = {int(line) for line in (bench.path / "members").read_text().split()}
    assert not [pid for pid in pids if alive(pid)]


def alive(pid):
    """Say whether a process still runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
