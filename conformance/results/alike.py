"""Red verdicts by what is said of them: one cause turns many claims red."""

import re
from collections.abc import Iterator, Sequence

from .verdict import GREEN, Verdict, name_of

NUMBER = re.compile(r"[-+]?(?:\d[\d.]*(?:e[-+]?\d+)?|\binf\b|\bnan\b)")
"""What differs from one example to the next."""

UNMAPPED = ", which error_kind does not map"
"""What a reason says of an exception that an adapter does not know."""

REFUSAL = re.compile(rf"(\w+){UNMAPPED} where ([A-Z_ or]+) is expected: (.+)")
"""And if it came where a refusal was expected, of some kind."""

SHOWN = 20
"""How many groups are told of."""


def alike(verdicts: Sequence[Verdict]) -> list[list[Verdict]]:
    """Group what is red by its status and its reason, numbers apart: the largest group first."""
    groups: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        if verdict.status not in GREEN:
            told = NUMBER.sub("#", verdict.reason or "")
            groups.setdefault((verdict.status, told), []).append(verdict)
    return sorted(groups.values(), key=lambda group: -len(group))


def told(groups: Sequence[Sequence[Verdict]]) -> Iterator[str]:
    """Tell of each group once, by one of its verdicts."""
    for group in groups[:SHOWN]:
        first = min(group, key=lambda verdict: verdict.key)
        others = f", and {len(group) - 1} more" if len(group) > 1 else ""
        yield f"{len(group)} x {first.status}: {first.reason}"
        yield f"    {name_of(first.key)}{others}{_at(group)}"
    if len(groups) > SHOWN:
        yield f"and {len(groups) - SHOWN} more kinds"


def _at(group: Sequence[Verdict]) -> str:
    operations = sorted({verdict.operation for verdict in group if verdict.operation})
    return f"; of {', '.join(operations[:SHOWN])}" if len(operations) > 1 else ""


def unmapped(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """List what `error_kind` does not map where a refusal is expected, as rows of a table of texts.

    Each text stands there once, numbers apart, with the kind that a claim expects.
    """
    found: dict[tuple[str, str], list[tuple[Verdict, re.Match[str]]]] = {}
    for verdict in verdicts:
        if verdict.status not in GREEN and (refusal := REFUSAL.search(verdict.reason or "")):
            alike_to = found.setdefault((NUMBER.sub("#", refusal[3]), refusal[2]), [])
            alike_to.append((verdict, refusal))
    for group in found.values():
        first, refusal = min(group, key=lambda each: each[0].key)
        name, kinds, text = refusal.groups()
        kind, *others = kinds.split(" or ")
        notes = [*(f"or {each}" for each in others), name]
        more = f", and {len(group) - 1} more" if len(group) > 1 else ""
        yield f"    {text!r}: ErrorKind.{kind},  # {'; '.join(notes)}; {name_of(first.key)}{more}"
