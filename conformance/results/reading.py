"""Results files as they are read: JSON lines, a header first and a footer last.

A file without a footer is a broken run, whatever its verdicts say. What a line may hold is written
down in `results.schema.json`. A file comes from anywhere: nothing in it is believed or executed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..untrusted.files import Unreadable, check, opened, parse_json
from ..untrusted.texts import printable
from .verdict import GREEN, UNCHECKED, Key, Verdict, name_of, settled

LARGEST_FILE = 256 * 2**20
LARGEST_LINE = 4 * 2**20
"""Bytes beyond which nobody's results file goes, and reading one would only cost memory."""

MOST_VERDICTS = 2**21
"""So many may be told together, in whatever few bytes."""

COMPLETE = (0, 1, 5)
"""Exit statuses of pytest after which everything was run: passed, failed, nothing to check."""

BROKEN_OFF = {2: " (interrupted)", 3: " (an internal error)", 4: " (a usage error)"}
"""What other exit statuses of pytest mean."""


class BrokenRun(Exception):
    """A file is none of results; the message names it and says why."""


class NotWhole(BrokenRun):
    """A results file tells of less than a whole run; the message names what is missing."""


@dataclass(frozen=True)
class RunRead:
    """A run as it was read; `footer` is empty if it was broken off, in the claims `open`."""

    path: Path
    header: dict[str, Any]
    verdicts: list[Verdict]
    footer: dict[str, Any]
    open: Sequence[str] = ()

    @property
    def trouble(self) -> str | None:
        """Say what keeps this from being a whole run, if anything does.

        It is the one place where that is judged; what is whole may still be red.
        """
        if not self.footer:
            where = f" (broken off in {' and '.join(self.open)})" if self.open else ""
            return f"has no footer{where}; run it again"
        counts = Counter(verdict.status.value for verdict in self.verdicts)
        if self.footer["statuses"] != counts:
            return "the footer counts other verdicts than the file holds; run it again"
        status, planned = self.footer["exit_status"], self.footer["planned"]
        told = [shortfall(len(self.verdicts), planned)]
        if status not in COMPLETE:
            told.insert(0, f"its exit status is {status}{BROKEN_OFF.get(status, '')}")
        return "; ".join([*filter(None, told), "run it again"]) if any(told) else None

    @property
    def faults(self) -> list[dict[str, str]]:
        """The backends that were meant and could not be imported or set up, and why."""
        return [*self.header.get("faults", ()), *self.footer.get("faults", ())]

    @property
    def alarms(self) -> list[str]:
        """Say what makes the run red though no verdict does."""
        found = [
            f"{fault['backend']} was meant and did not run: {printable(fault['reason'])[:300]}"
            for fault in self.faults
        ]
        if all(verdict.status in UNCHECKED for verdict in self.verdicts):
            found.append("nothing was checked")
        status = self.footer.get("exit_status")
        if status and not found and not self.failures:
            found.append(f"its exit status is {status}, though no verdict is red")
        return found

    @property
    def failures(self) -> list[Verdict]:
        """The red verdicts, by chapter and claim."""
        red = [verdict for verdict in self.verdicts if verdict.status not in GREEN]
        return sorted(red, key=lambda verdict: (verdict.chapter, verdict.key))

    @property
    def red(self) -> str | None:
        """Say all that is red about the run."""
        count = len(self.failures)
        told = [f"{count} red verdict{'s' * (count > 1)}"] if count else []
        return "; ".join([*told, *self.alarms]) or None


def shortfall(held: int, planned: Mapping[str, Any] | None) -> str | None:
    """Say that a run does not hold the verdicts that were planned, if it does not."""
    if not held:
        return "it holds no verdicts"
    if planned is None:
        return "it does not say how many verdicts it should hold"
    if planned["here"] != held:
        return f"it holds {held} of {planned['here']} verdicts"
    return None


class Reading:
    """A results file being read, line by line."""

    def __init__(self) -> None:
        self.header: dict[str, Any] | None = None
        self.footer: dict[str, Any] = {}
        self.tries: dict[Key, list[Verdict]] = {}
        self.begun: Counter[Key] = Counter()
        self.together = 0

    def take(self, line: bytes) -> None:
        """Take in the next line; raises ValueError if it cannot stand here."""
        kind, fields = parse(line)
        if (kind == "header") != (self.header is None):
            raise ValueError("the header comes first, and once")
        if self.footer:
            raise ValueError("something comes after the footer")
        match kind:
            case "header":
                self.header = fields
            case "begun":
                self.begun[tuple(fields)] += 1
            case "verdict":
                verdict = Verdict.from_json(fields)
                self.tries.setdefault(verdict.key, []).append(verdict)
            case "unchecked":
                self.together += _count(fields)
                if self.together > MOST_VERDICTS:
                    raise ValueError(f"it tells of more than {MOST_VERDICTS} verdicts together")
                for verdict in _apart(fields):
                    self.tries.setdefault(verdict.key, []).append(verdict)
            case "footer":
                self.footer = fields

    def broken_off(self, line: bytes) -> bool:
        """Whether the end of a line is missing, and with it that of the file."""
        if line.endswith(b"\n") or (self.header is None and not line.startswith(b'{"header')):
            return False
        try:
            parse_json(line)
        except ValueError:
            return len(line) <= LARGEST_LINE
        return False

    def run(self, path: Path) -> RunRead:
        """Return what was read; raises NotWhole if there is nothing that could be shown."""
        if self.header is None:
            raise NotWhole(f"{path}: has no header, for it is empty; run it again")
        verdicts = [settled(tries) for tries in self.tries.values()]
        unfinished = self.begun - Counter({key: len(each) for key, each in self.tries.items()})
        return RunRead(path, self.header, verdicts, self.footer, [*map(name_of, unfinished)])


def _count(together: Mapping[str, Any]) -> int:
    """Return how many verdicts are told together."""
    return sum(len(dtypes) * max(1, len(names)) for *_, dtypes, names in together["claims"])


def _apart(together: Mapping[str, Any]) -> Iterator[Verdict]:
    """Yield each of the verdicts that are told together."""
    for claim, chapter, level, dtypes, operations in together["claims"]:
        told = {**together["verdict"], "claim": claim, "chapter": chapter, "level": level}
        for operation in operations or [None]:
            for dtype in dtypes:
                yield Verdict.from_json({**told, "dtype": dtype, "operation": operation})


def parse(line: bytes) -> tuple[str, Any]:
    """Read one line: what it is, and what it says; raises ValueError if it fits no schema."""
    if len(line) > LARGEST_LINE:
        raise ValueError(f"it has more than {LARGEST_LINE} bytes")
    data = parse_json(line)
    check("results", data)
    ((kind, fields),) = data.items()
    return kind, fields


def read_any(path: Path) -> RunRead:
    """Read a run, whole or not; raises BrokenRun for what is no results file."""
    reading = Reading()
    number = size = 0
    try:
        with opened(path, LARGEST_FILE) as file:
            while line := file.readline(LARGEST_LINE + 1):
                number += 1
                size += len(line)
                if size > LARGEST_FILE:
                    raise ValueError("it is larger than a results file ever is")
                if reading.broken_off(line):
                    break
                reading.take(line)
    except Unreadable as error:
        raise BrokenRun(f"{path}: {error}") from None
    except ValueError as error:
        text = printable(str(error))[:200]
        raise BrokenRun(f"{path}: not a results file (line {number}: {text})") from None
    if number == 1 and reading.header is None:
        raise NotWhole(f"{path}: is broken off in its header; run it again")
    return reading.run(path)


def read_run(path: Path) -> RunRead:
    """Read a whole run; raises NotWhole for anything less, BrokenRun for no results file."""
    run = read_any(path)
    if run.trouble:
        raise NotWhole(f"{path}: {run.trouble}")
    return run


def read(path: Path) -> tuple[dict[str, Any], list[Verdict]]:
    """Read the header and the verdicts of a whole run."""
    run = read_run(path)
    return run.header, run.verdicts
