"""All claims of a specification, read without running it."""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from .claim import SOURCES, Claim, read_sources

SPECIFICATION = "gradspec.spec"


def chapters_of(specification: ModuleType) -> Iterator[ModuleType]:
    """Import the chapters of a package, one after the other."""
    for module in pkgutil.iter_modules(specification.__path__):
        yield importlib.import_module(f"{specification.__name__}.{module.name}")


@cache
def rows_of_specification() -> frozenset[str]:
    """Return the ids of gradspec's own specification, from its sources; no chapter is imported."""
    return frozenset(
        row for room in rooms_of_specification() for row in read_sources(room / SOURCES)
    )


def rooms_of_specification() -> list[Path]:
    """Return the folder of gradspec's own specification; none where it is not installed."""
    found = find_spec(SPECIFICATION)
    rooms = found.submodule_search_locations if found else None
    return [Path(room) for room in rooms or ()]


def claims_of(specification: ModuleType) -> dict[str, Claim]:
    """Import every chapter of a package and return its claims by id, in the order they stand.

    Raises ValueError if two claims share an id or a source row.
    """
    claims: dict[str, Claim] = {}
    owner: dict[str, str] = {}
    for chapter in chapters_of(specification):
        for value in vars(chapter).values():
            claim = getattr(value, "claim", None)
            if not isinstance(claim, Claim):
                continue
            for row in claim.rows:
                if row in owner:
                    raise ValueError(f"{row} stands in two claims, {owner[row]} and {claim.id}")
                owner[row] = claim.id
            claims[claim.id] = claim
    return claims
