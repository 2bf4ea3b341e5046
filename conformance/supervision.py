"""In the controller of xdist: what a claim does to its process costs that claim and no other.

xdist starts a new worker for one that died and gives it what the dead one had still to do. Here the
claim it died in gets a verdict, from the last words of the worker.
"""

import re
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from .results import Status, Verdict
from .session import session_of
from .sharding import PLAN, PLANNED
from .watchdog import DUMP, SPOILED

VERDICT = "gradspec verdict"
BEGUN = "gradspec begun"
"""User properties of a test report: the one thing that every worker and reporter hands on."""

SUPERVISED = ("load", "worksteal")
"""The ways of xdist to deal out tests that do not run a test again which ended its worker."""

STILLBORN = 3
"""After so many workers that died before their first test, starting another one is no use."""

FRAMES = 12
"""How much of a stack is shown, innermost call first."""


class Supervisor:
    """Judges the claims that workers did not survive, and decides whether to go on."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.begun: dict[str, Verdict] = {}
        self.proven: set[str] = set()
        self.stillborn = 0
        self.folder = tempfile.TemporaryDirectory(prefix="gradspec-")
        self.able = config.getoption("dist", "no") in SUPERVISED
        if self.able and config.option.maxworkerrestart is None:
            # xdist stops at four a worker; a library that crashes in five claims is no reason to.
            config.option.maxworkerrestart = str(sys.maxsize)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        if self.able:
            node.workerinput[DUMP] = str(self._dump(node))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if node := getattr(report, "node", None):
            self.proven.add(node.gateway.id)
        for name, value in report.user_properties:
            if name == BEGUN:
                self.begun[report.nodeid] = Verdict.from_json(value)  # type: ignore[arg-type]

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: Any, sched: Any) -> None:
        words = self._last_words(report.node)
        if words.endswith(SPOILED):
            sched.mark_test_pending(crashitem)
            # xdist will report something: let it be what nobody sees or counts.
            report.outcome, report.when, report.longrepr = "passed", "setup", None
        elif last := self.begun.get(crashitem):
            verdict = judge(last, words)
            path, _, name = crashitem.partition("::")
            report.location = (path, None, name)
            report.longrepr = f"{verdict.status}: {verdict.reason}\n\n{verdict.reproduction}"
            report.user_properties.append((VERDICT, verdict.to_json()))
            foreseen = verdict.reason if verdict.status is Status.EXPECTED_FAILURE else None
            if excuse := foreseen or session_of(self.config).excuse(verdict):
                report.outcome, report.wasxfail = "skipped", excuse

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object | None) -> None:
        output = {} if error else node.workeroutput
        if planned := output.get(PLANNED):
            self.config.stash[PLAN] = planned
        if error and node.gateway.id not in self.proven:
            self.stillborn += 1
        if self.stillborn == STILLBORN:
            words = self._last_words(node)
            pytest.exit(
                f"{STILLBORN} workers died before their first test ({cause(words)}): "
                "run with -n 0 to see why",
                pytest.ExitCode.INTERNAL_ERROR,
            )

    def pytest_unconfigure(self) -> None:
        self.folder.cleanup()

    def _dump(self, node: Any) -> Path:
        return Path(self.folder.name) / f"{node.gateway.id}.txt"

    def _last_words(self, node: Any) -> str:
        path = self._dump(node)
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def judge(last: Verdict, words: str) -> Verdict:
    """Make a verdict of what a claim had left to be said, and of the last words of its process."""
    if last.status is Status.EXPECTED_FAILURE:
        return last
    status = Status.TIMEOUT if words.startswith("Timeout (") else Status.CRASH
    text = f"{last.reproduction}\n\n{stack(words)}".rstrip()
    return replace(last, status=status, reason=cause(words), reproduction=text)


def cause(words: str) -> str:
    """Say in a line what ended a process."""
    if late := re.match(r"Timeout \((.*)\)!", words):
        return f"it had not ended after {late[1]}, its deadline"
    first = words.partition("\n")[0]
    return first or "the process ended without a word: it left by itself, or was killed"


def stack(words: str) -> str:
    """Return the innermost frames of the thread that ran the claim."""
    threads = re.split(r"(?m)^(?=(?:Current thread|Thread) )", words)[1:]
    # A deadline has no current thread; pytest runs in the first one, which is listed last.
    chosen = next((t for t in threads if t.startswith("Current")), threads[-1] if threads else "")
    return "\n".join(line for line in chosen.splitlines()[: FRAMES + 1] if line)
