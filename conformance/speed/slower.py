"""Compare two records of measured times: `gradspec slower OLD NEW`.

A cell is slower if the whole interval of the ratio of its medians, new over old, lies above 1 and
the ratio itself is at least 1 + `by`: what changes less is not worth telling, and from one run to
the next machines drift by some percent in ways that no interval of one run knows of.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple
from math import inf
from pathlib import Path
from typing import Any

from .cells import Measurement
from .record import read

SAME_MACHINE = ("processor", "threads", "devices", "platform")
"""What two headers have to agree in for their times to be comparable."""

BY = 0.05
"""The least change told of, unless another one is asked for."""


def slower(old: Sequence[Measurement], new: Sequence[Measurement], by: float = BY) -> Iterator[str]:
    """Return a line for each cell that got slower beyond the noise, the worst first."""
    before = {m.cell: m for m in old if m.left_out is None}
    found = []
    for m in new:
        if m.left_out is None and m.cell in before:
            ratio = m.time / before[m.cell].time
            if ratio.low > 1 and ratio.value >= 1 + by:
                found.append((ratio.value, m, ratio))
    for _, m, ratio in sorted(found, key=lambda entry: -entry[0]):
        was = before[m.cell].time.value
        yield (
            f"{_place(m)}: {1e3 * was:.4g} ms -> {1e3 * m.time.value:.4g} ms, "
            f"x {ratio.value:.2f} [{ratio.low:.2f}, {ratio.high:.2f}]"
        )


def lost(old: Sequence[Measurement], new: Sequence[Measurement]) -> Iterator[str]:
    """Return a line for each cell that has a time in the old record only, with the reason."""
    now = {m.cell: m for m in new}
    for m in old:
        if m.left_out is None:
            there = now.get(m.cell)
            if there is None or there.left_out:
                yield f"{_place(m)}: {there.left_out if there else 'not part of the new run'}"


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Return a line for each thing that makes the times of two headers hard to compare."""
    for name in SAME_MACHINE:
        if old.get(name) != new.get(name):
            yield f"another {name}: {old.get(name)} -> {new.get(name)}"


def changes(old: Path, new: Path, by: float) -> tuple[bool, list[str]]:
    """Return whether anything is worse, and the lines that say what; raises BrokenRun."""
    before, now = read(old), read(new)
    found = list(slower(before.measurements, now.measurements, by))
    timed = ({m.cell for m in run.measurements if m.left_out is None} for run in (before, now))
    compared = len(set.intersection(*timed))
    lines = [
        *differences(before.header, now.header),
        *([f"red: {now.red}"] if now.red else []),
        *(f"slower: {line}" for line in found),
        *(f"no longer timed: {line}" for line in lost(before.measurements, now.measurements)),
        f"{len(found)} of {compared} cells got slower by {by:.0%} or more, beyond the noise"
        if compared
        else "not comparable: no cell is timed in both",
    ]
    return bool(found or now.red or not compared), lines


def _place(m: Measurement) -> str:
    chapter, workload, size, part, backend, device, dtype = astuple(m.cell)
    return f"{chapter} {workload}({size}) {part} {backend}-{device}-{dtype}"


def percentage(text: str) -> float:
    """Read a number of percent; raises ArgumentTypeError."""
    try:
        value = float(text.removesuffix("%")) / 100
    except ValueError:
        value = -1.0
    if not 0 <= value < inf:
        raise argparse.ArgumentTypeError(f"{text}: not a percentage; give a number such as 5")
    return value
