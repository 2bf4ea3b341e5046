"""What one library comes to, operation by operation: what holds, what does not, what it lacks."""

from collections.abc import Iterator, Sequence

from .matrix import aligned
from .verdict import Status, Verdict

WORDS = {
    Status.PASS: "holds",
    Status.EXPECTED_FAILURE: "known",
    Status.UNSUPPORTED: "lacks",
    Status.NOT_RUN: "not run",
}
"""How a cell tells of a verdict; all others are red."""


def by_operation(
    verdicts: Sequence[Verdict], claims: Sequence[str] = (), wanted: str | None = None
) -> Iterator[str]:
    """Yield lines of a table: a row for each operation, a column for each claim over the table.

    Where dtypes differ each outcome names its own. Of claims are those left that begin as one of
    `claims` does, if there are any; of rows those that hold the word `wanted`, if it is given. What
    is judged in the widest dtype alone is lacking in none.
    """
    table: dict[str, dict[str, list[Verdict]]] = {}
    for verdict in verdicts:
        if verdict.operation and verdict.claim.startswith(tuple(claims) or ""):
            row = table.setdefault(verdict.operation, {})
            row.setdefault(verdict.claim, []).append(verdict)
    columns = sorted({claim for row in table.values() for claim in row})
    rows = [
        [name, *(_cell(row.get(claim, ())) for claim in columns)]
        for name, row in sorted(table.items())
    ]
    left = [row for row in rows if wanted is None or any(wanted in cell for cell in row[1:])]
    yield from aligned([["operation", *columns], *left])


def _cell(verdicts: Sequence[Verdict]) -> str:
    """Tell what came of one claim on one operation."""
    judged = [v for v in verdicts if not v.is_judged_elsewhere]
    found: dict[str, list[str]] = {}
    for verdict in judged:
        found.setdefault(WORDS.get(verdict.status, "RED"), []).append(verdict.dtype)
    if len(found) < 2:
        return next(iter(found), "-")
    return ", ".join(f"{word} {' '.join(dtypes)}" for word, dtypes in found.items())
