"""Verdicts on their way out: to the results file, the terminal and the exit status."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any

import pytest

from ..claims.claim import Level
from ..claims.editions import current
from ..protocol.backend import DEVICES
from ..protocol.errors import OptionError
from ..results.alike import alike, told, unmapped
from ..results.comparison import Comparison
from ..results.environment import environment
from ..results.matrix import figures, matrix
from ..results.reading import shortfall
from ..results.verdict import BEGUN, GREEN, VERDICT, Key, Status, Verdict, settled
from ..results.writing import ResultsFile, empty
from ..untrusted.texts import printable
from .commandline import given, misread
from .narrowing import MISSED, left_out
from .options import results_path
from .session import session_of
from .sharding import PLAN
from .workers import distributed

DRY = ("collectonly", "setuponly", "setupplan")
"""Options with which nothing is run."""


class Reporter:
    """Collects verdicts where reports arrive: in the only process, or in the xdist controller."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.tries: dict[Key, list[Verdict]] = {}
        self.short: str | None = None
        self.results: ResultsFile | None = None
        self.crashed: list[str] = []
        results, baseline = given(config, "results"), given(config, "baseline")
        if results is not None or baseline is not None:
            with self._writing():
                results_path(config)
        if results is not None:
            with self._writing():
                # What a run is about is not known in the controller of xdist until workers tell.
                empty(results_path(config)) if distributed(config) else self._file()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == BEGUN:
                with self._writing():
                    self._file().begin(Verdict.from_json(value))  # type: ignore[arg-type]
            elif name == VERDICT:
                verdict = Verdict.from_json(value)  # type: ignore[arg-type]
                self.tries.setdefault(verdict.key, []).append(verdict)
                with self._writing():
                    self._file().add(verdict)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        # A library that has little would fill the terminal with letters for what it has not.
        told: dict[str, Any] = dict(report.user_properties) if report.skipped else {}
        if VERDICT in told and Verdict.from_json(told[VERDICT]).status is Status.UNSUPPORTED:
            return "skipped", "", "SKIPPED"
        return None

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_handlecrashitem(self, crashitem: str, report: pytest.TestReport) -> None:
        if report.failed and not any(name == VERDICT for name, _ in report.user_properties):
            self.crashed.append(crashitem)

    @property
    def verdicts(self) -> list[Verdict]:
        """What has been judged so far."""
        return [settled(tries) for tries in self.tries.values()]

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        plan = self.config.stash.get(PLAN, None)
        dry = any(self.config.getoption(option, False) for option in DRY)
        if (plan or self.verdicts) and not dry:
            self.short = shortfall(len(self.verdicts), plan)
        if self._red() or self.short or session_of(self.config).told.faults:
            # Whatever a claim does to its test, skipping it included, its verdict decides.
            session.exitstatus = exitstatus or pytest.ExitCode.TESTS_FAILED
        elif self._claims and not (dry or any(verdict.drawn for verdict in self.verdicts)):
            # A run that checked nothing is never green.
            session.exitstatus = exitstatus or pytest.ExitCode.NO_TESTS_COLLECTED
        if exitstatus == pytest.ExitCode.INTERRUPTED:
            with self._writing():
                # Also where that came before the first claim: an older file would be taken for it.
                self._file()
        if self.results is not None and not self.crashed:
            with self._writing():
                self.results.close(
                    int(session.exitstatus), plan, session_of(self.config).told.faults
                )

    def _red(self) -> bool:
        if self.comparison:
            return self.comparison.red(allow_lost=bool(given(self.config, "allow-lost")))
        return any(verdict.status not in GREEN for verdict in self.verdicts)

    @cached_property
    def comparison(self) -> Comparison | None:
        """What changed since the baseline, once the run is over."""
        baseline = session_of(self.config).baseline if self.verdicts else None
        if baseline is None:
            return None
        header = self._header()
        backends = {subject["backend"] for subject in header["subjects"]}
        return Comparison(
            baseline,
            header,
            self.verdicts,
            missed=frozenset(self.config.stash.get(MISSED, ())),
            left_out=partial(left_out, self.config, backends),
        )

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.config.getoption("--benchmark-only", False):
            return  # times have a reporter of their own
        faults = session_of(self.config).told.faults
        if not (self._claims or faults or self._asked_for_claims()):
            return
        terminalreporter.section("gradspec")
        for line in self._lines():
            terminalreporter.write_line(printable(line))

    def _lines(self) -> Iterator[str]:
        if self.comparison:
            yield from self.comparison.lines()
            yield ""
        if self.verdicts:
            yield from matrix(self.verdicts)
            yield ""
            yield from figures(self.verdicts)
            if len(groups := alike(self.verdicts)) > 1:
                yield from ("", "red, by what is said of it:", *told(groups), "")
            if rows := [*unmapped(self.verdicts)]:
                title = "for error_kind, which does not know what stands for these refusals:"
                yield from ("", title, *rows, "")
            yield from (f"not run: {absent}" for absent in self._absent())
        else:
            yield f"no claim ran: {'; '.join(self._absent()) or 'none was selected'}"
        if self.short:
            yield f"not a whole run: {self.short}"
        session = session_of(self.config).told
        yield from (f"fault: {f['backend']} {f['reason']}" for f in session.faults)
        yield from (f"not checked: {name} is not installed" for name in session.left_out)
        yield from misread(self.config)
        for crashed in self.crashed:
            yield f"broken run: {crashed} took its worker down; its verdict is missing"
        if self.results is not None:
            yield f"results: {self.results.path}"

    @property
    def _claims(self) -> bool:
        """Whether claims ran, or were to be compared with those of an earlier run."""
        timing = self.config.getoption("--benchmark-only", False)
        return bool(self.verdicts or (given(self.config, "baseline") and not timing))

    def _asked_for_claims(self) -> bool:
        """Whether the marks selected are those of claims, so that silence would mislead."""
        chosen = str(self.config.getoption("-m", ""))
        return any(word in chosen.split() for word in (*DEVICES, *Level))

    def _absent(self) -> list[str]:
        return session_of(self.config).told.absent

    def _file(self) -> ResultsFile:
        if self.results is None:
            self.results = ResultsFile(results_path(self.config), self._header())
        return self.results

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """End the run in one line if its results cannot be kept."""
        try:
            yield
        except OptionError as error:
            self.results = None
            pytest.exit(str(error), pytest.ExitCode.USAGE_ERROR)

    def _header(self) -> dict[str, Any]:
        session = session_of(self.config)
        return {
            **environment(),
            "edition": current().name,
            "seed": session.seed,
            "profile": session.profile,
            "database": session.database.kind if session.database else None,
            "shard": str(session.shard) if session.shard else None,
            "subjects": session.told.subjects,
            **({"faults": session.told.faults} if session.told.faults else {}),
        }
