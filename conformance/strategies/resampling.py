"""Images that are resampled by factors, and how their gradients go with their results."""

from itertools import product
from typing import Any

import numpy as np

from ..protocol.subject import Subject
from ..truth.tolerance import Total
from .arrays import Array

Way = tuple[int, dict[str, Any]]

FACTORS = ((2, 4 / 3), (3, 5 / 4), (4, 8 / 7), (2, 12 / 5), (3, 2.0), (4, 0.8))
"""Numbers of entries and factors; by the first three of these as many entries come of them."""

LINES, PLANES, VOLUMES = 1, 2, 3
SMOOTH: tuple[Way, ...] = (
    (LINES, {"mode": "linear"}),
    (PLANES, {"mode": "bilinear"}),
    (VOLUMES, {"mode": "trilinear"}),
    (LINES, {"mode": "nearest-exact"}),
    (PLANES, {"mode": "nearest"}),
    (PLANES, {"mode": "area"}),
)
OTHERS: tuple[Way, ...] = (
    (LINES, {"mode": "nearest"}),
    (VOLUMES, {"mode": "nearest"}),
    (PLANES, {"mode": "bicubic"}),
    (PLANES, {"mode": "bilinear", "antialias": True}),
    (PLANES, {"mode": "bicubic", "antialias": True}),
)
"""Axes of images, with what is between their entries: in two claims, of which each may be red."""


def pair(be: Subject, ways: tuple[Way, ...], x: Array, w: Array) -> None:
    """Compare images paired with their gradients with results paired with cotangents.

    Images are filled with the numbers `x`, cotangents with `w`, by every factor. Raises
    AssertionError where the two pairings differ.
    """
    for (axes, named), (n, factor) in product(ways, FACTORS):
        image = np.resize(x, (1, 2, *[n] * axes))
        value, pull = be.vjp(
            lambda z, named=named, by=factor: be.interpolate_scaled(z, None, by, **named), image
        )
        cotangent = np.resize(w, be.shape(value))
        there, here = be.numpy(value) * cotangent, image * be.numpy(pull(cotangent)[0])
        scale = abs(there).sum() + abs(here).sum()
        wanted = Total(there.sum(), scale, 64)
        be.check(be.tensor(here.sum()), wanted, f"pairing of {named} by {factor}")
