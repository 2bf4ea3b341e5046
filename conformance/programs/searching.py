"""From a program that shows something to the smallest that does, its name and its script.

Every candidate is run by a child process: it may end there, or never return, and that is an answer
like any other.
"""

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from ..protocol.errors import OptionError
from .comparing import REFERENCE
from .instructions import Instructions
from .judging import Difference
from .kinds import kinds_of
from .language import Program, lines_of
from .machine import Machine
from .scripts import Script, rule_of, title_of, tried
from .shrinking import shrink, spelt_out


def command(module: str, words: str) -> list[str]:
    """Return the command that runs a module of ours in a process of its own."""
    return [sys.executable, "-P", "-m", f"gradspec.conformance.programs.{module}", words]


STARTING = 120.0
"""Seconds that a child may take to import a library."""

DEADLINE = 20.0
"""Seconds that one program may take: it is a thousand times what the slowest ones take."""


@dataclass(frozen=True)
class Subject:
    """What is tested: a backend by its word, in a dtype, on a device."""

    backend: str
    dtype: str = "float64"
    device: str = "cpu"


@dataclass(frozen=True)
class Answer:
    """What a child says of a program: the name of its first difference, and where it is."""

    sort: str
    at: int
    program: Program = ()
    got: str = ""
    expected: str = ""
    script: str = ""

    @property
    def key(self) -> str:
        """The name of the failure, when its program is shrunk."""
        return f"{self.sort}: {' '.join(statement.kind for statement in self.program)}"


class Child:
    """A process that runs programs, one at a time; it is replaced when it is gone."""

    def __init__(self, subject: Subject, deadline: float = DEADLINE) -> None:
        self.subject = subject
        self.deadline = deadline
        self.process: subprocess.Popen[str] | None = None
        self.lines: Queue[str | None] = Queue()
        self.library = subject.backend

    def ask(self, program: Program, *, script: bool = False) -> Answer | None:
        """Return what a program shows, None if nothing; `script` asks for its script as well.

        Raises OptionError if it is gradspec that fails.
        """
        fresh = self.process is None or self.process.poll() is not None
        if fresh:
            self.start()
            ready = self.answer(STARTING)
            self.library = ready["ready"] if ready else self.subject.backend
        question = {"program": lines_of(program), "script": script}
        try:
            self.put(question)
            found = self.answer(self.deadline)
        except (BrokenPipeError, OSError):
            found = None
        except Empty:
            self.end()
            return Answer("hang", len(program), program, "no end", "an end")
        if found is None:
            self.end()
            status = self.status
            return Answer("crash", len(program), program, f"exit status {status}", "exit status 0")
        if "broken" in found:
            raise OptionError(
                f"--backend {self.subject.backend}: gradspec breaks ({found['broken']}) on "
                f"{'; '.join(lines_of(program))}"
            )
        if not found["sort"]:
            return None
        return Answer(program=program, **found)

    def start(self) -> None:
        """Start the process."""
        words = json.dumps(asdict(self.subject))
        self.process = subprocess.Popen(  # noqa: S603 - our own module
            command("child", words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        self.lines = Queue()
        threading.Thread(target=_read, args=(self.process, self.lines), daemon=True).start()

    def put(self, question: Mapping[str, Any]) -> None:
        """Send a question."""
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()

    def answer(self, patience: float) -> dict[str, Any] | None:
        """Wait for an answer, None if the process has ended; raises Empty if it takes too long."""
        line = self.lines.get(timeout=patience)
        return None if line is None else dict(json.loads(line))

    @property
    def status(self) -> int | None:
        """The exit status of the process."""
        return None if self.process is None else self.process.returncode

    def end(self) -> None:
        """End the process, if it has not ended."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def smallest(self, program: Program) -> Answer | None:
        """Return what the smallest program shows that shows what this one does, with its script."""
        first = self.ask(program)
        if first is None:
            return None

        def shows(candidate: Program, end: bool = False) -> bool:  # noqa: FBT001, FBT002
            found = self.ask(candidate)
            if found is None or found.sort != first.sort:
                return False
            return not end or found.at < len(candidate)

        # What ends the process costs a new one each time, what hangs costs waiting.
        tries = {"crash": 150, "hang": 30}.get(first.sort, 1500)
        program = shrink(program, shows, tries)
        if first.sort not in {"crash", "hang"}:
            spelt = spelt_out(program, lambda each: shows(each, end=True))
            if spelt != program:
                program = shrink(spelt, lambda each: shows(each, end=True), tries)
        answer = self.ask(program, script=True) or first
        if answer.script or answer.sort not in {"crash", "hang"}:
            return answer
        return replace(answer, script=self.script_of_end(answer))

    def script_of_end(self, answer: Answer) -> str:
        """Write the script of a program that costs its process, where nobody is left to write."""
        table = Instructions(REFERENCE, kinds_of(REFERENCE), self.subject.dtype)
        run = Machine(table)
        run.run(answer.program)
        found = Difference(len(answer.program), answer.sort, answer.got, answer.expected)
        title = title_of(answer.program, found, self.library)
        return Script(answer.program, found, run, title, self.subject.dtype, rule_of(found)).text()


def _read(process: subprocess.Popen[str], lines: Queue[str | None]) -> None:
    assert process.stdout is not None
    try:
        for line in process.stdout:
            lines.put(line)
    finally:
        process.wait()
        lines.put(None)


@contextmanager
def child_of(subject: Subject, deadline: float = DEADLINE) -> Iterator[Child]:
    """Provide a child that is gone afterwards."""
    child = Child(subject, deadline)
    try:
        yield child
    finally:
        child.end()


def script_fails(script: str) -> bool:
    """Whether a script, run in a fresh interpreter, says that the defect is there."""
    with tempfile.TemporaryDirectory() as folder:
        return tried(script, Path(folder)) == 1
