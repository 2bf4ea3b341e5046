"""Verdicts on their way out: to the results file, the terminal and the exit status."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from .backend import DEVICES
from .claims import Level
from .comparison import Comparison
from .environment import described, environment
from .errors import OptionError
from .matrix import figures, matrix
from .options import absence, results_path
from .results import GREEN, Verdict
from .session import session_of
from .sharding import PLAN
from .supervision import BEGUN, VERDICT
from .texts import printable
from .writing import ResultsFile


class Reporter:
    """Collects verdicts where reports arrive: in the only process, or in the xdist controller."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.judged: dict[tuple[str, ...], Verdict] = {}
        self.results: ResultsFile | None = None
        self.crashed: list[str] = []
        if config.getoption("--results"):
            with self._writing():
                self._file()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == BEGUN:
                with self._writing():
                    self._file().begin(Verdict.from_json(value))  # type: ignore[arg-type]
            elif name == VERDICT:
                verdict = Verdict.from_json(value)  # type: ignore[arg-type]
                self.judged[verdict.key] = verdict
                with self._writing():
                    self._file().add(verdict)

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_handlecrashitem(self, crashitem: str, report: pytest.TestReport) -> None:
        if report.failed and not any(name == VERDICT for name, _ in report.user_properties):
            self.crashed.append(crashitem)

    @property
    def verdicts(self) -> list[Verdict]:
        """What has been judged so far."""
        return list(self.judged.values())

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        red = [verdict for verdict in self.verdicts if verdict.status not in GREEN]
        if any(session_of(self.config).excuse(verdict) is None for verdict in red):
            # Whatever a claim does to its test, skipping it included, its verdict decides.
            session.exitstatus = exitstatus or pytest.ExitCode.TESTS_FAILED
        elif self.verdicts and not any(verdict.drawn for verdict in self.verdicts):
            # A run that checked nothing is never green.
            session.exitstatus = exitstatus or pytest.ExitCode.NO_TESTS_COLLECTED
        if self.results is not None and not self.crashed:
            with self._writing():
                self.results.close(int(session.exitstatus), self.config.stash.get(PLAN, None))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.config.getoption("--benchmark-only", False):
            return  # times have a reporter of their own
        if not (self.verdicts or self._asked_for_claims()):
            return
        terminalreporter.section("gradspec")
        for line in self._lines():
            terminalreporter.write_line(printable(line))

    def _lines(self) -> Iterator[str]:
        if baseline := session_of(self.config).baseline:
            yield from Comparison(baseline, self._header(), self.verdicts).lines()
            yield ""
        if self.verdicts:
            yield from matrix(self.verdicts)
            yield ""
            yield from figures(self.verdicts)
            yield from (f"not run: {absent}" for absent in self._absent())
        else:
            yield f"no claim ran: {'; '.join(self._absent()) or 'none was selected'}"
        for crashed in self.crashed:
            yield f"broken run: {crashed} took its worker down; its verdict is missing"
        if self.results is not None:
            yield f"results: {self.results.path}"

    def _asked_for_claims(self) -> bool:
        """Whether the marks selected are those of claims, so that silence would mislead."""
        chosen = str(self.config.getoption("-m", ""))
        return any(word in chosen.split() for word in (*DEVICES, *Level))

    def _absent(self) -> Iterator[str]:
        subjects = session_of(self.config).subjects
        backends = list({s.backend.name: s.backend for s in subjects}.values())
        for device in DEVICES:
            if not any(device in backend.devices() for backend in backends):
                yield absence(device, backends)

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
            "seed": session.seed,
            "profile": session.profile,
            "database": session.database.kind if session.database else None,
            "shard": str(session.shard) if session.shard else None,
            "subjects": described(session.subjects),
        }
