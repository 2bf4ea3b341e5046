"""Verdicts: what came of a claim on a subject, as data, and which of several counts."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

Key = tuple[str, ...]
"""What a verdict is about: claim, backend, device, dtype, operation or nothing, a mode if any."""

CAUSE = re.compile(r"(?s)(.*) \((\S+)\)")
"""How a verdict tells of the entry that expects it: the reason, and the link in brackets."""

WIDEST = "the widest dtype"
"""So ends the reason why a claim that asks for many digits is not judged in another dtype."""

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


class Known(StrEnum):
    """What an expected failure is taken for: exactly one of these."""

    DEFECT = "defect"
    """It contradicts mathematics, the library's own documentation or its own other path."""
    DIFFERENCE = "difference"
    """The library documents, or plainly intends, that it does otherwise."""
    MISSING = "missing"
    """The library says that it cannot: it raises an exception, and gives no answer."""
    PARITY = "parity"
    """It merely is not PyTorch or NumPy, and promises nothing of the kind."""


NO_FAULT = (Known.DIFFERENCE, Known.PARITY)
"""What a library may do otherwise."""

GREEN = frozenset({Status.PASS, Status.UNSUPPORTED, Status.EXPECTED_FAILURE, Status.NOT_RUN})
"""What leaves a run successful."""

FATAL = frozenset({Status.CRASH, Status.TIMEOUT})
"""What is said of a claim by others, since its process is no more."""

UNCHECKED = frozenset({Status.UNSUPPORTED, Status.NOT_RUN})
"""What says that a claim was not looked at."""

SEVERITY = (
    Status.CRASH,
    Status.TIMEOUT,
    Status.ERROR,
    Status.FAIL,
    Status.VACUOUS,
    Status.UNEXPECTED_PASS,
    Status.EXPECTED_FAILURE,
    Status.NOT_RUN,
    Status.UNSUPPORTED,
    Status.PASS,
)
"""Of several verdicts on the same thing the first of these counts."""


@dataclass(frozen=True)
class Verdict:
    """One claim on one subject.

    `drawn`, `rejected` and `reached` count examples; `worst` is the largest measured error over the
    allowed one; `seconds` is wall time and `cpu_seconds` time of this process. `expected` tells of
    what was expected to fail which of `Known` it is. `alone` is what
    came of a red claim in a fresh process without what had run before it: "fails" or "passes".
    """

    claim: str
    chapter: str
    level: str
    backend: str
    device: str
    dtype: str
    status: Status
    operation: str | None = None
    mode: str | None = None
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
    alone: str | None = None

    @property
    def subject(self) -> str:
        """The subject as it stands in test ids."""
        return "-".join(filter(None, [self.backend, self.device, self.dtype, self.mode]))

    @property
    def library(self) -> str:
        """The backend, and the mode if it is one: what times and standings are kept for."""
        return " ".join(filter(None, [self.backend, self.mode]))

    @property
    def is_judged_elsewhere(self) -> bool:
        """Whether the claim is judged in the widest dtype alone, and this is another one."""
        return self.status is Status.UNSUPPORTED and (self.reason or "").endswith(WIDEST)

    @property
    def address(self) -> str:
        """The claim, and the operation if it is about one."""
        return address_of(self.claim, self.operation)

    @property
    def key(self) -> Key:
        """What the verdict is about: no two verdicts of one run have the same."""
        return key(self.claim, self.backend, self.device, self.dtype, self.operation, self.mode)

    @property
    def name(self) -> str:
        """The key in words."""
        return name_of(self.key)

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
            for name, value in vars(self).items()
            if value
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "Verdict":
        """Read what `to_json` wrote."""
        worst = float(fields.get("worst", 0))  # which may be "inf"
        return cls(**{**fields, "status": Status(fields["status"]), "worst": worst})


VERDICT = "gradspec verdict"
BEGUN = "gradspec begun"
"""User properties of a test report: the one thing that every worker and reporter hands on."""


def settled(tries: Sequence[Verdict]) -> Verdict:
    """Return what counts of several verdicts on the same thing: the worst, the last of equals.

    A test may be repeated on purpose, and a process may die after its claim was judged. What came
    out differently is told.
    """
    if len(tries) == 1:
        return tries[0]
    worst = min(reversed(tries), key=lambda verdict: SEVERITY.index(verdict.status))
    others = {verdict.status for verdict in tries} - {worst.status}
    if not others:
        return worst
    told = f"it also came out as {' and '.join(sorted(others, key=SEVERITY.index))}"
    return replace(worst, reason=f"{worst.reason} ({told})" if worst.reason else told)


def key(
    claim: str, backend: str, device: str, dtype: str, operation: str | None, mode: str | None
) -> Key:
    """Make a key; it is as short as it was before there were modes where there is none."""
    return (claim, backend, device, dtype, operation or "", *([mode] if mode else []))


def address_of(claim: str, operation: str | None) -> str:
    """Write a claim, and the operation if it is about one: `GEN-04[sin]`."""
    return f"{claim}[{operation}]" if operation else claim


def parted(address: str) -> tuple[str, str | None]:
    """Read what `address_of` wrote."""
    claim, _, operation = address.removesuffix("]").partition("[")
    return claim, operation or None


def name_of(key: Key) -> str:
    """Return a verdict's key in words: `GEN-04[sin] on torch-cpu-float64`."""
    claim, backend, device, dtype, *rest = key
    subject = "-".join([backend, device, dtype, *rest[1:]])
    return f"{address_of(claim, ''.join(rest[:1]))} on {subject}"


def cause_in(told: str) -> tuple[str, str]:
    """Part what a verdict says of an expected failure into the reason and the link."""
    parts = CAUSE.fullmatch(told)
    return (parts[1], parts[2]) if parts else (told, "")


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
    """Return the verdicts as sorted lines without their times: equal for equal runs.

    Whether there was time to repeat a claim alone is left out as well.
    """
    for verdict in sorted(verdicts, key=lambda v: v.key):
        fields = replace(verdict, seconds=0.0, cpu_seconds=0.0, alone=None).to_json()
        yield json.dumps(_finite(fields), sort_keys=True)
