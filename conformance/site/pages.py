"""A page as data: what its JSON file holds, and what its template shows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..results.verdict import Verdict, cause_in
from ..untrusted.texts import printable, safe
from . import addresses
from .causes import name_of, place_of
from .material import LONGEST, Column, Material
from .outcomes import cell, outcome_of

FORMAT = 1
SHOWN = 250
"""Entries of a list that may be of any length; how many more there are is said."""

FULL = 40
"""Entries of a list of which each may be as long as a reproduction."""

REPRODUCTION = 4000
"""Characters of a reproduction that are shown."""


@dataclass(frozen=True)
class Page:
    """One page: where it lies, which template shows it, and what it says."""

    address: str
    kind: str
    title: str
    fields: Mapping[str, Any]

    @property
    def root(self) -> str:
        """The way from here to the first page."""
        return "../" * self.address.count("/")

    @property
    def data(self) -> dict[str, Any]:
        """What stands in the file beside it."""
        head = {"format": FORMAT, "kind": self.kind, "address": self.address, "title": self.title}
        return {**head, **self.fields}


def short(text: str | None) -> str:
    """Return a text of anybody's in one line, cut where nobody reads on."""
    told = printable(" ".join((text or "").split()))
    return told if len(told) <= LONGEST else f"{told[:LONGEST]} …"


def block(text: str | None) -> str:
    """Return a text of anybody's in its lines."""
    told = safe(text or "")
    return told if len(told) <= REPRODUCTION else f"{told[:REPRODUCTION]}\n… (cut)"


def heads(material: Material) -> list[dict[str, str]]:
    """Return the columns of a table."""
    return [
        {
            "label": short(column.label),
            "version": short(column.version),
            "address": addresses.library(column.library),
        }
        for column in material.columns
    ]


def link(text: str, address: str | None) -> dict[str, str]:
    """Return a text that leads somewhere, or does not."""
    return {"text": text, **({"address": address} if address else {})}


def claim_link(material: Material, identity: str) -> dict[str, str]:
    """Return the id of a claim; one that the specification does not know leads nowhere."""
    known = identity in material.claims
    return link(short(identity), addresses.claim(identity) if known else None)


def kink_link(material: Material, kink: str) -> dict[str, str]:
    """Return a kink, leading to the operation that has it."""
    name = kink.partition("(")[0]
    known = name in material.operations
    return link(short(kink), f"{addresses.operation(name)}#kinks" if known else None)


def places_of(material: Material, places: Iterable[tuple[str, str | None]]) -> dict[str, Any]:
    """Return claims, with the operation where there is one, and how many are not shown."""
    found = [*dict.fromkeys(places)]
    return {
        "places": [
            {
                "claim": claim_link(material, claim),
                "operation": operation_link(material, name) if name else None,
            }
            for claim, name in found[:SHOWN]
        ],
        "places_more": more_than_shown(found),
    }


def operation_link(material: Material, name: str) -> dict[str, str]:
    """Return the name of an operation; what no claim is about leads nowhere."""
    known = name in material.operations
    return link(short(name), addresses.operation(name) if known else None)


def chapter_link(material: Material, name: str) -> dict[str, str]:
    """Return the name of a chapter; one that the specification does not have leads nowhere."""
    return link(named(name), addresses.chapter(name) if name in material.chapters else None)


def cells(found: Sequence[Sequence[Verdict]]) -> list[dict[str, Any] | None]:
    """Return a row of a table, a cell for each column."""
    return [cell(verdicts) for verdicts in found]


def told_of(material: Material, found: Sequence[Sequence[Verdict]]) -> list[dict[str, Any]]:
    """Return what each column has to say of one claim, in a line for each thing to say."""
    lines = []
    for column, verdicts in zip(material.columns, found, strict=True):
        alike: dict[tuple[Any, ...], list[Verdict]] = {}
        for verdict in verdicts:
            key = (outcome_of(verdict), verdict.status, verdict.reason)
            alike.setdefault(key, []).append(verdict)
        lines += [_line(material, column, same) for same in alike.values()]
    return lines


def _line(material: Material, column: Column, alike: Sequence[Verdict]) -> dict[str, Any]:
    """Return what is told of verdicts that differ in the dtype and the operation alone."""
    first = alike[0]
    operations = [*dict.fromkeys(verdict.operation for verdict in alike if verdict.operation)]
    cause = place_of(first, material.causes[column.library])
    told = first.reason if cause is None else cause_in(first.reason or "")[0]
    to = None if cause is None else cause_address(column.library, cause)
    return {
        "library": link(short(column.label), addresses.library(column.library)),
        "dtypes": dtypes_of(alike),
        "operations": [operation_link(material, name) for name in operations[:SHOWN]],
        "outcome": outcome_of(first).value,
        "status": first.status.value,
        "examples": sum(verdict.drawn for verdict in alike),
        "worst": figure(max(verdict.worst for verdict in alike)),
        "why": link(short(told), to),
        "reproduction": block(first.reproduction),
    }


def cause_address(library: str, place: int) -> str:
    """Return where the page of a library tells of a cause: at its top of one that is not shown."""
    page = addresses.library(library)
    return f"{page}#{name_of(place)}" if place < SHOWN else page


def dtypes_of(verdicts: Iterable[Verdict]) -> list[str]:
    """Name the dtypes of verdicts."""
    return sorted({short(verdict.dtype) for verdict in verdicts})


def figure(value: float) -> float | str:
    """Return a number as JSON has it."""
    return float(f"{value:.4g}") if abs(value) < float("inf") else str(value)


def more_than_shown(entries: Sequence[Any], shown: int = SHOWN) -> int:
    """Count the entries of a list that are not shown."""
    return max(len(entries) - shown, 0)


def named(chapter: str) -> str:
    """Write the name of a chapter in words."""
    return short(chapter).replace("_", " ")
