"""Parts of one measurement: what a machine measured in several runs, put together to one record.

A cell for which a run had no time, or no device any more, is left out with a reason that begins
with LATER: another run measures it, with `--speed-resume` the same file is gone on with, and
`gradspec merge` puts files together.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..results.reading import BrokenRun
from .cells import Cell, Measurement
from .laws import MeasuredLaw, judge
from .record import Record, RecordRead, gains_of, limits_of

LATER = "not measured yet: "
"""How the reason of a cell begins that another run is to measure."""

SAME = (
    "gradspec",
    "commit",
    "numpy",
    "python",
    "platform",
    "processor",
    "threads",
    "library",
    "version",
    "confidence",
)
"""What the headers of all parts have to agree in, beside the devices that they have in common."""


def put_off(m: Measurement) -> bool:
    """Whether a cell is still to be measured."""
    return bool(m.left_out and m.left_out.startswith(LATER))


def difference(one: Mapping[str, Any], other: Mapping[str, Any]) -> str | None:
    """Say in what two headers differ that are not of the same machine and libraries, if they do."""
    for name in SAME:
        if one[name] != other[name]:
            return f"its {name} is {other[name]!r}, not {one[name]!r}"
    for device in one["devices"].keys() & other["devices"].keys():
        here, there = one["devices"][device], other["devices"][device]
        if here != there:
            return f"its {device} is {there!r}, not {here!r}"
    return None


def united(parts: Iterable[Sequence[Measurement]]) -> list[Measurement]:
    """Return each cell once: of several figures the last, and any figure or reason before LATER."""
    found: dict[Cell, Measurement] = {}
    for part in parts:
        for m in part:
            if m.cell not in found or not put_off(m):
                found[m.cell] = m
    return [*found.values()]


def record_of(
    header: Mapping[str, Any], measurements: Sequence[Measurement], laws: Iterable[MeasuredLaw]
) -> Record:
    """Return the record of measurements, with all that follows from them."""
    judgements = [
        answer
        for law in laws
        for answer in judge(
            law, measurements, header["library"], [*header["devices"]], header["absent"]
        )
    ]
    gains = gains_of(measurements, header["absent"])
    return Record(header, limits_of(measurements), measurements, gains, judgements)


def merged(parts: Sequence[RecordRead], laws: Iterable[MeasuredLaw]) -> Record:
    """Return the record that parts make; raises BrokenRun naming what is of another machine.

    It is red if a part is.
    """
    first = parts[0]
    for part in parts[1:]:
        if why := difference(first.header, part.header):
            raise BrokenRun(f"{part.path}: measured elsewhere than {first.path}: {why}")
    headers = [part.header for part in parts]
    devices = {name: about for each in headers for name, about in each["devices"].items()}
    absent = {name: why for each in headers for name, why in each["absent"].items()}
    conditions = [each.get("conditions", {}) for each in headers]
    header = {
        **first.header,
        "conditions": {
            device: {
                "before": next(each[device]["before"] for each in conditions if device in each),
                "after": [each[device]["after"] for each in conditions if device in each][-1],
            }
            for device in dict.fromkeys(name for each in conditions for name in each)
        },
        "devices": devices,
        "absent": {name: why for name, why in absent.items() if name not in devices},
        "memory_free": min(each["memory_free"] for each in headers),
        "budget_seconds": max(each["budget_seconds"] for each in headers),
        "exit_status": max(each.get("exit_status", 0) == 1 for each in headers) * 1,
    }
    known = {law for part in parts for law in _laws_of(part)}
    answered = [law for law in laws if law.id in known]
    return record_of(header, united(part.measurements for part in parts), answered)


def _laws_of(part: RecordRead) -> set[str]:
    return {judged["law"] for judged in part.judgements}
