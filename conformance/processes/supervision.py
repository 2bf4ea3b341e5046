"""In the controller of xdist: what a claim does to its process costs that claim and no other.

xdist starts a new worker for one that died and gives it what the dead one had still to do. Here the
claim it died in gets a verdict, from the last words of the worker; what it was setting up when it
died is left out by its successor.
"""

import json
import os
import shutil
import signal
import threading
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from ..results.verdict import BEGUN, VERDICT, Status, Verdict
from ..run.blackbox import last_values
from ..run.reproduction import with_values
from ..run.session import Told, session_of
from ..run.sharding import PLAN
from ..run.workers import SLOT, TOLD
from .last_words import SETTING_UP, SPOILED, cause, deed_of, is_late, stack
from .probing import MARGIN
from .watchdog import allowance

PLANNED, ONLY, REFUSED = "planned", "only", "refused"
"""What a worker tells besides its subjects: what was to be run, whether that is claims and nothing
else, and why nothing is run."""

SUPERVISED = ("load", "worksteal")
"""The ways of xdist to deal out tests that do not run a test again which ended its worker."""

STILLBORN = 3
"""After so many workers that died before their first test, starting another one is no use."""

TICK = 0.5
"""Seconds between two looks at the workers."""


@dataclass
class Watched:
    """What the controller knows of a worker."""

    node: Any
    claims: set[str] = field(default_factory=set)
    """The claims that have begun in it and not ended."""
    only: bool = False
    """Whether it runs nothing but claims."""
    silent: float = 0.0
    """For how long it has said nothing."""
    state: str = ""
    killed: bool = False
    down: bool = False


class Supervisor:
    """Judges the claims that workers did not survive, and decides whether to go on."""

    def __init__(self, config: pytest.Config, folder: Path) -> None:
        self.config = config
        self.folder = folder
        self.begun: dict[str, Verdict] = {}
        self.proven: set[str] = set()
        self.stillborn = 0
        self.lost: dict[str, str] = {}
        self.unfit: dict[str, str] = {}
        self.workers: dict[str, Watched] = {}
        self.able = config.getoption("dist", "no") in SUPERVISED
        self.over = threading.Event()
        session = session_of(config)
        self.patience = allowance(session.deadline, session.profile) + MARGIN
        threading.Thread(target=self._watch, daemon=True).start()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker what its predecessors did not survive."""
        self._of(node)
        # Once claims are dealt out, they are the same for all workers to come.
        shapes = json.dumps(session_of(self.config).told.shapes)
        told = {"lost": dict(self.lost), "unfit": dict(self.unfit), "shapes": shapes}
        node.workerinput[SLOT] |= told

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Follow what begins and ends in a worker."""
        node = getattr(report, "node", None)
        if node is None:
            return
        watched = self._of(node)
        watched.silent = 0.0
        self.proven.add(node.gateway.id)
        for name, value in report.user_properties:
            if name == BEGUN:
                self.begun[report.nodeid] = Verdict.from_json(value)  # type: ignore[arg-type]
                watched.claims.add(report.nodeid)
            elif name == TOLD:
                self._hear(watched, json.loads(str(value)))
        if report.when == "teardown":
            watched.claims.discard(report.nodeid)

    @pytest.hookimpl(optionalhook=True)
    def pytest_handlecrashitem(self, crashitem: str, report: Any, sched: Any) -> None:
        """Make a verdict of what a worker died in."""
        watched = self._of(report.node)
        words = self._last_words(watched)
        if words.endswith(SPOILED):
            sched.mark_test_pending(crashitem)
            # xdist will report something: let it be what nobody sees or counts.
            report.outcome, report.when, report.longrepr = "passed", "setup", None
        elif last := self.begun.get(crashitem):
            values = "".join(map(last_values, self._files(watched)))
            verdict = judge(last, words, self._end_of(watched), values)
            path, _, name = crashitem.partition("::")
            report.location = (path, None, name)
            report.longrepr = f"{verdict.status}: {verdict.reason}\n\n{verdict.reproduction}"
            report.user_properties.append((VERDICT, verdict.to_json()))
            foreseen = verdict.reason if verdict.status is Status.EXPECTED_FAILURE else None
            if excuse := foreseen or session_of(self.config).excuse(verdict):
                report.outcome, report.wasxfail = "skipped", excuse

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object | None) -> None:
        """Learn from how a worker ended what its successor is to be spared."""
        watched = self._of(node)
        watched.down = True
        if not error:
            told = json.loads(node.workeroutput.get(TOLD, "{}"))
            if refusal := told.get(REFUSED):
                pytest.exit(str(refusal), pytest.ExitCode.USAGE_ERROR)
            if told:
                self._hear(watched, told)
            return
        words = self._last_words(watched)
        self._end_group(watched)
        match deed_of(words):
            case (deed, what) if deed == SETTING_UP:
                self._lose(what, f"cannot be set up: {self._end_of(watched)}")
            case (_, what):
                self.unfit[what] = f"the smoke check did not end well: {self._end_of(watched)}"
            case None if node.gateway.id not in self.proven:
                self.stillborn += 1
        if self.stillborn == STILLBORN:
            pytest.exit(
                f"{STILLBORN} workers died before their first test ({cause(words)}): "
                "run with -n 0 to see why",
                pytest.ExitCode.INTERNAL_ERROR,
            )

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """End claims that run although the run is over: its user has interrupted it."""
        for watched in self._alive():
            if self._state(watched):
                self._kill(watched)
            elif os.name == "posix":
                # It does not hear the user by itself.
                for process in self._processes(watched):
                    with suppress(OSError):
                        os.kill(process, signal.SIGINT)

    def pytest_unconfigure(self) -> None:
        """Leave no file and no process behind."""
        self.over.set()
        for watched in self.workers.values():
            self._end_group(watched)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _of(self, node: Any) -> Watched:
        return self.workers.setdefault(node.gateway.id, Watched(node))

    def _alive(self) -> list[Watched]:
        return [watched for watched in list(self.workers.values()) if not watched.down]

    def _hear(self, watched: Watched, told: dict[str, Any]) -> None:
        """Take in what a worker tells of its claims; the first to do so speaks for all."""
        watched.only = told.pop(ONLY)
        planned = told.pop(PLANNED)
        if planned:
            self.config.stash[PLAN] = planned
        session = session_of(self.config)
        if session.told.subjects:
            for fault in told["faults"]:
                self._lose(fault["backend"], fault["reason"])
        else:
            session.told = Told(**told)
        self._lift()

    def _lose(self, word: str, reason: str) -> None:
        """Note that a backend cannot be set up."""
        self.lost[word] = reason
        faults = session_of(self.config).told.faults
        if not any(fault["backend"] == word for fault in faults):
            faults.append({"backend": word, "reason": reason})
        self._lift()

    def _lift(self) -> None:
        """Let workers be replaced as often as it takes, if xdist's user has set no limit.

        It stops at four a worker; a library that crashes in five claims is no reason to.
        """
        xdist = self.config.pluginmanager.get_plugin("dsession")
        if self.able and xdist is not None and self.config.option.maxworkerrestart is None:
            xdist._max_worker_restart = None  # noqa: SLF001

    def _last_words(self, watched: Watched) -> str:
        return "".join(
            path.read_text(encoding="utf-8", errors="replace") for path in self._files(watched)
        )

    def _files(self, watched: Watched) -> list[Path]:
        """Return the one file of a worker that has met a claim, and runs on this machine."""
        return [*self.folder.glob(f"{watched.node.gateway.id}-*.txt")]

    def _processes(self, watched: Watched) -> list[int]:
        """Return the one process of such a worker."""
        return [int(path.stem.rpartition("-")[2]) for path in self._files(watched)]

    def _end_of(self, watched: Watched) -> str:
        """Say in a line how a worker ended."""
        told = cause(self._last_words(watched))
        if watched.killed and told == cause(""):
            return f"it no longer answered, and was ended after {self.patience:g} seconds"
        return told

    # ---- workers that say nothing ----------------------------------------------------------------

    def _watch(self) -> None:
        """In a thread: end workers that no longer answer, and cannot end themselves.

        What is counted is looks, not time: a machine that slept, or a run that was stopped and
        goes on, has not kept anybody waiting.
        """
        while not self.over.wait(TICK):
            for watched in self._alive():
                state = self._state(watched)
                watched.silent = watched.silent + TICK if state == watched.state else 0.0
                watched.state = state
                if state and watched.silent > self.patience and not watched.killed:
                    self._kill(watched)

    def _state(self, watched: Watched) -> str:
        """Say what a worker is about, if that is of ours; empty if it is not."""
        if watched.claims:
            return " ".join(watched.claims)
        if watched.node.gateway.id not in self.proven:
            with suppress(OSError):
                return " ".join(deed_of(self._last_words(watched)) or ())
        if watched.only:
            scheduler = getattr(self.config.pluginmanager.get_plugin("dsession"), "sched", None)
            waiting = getattr(scheduler, "node2pending", {}).get(watched.node)
            return "between claims" if waiting else ""
        return ""

    def _kill(self, watched: Watched) -> None:
        watched.killed = True
        for process in self._processes(watched):
            with suppress(OSError):
                os.kill(process, getattr(signal, "SIGKILL", signal.SIGTERM))
        self._end_group(watched)

    def _end_group(self, watched: Watched) -> None:
        """End what the claims of a worker have begun and left."""
        for process in self._processes(watched) if hasattr(os, "killpg") else []:
            # In this order it reaches those as well that were stopped.
            for number in (signal.SIGTERM, signal.SIGCONT):
                with suppress(OSError):
                    os.killpg(process, number)


def judge(last: Verdict, words: str, end: str, values: str = "") -> Verdict:
    """Make a verdict of what a claim had left to be said, and of how its process ended.

    `values` are those of the example that it did not survive.
    """
    if last.status is Status.EXPECTED_FAILURE:
        return last
    late = is_late(words) or end != cause(words)
    text = f"{with_values(last.reproduction or '', values)}\n\n{stack(words)}".rstrip()
    status = Status.TIMEOUT if late else Status.CRASH
    return replace(last, status=status, reason=end, reproduction=text)
