"""The first page: what this is, and libraries at a glance."""

from collections import Counter
from typing import Any

from ..claims.editions import current
from ..results.standings import counts
from ..results.verdict import NO_FAULT
from . import addresses
from .causes import WAYS, Cause
from .changes import KINDS, changes_of
from .libraries import lacks_of
from .material import Material
from .outcomes import Outcome, outcome_of
from .pages import Page, short

GLANCE = 8
"""How many changes the first page shows."""


def home_page(material: Material) -> Page:
    """Write the first page."""
    causes = material.causes
    changes = changes_of(material)
    kinds = Counter(change["kind"] for change in changes)
    fields = {
        "edition": current().title,
        "counts": {
            "claims": len(material.claims),
            "operations": len(material.operations),
            "chapters": len(material.chapters),
            "libraries": len(material.libraries),
            "mutants": len({m.name for each in material.checkout.mutants.values() for m in each}),
            "notes": sum(bool(s.errs) for c in material.claims.values() for s in c.sources)
            + sum(bool(s.errs) for law in material.laws.values() for s in law.sources),
        },
        "alarms": [
            f"{short(run.path.name)}: red: {short(run.red)}" for run in material.runs if run.red
        ],
        "libraries": [_library(material, one, causes[one.library]) for one in material.libraries],
        "ways": [
            {
                "way": text,
                "counts": [_of_way(causes[one.library], way) for one in material.libraries],
            }
            for way, text in WAYS.items()
            if any(_of_way(found, way) for found in causes.values())
        ],
        "changed": [
            {"kind": kind, "text": text, "count": kinds[kind]} for kind, text in KINDS.items()
        ],
        "changes": changes[:GLANCE],
        "runs": [
            {
                "file": short(run.path.name),
                "gradspec": short(run.header["gradspec"]),
                "platform": short(run.header["platform"]),
                "python": short(run.header["python"]),
                "numpy": short(run.header["numpy"]),
                "seed": run.header["seed"],
            }
            for run in material.runs
        ],
    }
    return Page("index.html", "home", "gradspec", fields)


def _library(material: Material, one: Any, causes: list[Cause]) -> dict[str, Any]:
    holds, declared, every = counts(one.asked())
    lacks = lacks_of(material, one)
    return {
        "library": short(one.library),
        "version": short(one.version),
        "address": addresses.library(one.library),
        "devices": [*map(short, one.devices)],
        "verdicts": {"hold": holds, "declared": declared, "all": every},
        "red": sum(outcome_of(verdict) is Outcome.FAILS for verdict in one.verdicts),
        "defects": sum(cause.is_defect for cause in causes),
        "differences": sum(cause.kind in NO_FAULT for cause in causes),
        "functions": lacks["declared"]["functions"],
        "capabilities": lacks["declared"]["capabilities"],
    }


def _of_way(causes: list[Cause], way: str) -> int:
    return sum(cause.is_defect and cause.way == way for cause in causes)
