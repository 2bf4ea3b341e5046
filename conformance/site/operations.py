"""The pages of operations: which libraries compute and differentiate each one as they should."""

import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from ..claims.claim import Claim
from ..protocol.backend import Backend
from ..protocol.operations import OPERATIONS
from ..table import OPTIONED, TABLE
from . import addresses
from .kinks import kinks_of
from .material import Material
from .outcomes import Outcome, outcome_of, tally
from .pages import SHOWN, Page, cells, claim_link, heads, link, more_than_shown, told_of
from .speed import callers

BY_NAME = {operation.name: operation for operation in (*TABLE, *OPTIONED)}
BY_OPTIONS = {operation.name for operation in OPTIONED}
PLAIN = (Outcome.HOLDS, Outcome.LACKS)


def meaning_of(name: str) -> str:
    """Say what an operation does: in the words of the vocabulary, or of the protocol."""
    if name in OPERATIONS:
        return OPERATIONS[name]
    told = inspect.getdoc(getattr(Backend, name, None)) or ""
    return told.partition("\n\n")[0].replace("\n", " ").replace("`", "")


def operation_page(material: Material, name: str) -> Page:
    """Write the page of an operation."""
    claims = material.operations[name]
    rows = []
    told = []
    for claim in claims:
        found = material.found(claim, name)
        rows.append(
            {
                "claim": claim_link(material, claim.id),
                "law": claim.law,
                "level": claim.level.value,
                "cells": cells(found),
            }
        )
        # What holds, or is not there, is told by its cell.
        notable = [[each for each in row if outcome_of(each) not in PLAIN] for row in found]
        lines = told_of(material, notable)
        told += [{"claim": claim_link(material, claim.id), **line} for line in lines]
    return Page(
        addresses.operation(name),
        "operation",
        name,
        {
            "operation": name,
            "meaning": meaning_of(name),
            "properties": [*properties_of(name)],
            "columns": heads(material),
            "rows": rows,
            "told": told[:SHOWN],
            "told_more": more_than_shown(told),
            "kinks": kinks_of(material, name) if name in BY_NAME else [],
            "workloads": [*callers(material, name)],
        },
    )


def properties_of(name: str) -> Iterator[str]:
    """Say what mathematics and PyTorch's documentation say of an operation of the table."""
    found = BY_NAME.get(name)
    if found is None:
        return
    yield "differentiable" if found.differentiable else "has values only, and no gradient"
    if found.linear:
        yield "linear in all tensors together"
    if found.broadcasts:
        yield "entry by entry, on shapes that fit"
    if found.view in ("always", "each"):
        yield "its result is a view"
    if found.view == "maybe":
        yield "its result may be a view"
    if found.kinks:
        yield f"not smooth at {found.kinks}"
    if found.is_open:
        yield "the order of its additions is open on CUDA"


def overall(material: Material, name: str, claims: Sequence[Claim]) -> list[dict[str, Any] | None]:
    """Return, by column, how many of all verdicts on an operation hold."""
    found = [material.found(claim, name) for claim in claims]
    columns = zip(*found, strict=True)
    return [tally([verdict for cell in cells for verdict in cell]) for cells in columns]


def operations_page(material: Material) -> Page:
    """Write the table of all operations; those by all of their options have one law, and no row."""
    rows = [
        {
            "name": name,
            "address": addresses.operation(name),
            "cells": overall(material, name, claims),
        }
        for name, claims in material.operations.items()
        if name not in BY_OPTIONS
    ]
    optioned = [link(n, addresses.operation(n)) for n in material.operations if n in BY_OPTIONS]
    fields = {"columns": heads(material), "rows": rows, "optioned": optioned}
    return Page("operations.html", "operations", "Operations", fields)
