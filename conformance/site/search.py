"""The index of everything, which the search page looks through in the browser."""

from collections.abc import Iterator
from typing import Any

from ..results.verdict import NO_FAULT, Known
from . import addresses
from .chapters import title_of
from .material import Material
from .operations import meaning_of, overall
from .outcomes import Outcome, cell
from .pages import Page, named, short

CODES = {
    Outcome.HOLDS: "h",
    Outcome.DEFECT: "d",
    Outcome.DIFFERS: "o",
    Outcome.FAILS: "f",
    Outcome.LACKS: "l",
    Outcome.NOT_RUN: "n",
}
"""A letter for each outcome: an entry has one for each column, and a dot where there is none."""


KINDS = ("library", "operation", "claim", "chapter", "law of speed", "note")
"""What there is to be found: an entry has its place here."""


def search_page(material: Material) -> Page:
    """Write the index: each entry is a kind, a name, a text, an address, and outcomes.

    Thousands of addresses are made of the kind and the first word of the name: they are left out.
    """
    entries = [
        *_libraries(material),
        *_operations(material),
        *_claims(material),
        *_chapters(material),
        *_notes(material),
    ]
    fields = {
        "columns": [short(column.label) for column in material.columns],
        "codes": {code: outcome.value for outcome, code in CODES.items()},
        "kinds": [*KINDS],
        "entries": entries,
    }
    return Page("search.html", "search", "Search", fields)


def _letters(found: list[dict[str, Any] | None]) -> str:
    """Return the outcome of each column as a letter."""
    return "".join(CODES[Outcome(each["outcome"])] if each else "." for each in found)


def _entry(kind: str, name: str, text: str, address: str, codes: str = "") -> list[Any]:
    usual = f"{kind}/{name.partition(' ')[0]}.html"
    return [KINDS.index(kind), name, text, "" if address == usual else address, codes]


def _libraries(material: Material) -> Iterator[list[Any]]:
    for one in material.libraries:
        defects, differences = one.known(Known.DEFECT), one.known(*NO_FAULT)
        text = f"{one.version}: {defects} defects, {differences} differences"
        yield _entry("library", short(one.library), short(text), addresses.library(one.library))


def _operations(material: Material) -> Iterator[list[Any]]:
    for name, claims in material.operations.items():
        codes = _letters(overall(material, name, claims))
        yield _entry("operation", name, meaning_of(name), addresses.operation(name), codes)


def _claims(material: Material) -> Iterator[list[Any]]:
    for claim in material.claims.values():
        row = material.by_claim.get(claim.id)
        codes = _letters([cell(each) for each in row.cells]) if row else ""
        name = " ".join(claim.rows)
        yield _entry("claim", name, claim.law, addresses.claim(claim.id), codes)


def _chapters(material: Material) -> Iterator[list[Any]]:
    for name, module in material.chapters.items():
        yield _entry("chapter", named(name), title_of(module), addresses.chapter(name))
    for law in material.laws.values():
        yield _entry("law of speed", law.id, law.law, f"speed.html#{law.id}")


def _notes(material: Material) -> Iterator[list[Any]]:
    for claim in material.claims.values():
        for source in claim.sources:
            if source.errs:
                name = f"notes {source.notes}"
                yield _entry("note", name, source.errs, f"notes.html#{source.row}")
