"""Results as data: JSON lines, a header first and a footer last.

A file without a footer is a broken run, whatever its verdicts say. What a line may hold is written
down in `results.schema.json`. A file comes from anywhere: nothing in it is believed or executed.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import fastjsonschema

from .texts import printable

LARGEST_FILE = 256 * 2**20
LARGEST_LINE = 4 * 2**20
"""Bytes beyond which nobody's results file goes, and reading one would only cost memory."""

LONGEST_TEXT = 100_000
"""Characters of a text that are kept: values of an example can be many."""


class Status(StrEnum):
    """What came of one claim on one subject."""

    PASS = "pass"
    FAIL = "fail"
    """The claim does not hold; an example shows it."""
    ERROR = "error"
    """Something other than the claim broke: the adapter, or an exception it does not map."""
    UNSUPPORTED = "unsupported"
    """The backend does not declare what the claim needs."""
    EXPECTED_FAILURE = "expected-failure"
    """The stored witness of a known defect still fails."""
    UNEXPECTED_PASS = "unexpected-pass"
    """The stored witness of a known defect no longer fails."""
    VACUOUS = "vacuous"
    """No example, or too few, reached the operation the claim is about."""
    CRASH = "crash"
    """The process, or the context of its device, did not survive the claim."""
    TIMEOUT = "timeout"
    """The claim did not end before its deadline."""
    NOT_RUN = "not-run"
    """The subject is not present on this machine."""


GREEN = frozenset({Status.PASS, Status.UNSUPPORTED, Status.EXPECTED_FAILURE, Status.NOT_RUN})
"""What leaves a run successful."""

FATAL = frozenset({Status.CRASH, Status.TIMEOUT})
"""What is said of a claim by others, since its process is no more."""


@dataclass(frozen=True)
class Verdict:
    """One claim on one subject.

    `drawn`, `rejected` and `reached` count examples; `worst` is the largest measured error over the
    allowed one; `seconds` is wall time and `cpu_seconds` time of this process. `expected` tells of
    what was expected to fail whether it is a defect or a documented difference.
    """

    claim: str
    chapter: str
    level: str
    backend: str
    device: str
    dtype: str
    status: Status
    operation: str | None = None
    drawn: int = 0
    rejected: int = 0
    reached: int = 0
    worst: float = 0.0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    kind: str | None = None
    reason: str | None = None
    expected: str | None = None
    reproduction: str | None = None

    @property
    def subject(self) -> str:
        """The subject as it stands in test ids."""
        return f"{self.backend}-{self.device}-{self.dtype}"

    @property
    def address(self) -> str:
        """The claim, and the operation if it is about one."""
        return address_of(self.claim, self.operation)

    @property
    def key(self) -> tuple[str, ...]:
        """What the verdict is about: no two verdicts of one run have the same."""
        return (self.claim, self.backend, self.device, self.dtype, self.operation or "")

    @property
    def rerun(self) -> str | None:
        """The line that says how to run it again, if it is red."""
        told = (self.reproduction or "").splitlines()
        return next((line for line in told if line.startswith("rerun: ")), None)

    def properties(self) -> dict[str, str]:
        """Return what a test report of any kind should tell."""
        # Levels and statuses are enumerations, which workers cannot hand on.
        fields = {"claim": self.claim, "chapter": self.chapter, "level": str(self.level)}
        return {**fields, "subject": self.subject, "status": self.status.value}

    def to_json(self) -> dict[str, Any]:
        """Return the fields as plain data, that is, as what every serializer knows.

        What is zero or None is left out.
        """
        return {
            name: value.value if isinstance(value, StrEnum) else value
            for name, value in asdict(self).items()
            if value
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "Verdict":
        """Read what `to_json` wrote."""
        worst = float(fields.get("worst", 0))  # which may be "inf"
        return cls(**{**fields, "status": Status(fields["status"]), "worst": worst})


class BrokenRun(Exception):
    """A results file tells of less than a whole run; the message names what is missing."""


@cache
def schema() -> dict[str, Any]:
    """Return the published schema of a line."""
    text = resources.files(__package__).joinpath("results.schema.json").read_text(encoding="utf-8")
    made: dict[str, Any] = json.loads(text)
    return made


@cache
def _validate() -> Any:
    return fastjsonschema.compile(schema())


def parse(line: bytes) -> tuple[str, Any]:
    """Read one line: what it is, and what it says; raises ValueError if it fits no schema."""
    if len(line) > LARGEST_LINE:
        raise ValueError(f"it has {len(line)} bytes, more than {LARGEST_LINE}")
    try:
        data = json.loads(line, parse_constant=_refuse_constant)
        _validate()(data)
    except RecursionError:
        raise ValueError("it is nested without end") from None
    except fastjsonschema.JsonSchemaValueException as error:
        raise ValueError(error.message.replace("data", "it", 1)) from None
    ((kind, fields),) = data.items()
    return kind, fields


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


class Reading:
    """A results file being read, line by line."""

    def __init__(self) -> None:
        self.header: dict[str, Any] | None = None
        self.footer: dict[str, Any] | None = None
        self.verdicts: dict[tuple[str, ...], Verdict] = {}
        self.begun: list[tuple[str, ...]] = []

    def take(self, line: bytes) -> None:
        """Take in the next line; raises ValueError if it cannot stand here."""
        kind, fields = parse(line)
        if (kind == "header") != (self.header is None):
            raise ValueError("the header comes first, and once")
        if self.footer is not None:
            raise ValueError("something comes after the footer")
        match kind:
            case "header":
                self.header = fields
            case "begun":
                self.begun.append(tuple(fields))
            case "verdict":
                verdict = Verdict.from_json(fields)
                # A process may die after its claim was judged: then both are told.
                if verdict.key in self.verdicts and verdict.status not in FATAL:
                    raise ValueError(f"a second verdict on {name_of(verdict.key)}")
                self.verdicts[verdict.key] = verdict
            case "footer":
                self.footer = fields

    def gap(self) -> str | None:
        """Say what is missing from a whole run."""
        if self.header is None:
            return "has no header; run it again"
        if self.footer is None:
            open_ends = " and ".join(name_of(key) for key in self.begun if key not in self.verdicts)
            where = f" (broken off in {open_ends})" if open_ends else ""
            return f"has no footer{where}; run it again"
        counts = Counter(str(verdict.status) for verdict in self.verdicts.values())
        if self.footer["statuses"] != counts:
            return "the footer counts other verdicts than the file holds"
        return None


def read(path: Path) -> tuple[dict[str, Any], list[Verdict]]:
    """Read the header and the verdicts of a whole run; raises BrokenRun for anything less."""
    run = read_run(path)
    return run.header, run.verdicts


@dataclass(frozen=True)
class RunRead:
    """A whole run as it was read."""

    path: Path
    header: dict[str, Any]
    verdicts: list[Verdict]
    footer: dict[str, Any]


def read_run(path: Path) -> RunRead:
    """Read a whole run; raises BrokenRun for anything less, and for what is no results file."""
    reading = Reading()
    number = 0  # of the line at fault
    try:
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise BrokenRun(f"{path}: has {size} bytes, more than a results file ever has")
        with path.open("rb") as file:
            for line in file:
                number += 1
                reading.take(line)
    except OSError as error:
        raise BrokenRun(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        text = printable(str(error))[:200]
        raise BrokenRun(f"{path}: not a results file (line {number}: {text})") from None
    if gap := reading.gap():
        raise BrokenRun(f"{path}: {gap}")
    assert reading.header is not None
    assert reading.footer is not None
    return RunRead(path, reading.header, list(reading.verdicts.values()), reading.footer)


def address_of(claim: str, operation: str | None) -> str:
    """Write a claim, and the operation if it is about one: `GEN-04[sin]`."""
    return f"{claim}[{operation}]" if operation else claim


def name_of(key: tuple[str, ...]) -> str:
    """Return a verdict's key in words: which claim, on which subject."""
    claim, *rest = key
    return f"{claim} on {'-'.join(word for word in rest if word)}"


def dump(line: Mapping[str, Any]) -> str:
    """Write a line: JSON, in ASCII, ended by a newline."""
    return json.dumps(_finite(line), allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    # Infinities are not JSON; a ratio of inf is written as a string.
    if isinstance(value, float) and value == float("inf"):
        return "inf"
    if isinstance(value, Mapping):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return value[:LONGEST_TEXT] + " ... (cut)"
    return value


def lines(verdicts: list[Verdict]) -> Iterator[str]:
    """Return the verdicts as sorted lines without their times: equal for equal runs."""
    for verdict in sorted(verdicts, key=lambda v: v.key):
        fields = replace(verdict, seconds=0.0, cpu_seconds=0.0).to_json()
        yield json.dumps(_finite(fields), sort_keys=True)
