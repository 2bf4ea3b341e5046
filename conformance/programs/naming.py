"""What a difference is called: by its kind, and by the statements that are left of its program."""

from typing import Any

from .judging import Difference
from .language import Program

PARTS = ("value", "requires_grad", "is_leaf", "version")
"""What is read of a variable at the end."""


def sort_of(found: Difference) -> str:
    """Say what kind of difference this is, in words that no number of a variable enters."""
    what, got, expected = found.what, found.got, found.expected
    if what in {"crash", "hang"}:
        return what
    if "refused" in what or what == "last" or type(got) is str or type(expected) is str:
        if got is None or type(got) is not str:
            return f"not refused as {expected}"
        return f"refused as {got}" + (f", not {expected}" if type(expected) is str else "")
    if what.startswith("gradients"):
        return "gradient"
    if what.startswith(("hooks", "tally")):
        return "hook calls"
    if what.endswith("grad"):
        return "gradient"
    if what.endswith("strides"):
        return "strides"
    if (
        what.startswith("v")
        and what[1:].isdigit()
        and type(got) is tuple
        and type(expected) is tuple
    ):
        return next(
            (part for part, x, y in zip(PARTS, got, expected, strict=True) if x != y), "value"
        )
    return what


def key_of(program: Program, found: Difference) -> str:
    """Name a difference, given the program that is left of the one that showed it."""
    return f"{sort_of(found)}: {' '.join(statement.kind for statement in program)}"


def rough_key(program: Program, found: Difference) -> tuple[Any, ...]:
    """Name a difference before its program is shrunk: where it shows, and what."""
    kind = program[found.at].kind if found.at < len(program) else "end"
    return kind, sort_of(found)
