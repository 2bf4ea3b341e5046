"""What became red or green from older results files to those of the site, and the feed of it."""

import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from ..results.comparison import Baseline, Comparison
from ..results.reading import RunRead
from ..results.verdict import UNCHECKED, Status, Verdict, cause_in
from . import addresses
from .material import Material
from .pages import SHOWN, Page, dtypes_of, link, more_than_shown, places_of, short

KINDS = {
    "red": "fails now",
    "known": "is known to fail now",
    "green": "holds now",
    "convention": "chooses otherwise now",
    "lost": "is not looked at any more",
}
"""What a change may be, the most urgent first."""

SPACE = uuid.UUID("8d8c5f0e-5e0f-5d2b-9a52-1f0a5e3c7b11")
"""Where the names of our entries come from: the same change has the same id wherever it is made."""


def comparisons_of(older: Sequence[RunRead], runs: Sequence[RunRead]) -> list[Comparison]:
    """Compare each run with the older ones that have a subject in common."""
    found = [
        Comparison(Baseline(before), run.header, run.verdicts, run.alarms)
        for run in runs
        for before in older
    ]
    return [comparison for comparison in found if comparison.comparable]


def changes_of(material: Material) -> list[dict[str, Any]]:
    """Return what changed: of verdicts of one library that changed alike there is one entry."""
    alike: dict[tuple[str, str, str, str], list[Verdict]] = {}
    for comparison in material.comparisons:
        for kind, verdict, before, after in _pairs(comparison):
            versions = _versions(comparison, verdict)
            reason = cause_in((before if kind == "green" else after) or "")[0]
            alike.setdefault((kind, verdict.backend, versions, reason), []).append(verdict)
    order = [*KINDS]
    return [
        _change(material, *key, verdicts)
        for key, verdicts in sorted(
            alike.items(), key=lambda one: (order.index(one[0][0]), -len(one[1]), one[0][1:])
        )
    ]


def _pairs(comparison: Comparison) -> Iterator[tuple[str, Verdict, str | None, str | None]]:
    """Return each change with the reasons told before and after."""
    before = comparison.baseline.verdicts
    for verdict in comparison.failures:
        yield "red", verdict, None, verdict.reason
    for verdict in comparison.fixed:
        yield "green", verdict, before[verdict.key].reason, verdict.reason
    for _, verdict in comparison.conventions:
        yield "convention", verdict, None, verdict.reason
    for verdict in comparison.vanished:
        yield "lost", verdict, None, "the newer file has no verdict on it"
    for former, verdict in comparison.pairs:
        if (former.status, verdict.status) == (Status.PASS, Status.EXPECTED_FAILURE):
            yield "known", verdict, None, verdict.reason
        if verdict.status in UNCHECKED and former.status not in UNCHECKED:
            yield "lost", verdict, None, verdict.reason


def _versions(comparison: Comparison, verdict: Verdict) -> str:
    """Say from which version to which."""
    headers = (comparison.baseline.run.header, comparison.header)
    found = [
        next((s["version"] for s in header["subjects"] if s["backend"] == verdict.backend), "?")
        for header in headers
    ]
    return found[0] if found[0] == found[1] else " → ".join(found)


def _change(
    material: Material,
    kind: str,
    library: str,
    versions: str,
    reason: str,
    verdicts: Sequence[Verdict],
) -> dict[str, Any]:
    known = any(one.library == library for one in material.libraries)
    return {
        "id": uuid.uuid5(SPACE, "\n".join(short(w) for w in (kind, library, versions, reason))).urn,
        "kind": kind,
        "text": KINDS[kind],
        "library": link(short(library), addresses.library(library) if known else None),
        "versions": short(versions),
        "reason": short(reason),
        "dtypes": dtypes_of(verdicts),
        **places_of(material, ((verdict.claim, verdict.operation) for verdict in verdicts)),
    }


def changes_page(material: Material) -> Page:
    """Write the page of changes."""
    changes = changes_of(material)
    fields = {
        "files": [
            {
                "old": short(comparison.baseline.run.path.name),
                "subjects": [*map(short, sorted(comparison.baseline.subjects))],
            }
            for comparison in material.comparisons
        ],
        "changes": changes[:SHOWN],
        "changes_more": more_than_shown(changes),
    }
    return Page("changes.html", "changes", "What changed", fields)
