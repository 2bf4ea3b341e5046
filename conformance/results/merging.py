"""The parts of a run put together again, if they are parts of one run and none is missing."""

from collections.abc import Sequence
from typing import Any

from ..protocol.errors import OptionError
from .reading import BrokenRun, NotWhole, RunRead
from .shard import shard_of
from .verdict import GREEN, Key, Verdict, lines, name_of

SAME = (
    "gradspec",
    "commit",
    "numpy",
    "hypothesis",
    "python",
    "seed",
    "profile",
    "database",
    "subjects",
)
"""What the headers of all parts have to agree in."""

SHOWN = 10
"""How many missing parts are named."""


def merged(parts: Sequence[RunRead]) -> RunRead:
    """Return the whole run that whole parts make; raises BrokenRun naming what keeps them from it.

    What is red about a part is red about the whole.
    """
    parts = sorted(parts, key=lambda part: str(part.header["shard"]))
    _complete(parts)
    first = parts[0]
    for part in parts[1:]:
        for field in SAME:
            if part.header[field] != first.header[field]:
                raise BrokenRun(
                    f"{part.path}: part of another run than {first.path}: its {field} is "
                    f"{_brief(part.header[field])}, not {_brief(first.header[field])}"
                )
    verdicts = _united(parts)
    plan = {**first.footer["planned"], "here": len(verdicts)}
    if len(verdicts) != plan["all"]:
        raise NotWhole(f"{first.path}: all parts hold {len(verdicts)} of {plan['all']} verdicts")
    platforms = dict.fromkeys(part.header["platform"] for part in parts)
    header = {**first.header, "shard": None, "platform": "; ".join(platforms)}
    faults = [fault for part in parts for fault in part.faults]
    if faults:
        header["faults"] = [fault for at, fault in enumerate(faults) if fault not in faults[:at]]
    exits = {part.footer["exit_status"] for part in parts}
    red = 1 in exits or any(verdict.status not in GREEN for verdict in verdicts)
    footer = {"exit_status": 1 if red else min(exits), "planned": plan}
    return RunRead(first.path, header, verdicts, footer)


def _complete(parts: Sequence[RunRead]) -> None:
    """See that each part is there once, and none is missing."""
    seen: dict[int, RunRead] = {}
    counts = set()
    for part in parts:
        try:
            shard = shard_of(part.header["shard"])
        except OptionError as error:
            raise BrokenRun(f"{part.path}: in its header {error}") from None
        if shard is None:
            raise BrokenRun(f"{part.path}: no part of a run, but a whole one")
        if shard.number in seen:
            raise BrokenRun(
                f"{part.path}: part {shard} is there already, {seen[shard.number].path}"
            )
        seen[shard.number] = part
        counts.add(shard.count)
        plan, first = part.footer["planned"], parts[0].footer["planned"]
        if (plan["digest"], plan["all"]) != (first["digest"], first["all"]):
            raise BrokenRun(f"{part.path}: part {shard} is one of other claims or other subjects")
    if len(counts) > 1:
        raise BrokenRun(f"{parts[0].path}: parts of {' and of '.join(map(str, sorted(counts)))}")
    if missing := sorted({*range(1, max(counts) + 1)} - seen.keys()):
        names = ", ".join(f"{number}/{max(counts)}" for number in missing[:SHOWN])
        raise NotWhole(f"{parts[0].path}: without part {names} this is no whole run")


def _united(parts: Sequence[RunRead]) -> list[Verdict]:
    """Put the verdicts together; what several parts judged, they have to judge alike."""
    found: dict[Key, Verdict] = {}
    for part in parts:
        for verdict in part.verdicts:
            other = found.setdefault(verdict.key, verdict)
            if list(lines([other])) != list(lines([verdict])):
                raise BrokenRun(
                    f"{part.path}: another verdict on {name_of(verdict.key)} than an earlier part: "
                    f"{verdict.status}, not {other.status}, or other examples; the parts were not "
                    "run alike"
                )
    return [found[key] for key in sorted(found)]


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 80 else f"{text[:80]}..."
