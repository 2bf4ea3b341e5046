"""Red claims again, in fresh processes: do they fail by themselves, or by what ran before them?

When a run is over, its red claims are run again in processes of their own, with the same seed and
profile and without a database, as many processes at a time as the run had. Where there are many,
several share a process, in the reverse of their order: what had run before a claim does not run
before it there. What passes then depends on what ran before it, and the shortest sequence of claims
that makes it fail is looked for. All of it ends when the time for it is spent.
"""

import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ..protocol.errors import OptionError
from ..protocol.mode import EAGER
from ..results.reading import parse
from ..results.verdict import GREEN, VERDICT, Status, Verdict, name_of
from ..run.commandline import LONG, given, spelled
from ..run.loading import address as backend_address
from ..run.options import MONTH
from ..run.reproduction import file_word
from ..run.runner import Run
from ..run.session import session_of
from .children import end
from .sequences import shortest

SECONDS = 60.0
"""How long red claims are repeated for, if nobody says."""

STARTS = 4
"""So many fresh processes may follow each other for each process that the run had."""

RAN_AS = "gradspec ran as"
"""A user property of a test report: what it takes to run its claim again."""

RAN = frozenset({Status.PASS, Status.EXPECTED_FAILURE})
"""What is green and was run."""

NAMED = 5
"""So many claims of a sequence are named in a reason."""

RERUN = re.compile(r"(?m)^rerun: .*$")


@dataclass(frozen=True)
class Ran:
    """A claim that has begun: the name of its verdict, and what it takes to run it again.

    `word` is how its file is written on a command line.
    """

    name: str
    path: str
    word: str
    backend: str
    device: str
    dtype: str
    mode: str


@dataclass
class Red:
    """A red verdict: where it stood in its process, and what came of it in a fresh one."""

    ran: Ran
    verdict: Verdict
    report: pytest.TestReport
    worker: str
    place: int
    alone: str | None = None
    told: str = ""
    after: Sequence[Ran] = ()


def ran_as(item: pytest.Item, run: Run) -> dict[str, str]:
    """Return what it takes to run a claim again, as plain data."""
    subject = run.subject
    return {
        "name": name_of(run.key),
        "path": str(item.path),
        "word": file_word(run.claim),
        "backend": backend_address(subject.backend),
        "device": subject.device,
        "dtype": subject.dtype,
        "mode": subject.running_mode.name if subject.running_mode else EAGER,
    }


def seconds_of(config: pytest.Config) -> float:
    """Return for how long red claims are repeated; raises OptionError for what is no time."""
    seconds: float | None = given(config, "alone")
    if seconds is None:
        return SECONDS
    if not 0 <= seconds < MONTH:
        raise OptionError(
            f"{spelled(config, 'alone')} {seconds:g}: not a time to spend; give a number of "
            "seconds, or 0"
        )
    return seconds


class Repeater:
    """Where reports arrive: notes what has run in which process, and repeats what is red."""

    def __init__(self, config: pytest.Config, seconds: float) -> None:
        self.config = config
        self.seconds = seconds
        self.until = math.inf
        self.ran: dict[str, list[Ran]] = {}
        self.red: dict[str, Red] = {}
        self.culprits: set[Ran] = set()
        self.running: set[subprocess.Popen[bytes]] = set()
        self.path = [entry or str(Path.cwd()) for entry in sys.path]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what begins, and what turns out red and leaves the run red."""
        told: dict[str, Any] = dict(report.user_properties)
        worker = getattr(getattr(report, "node", None), "gateway", None)
        ran = self.ran.setdefault(worker.id if worker else "", [])
        if RAN_AS in told:
            ran.append(Ran(**told[RAN_AS]))
        if VERDICT not in told:
            return
        verdict = Verdict.from_json(told[VERDICT])
        if not report.failed or verdict.status in GREEN or not verdict.rerun:
            return
        places = [place for place, each in enumerate(ran) if each.name == verdict.name]
        # What was not even run, because of something else, has nothing to run again.
        if places:
            key = worker.id if worker else ""
            self.red[verdict.name] = Red(ran[places[-1]], verdict, report, key, places[-1])

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """Repeat what is red, and tell of it, before the results are closed."""
        red = [each for each in self.red.values() if self._may_end(each.verdict)]
        if not (red and self.seconds and self._is_over(exitstatus)) or self.config.getoption(
            "usepdb", False
        ):
            return
        self._say(
            f"repeating {_count(len(red))} in fresh processes, up to {self.seconds:g} seconds"
        )
        self.until = time.monotonic() + self.seconds
        try:
            self._repeat(red)
        except KeyboardInterrupt:
            self._say("repeating was interrupted")
        except OSError as error:
            self._say(f"nothing more could be repeated: {error.strerror}")
        for each in red:
            self._retell(each)

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say in a line what came of repeating."""
        if not self.red or self.until == math.inf:
            return
        counts = Counter(each.alone for each in self.red.values())
        words = {
            "fails": "red again by itself in a fresh process",
            "passes": "green there: it depends on what ran before",
            None: "not repeated: --alone SECONDS gives more time",
        }
        told = [f"{counts[key]} {text}" for key, text in words.items() if counts[key]]
        terminalreporter.write_line(f"repeated: {'; '.join(told)}")

    # ---- what is run again -----------------------------------------------------------------------

    def _is_over(self, exitstatus: int) -> bool:
        """Whether the run has come to an end of its own, and not its user to that of theirs."""
        # Of `-x` xdist makes an interruption as well.
        xdist: Any = self.config.pluginmanager.get_plugin("dsession")
        stopped = exitstatus == pytest.ExitCode.INTERRUPTED and getattr(xdist, "shouldstop", False)
        return stopped or exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)

    def _may_end(self, verdict: Verdict) -> bool:
        """Whether a claim can be expected to end in the time there is."""
        deadline: float | None = given(self.config, "deadline")
        return verdict.status is not Status.TIMEOUT or (deadline or math.inf) < self.seconds

    def _repeat(self, red: Sequence[Red]) -> None:
        """Settle what each does by itself, and then why what passes had failed."""
        count = self.config.getoption("numprocesses", None) or 1
        with ThreadPoolExecutor(count) as pool:
            try:
                list(pool.map(self._alone, _shares(red, count * STARTS)))
                list(pool.map(self._explain, red))
            except BaseException:
                self.until = 0.0
                for process in [*self.running]:
                    end(process)
                raise

    def _alone(self, share: Sequence[Red]) -> None:
        """Run some in a fresh process, in the reverse of their order, and in another if it ends."""
        waiting = sorted(share, key=lambda each: each.place, reverse=True)
        with suppress(TimeoutError):
            while waiting:
                came = self._run([each.ran for each in waiting])
                for each in waiting:
                    each.alone = came.get(each.ran.name)
                left = [each for each in waiting if each.alone is None]
                # What does not even begin is not waited for.
                waiting = left[1:] if len(left) == len(waiting) else left

    def _explain(self, red: Red) -> None:
        """Look for what has to run before a claim that passes by itself, so that it fails."""
        if red.alone != "passes":
            return
        before = list(dict.fromkeys(self.ran[red.worker][: red.place]))
        suspects = [ran for ran in before if ran.name in self.red or ran in self.culprits]

        def fails(sequence: Sequence[Ran]) -> bool:
            return self._run([*sequence, red.ran]).get(red.ran.name) == "fails"

        found, finished = shortest(before, suspects, fails)
        red.told = "it passes by itself in a fresh process, and depends on what ran before it"
        if found is not None:
            red.after = found
            self.culprits.update(found if finished else ())
            names = [ran.name for ran in found[:NAMED]]
            names += [f"{len(found) - NAMED} more"] if len(found) > NAMED else []
            few = "" if finished else " (there was no time to find fewer)"
            red.told = f"{red.told}: it fails after {', '.join(names)}{few}"
        elif finished:
            red.told = (
                "it passes by itself in a fresh process, and after all that ran before it as well: "
                "it does not repeat"
            )
        else:
            red.told += " (there was no time to find out on what)"

    # ---- fresh processes -------------------------------------------------------------------------

    def _run(self, sequence: Sequence[Ran]) -> Mapping[str, str]:
        """Run claims in this order in a fresh process; return what came of each that was judged.

        Raises TimeoutError if the time is spent, and nothing was.
        """
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        with tempfile.TemporaryDirectory(prefix="gradspec-") as folder:
            results, words = Path(folder, "results.jsonl"), Path(folder, "words.txt")
            words.write_text("\n".join(self._words(sequence, results)), encoding="utf-8")
            process = subprocess.Popen(  # noqa: S603
                # Without the working directory, which the run may not have looked into either.
                [sys.executable, "-P", "-m", "pytest", f"@{words}"],
                cwd=self.config.invocation_params.dir,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            self.running.add(process)
            try:
                process.wait(left)
                ended = not self.until
            except subprocess.TimeoutExpired:
                ended = True
            finally:
                end(process)
                self.running.discard(process)
            came = _came_of(results, ended=ended)
        if ended and not came:
            raise TimeoutError
        return came

    def _choice(self, sequence: Sequence[Ran]) -> Iterator[str]:
        """Spell the options with which claims run again in this order, and nothing else does."""
        session = session_of(self.config)
        for option in ("backend", "device", "dtype", "mode"):
            for word in dict.fromkeys(getattr(ran, option) for ran in sequence):
                yield from (f"{LONG}{option}", word)
        for name in dict.fromkeys(ran.name for ran in sequence):
            yield from (f"{LONG}verdict", name)
        yield from ("--hypothesis-seed", str(session.seed))
        if session.profile != "default":
            yield from ("--hypothesis-profile", session.profile)

    def _words(self, sequence: Sequence[Ran], results: Path) -> Iterator[str]:
        """Spell the command line of a fresh process."""
        config = self.config
        yield from dict.fromkeys(ran.path for ran in sequence)
        yield from self._choice(sequence)
        yield from (f"{LONG}results", str(results), f"{LONG}alone", "0", f"{LONG}no-isolate")
        if deadline := given(config, "deadline"):
            yield from (f"{LONG}deadline", str(deadline))
        yield from ("-q", "--tb=no", "--maxfail=0", "--junit-xml=", "-p", "no:cacheprovider")
        # What is set up for all runs here; files that others write stay as this run wrote them.
        yield f"--rootdir={config.rootpath}"
        yield from ("-c", str(config.inipath)) if config.inipath else ()
        known = config.known_args_namespace
        for letter, option in (("-p", "plugins"), ("-o", "override_ini"), ("-W", "pythonwarnings")):
            for word in getattr(known, option, None) or ():
                yield from (letter, word)
        if config.pluginmanager.has_plugin("xdist"):
            yield from ("-n", "0")

    def _environment(self) -> Mapping[str, str]:
        others = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "PYTEST_XDIST"))
        }
        return {**others, "PYTHONPATH": os.pathsep.join(self.path)}

    # ---- telling ---------------------------------------------------------------------------------

    def _retell(self, red: Red) -> None:
        """Write the verdict again, with what came of it."""
        if red.alone is None:
            return
        verdict = replace(red.verdict, alone=red.alone)
        if red.told:
            verdict = replace(
                verdict,
                reason=f"{verdict.reason}; {red.told}",
                reproduction=self._in_order(verdict.reproduction or "", [*red.after, red.ran]),
            )
        reporter: Any = self.config.pluginmanager.get_plugin("gradspec-reporter")
        told = SimpleNamespace(user_properties=[(VERDICT, verdict.to_json())])
        reporter.pytest_runtest_logreport(told)
        red.report.sections.append(("in a fresh process", red.told or "it fails by itself"))

    def _in_order(self, reproduction: str, sequence: Sequence[Ran]) -> str:
        """Say after what a claim fails, and how to run that again."""
        if len(sequence) == 1:
            return reproduction
        places = dict.fromkeys(ran.word for ran in sequence)
        words = ["pytest", *places, shlex.join(self._choice(sequence))]
        names = "\n".join(f"    {ran.name}" for ran in sequence[:-1])
        told = f"it fails after:\n{names}\n\nrerun: {' '.join(words)}"
        return RERUN.sub(lambda _: told, reproduction, count=1)

    def _say(self, line: str) -> None:
        terminal: Any = self.config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            terminal.write(f"\n{line}\n", flush=True)


def _shares(red: Sequence[Red], count: int) -> list[list[Red]]:
    """Deal red verdicts out to so many processes, the first of each claim first."""
    met: Counter[str] = Counter()
    ranks = []
    for each in red:
        ranks.append(met[each.verdict.claim])
        met[each.verdict.claim] += 1
    order = [each for _, each in sorted(zip(ranks, red, strict=True), key=lambda pair: pair[0])]
    size = math.ceil(len(order) / count)
    return [order[start : start + size] for start in range(0, len(order), size)]


def _came_of(results: Path, *, ended: bool) -> dict[str, str]:
    """Read what came of claims in a process, which may have died in one or been ended by us."""
    came: dict[str, str] = {}
    begun: list[str] = []
    with suppress(OSError, ValueError):
        for line in results.read_bytes().splitlines():
            kind, fields = parse(line)
            if kind == "begun":
                begun.append(name_of(tuple(fields)))
            if kind == "verdict":
                verdict = Verdict.from_json(fields)
                name = verdict.name
                begun = [each for each in begun if each != name]
                # What was not even run, because of something else, says nothing of the claim.
                if verdict.status in RAN:
                    came[name] = "passes"
                elif verdict.status not in GREEN and verdict.rerun:
                    came[name] = "fails"
    if not ended:
        came |= dict.fromkeys(begun, "fails")
    return came


def _count(number: int) -> str:
    return f"{number} red verdict{'s' * (number != 1)}"
