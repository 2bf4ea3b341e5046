"""The search at length: workers run programs, one process watches them, shrinks and reports.

Workers survive nothing, and need not: each writes down the number of the program it is about to
run, so that one that dies or hangs has named it; it is replaced and goes on behind that program.
"""

import json
import mmap
import subprocess
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from queue import Empty, Queue
from typing import IO, Any

from ..protocol.errors import OptionError
from ..run.loading import load_from_here
from .corpus import Corpus
from .coverage import Triple
from .functional import comparison_of
from .known import Known, detoured
from .language import Program, lines_of
from .searching import Answer, Child, Subject, child_of, command, script_fails
from .worker import NUMBER

NEWS = 10.0
"""Seconds between two lines of progress."""

EACH = 3
"""How many failures of one look are shrunk, before only each second, fourth, ... one is."""


@dataclass
class Runner:
    """One worker as it is watched: its process, and how far it has come."""

    number: int
    process: subprocess.Popen[str]
    now: mmap.mmap
    file: IO[bytes]
    started: float
    ready: bool = False
    at: int = -1
    since: float = 0.0
    ended: bool = False
    listener: threading.Thread = field(default_factory=threading.Thread)

    def current(self) -> int:
        """The number of the program that it runs."""
        return int(NUMBER.unpack_from(self.now, 0)[0])

    def unreported(self) -> int:
        """How many programs it has run without telling yet."""
        return int(NUMBER.unpack_from(self.now, 0)[1])


@dataclass
class Found:
    """One failure, as it is reported: what its smallest program shows, and how often it came."""

    key: str
    answer: Answer
    seed: int
    number: int
    known: Known | None = None
    confirmed: bool = False
    times: int = 1


@dataclass
class Tally:
    """What a search has done so far."""

    programs: int = 0
    cpu: float = 0.0
    triples: set[Triple] = field(default_factory=set)
    unjudged: Counter[str] = field(default_factory=Counter)
    unshrunk: int = 0

    @property
    def rate(self) -> float:
        """Programs for each second of a worker's CPU."""
        return self.programs / self.cpu if self.cpu else 0.0


class Fuzzer:
    """One search, with all that it has found."""

    def __init__(
        self,
        subject: Subject,
        *,
        seed: int,
        seconds: float | None,
        programs: int | None,
        workers: int,
        corpus: Corpus,
        deadline: float,
        say: Callable[[str], None],
    ) -> None:
        self.subject = subject
        self.seed = seed
        self.seconds = seconds
        self.programs = programs
        self.workers = workers
        self.corpus = corpus
        self.deadline = deadline
        self.say = say
        self.backend = load_from_here(subject.backend)
        if subject.device not in self.backend.devices():
            asked = f"{self.backend.name} {self.backend.version}"
            raise OptionError(f"--device: no {subject.device} device is seen by {asked}")
        if subject.dtype not in self.backend.dtypes:
            has = ", ".join(self.backend.dtypes)
            raise OptionError(f"--dtype {subject.dtype}: {self.backend.name} has {has}")
        self.comparison = comparison_of(self.backend, subject.dtype, subject.device)
        self.known = self.comparison.defects
        self.tally = Tally()
        self.found: dict[str, Found] = {}
        self.looks: Counter[tuple[str, ...]] = Counter()
        self.names: dict[tuple[str, ...], str] = {}
        self.gone: list[Known] = []
        self.messages: Queue[tuple[Runner, dict[str, Any] | None]] = Queue()
        self.failures: deque[tuple[Program, int, tuple[str, ...]]] = deque()
        self.runners: list[Runner] = []
        self.first = corpus.first(subject, seed)
        self.reached = self.first

    # ---- the search ------------------------------------------------------------------------------

    def search(self) -> None:
        """Search until the time or the programs are used up, or somebody interrupts."""
        began = time.monotonic()
        with (
            tempfile.TemporaryDirectory() as folder,
            child_of(self.subject, self.deadline) as child,
        ):
            try:
                self.replay(child)
                for number in range(self.workers):
                    self.start(number, self.first + number, Path(folder))
                self.watch(child, Path(folder), began)
                self.finish(child)
            finally:
                for runner in self.runners:
                    self.stop(runner)
                self.corpus.save(self.subject, self.seed, self.reached)

    def replay(self, child: Child) -> None:
        """Run what is known, once each, and then what was interesting in former searches."""
        for known in self.known:
            answer = child.ask(known.witness, script=True)
            if answer is None and known.sometimes:
                continue
            if answer is None:
                self.gone.append(known)
                self.say(f"gone: {known.reason} ({known.link}): take its entry out")
            else:
                self.found[known.key] = Found(known.key, answer, self.seed, -1, known, times=0)
        for program in self.corpus.programs:
            answer = child.ask(detoured(program, self.known))
            if answer is not None:
                self.shrink(child, program, -1, ("corpus", answer.sort))

    def watch(self, child: Child, folder: Path, began: float) -> None:
        """Take messages until the end; replace workers that have died or do not answer."""
        news = began + NEWS
        while not all(runner.ended for runner in self.runners):
            try:
                runner, message = self.messages.get(timeout=0 if self.failures else 0.2)
            except Empty:
                if self.failures:
                    self.fail(child, *self.failures.popleft())
            else:
                if message is None:
                    self.bury(runner, folder, "crash")
                else:
                    self.take(runner, message)
            now = time.monotonic()
            for runner in self.runners:
                if not runner.ended and self.hangs(runner, now):
                    self.bury(runner, folder, "hang")
            if now > news:
                self.progress(now - began)
                news = now + NEWS
            if self.seconds is not None and now - began > self.seconds:
                break

    def finish(self, child: Child) -> None:
        """Take what was said until the end, and shrink a failure of each look that is new."""
        for runner in self.runners:
            self.stop(runner)
            runner.listener.join()
        while not self.messages.empty():
            runner, message = self.messages.get()
            if message is not None:
                self.take(runner, message)
        for program, number, look in self.failures:
            if self.looks[look]:
                self.tally.unshrunk += 1
            else:
                self.fail(child, program, number, look)

    def take(self, runner: Runner, message: dict[str, Any]) -> None:
        """Take a message of a worker."""
        if "ready" in message:
            runner.ready, runner.since = True, time.monotonic()
        elif "end" in message:
            runner.ended = True
        elif "done" in message:
            self.tally.programs += message["done"]
            self.tally.cpu += message["cpu"]
            self.tally.unjudged.update(message["unjudged"])
            self.reached = max(self.reached, message["next"])
        elif "reached" in message:
            new = {tuple(each) for each in message["reached"]} - self.tally.triples
            if new:
                self.tally.triples |= new
                self.corpus.keep(self.comparison.drawn(self.seed, message["number"]))
        elif "failed" in message:
            look, number = tuple(map(str, message["rough"])), message["failed"]
            self.failures.append((self.comparison.drawn(self.seed, number), number, look))

    def fail(self, child: Child, program: Program, number: int, look: tuple[str, ...]) -> None:
        """Shrink a failure, unless enough of its look have been."""
        self.looks[look] += 1
        times = self.looks[look]
        if times > EACH and times & (times - 1):
            if look in self.names and self.names[look] in self.found:
                self.found[self.names[look]].times += 1
            else:
                self.tally.unshrunk += 1
            return
        self.shrink(child, program, number, look)

    def shrink(self, child: Child, program: Program, number: int, look: tuple[str, ...]) -> None:
        """Find the smallest program that shows it, and report it if it is new."""
        answer = child.smallest(program)
        if answer is None:
            self.say(f"seen once only, in program {number}: {' '.join(look)}")
            return
        known = next((each for each in self.known if each.covers(answer.key)), None)
        key = known.key if known else answer.key
        self.names[look] = key
        if key in self.found:
            self.found[key].times += 1
            return
        found = Found(key, answer, self.seed, number, known)
        if known is None and self.subject.backend == "torch":
            found.confirmed = bool(answer.script) and script_fails(answer.script)
        self.found[key] = found
        if known is None:
            self.report(found)

    # ---- workers ---------------------------------------------------------------------------------

    def start(self, number: int, first: int, folder: Path) -> None:
        """Start a worker at a program."""
        place = folder / f"{number}-{first}"
        place.write_bytes(NUMBER.pack(-1, 0))
        words = {
            **asdict(self.subject),
            "seed": self.seed,
            "first": first,
            "step": self.workers,
            "last": None if self.programs is None else self.first + self.programs,
            "place": str(place),
        }
        process = subprocess.Popen(  # noqa: S603 - our own module
            command("worker", json.dumps(words)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        file = place.open("r+b")
        now = mmap.mmap(file.fileno(), NUMBER.size)
        runner = Runner(number, process, now, file, time.monotonic())
        runner.listener = threading.Thread(target=self.listen, args=(runner,), daemon=True)
        self.runners = [each for each in self.runners if each.number != number] + [runner]
        runner.listener.start()

    def listen(self, runner: Runner) -> None:
        """Pass on what a worker says; None when it has ended."""
        assert runner.process.stdout is not None
        for line in runner.process.stdout:
            self.messages.put((runner, json.loads(line)))
        runner.process.wait()
        self.messages.put((runner, None))

    def hangs(self, runner: Runner, now: float) -> bool:
        """Whether a worker has been at one program for too long."""
        current = runner.current()
        if current != runner.at:
            runner.at, runner.since = current, now
        return runner.ready and now - runner.since > self.deadline

    def bury(self, runner: Runner, folder: Path, end: str) -> None:
        """Replace a worker that has died or hangs, and shrink the program that it was at."""
        if runner.ended or runner not in self.runners:
            return
        number, unreported = runner.current(), runner.unreported()
        self.stop(runner)
        runner.ended = True
        if number < 0:
            raise OptionError(
                f"--backend {self.subject.backend}: its worker ended before its first program "
                f"(exit status {runner.process.returncode}); try `pytest --backend` first"
            )
        self.tally.programs += unreported + 1
        self.start(runner.number, number + self.workers, folder)
        self.failures.append((self.comparison.drawn(self.seed, number), number, (end, "")))

    def stop(self, runner: Runner) -> None:
        """End a worker."""
        if not runner.now.closed:
            runner.process.kill()
            runner.process.wait()
            runner.now.close()
            runner.file.close()

    # ---- what is told ----------------------------------------------------------------------------

    @property
    def new(self) -> list[Found]:
        """What nobody knew of."""
        return [each for each in self.found.values() if each.known is None]

    def progress(self, seconds: float) -> None:
        """Tell how far the search has come."""
        tally = self.tally
        known = sum(each.known is not None and each.times > 0 for each in self.found.values())
        self.say(
            f"{seconds:6.0f} s  {tally.programs:,} programs, {tally.rate:,.0f} for each second of "
            f"CPU; {len(tally.triples):,} triples; {len(self.new)} new failures, "
            f"{known} of {len(self.known)} known"
        )

    def report(self, found: Found) -> None:
        """Tell of one failure, with its script."""
        self.say("")
        self.say(f"{found.key}")
        self.say(f"    expected {found.answer.expected}, got {found.answer.got}")
        for line in lines_of(found.answer.program):
            self.say(f"    {line}")
        if found.answer.script and self.subject.backend == "torch":
            state = "exits with status 1" if found.confirmed else "was tried and does not fail"
            self.say(f"  as a script, which {state} in a fresh interpreter:")
            for line in found.answer.script.splitlines():
                self.say(f"    {line}" if line else "")
        self.say("")

    def records(self) -> Iterable[dict[str, Any]]:
        """Return what was found as data: a header, each failure, a footer."""
        yield {
            "format": 1,
            "kind": "fuzz",
            **asdict(self.subject),
            "version": self.backend.version,
            "seed": self.seed,
            "first": self.first,
        }
        for each in self.found.values():
            yield {
                "key": each.key,
                "known": each.known.link if each.known else None,
                "times": each.times,
                "number": each.number,
                "program": lines_of(each.answer.program),
                "got": each.answer.got,
                "expected": each.answer.expected,
                "script": each.answer.script,
                "confirmed": each.confirmed,
            }
        tally = self.tally
        yield {
            "programs": tally.programs,
            "cpu": round(tally.cpu, 3),
            "triples": len(tally.triples),
            "unjudged": dict(tally.unjudged),
            "unshrunk": tally.unshrunk,
            "gone": [each.key for each in self.gone],
        }

    def summary(self) -> Iterable[str]:
        """Return what the search comes to, in lines."""
        tally = self.tally
        yield (
            f"{tally.programs:,} programs on {self.subject.backend} {self.backend.version}, "
            f"{tally.rate:,.0f} for each second of CPU; {len(tally.triples):,} triples of kind, "
            "operand and mode reached"
        )
        for reason, count in tally.unjudged.most_common():
            yield f"not judged: {count:,} times {reason}"
        for each in self.found.values():
            if each.known is not None:
                yield f"known, {each.times:,} times more: {each.known.reason} ({each.known.link})"
        for each in self.new:
            yield f"new, {each.times:,} times: {each.key}"
        if self.tally.unshrunk:
            yield f"not shrunk, as others looked alike: {self.tally.unshrunk:,}"
