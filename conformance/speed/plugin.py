"""The part of the pytest plugin that measures: with --benchmark-only, and never under xdist."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ..protocol.backend import DEVICES
from ..protocol.errors import OptionError
from ..protocol.subject import Subject
from ..results.environment import environment
from ..run.commandline import given, spelled
from ..run.options import absence
from ..run.session import session_of
from ..run.workers import distributed
from . import machine
from .cells import Measurement, Part, Stopwatch
from .clock import Clock
from .findings import CONFIDENCE, Answer
from .laws import Judgement, MeasuredLaw, judge, laws_in
from .record import Gain, Record, file_name, gains_of, limits_of, write
from .workloads import Program, workload_of

BUDGET = 6.0
"""Seconds for a cell where there is only a CPU."""

BUDGET_WITH_GPU = 90.0
"""Seconds for a cell where there is a device to compare with: large sizes are what it is for."""

DEFAULT_FOLDER = Path(".gradspec")


def begin(config: pytest.Config) -> None:
    """Prepare for a run that measures; raises OptionError if it cannot."""
    budget_of(config, devices=1)
    if not timing(config):
        return
    see_room(config)
    config.pluginmanager.register(SpeedReporter(config), "gradspec-speed-reporter")


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
    word = given(config, "speed-budget")
    if word is None:
        return BUDGET if devices == 1 else BUDGET_WITH_GPU
    try:
        budget = float(word)
    except ValueError:
        budget = 0.0
    if not 0 < budget < float("inf"):
        option = spelled(config, "speed-budget")
        raise OptionError(f"{option} {word}: not a time; give seconds above 0, such as 5")
    return budget


def generate(metafunc: pytest.Metafunc, subjects: Sequence[Subject]) -> None:
    """Say what is timed where: one dtype is enough to compare devices."""
    places: dict[tuple[str, str], Subject] = {}
    for subject in subjects:
        places.setdefault((subject.backend.name, subject.device), subject)
    metafunc.parametrize(
        ("stopwatch", "be", "part"),
        [
            pytest.param(
                Timer(metafunc.config, metafunc.module),
                be,
                part,
                id=f"{be.id}-{part}",
                marks=[
                    getattr(pytest.mark, be.device),
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
    """Measures the cells of a chapter, and hands them on to the reporter."""

    config: pytest.Config
    chapter: ModuleType

    def time(
        self, benchmark: BenchmarkFixture, be: Subject, program: Program, size: int, part: Part
    ) -> None:
        """Time one cell; what cannot be timed here is skipped, with the reason in the record."""
        reporter = self.config.pluginmanager.get_plugin("gradspec-speed-reporter")
        assert isinstance(reporter, SpeedReporter), "times are only measured with --benchmark-only"
        if fault := session_of(self.config).fault(be):
            pytest.fail(fault, pytrace=False)
        found = reporter.stopwatch.measure(benchmark, be, workload_of(program), size, part)
        reporter.measurements.append(found)
        reporter.laws.update(dict.fromkeys(laws_in(self.chapter)))
        if found.left_out:
            pytest.skip(f"left out: {found.left_out}")


class SpeedReporter:
    """Collects the cells of a run, draws the verdicts, and leaves the record."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.measurements: list[Measurement] = []
        self.laws: dict[MeasuredLaw, None] = {}
        self.records: dict[Path, Record] = {}

    @property
    def stopwatch(self) -> Stopwatch:
        """The stopwatch of the run."""
        if not hasattr(self, "_stopwatch"):
            devices = {s.device for s in session_of(self.config).subjects}
            self._stopwatch = Stopwatch(budget_of(self.config, len(devices)))
        return self._stopwatch

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if not self.measurements:
            return
        backends = {s.backend.name: s.backend for s in session_of(self.config).subjects}
        for name, backend in backends.items():
            record = self._record(name, int(exitstatus))
            models = {d: backend.device_model(d) for d in self._devices(name)}
            path = self._folder() / file_name(models, name, backend.version)
            try:
                write(path, record)
            except OptionError as error:
                pytest.exit(str(error), pytest.ExitCode.USAGE_ERROR)
            self.records[path] = record

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self.records:
            return
        terminalreporter.section("gradspec: speed")
        for path, record in self.records.items():
            for line in lines(record):
                terminalreporter.write_line(line)
            terminalreporter.write_line(f"results: {path}")

    def _folder(self) -> Path:
        word: str | None = given(self.config, "speed-results")
        return Path(word) if word else self.config.invocation_params.dir / DEFAULT_FOLDER

    def _devices(self, backend: str) -> list[str]:
        cells = [m.cell for m in self.measurements if m.cell.backend == backend]
        return list(dict.fromkeys(cell.device for cell in cells))

    def _record(self, name: str, exit_status: int) -> Record:
        own = [m for m in self.measurements if m.cell.backend == name]
        devices = self._devices(name)
        backend = next(
            s.backend for s in session_of(self.config).subjects if s.backend.name == name
        )
        absent = {d: absence(d, [backend]) for d in DEVICES if d not in backend.devices()}
        judgements = [
            answer for law in self.laws for answer in judge(law, own, name, devices, absent)
        ]
        header = {
            **{name: value for name, value in environment().items() if name != "format"},
            "processor": machine.model(),
            "memory_free": machine.free_memory(),
            "threads": backend.threads(),
            "library": name,
            "version": backend.version,
            "devices": {
                d: {"model": backend.device_model(d), "driver": backend.driver(d)} for d in devices
            },
            "absent": absent,
            "budget_seconds": self.stopwatch.budget,
            "confidence": CONFIDENCE,
            "exit_status": exit_status if 0 <= exit_status < 256 else 255,
        }
        return Record(header, limits_of(own), own, gains_of(own, absent), judgements)


def lines(record: Record) -> Iterator[str]:
    """Return what a run measured: limits, break-even sizes, verdicts."""
    threads = record.header["threads"]
    yield f"{record.header['processor']}, {threads} threads; {_devices(record.header['devices'])}"
    for limit in record.limits:
        rates = (_rate(limit.bytes_per_second, "GB/s"), _rate(limit.flops_per_second, "GFLOP/s"))
        yield f"limits of {limit.device}: {', '.join(rates)}"
    yield ""
    yield from _gain_lines(record.gains)
    yield ""
    for each in record.judgements:
        yield f"{each.law}  {each.device:5} {each.answer:13} {_reason(each)}"
    timed = sum(m.left_out is None for m in record.measurements)
    yield f"{timed} cells timed, {len(record.measurements) - timed} left out"


def _devices(devices: Mapping[str, Mapping[str, Any]]) -> str:
    return ", ".join(f"{name}: {fields['model']}" for name, fields in devices.items())


def _rate(value: float | None, unit: str) -> str:
    return f"{value / 1e9:.1f} {unit}" if value else f"no {unit}"


def _gain_lines(gains: Sequence[Gain]) -> Iterator[str]:
    yield f"{'chapter':18}{'workload':20}{'device':8}{'timed':12}{'wins from size':>16}  best gain"
    for gain in gains:
        place = f"{gain.chapter:18}{gain.workload:20}{gain.device:8}{gain.part:12}"
        if gain.break_even is None:
            yield f"{place}{'unmeasured':>16}  {gain.unmeasured}"
            continue
        best = max(gain.points.values(), key=lambda point: point.value)
        start = gain.break_even.value
        words = {0.0: "smallest", float("inf"): "none"}
        yield f"{place}{words.get(start, f'{start:.0f}'):>16}  {best.value:.1f}"


def _reason(judgement: Judgement) -> str:
    if judgement.answer is Answer.UNMEASURED:
        return str(judgement.reason)
    shown = next(c for c in judgement.comparisons if c.answer is judgement.answer)
    return (
        f"{shown.what} = {shown.value:.3g} [{shown.low:.3g}, {shown.high:.3g}] "
        f"{shown.relation} {shown.bound:g}"
    )
