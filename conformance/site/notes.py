"""What the study notes get wrong, in one list, and what of them there is nothing to run for."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from ..claims.catalogue import SPECIFICATION
from ..claims.claim import SOURCES, read_sources
from . import addresses
from .material import Material
from .pages import Page, link

VERDICTS = {
    "false": "It does not hold.",
    "outdated": "It held once.",
    "imprecise": "It holds, but not as it is said.",
}
"""What the notes' statements are called that do not simply hold."""


def notes_page(material: Material) -> Page:
    """Write the list."""
    errors = [*_errors(material)]
    rows = read_sources(Path(next(iter(import_module(SPECIFICATION).__path__))) / SOURCES)
    nothing = [
        {"row": row, "notes": fields["notes"], "why": fields["nothing"]}
        for row, fields in rows.items()
        if "nothing" in fields
    ]
    fields = {
        "statements": len(rows),
        "verdicts": [
            {"verdict": name, "means": VERDICTS.get(name, ""), "count": count}
            for name, count in _counted(errors).items()
        ],
        "errors": errors,
        "nothing": nothing,
    }
    return Page("notes.html", "notes", "What the study notes get wrong", fields)


def _errors(material: Material) -> Iterator[dict[str, Any]]:
    told = [
        (source, addresses.claim(claim.id), claim.law)
        for claim in material.claims.values()
        for source in claim.sources
    ] + [
        (source, f"speed.html#{law.id}", law.law)
        for law in material.laws.values()
        for source in law.sources
    ]
    for source, address, law in sorted(told, key=lambda one: (one[0].notes, one[0].row)):
        if source.errs:
            yield {
                "row": link(source.row, address),
                "notes": source.notes,
                "verdict": source.verdict,
                "errs": source.errs,
                "law": law,
            }


def _counted(errors: list[dict[str, Any]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for error in errors:
        counts[error["verdict"]] = counts.get(error["verdict"], 0) + 1
    return dict(sorted(counts.items(), key=lambda one: -one[1]))
