"""What a run that measures keeps: cells as they are measured, and the record once it is over."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from ..claims.catalogue import SPECIFICATION
from ..protocol.backend import DEVICES, Backend
from ..protocol.errors import OptionError
from ..protocol.subject import Subject
from ..results.environment import environment
from ..results.reading import BrokenRun
from ..run.commandline import given, spelled
from ..run.options import absence
from ..run.session import session_of
from ..run.smoke import lost_device
from . import machine
from .cells import Cell, Measurement, Stopwatch
from .findings import CONFIDENCE
from .laws import MeasuredLaw, laws_of
from .parts import LATER, difference, put_off, record_of, united
from .record import Record, RecordRead, file_name, read, write
from .telling import lines

DEFAULT_FOLDER = Path(".gradspec")

BEGUN = ".begun"
"""How the name of a file ends that is written while its run goes on."""

OFTEN = 5.0
"""Seconds between two writings of it."""

SHARE = 30.0
"""And so many times what a writing takes: of ten thousand cells it takes a second."""

INTERRUPTED = int(pytest.ExitCode.INTERRUPTED)


def conditions(backend: Backend, devices: Iterable[str]) -> Mapping[str, str | None]:
    """Ask how fast and how warm devices are; one that does not answer has nothing to tell."""
    found: dict[str, str | None] = {}
    for device in devices:
        found[device] = None
        with suppress(Exception):
            found[device] = backend.condition(device)
    return found


class SpeedReporter:
    """Collects the cells of a run, draws the verdicts, and leaves the record."""

    def __init__(
        self,
        config: pytest.Config,
        budget_of: Callable[[pytest.Config, int], float],
        limit: float,
    ) -> None:
        self.config = config
        self.measurements: list[Measurement] = []
        self.laws: dict[MeasuredLaw, None] = {}
        self.records: dict[Path, Record] = {}
        self._budget_of = budget_of
        self._limit = limit
        self._start = perf_counter()
        self._due = self._start + OFTEN
        self._about: dict[str, dict[str, dict[str, Any]]] = {}
        self._before: dict[str, Mapping[str, str | None]] = {}
        self._kept: dict[str, list[Measurement]] = {}
        self._kept_laws: set[str] = set()
        self._lost: dict[tuple[str, str], str] = {}

    @property
    def stopwatch(self) -> Stopwatch:
        """The stopwatch of the run."""
        if not hasattr(self, "_stopwatch"):
            devices = {s.device for s in session_of(self.config).subjects}
            self._stopwatch = Stopwatch(self._budget_of(self.config, len(devices)))
        return self._stopwatch

    # ---- cell by cell ----------------------------------------------------------------------------

    def before(self, be: Subject, cell: Cell) -> Measurement | None:
        """Return what an earlier run left of a cell, if this one goes on with it."""
        self._meet(be)
        kept = (m for m in self._kept[be.backend.name] if m.cell == cell and not put_off(m))
        return next(kept, None)

    def not_now(self, be: Subject, cell: Cell) -> Measurement | None:
        """Return a cell that is left to another run, with the reason; None if it is to be timed."""
        reason = self._lost.get((be.backend.name, be.device))
        if reason is None and perf_counter() - self._start > self._limit:
            reason = f"the {self._limit:g} seconds of the run were over"
        return Measurement(cell, left_out=LATER + reason) if reason else None

    def see_device(self, be: Subject, cell: Cell) -> None:
        """See whether a device that failed in a cell still answers; if not, no more is asked."""
        if lost := lost_device(be):
            self._lost[be.backend.name, be.device] = f"{cell.workload}({cell.size}): {lost}"

    def keep(self, be: Subject, found: Measurement) -> None:
        """Keep a cell, in a file as well: a run that is broken off has not been in vain."""
        self.measurements.append(found)
        began = perf_counter()
        if began > self._due and not put_off(found):
            name = be.backend.name
            header = self._header(name, self._about[name], INTERRUPTED)
            path = self._path(name, self._about[name]).with_suffix(BEGUN)
            self._write(path, Record(header, [], self._all(name), [], []))
            now = perf_counter()
            self._due = now + max(OFTEN, SHARE * (now - began))

    def _meet(self, be: Subject) -> None:
        """Ask devices what they are while they answer, and read what is known of them."""
        name = be.backend.name
        if name in self._about:
            return
        there = {s.device for s in session_of(self.config).subjects if s.backend.name == name}
        self._about[name] = {
            device: {"model": be.backend.device_model(device), "driver": be.backend.driver(device)}
            for device in be.backend.devices()
            if device in there
        }
        self._before[name] = conditions(be.backend, there)
        self._kept[name] = []
        if given(self.config, "speed-resume"):
            self._resume(name)

    def _resume(self, name: str) -> None:
        path = self._path(name, self._about[name])
        found = [each for each in (path, path.with_suffix(BEGUN)) if each.exists()]
        option = spelled(self.config, "speed-resume")
        try:
            kept = [read(each, broken_off=True) for each in found]
        except BrokenRun as error:
            pytest.exit(f"{option}: {error}", pytest.ExitCode.USAGE_ERROR)
        for each in kept:
            if why := difference(self._header(name, self._about[name], 0), each.header):
                pytest.exit(
                    f"{option}: {each.path} is of another measurement: {why}; move it away, or "
                    "leave the option out",
                    pytest.ExitCode.USAGE_ERROR,
                )
        self._go_on(name, kept)

    def _go_on(self, name: str, kept: list[RecordRead]) -> None:
        self._kept[name] = united(each.measurements for each in kept)
        self._kept_laws |= {judged["law"] for each in kept for judged in each.judgements}
        for m in self._kept[name]:
            if m.median is not None:
                self.stopwatch.learn(m.cell, m.median)

    # ---- the whole -------------------------------------------------------------------------------

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        for name in self._about:
            found = self._all(name)
            devices = dict.fromkeys(m.cell.device for m in found)
            after = conditions(self._backend(name), self._before[name])
            header = self._header(name, devices, int(exitstatus), after)
            record = record_of(header, found, self._laws())
            path = self._path(name, devices)
            self._write(path, record)
            self._path(name, self._about[name]).with_suffix(BEGUN).unlink(missing_ok=True)
            self.records[path] = record

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self.records:
            return
        terminalreporter.section("gradspec: speed")
        for path, record in self.records.items():
            for line in lines(record):
                terminalreporter.write_line(line)
            terminalreporter.write_line(f"results: {path}")

    def _all(self, name: str) -> list[Measurement]:
        own = [m for m in self.measurements if m.cell.backend == name]
        return united([self._kept[name], own])

    def _laws(self) -> list[MeasuredLaw]:
        others = self._kept_laws - {law.id for law in self.laws}
        known = laws_of(import_module(SPECIFICATION)) if others else {}
        return [*self.laws, *(law for word, law in known.items() if word in others)]

    def _path(self, name: str, devices: Iterable[str]) -> Path:
        word: str | None = given(self.config, "speed-results")
        folder = Path(word) if word else self.config.invocation_params.dir / DEFAULT_FOLDER
        backend = self._backend(name)
        models = {device: self._about[name][device]["model"] for device in devices}
        return folder / file_name(models, name, backend.version)

    def _backend(self, name: str) -> Any:
        subjects = session_of(self.config).subjects
        return next(s.backend for s in subjects if s.backend.name == name)

    def _write(self, path: Path, record: Record) -> None:
        try:
            write(path, record)
        except OptionError as error:
            pytest.exit(str(error), pytest.ExitCode.USAGE_ERROR)

    def _header(
        self,
        name: str,
        devices: Iterable[str],
        exit_status: int,
        after: Mapping[str, str | None] | None = None,
    ) -> dict[str, Any]:
        backend = self._backend(name)
        found = {"before": self._before[name], "after": after or {}}
        return {
            **{field: value for field, value in environment().items() if field != "format"},
            "processor": machine.model(),
            "memory_free": machine.free_memory(),
            "threads": backend.threads(),
            "library": name,
            "version": backend.version,
            "devices": {device: self._about[name][device] for device in devices},
            "conditions": {
                device: {when: told.get(device) for when, told in found.items()}
                for device in self._before[name]
            },
            "absent": {d: absence(d, [backend]) for d in DEVICES if d not in backend.devices()},
            "budget_seconds": self.stopwatch.budget,
            "confidence": CONFIDENCE,
            "exit_status": exit_status if 0 <= exit_status < 256 else 255,
        }
