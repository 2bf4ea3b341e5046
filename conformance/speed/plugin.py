"""The part of the pytest plugin that measures: with --benchmark-only, and never under xdist."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ..protocol.errors import OptionError
from ..protocol.subject import Subject
from ..run.commandline import given, spelled
from ..run.session import session_of
from ..run.workers import distributed
from .cells import Part, cell_of
from .clock import Clock
from .laws import laws_in
from .ordering import ends_first
from .reporting import SpeedReporter
from .workloads import Program, is_timed, timed_by, workload_of

BUDGET = 6.0
"""Seconds for a cell where there is only a CPU."""

BUDGET_WITH_GPU = 90.0
"""Seconds for a cell where there is a device to compare with: large sizes are what it is for."""

REPORTER = "gradspec-speed-reporter"


def begin(config: pytest.Config) -> None:
    """Prepare for a run that measures; raises OptionError if it cannot."""
    budget_of(config, devices=1)
    limit = time_of(config)
    if not timing(config):
        return
    see_room(config)
    config.pluginmanager.register(SpeedReporter(config, budget_of, limit), REPORTER)


def see_room(config: pytest.Config) -> None:
    """See that nothing else runs beside what is timed; raises OptionError if it does."""
    if timing(config) and (distributed(config) or hasattr(config, "workerinput")):
        raise OptionError(
            "--benchmark-only with -n: workers would slow each other down, and the times would be "
            "of nothing; leave out -n (and --dist)"
        )


def timing(config: pytest.Config) -> bool:
    """Whether workloads are to be timed."""
    return bool(config.getoption("--benchmark-only", False))


def budget_of(config: pytest.Config, devices: int) -> float:
    """Return the seconds for a cell, as given or by the number of devices."""
    return _seconds(config, "speed-budget") or (BUDGET if devices == 1 else BUDGET_WITH_GPU)


def time_of(config: pytest.Config) -> float:
    """Return after how many seconds of measuring no cell is begun any more."""
    return _seconds(config, "speed-time") or inf


def _seconds(config: pytest.Config, name: str) -> float | None:
    word = given(config, name)
    if word is None:
        return None
    try:
        seconds = float(word)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < inf:
        option = spelled(config, name)
        raise OptionError(f"{option} {word}: not a time; give seconds above 0, such as 5")
    return seconds


def asked_for(config: pytest.Config, item: pytest.Item) -> bool:
    """Whether a test of a run that measures is to be run: those that are many have to be named."""
    made = timed_by(item)
    return not (made and made.workloads) or bool(given(config, "speed-operations"))


def order(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Bring what tells most to the front, if there may be no time for all of it."""
    if timing(config) and time_of(config) < inf:
        times = [item for item in items if is_timed(item)]
        rest = [item for item in items if not is_timed(item)]
        items[:] = [*sorted(times, key=ends_first), *rest]


def generate(metafunc: pytest.Metafunc, subjects: Sequence[Subject]) -> None:
    """Say what is timed where: one dtype is enough to compare devices.

    Beside a device the CPU is timed as well, because what the device gains is a ratio of both: its
    cells bear the mark of the device too, so that `-m cuda` selects them.
    """
    made = timed_by(metafunc.function)
    if made and made.workloads:
        asked = timing(metafunc.config) and given(metafunc.config, "speed-operations")
        metafunc.parametrize(
            ("program", "size"),
            [
                pytest.param(work.program, size, id=f"{work.name}-{size}")
                for work in (made.workloads() if asked else ())
                for size in work.sizes
            ],
        )
    places: dict[tuple[str, str], Subject] = {}
    for subject in subjects:
        places.setdefault((subject.backend.name, subject.device), subject)
    devices = {name: [d for b, d in places if b == name] for name, _ in places}
    metafunc.parametrize(
        ("stopwatch", "be", "part"),
        [
            pytest.param(
                Timer(metafunc.config),
                be,
                part,
                id=f"{be.id}-{part}",
                marks=[
                    *(
                        getattr(pytest.mark, device)
                        for device in (
                            devices[be.backend.name] if be.device == "cpu" else [be.device]
                        )
                    ),
                    pytest.mark.benchmark(timer=Clock(be), disable_gc=True),
                ],
            )
            for be in places.values()
            for part in Part
            # From the host to the CPU nothing has to be moved.
            if part is Part.KERNEL or be.device != "cpu"
        ],
    )


@dataclass(frozen=True)
class Timer:
    """Measures cells, and hands them on to the reporter with the laws beside their workloads."""

    config: pytest.Config

    def time(
        self, benchmark: BenchmarkFixture, be: Subject, program: Program, size: int, part: Part
    ) -> None:
        """Time one cell; what cannot be timed here is skipped, with the reason in the record."""
        reporter = self.config.pluginmanager.get_plugin(REPORTER)
        assert isinstance(reporter, SpeedReporter), "times are only measured with --benchmark-only"
        if fault := session_of(self.config).fault(be):
            pytest.fail(fault, pytrace=False)
        work = workload_of(program)
        reporter.laws.update(dict.fromkeys(laws_in(sys.modules[program.__module__])))
        cell = cell_of(be, work, size, part)
        if found := reporter.before(be, cell):
            pytest.skip(f"as measured before{f', left out: {w}' if (w := found.left_out) else ''}")
        found = reporter.not_now(be, cell)
        if found is None:
            try:
                found = reporter.stopwatch.measure(benchmark, be, work, size, part)
            except Exception:
                reporter.see_device(be, cell)
                raise
        reporter.keep(be, found)
        if found.left_out:
            pytest.skip(f"left out: {found.left_out}")
