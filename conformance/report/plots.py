"""Drawings of measured times: what a device gains by size, and from which size on.

Drawings are SVG whose lines and letters take the colour of the page's text.
"""

import io
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from typing import Any, TypeVar

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..speed.cells import Measurement, Part
from ..speed.record import Gain, gains_of
from ..untrusted.texts import printable

INK = "#123456"
"""Stands in a drawing for the colour of text."""

COLOURS = {"cpu": "#3b82c4", "cuda": "#4d9e36"}
COLUMNS = 4

PANELS = 200
"""So many workloads are drawn: each takes a quarter of a second."""

T = TypeVar("T")
Drawing = tuple[str, str]
"""A title and an SVG."""

STYLE: Any = {
    "svg.fonttype": "none",  # letters stay letters: small, and found by a search
    "svg.hashsalt": "gradspec",
    "font.size": 8,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def drawings(measurements: Sequence[Measurement]) -> Iterator[Drawing]:
    """Draw what was measured; without another device than the CPU there are times, but no gains."""
    timed = [m for m in measurements if m.left_out is None and m.median]
    gains = [gain for gain in gains_of(timed, {}) if gain.points]
    for device in dict.fromkeys(gain.device for gain in gains):
        own = [gain for gain in gains if gain.device == device]
        curves = _grouped(own, lambda gain: (gain.workload, gain.backend))
        title = f"Speed-up of {device} over the CPU, by size"
        yield title + _cut(curves), _grid(curves, _draw_gain)
        found = [g for g in own if g.break_even and g.part is Part.KERNEL]
        yield f"Where {device} starts to win" + _cut(found), _break_even(found[:PANELS])
    kernels = [m for m in timed if m.cell.part is Part.KERNEL]
    if kernels:
        groups = _grouped(kernels, lambda m: (m.cell.workload, m.cell.backend))
        yield "Time in seconds, by size" + _cut(groups), _grid(groups, _draw_times)


def _cut(groups: Sized) -> str:
    return f" (the first {PANELS} of {len(groups)})" if len(groups) > PANELS else ""


def _plain(name: str) -> str:
    """Write a name so that it is drawn as it is: a dollar would begin a formula."""
    return printable(name).replace("$", r"\$")


def _grouped(each: Sequence[T], place: Callable[[T], tuple[str, str]]) -> Mapping[str, list[T]]:
    groups: dict[str, list[T]] = {}
    for one in each:
        groups.setdefault("{} ({})".format(*map(_plain, place(one))), []).append(one)
    return groups


@contextmanager
def _styled() -> Iterator[None]:
    with mpl.rc_context(STYLE), warnings.catch_warnings():
        # A name may have letters that no font has, and a size may be 0 on a logarithmic scale.
        warnings.simplefilter("ignore", UserWarning)
        yield


def _grid(groups: Mapping[str, Sequence[T]], draw: Callable[[Axes, Sequence[T]], None]) -> str:
    groups = dict(list(groups.items())[:PANELS])
    rows = -(-len(groups) // COLUMNS)
    with _styled():
        figure = Figure(figsize=(11, 1.9 * rows), layout="constrained")
        for place, (title, group) in enumerate(groups.items(), 1):
            axes = figure.add_subplot(rows, COLUMNS, place)
            axes.set(xscale="log", yscale="log")
            axes.set_title(title, fontsize=8)
            draw(axes, group)
        return _svg(figure)


def _draw_gain(axes: Axes, gains: Sequence[Gain]) -> None:
    axes.axhline(1, color=INK, linewidth=0.6)
    for gain in gains:
        colour = COLOURS["cuda" if gain.part is Part.KERNEL else "cpu"]
        sizes = list(gain.points)
        points = [gain.points[size] for size in sizes]
        axes.fill_between(
            sizes, [p.low for p in points], [p.high for p in points], color=colour, alpha=0.25
        )
        axes.plot(sizes, [p.value for p in points], color=colour, marker=".", label=gain.part)
        if gain.break_even and min(sizes) <= gain.break_even.value <= max(sizes):
            axes.axvline(gain.break_even.value, color=colour, linestyle=":", linewidth=0.8)
    axes.legend(frameon=False, fontsize=6)


def _draw_times(axes: Axes, measured: Sequence[Measurement]) -> None:
    for device in dict.fromkeys(m.cell.device for m in measured):
        own = [m for m in measured if m.cell.device == device]
        cells = sorted(own, key=lambda m: m.cell.size)
        sizes = [m.cell.size for m in cells]
        colour = COLOURS.get(device, INK)
        lows, highs = ([getattr(m, end) for m in cells] for end in ("low", "high"))
        axes.fill_between(sizes, lows, highs, color=colour, alpha=0.25)
        medians = [m.time.value for m in cells]
        axes.plot(sizes, medians, color=colour, marker=".", label=_plain(device))
    axes.legend(frameon=False, fontsize=6)


def _break_even(found: Sequence[Gain]) -> str:
    with _styled():
        figure = Figure(figsize=(8, 0.6 + 0.18 * len(found)), layout="constrained")
        axes = figure.add_subplot()
        axes.set(xscale="log", xlabel="size from which on the device is faster")
        for place, gain in enumerate(reversed(found)):
            even = gain.break_even
            assert even is not None
            axes.plot([even.low, even.high], [place, place], color=COLOURS["cuda"])
            axes.plot(even.value, place, color=COLOURS["cuda"], marker="o", markersize=4)
        names = [_plain(f"{gain.workload} ({gain.backend})") for gain in reversed(found)]
        axes.set_yticks(range(len(found)), names)
        return _svg(figure)


def _svg(figure: Figure) -> str:
    file = io.StringIO()
    figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = file.getvalue()
    return text[text.index("<svg") :].replace(INK, "currentColor")
