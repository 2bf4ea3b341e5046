"""The page of the speed question: measured laws, and what a device gains from which size on."""

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from ..claims.catalogue import SPECIFICATION
from ..speed.cells import Measurement, Part
from ..speed.findings import Interval
from ..speed.record import RecordRead, gains_of
from ..speed.workloads import workloads_of
from .material import Material
from .pages import Page, chapter_link, figure, short


def speed_page(material: Material) -> Page:
    """Write the page: answers first, then curves."""
    fields = {
        "records": [_record(record) for record in material.records],
        "laws": [*_laws(material)],
        "workloads": [_workload(material, *each) for each in material.timed.items()],
    }
    return Page("speed.html", "speed", "When does a GPU pay off?", fields)


def _record(record: RecordRead) -> dict[str, Any]:
    header = record.header
    return {
        "library": short(header["library"]),
        "version": short(header["version"]),
        "processor": short(header["processor"]),
        "threads": header["threads"],
        "devices": [
            {"name": short(name), "model": short(device["model"])}
            for name, device in header["devices"].items()
        ],
        "absent": [
            {"name": short(name), "why": short(why)} for name, why in header["absent"].items()
        ],
        "red": short(record.red),
    }


def _laws(material: Material) -> Iterator[dict[str, Any]]:
    """Return every measured law with its answers; one that no record answers has none."""
    answers: dict[str, list[dict[str, Any]]] = {}
    for record in material.records:
        for judged in record.judgements:
            answers.setdefault(judged["law"], []).append(_answer(record, judged))
    for law in material.laws.values():
        yield {
            "law": law.id,
            "text": law.law,
            "on": law.on,
            "chapter": chapter_link(material, law.chapter),
            "program": law.program,
            "sources": [
                {"row": s.row, "notes": s.notes, "verdict": s.verdict, "errs": s.errs}
                for s in law.sources
            ],
            "answers": answers.get(law.id, []),
        }


def _answer(record: RecordRead, judged: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "library": short(f"{judged['backend']} {record.header['version']}"),
        "device": short(judged["device"]),
        "answer": judged["answer"],
        "reason": short(judged["reason"]),
        "comparisons": [
            {
                "what": short(each["what"]),
                **{end: figure(float(each[end])) for end in ("value", "low", "high", "bound")},
                "relation": each["relation"],
            }
            for each in judged["comparisons"]
        ],
    }


# ---- curves --------------------------------------------------------------------------------------


def _workload(
    material: Material, place: tuple[str, str, str], found: Sequence[Measurement]
) -> dict[str, Any]:
    """Return the times of a workload by size, and what devices gain on it."""
    chapter, workload, backend = place
    return {
        "chapter": chapter_link(material, chapter),
        "workload": short(workload),
        "library": short(backend),
        "times": [*_times(found)],
        "gains": [
            {
                "device": short(gain.device),
                "part": gain.part.value,
                "points": [_point(n, at) for n, at in gain.points.items()],
                "break_even": _ends(gain.break_even) if gain.break_even else None,
            }
            for gain in gains_of(found, {})
            if gain.points
        ],
    }


def _times(found: Sequence[Measurement]) -> Iterator[dict[str, Any]]:
    for device in dict.fromkeys(m.cell.device for m in found):
        for part in Part:
            own = [m for m in found if (m.cell.device, m.cell.part) == (device, part) and m.median]
            if own:
                points = [
                    _point(m.cell.size, m.time) for m in sorted(own, key=lambda m: m.cell.size)
                ]
                yield {"device": short(device), "part": part.value, "points": points}


def _point(size: int, at: Interval) -> dict[str, Any]:
    return {"size": size, **_ends(at)}


def _ends(at: Interval) -> dict[str, Any]:
    return {end: _brief(getattr(at, end)) for end in ("value", "low", "high")}


def _brief(value: float) -> float | str:
    return float(f"{value:.4g}") if abs(value) < float("inf") else str(value)


# ---- by operation --------------------------------------------------------------------------------


def callers(material: Material, name: str) -> Iterator[dict[str, Any]]:
    """Return the workloads that call an operation, where they were timed."""
    for (chapter, workload, backend), found in material.timed.items():
        if name in _calls().get((chapter, workload), ()):
            yield _workload(material, (chapter, workload, backend), found)


@cache
def _calls() -> Mapping[tuple[str, str], frozenset[str]]:
    """Return what each workload calls, as its source says."""
    return {
        (each.chapter, each.name): frozenset(
            re.findall(r"\bbe\.(\w+)", inspect.getsource(each.program))
        )
        for each in workloads_of(import_module(SPECIFICATION))
    }
