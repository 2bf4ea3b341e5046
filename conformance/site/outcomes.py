"""What came of a claim on a library, in the words of the site.

A known defect, a documented difference and what a library does not have are three things, and are
never shown alike.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from ..results.verdict import GREEN, Known, Status, Verdict
from ..untrusted.texts import printable


class Outcome(StrEnum):
    """What stands in a cell; of several the first one here is shown."""

    FAILS = "fails"
    """Red: it fails, and no entry beside the adapter expects it."""
    DEFECT = "defect"
    """It fails as is known: it contradicts mathematics or the library's own documentation."""
    DIFFERS = "differs"
    """It fails as is known: the library documents that it does otherwise, or promises nothing."""
    HOLDS = "holds"
    """It was searched for an example against it, and none was found."""
    NOT_RUN = "not run"
    """The device was not there."""
    LACKS = "lacks"
    """The library does not declare what the claim needs, or refuses it as is known."""


RANK = {outcome: place for place, outcome in enumerate(Outcome)}
SHOWN_AS = {
    Known.DEFECT: Outcome.DEFECT,
    Known.DIFFERENCE: Outcome.DIFFERS,
    Known.PARITY: Outcome.DIFFERS,
    Known.MISSING: Outcome.LACKS,
}
"""What a failure that is known is shown as, by what it is taken for."""

MEANINGS = {
    Outcome.FAILS: "fails, and nobody expects it",
    Outcome.DEFECT: "a known defect",
    Outcome.DIFFERS: "does otherwise, and may",
    Outcome.HOLDS: "no example against it was found",
    Outcome.NOT_RUN: "the device was not there",
    Outcome.LACKS: "the library does not have what it needs",
}
"""The legend of every table."""


def outcome_of(verdict: Verdict) -> Outcome:
    """Say what a verdict is."""
    match verdict.status:
        case Status.PASS:
            return Outcome.HOLDS
        case Status.UNSUPPORTED:
            return Outcome.LACKS
        case Status.NOT_RUN:
            return Outcome.NOT_RUN
        case Status.EXPECTED_FAILURE:
            return SHOWN_AS[Known(verdict.expected or Known.DEFECT)]
    assert verdict.status not in GREEN
    return Outcome.FAILS


def cell(verdicts: Sequence[Verdict]) -> dict[str, Any] | None:
    """Return what a table shows of one claim on one library: dtypes that agree are one."""
    by_dtype: dict[str, list[Outcome]] = {}
    for verdict in verdicts:
        by_dtype.setdefault(verdict.dtype, []).append(outcome_of(verdict))
    worst = {dtype: min(by_dtype[dtype], key=RANK.__getitem__) for dtype in sorted(by_dtype)}
    if not worst:
        return None
    shown = {"outcome": min(worst.values(), key=RANK.__getitem__).value}
    if len(set(worst.values())) == 1:
        return shown
    return {
        **shown,
        "dtypes": {printable(dtype): outcome.value for dtype, outcome in worst.items()},
    }


def tally(verdicts: Sequence[Verdict]) -> dict[str, Any] | None:
    """Return what a table shows of many claims on one library: how many of those it has hold.

    A claim counts once for each operation it is judged on, and holds if it does in every dtype.
    """
    by_place: dict[tuple[str, str | None], list[Outcome]] = {}
    for verdict in verdicts:
        outcomes = by_place.setdefault((verdict.claim, verdict.operation), [])
        outcomes.append(outcome_of(verdict))
    found = [min(outcomes, key=RANK.__getitem__) for outcomes in by_place.values()]
    if not found:
        return None
    had = [each for each in found if each not in (Outcome.LACKS, Outcome.NOT_RUN)]
    return {
        "outcome": min(found, key=RANK.__getitem__).value,
        "holds": had.count(Outcome.HOLDS),
        "of": len(had),
    }
