"""The figures of one run as a file: JSON, written once the run is over.

    {"format": 1, "kind": "speed",
     "header": {...},          what ran on what: versions, commit, machine, devices, threads, limits
     "limits": [...],          what each device reached at best: bytes and operations in a second
     "measurements": [...],    a cell each: see `Measurement`; or why it was left out
     "gains": [...],           CPU over device by size, and the size from which on the device wins
     "judgements": [...]}      a measured law on a device each: see `Judgement`

An interval is {"value", "low", "high"}; a figure without an end is "inf". What may stand where is
written down in `speed.schema.json`.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..protocol.errors import OptionError
from ..results.reading import BROKEN_OFF, COMPLETE, BrokenRun, NotWhole
from ..untrusted.files import Unreadable, read_json
from ..untrusted.texts import printable, without_places
from .cells import Cell, Measurement, Part
from .findings import Curve, Interval, break_even
from .laws import Judgement

FORMAT = 1
KIND = "speed"


@dataclass(frozen=True)
class Limits:
    """The most that one device of one backend reached in a run: bytes and operations a second.

    A rate is what operands and result hold, or the arithmetic, over the median time of the
    workloads made to find it. Operands that fit into a cache do not count for bytes.
    """

    backend: str
    device: str
    bytes_per_second: float | None
    flops_per_second: float | None


@dataclass(frozen=True)
class Gain:
    """What a device gains on a workload: CPU time over its own by size, and from which size on.

    Without points, `unmeasured` says why.
    """

    chapter: str
    workload: str
    backend: str
    device: str
    part: Part
    points: Mapping[int, Interval]
    break_even: Interval | None
    unmeasured: str | None = None


@dataclass(frozen=True)
class Record:
    """All that a run measured, and what it ran on."""

    header: Mapping[str, Any]
    limits: Sequence[Limits]
    measurements: Sequence[Measurement]
    gains: Sequence[Gain]
    judgements: Sequence[Judgement]

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain data."""
        by_place = {(limit.backend, limit.device): limit for limit in self.limits}
        return {
            "format": FORMAT,
            "kind": KIND,
            "header": dict(self.header),
            "limits": [asdict(each) for each in self.limits],
            "measurements": [
                {**asdict(m), "rates": _rates(m, by_place.get((m.cell.backend, m.cell.device)))}
                for m in self.measurements
            ],
            "gains": [_gain_to_json(each) for each in self.gains],
            "judgements": [each.to_json() for each in self.judgements],
        }


# ---- what follows from the measurements ----------------------------------------------------------


def limits_of(measurements: Sequence[Measurement]) -> list[Limits]:
    """Return the best rates of each device."""
    places = dict.fromkeys((m.cell.backend, m.cell.device) for m in measurements)
    found = []
    for place in places:
        own = [
            m
            for m in measurements
            if (m.cell.backend, m.cell.device) == place and m.cell.part is Part.KERNEL and m.median
        ]
        byte_rates = [
            m.moved / m.median
            for m in own
            if m.limit == "bytes" and m.cold and m.moved and m.median
        ]
        flop_rates = [
            m.flops / m.median for m in own if m.limit == "flops" and m.flops and m.median
        ]
        best = (max(rates, default=None) for rates in (byte_rates, flop_rates))
        found.append(Limits(*place, *best))
    return found


def gains_of(measurements: Sequence[Measurement], absent: Mapping[str, str]) -> list[Gain]:
    """Return the gains of every device but the CPU; `absent` devices have none, with the reason."""
    lab: dict[tuple[str, str, str], dict[tuple[str, Part], dict[int, Interval]]] = {}
    for m in measurements:
        curves = lab.setdefault((m.cell.chapter, m.cell.workload, m.cell.backend), {})
        curve = curves.setdefault((m.cell.device, m.cell.part), {})
        if m.left_out is None:
            curve[m.cell.size] = m.time
    return [gain for place, curves in lab.items() for gain in _gains(place, curves, absent)]


def _gains(
    place: tuple[str, str, str],
    curves: Mapping[tuple[str, Part], Mapping[int, Interval]],
    absent: Mapping[str, str],
) -> Iterator[Gain]:
    here = curves.get(("cpu", Part.KERNEL), {})
    for (device, part), there in curves.items():
        if device == "cpu":
            continue
        points = {n: here[n] / there[n] for n in sorted(here.keys() & there.keys())}
        if points:
            yield Gain(*place, device, part, points, break_even(Curve(points)))
        else:
            reason = f"no size was measured both on the CPU and on {device}"
            yield Gain(*place, device, part, {}, None, reason)
    for device, reason in absent.items():
        for part in Part:
            yield Gain(*place, device, part, {}, None, reason)


def _rates(m: Measurement, limits: Limits | None) -> dict[str, float | None]:
    """Return achieved bytes and operations a second, and their shares of the limits.

    What fits into a cache has no share: it is not memory that limits it.
    """
    seconds = m.median
    moved = m.moved / seconds if m.moved and seconds else None
    flops = m.flops / seconds if m.flops and seconds else None
    return {
        "bytes_per_second": moved,
        "of_bytes_limit": _share(moved, limits.bytes_per_second if limits and m.cold else None),
        "flops_per_second": flops,
        "of_flops_limit": _share(flops, limits.flops_per_second if limits else None),
    }


def _share(rate: float | None, limit: float | None) -> float | None:
    return rate / limit if rate and limit else None


# ---- as a file -----------------------------------------------------------------------------------


def file_name(device_models: Mapping[str, str], library: str, version: str) -> str:
    """Name the file of a run: the most special device, the library and its version.

    A local part of the version, such as +cpu, is left out: the device says it.
    """
    others = [model for device, model in device_models.items() if device != "cpu"]
    words = (others[0] if others else "cpu", library, version.partition("+")[0])
    return f"{'-'.join(map(_slug, words))}.json"


def write(path: Path, record: Record, option: str = "--speed-results") -> None:
    """Write a record; what is there already is replaced, but only by a whole one.

    Raises OptionError, which names the `option` that said where, if it cannot be written.
    """
    text = json.dumps(_plain(record.to_json()), allow_nan=False, indent=1) + "\n"
    draft = path.with_suffix(".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text, encoding="utf-8", newline="\n")
        draft.replace(path)
    except OSError as error:
        raise OptionError(
            f"{option} {path.parent}: cannot be written ({error.strerror}); "
            "name a directory you may write to"
        ) from None


@dataclass(frozen=True)
class RecordRead:
    """A record as it was read."""

    path: Path
    header: Mapping[str, Any]
    measurements: Sequence[Measurement]
    judgements: Sequence[Mapping[str, Any]]

    @property
    def red(self) -> str | None:
        """Say what is red about the run that measured, if anything is."""
        status = self.header.get("exit_status")
        return f"its exit status is {status}" if status else None


def read(path: Path, *, broken_off: bool = False) -> RecordRead:
    """Read a record; raises NotWhole if its run was broken off, BrokenRun for anything else.

    What a run left that was `broken_off` is read if that is asked for.
    """
    try:
        whole = read_json(path, "speed")
        measurements = [_measurement(fields) for fields in whole["measurements"]]
        seen: set[Cell] = set()
        for m in measurements:
            if m.cell in seen:
                raise ValueError(f"there are two measurements of {m.cell.workload}({m.cell.size})")
            seen.add(m.cell)
    except Unreadable as error:
        raise BrokenRun(f"{path}: {error}") from None
    except ValueError as error:
        raise BrokenRun(
            f"{path}: not a file of measured times ({printable(str(error))[:200]}); "
            "`pytest spec --benchmark-only` writes one"
        ) from None
    status = whole["header"].get("exit_status", 0)
    if status not in COMPLETE and not broken_off:
        raise NotWhole(
            f"{path}: its exit status is {status}{BROKEN_OFF.get(status, '')}; run it again"
        )
    return RecordRead(path, whole["header"], measurements, whole["judgements"])


def _measurement(fields: Mapping[str, Any]) -> Measurement:
    rest = {name: value for name, value in fields.items() if name not in {"cell", "rates"}}
    rest["launch"] = None if rest["launch"] is None else tuple(rest["launch"])
    rest["mean"] = None if rest["mean"] is None else float(rest["mean"])  # which may be "inf"
    return Measurement(Cell(**{**fields["cell"], "part": Part(fields["cell"]["part"])}), **rest)


def _gain_to_json(gain: Gain) -> dict[str, Any]:
    points = [{"size": n, **_ends(point)} for n, point in gain.points.items()]
    even = None if gain.break_even is None else _ends(gain.break_even)
    return {**asdict(gain), "points": points, "break_even": even}


def _ends(interval: Interval) -> dict[str, float]:
    return {"value": interval.value, "low": interval.low, "high": interval.high}


def _plain(value: Any) -> Any:
    """Return what JSON has words for; infinity is the string "inf"."""
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return without_places(value) if isinstance(value, str) else value


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-.")
