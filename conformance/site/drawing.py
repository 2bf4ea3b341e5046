"""Drawings of curves, from the numbers of a page: places of lines, ticks and dots.

Templates write them as SVG; colours and widths are the style sheet's, so that a drawing is dark
where the page is.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

WIDTH, HEIGHT = 240, 150
LEFT, RIGHT, TOP, BOTTOM = 38, 12, 10, 24
"""The size of a drawing, and the room around its axes."""

Points = Sequence[Sequence[float]]


class Scale:
    """Takes numbers to places along an axis; logarithmic ones are given as such."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        if high - low < 1e-9:
            low, high = low - 1, high + 1
        self.low, self.high, self.start, self.end = low, high, start, end

    def __call__(self, value: float) -> float:
        """Return the place of a number."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)


def panel(curves: Sequence[Points], point: float, dots: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Draw curves beside a point, and dots at it: each has a number `at`, and a `letter`."""
    xs = [x for curve in curves for x, _ in curve] or [point - 1, point + 1]
    finite = [dot["at"] for dot in dots if isinstance(dot["at"], float | int)]
    ys = [y for curve in curves for _, y in curve] + finite
    low, high = (min(ys), max(ys)) if ys else (-1, 1)
    room = 0.12 * (high - low) or 1.0
    along = Scale(min(xs), max(xs), LEFT, WIDTH - RIGHT)
    up = Scale(low - room, high + room, HEIGHT - BOTTOM, TOP)
    return {
        "lines": [_line([(along(x), up(y)) for x, y in curve]) for curve in curves if curve],
        "x_ticks": [{"at": along(x), "text": brief(x)} for x in sorted({min(xs), point, max(xs)})],
        "y_ticks": [{"at": up(y), "text": brief(y)} for y in _three(low, high)],
        "zero": up(0) if up.low < 0 < up.high else None,
        "here": along(point),
        "dots": [*_placed(dots, along(point), up)],
    }


def _placed(dots: Sequence[dict[str, Any]], x: float, up: Scale) -> Iterator[dict[str, Any]]:
    """Put dots at their places: infinities at the end, and nothing for what is no number."""
    sides = {"inf": (TOP, "above"), "-inf": (HEIGHT - BOTTOM, "below")}
    for n, dot in enumerate(dots):
        aside = {"letter": dot["letter"], "x": x, "label_x": x + (8 if n % 2 == 0 else -8)}
        aside["anchor"] = "start" if n % 2 == 0 else "end"
        if isinstance(dot["at"], float | int):
            yield {**aside, "y": up(dot["at"]), "beyond": ""}
        elif dot["at"] in sides:
            y, beyond = sides[dot["at"]]
            yield {**aside, "y": y, "beyond": beyond}


def logarithmic(series: Sequence[Points], line: float | None = None) -> dict[str, Any]:
    """Draw series of (size, value, low, high) on logarithmic scales; `line` is a value to mark."""
    kept = [[point for point in each if min(point) > 0] for each in series]
    xs = [math.log10(point[0]) for each in kept for point in each] or [0.0, 1.0]
    ys = [math.log10(y) for each in kept for point in each for y in point[1:]] or [0.0, 1.0]
    ys += [math.log10(line)] if line else []
    along = Scale(min(xs), max(xs), LEFT, WIDTH - RIGHT)
    up = Scale(math.floor(min(ys)), math.ceil(max(ys)), HEIGHT - BOTTOM, TOP)
    steps = range(math.floor(min(ys)), math.ceil(max(ys)) + 1)
    every = -(-len(steps) // 4)
    return {
        "lines": [
            _line([(along(math.log10(x)), up(math.log10(y))) for x, y, *_ in each]) for each in kept
        ],
        "bars": [
            [
                {
                    "x": along(math.log10(x)),
                    "low": up(math.log10(low)),
                    "high": up(math.log10(high)),
                }
                for x, _, low, high in each
            ]
            for each in kept
        ],
        "x_ticks": [
            {"at": along(x), "text": f"{10**x:.0e}".replace("e+0", "e").replace("e+", "e")}
            for x in sorted({min(xs), max(xs)})
        ],
        "y_ticks": [{"at": up(y), "text": f"1e{y}"} for y in steps[::every]],
        "zero": up(math.log10(line)) if line else None,
    }


def _line(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _three(low: float, high: float) -> list[float]:
    return sorted({low, high, 0.0}) if low < 0 < high else sorted({low, high})


def brief(value: float) -> str:
    """Write a number beside an axis."""
    return f"{value:.2g}" if abs(value) >= 0.005 else "0"
