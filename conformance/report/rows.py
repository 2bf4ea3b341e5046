"""What a page shows of a claim: its words from the specification, its verdicts by subject."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from ..claims.catalogue import SPECIFICATION, claims_of
from ..claims.claim import Claim
from ..results.verdict import GREEN, Status, Verdict

SIGNS = {
    Status.PASS: "✓",
    Status.FAIL: "✗",
    Status.ERROR: "!",
    Status.UNSUPPORTED: "·",
    Status.EXPECTED_FAILURE: "≈",
    Status.UNEXPECTED_PASS: "?",
    Status.VACUOUS: "○",
    Status.NOT_RUN: "∅",
    Status.CRASH: "†",
    Status.TIMEOUT: "⧖",
}
"""A sign for each status, so that a printed page needs no colour."""

WORST_FIRST = (
    *(status for status in Status if status not in GREEN),
    Status.EXPECTED_FAILURE,
    Status.PASS,
    Status.NOT_RUN,
    Status.UNSUPPORTED,
)
"""Several verdicts in one cell show the first of these."""


@dataclass(frozen=True)
class Row:
    """One claim of a page: `cells` has a list of verdicts for each subject, perhaps empty.

    `claim` is None if the installed specification does not know the id.
    """

    id: str
    chapter: str
    level: str
    claim: Claim | None
    cells: Sequence[Sequence[Verdict]]

    @property
    def law(self) -> str:
        """The sentence of the claim."""
        return self.claim.law if self.claim else "not a claim of the installed specification"

    @property
    def statuses(self) -> frozenset[Status]:
        """Every status among its verdicts."""
        return frozenset(verdict.status for cell in self.cells for verdict in cell)

    @property
    def red(self) -> list[Verdict]:
        """The verdicts that fail a run, with what reproduces them."""
        return [v for cell in self.cells for v in cell if v.status not in GREEN]


@dataclass(frozen=True)
class Line:
    """Verdicts of one claim on one subject of which the same is to be said."""

    verdicts: Sequence[Verdict]
    reason: str

    @property
    def status(self) -> Status:
        """The status of each."""
        return self.verdicts[0].status

    @property
    def operations(self) -> str:
        """Which operations they are about, if the claim is about many."""
        return ", ".join(v.operation for v in self.verdicts if v.operation)

    @property
    def drawn(self) -> int:
        """Examples of all."""
        return sum(verdict.drawn for verdict in self.verdicts)

    @property
    def worst(self) -> float:
        """The largest measured error over the allowed one."""
        return max(verdict.worst for verdict in self.verdicts)


def lines(cell: Sequence[Verdict]) -> list[Line]:
    """Put together what differs in nothing but the operation, in the order of the first of each."""
    alike: dict[tuple[Status, str], list[Verdict]] = {}
    for verdict in cell:
        alike.setdefault((verdict.status, _without_operation(verdict)), []).append(verdict)
    return [Line(verdicts, reason) for (_, reason), verdicts in alike.items()]


def _without_operation(verdict: Verdict) -> str:
    reason = verdict.reason or ""
    if verdict.status is Status.UNSUPPORTED and verdict.operation:
        return re.sub(rf"\b{re.escape(verdict.operation)}$", "the function", reason)
    return reason


def worst(cell: Sequence[Verdict]) -> Status | None:
    """Return the status that stands for all verdicts of a cell."""
    return min((v.status for v in cell), key=WORST_FIRST.index, default=None)


def rows_of(
    verdicts: Sequence[Verdict],
    subjects: Sequence[str],
    subject_of: Callable[[Verdict], str] = lambda verdict: verdict.subject,
) -> list[Row]:
    """Gather verdicts by claim, in the order of the specification, unknown claims last.

    `subjects` are the columns, and `subject_of` says in which of them a verdict stands.
    """
    known = claims_of(import_module(SPECIFICATION))
    by_claim: dict[str, dict[str, list[Verdict]]] = {}
    for verdict in verdicts:
        by_claim.setdefault(verdict.claim, {}).setdefault(subject_of(verdict), []).append(verdict)
    places = {claim: place for place, claim in enumerate(known)}
    rows = []
    for claim in sorted(by_claim, key=lambda claim: places.get(claim, len(places))):
        cells = [by_claim[claim].get(subject, []) for subject in subjects]
        first = next(verdict for cell in cells for verdict in cell)
        rows.append(Row(claim, first.chapter, first.level, known.get(claim), cells))
    return rows
