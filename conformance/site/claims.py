"""The pages of claims: the law, its program, where it comes from, and who keeps it."""

from typing import Any

from ..claims.claim import Claim
from . import addresses
from .chapters import title_of
from .material import Material
from .pages import FULL, SHOWN, Page, cells, heads, link, more_than_shown, operation_link, told_of


def claim_page(material: Material, claim: Claim) -> Page:
    """Write the page of a claim."""
    mutants = material.checkout.mutants.get(claim.id, [])
    over = [operation.name for operation in claim.over]
    nothing: list[list[Any]] = [[] for _ in material.columns]
    row = material.by_claim.get(claim.id)
    told = told_of(material, row.cells if row and not over else nothing)
    return Page(
        addresses.claim(claim.id),
        "claim",
        f"{claim.id}: {_beginning(claim.law)}",
        {
            "claim": claim.id,
            "rows_settled": list(claim.rows),
            "law": claim.law,
            "level": claim.level.value,
            "state": claim.state.value,
            "edition": claim.edition,
            "chapter": link(
                title_of(material.chapters[claim.chapter]).partition(":")[0],
                addresses.chapter(claim.chapter),
            ),
            "needs": list(claim.needs),
            "about": [operation_link(material, name) for name in claim.about],
            "device": claim.device,
            "program": claim.program,
            "sources": [
                {
                    "row": source.row,
                    "notes": source.notes,
                    "verdict": source.verdict,
                    "errs": source.errs,
                }
                for source in claim.sources
            ],
            "has_mutants": material.checkout.folder is not None,
            "mutants": [
                {"name": mutant.name, "changes": mutant.changes} for mutant in mutants[:SHOWN]
            ],
            "told": told[:FULL],
            "told_more": more_than_shown(told, FULL),
            "columns": heads(material),
            "rows": [
                {
                    "operation": operation_link(material, name),
                    "cells": cells(material.found(claim, name)),
                }
                for name in over
            ],
        },
    )


def _beginning(law: str) -> str:
    """Cut a law where a title ends."""
    if len(law) <= 80:
        return law
    return law[:80].rpartition(" ")[0] + " …"
