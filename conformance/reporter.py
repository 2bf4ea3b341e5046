"""Verdicts on their way out: to the results file, the terminal and the exit status."""

from typing import Any

import pytest

from .matrix import figures, matrix
from .options import DEVICES, absence, results_path
from .results import ResultsFile, Verdict, environment
from .session import session_of

PROPERTY = "gradspec"
"""The user property of a test report that carries a verdict."""


class Reporter:
    """Collects verdicts where reports arrive: in the only process, or in the xdist controller."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.verdicts: list[Verdict] = []
        self.results: ResultsFile | None = None
        self.benchmarks = 0
        if config.getoption("--results"):
            self.results = self._open()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, value in report.user_properties:
            if name == PROPERTY:
                self._add(Verdict.from_json(value))  # type: ignore[arg-type]

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if self.verdicts and not any(verdict.drawn for verdict in self.verdicts):
            # A run that checked nothing is never green.
            session.exitstatus = exitstatus or pytest.ExitCode.NO_TESTS_COLLECTED
        if self.results is not None:
            self.results.close(int(session.exitstatus))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        line = terminalreporter.write_line
        if self.verdicts:
            terminalreporter.section("gradspec")
            for text in (*matrix(self.verdicts), "", *figures(self.verdicts)):
                line(text)
        elif "cuda" in self.config.getoption("-m") and not self.config.option.collectonly:
            line("gradspec: no claim ran")
        else:
            return
        for reason in self._absent():
            line(f"did not run: {reason}")
        if self.results is not None:
            line(f"results: {self.results.path}")

    def _absent(self) -> list[str]:
        subjects = session_of(self.config).subjects
        backends = list({s.backend.name: s.backend for s in subjects}.values())
        return [
            absence(device, backends)
            for device in DEVICES
            if not any(device in backend.devices() for backend in backends)
        ]

    def _add(self, verdict: Verdict) -> None:
        self.verdicts.append(verdict)
        if self.results is None:
            try:
                self.results = self._open()
            except pytest.UsageError as error:
                pytest.exit(str(error), pytest.ExitCode.USAGE_ERROR)
        self.results.add(verdict)

    def _open(self) -> ResultsFile:
        return ResultsFile(results_path(self.config), self._header())

    def _header(self) -> dict[str, Any]:
        session = session_of(self.config)
        return {
            **environment(),
            "seed": session.seed,
            "profile": session.profile,
            "subjects": [
                {
                    "subject": subject.id,
                    "version": subject.backend.version,
                    "device_model": subject.backend.device_model(subject.device),
                    "capabilities": sorted(subject.backend.capabilities),
                }
                for subject in session.subjects
            ],
        }
