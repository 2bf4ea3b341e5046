"""Losses of one place that a search along a line has to find its way in."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .arrays import Array

Depth = Callable[[Any, Callable[[Any], Any]], Any]
Slope = Callable[[Array], Array]

HOLLOWS: dict[str, tuple[Depth, Slope]] = {
    "bowl": (lambda x, _: x * x, lambda x: 2 * x),
    "quartic": (lambda x, _: x * x * x * x, lambda x: 4 * x**3),
    "two wells": (lambda x, _: (x * x - 1) * (x * x - 1), lambda x: 4 * x * (x * x - 1)),
    "waves": (lambda x, cos: x * x / 8 + cos(2 * x), lambda x: x / 4 - 2 * np.sin(2 * x)),
}
"""Functions of a place and of the cosine, by tensors or arrays, and their derivatives."""
