"""The pages of chapters: their claims by libraries, their measured laws and workloads."""

from types import ModuleType
from typing import Any

from ..claims.claim import Claim
from ..speed.laws import laws_in
from . import addresses
from .material import Material
from .outcomes import tally
from .pages import Page, cells, claim_link, heads, named


def claims_in(material: Material, chapter: str) -> list[Claim]:
    """Return the claims of a chapter, in the order they stand."""
    return [claim for claim in material.claims.values() if claim.chapter == chapter]


def title_of(module: ModuleType) -> str:
    """Return the heading of a chapter."""
    return (module.__doc__ or "").partition("\n")[0].rstrip(".")


def chapter_page(material: Material, name: str) -> Page:
    """Write the page of a chapter."""
    module = material.chapters[name]
    rows: list[dict[str, Any]] = []
    for claim in claims_in(material, name):
        row = material.by_claim.get(claim.id)
        found: list[Any] = [*row.cells] if row else [[] for _ in material.columns]
        many = bool(claim.over)
        rows.append(
            {
                "claim": claim_link(material, claim.id),
                "law": claim.law,
                "level": claim.level.value,
                "cells": [tally(each) for each in found] if many else cells(found),
            }
        )
    measured = [
        {"law": law.id, "text": law.law, "on": law.on, "address": f"speed.html#{law.id}"}
        for law in laws_in(module)
    ]
    workloads = [
        {"name": key, "does": " ".join((value.__doc__ or "").split())}
        for key, value in vars(module).items()
        if "workload" in getattr(value, "__dict__", {})
    ]
    told = (module.__doc__ or "").partition("\n")[2].strip()
    fields = {
        "chapter": named(name),
        "file": f"spec/test_{name}.py",
        "about": " ".join(told.split()),
        "columns": heads(material),
        "rows": rows,
        "measured": measured,
        "workloads": workloads,
    }
    return Page(addresses.chapter(name), "chapter", title_of(module), fields)


def chapters_page(material: Material) -> Page:
    """Write the table of all chapters."""
    rows = []
    for name, module in material.chapters.items():
        found: list[list[Any]] = [[] for _ in material.columns]
        claims = claims_in(material, name)
        for claim in claims:
            row = material.by_claim.get(claim.id)
            for at, cell in enumerate(row.cells if row else ()):
                found[at] += cell
        rows.append(
            {
                "name": named(name),
                "title": title_of(module),
                "address": addresses.chapter(name),
                "claims": len(claims),
                "cells": [tally(each) for each in found],
            }
        )
    fields = {"columns": heads(material), "rows": rows}
    return Page("chapters.html", "chapters", "Chapters", fields)
