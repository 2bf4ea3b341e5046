"""Images: several of them, with several channels, before their pixels in memory or behind them."""

from itertools import product

import numpy as np

from gradspec.conformance import Total, claim, given
from gradspec.conformance.strategies import NONZERO, arrays
from gradspec.conformance.table import IMAGED, channels_last, lying, pictured

NO_WORKLOAD = "each operation is at work in the chapter it belongs to"

FACTORS = ((2, 4 / 3), (3, 5 / 4), (4, 8 / 7), (2, 12 / 5), (3, 2.0), (4, 0.8))
"""Numbers of entries and factors; by the first three of these as many entries come of them."""

LINES, PLANES, VOLUMES = 1, 2, 3
SMOOTH = (
    (LINES, {"mode": "linear"}),
    (PLANES, {"mode": "bilinear"}),
    (VOLUMES, {"mode": "trilinear"}),
    (LINES, {"mode": "nearest-exact"}),
    (PLANES, {"mode": "nearest"}),
    (PLANES, {"mode": "area"}),
)
OTHERS = (
    (LINES, {"mode": "nearest"}),
    (VOLUMES, {"mode": "nearest"}),
    (PLANES, {"mode": "bicubic"}),
    (PLANES, {"mode": "bilinear", "antialias": True}),
    (PLANES, {"mode": "bicubic", "antialias": True}),
)
"""Axes of images, with what is between their entries: in two claims, of which each may be red."""


@claim("GEN-250", needs="vjp", over=IMAGED)
@given(call=pictured())
def test_channels_may_come_last(be, call):
    """Of several images with several channels, which come before their pixels in memory or behind
    them, an operation has its values and its gradients, however cotangents lie.
    """
    value, pull = be.vjp(call.on(be), *call.tensors)
    call.check(be, value)
    for cotangent in (call.cotangent, lying(call.cotangent, channels_last)):
        for gradient, true in zip(pull(cotangent), call.gradients(), strict=True):
            be.check_gradient(gradient, true)


@claim(
    "GEN-251", about="interpolate_scaled", needs="vjp interpolate_scaled torch", level="contract"
)
@given(
    x=arrays("numbers", shape=(11,), values=NONZERO),
    w=arrays("weights", shape=(7,), values=NONZERO),
)
def test_resampling_is_linear(be, x, w):
    """Resampling by a factor is linear: the image paired with its gradient is the result paired
    with the cotangent, also where as many entries come of a factor that is not 1.
    """
    for (axes, named), (n, factor) in product(SMOOTH, FACTORS):
        image = np.resize(x, (1, 2, *[n] * axes))
        value, pull = be.vjp(
            lambda z, named=named, by=factor: be.interpolate_scaled(z, None, by, **named), image
        )
        cotangent = np.resize(w, be.shape(value))
        there, here = be.numpy(value) * cotangent, image * be.numpy(pull(cotangent)[0])
        scale = abs(there).sum() + abs(here).sum()
        be.check(be.tensor(here.sum()), Total(there.sum(), scale, 64), f"pairing by {factor}")


@claim(
    "GEN-252", about="interpolate_scaled", needs="vjp interpolate_scaled torch", level="contract"
)
@given(
    x=arrays("numbers", shape=(11,), values=NONZERO),
    w=arrays("weights", shape=(7,), values=NONZERO),
)
def test_resampling_in_other_ways_is_linear(be, x, w):
    """Resampling by nearest entries, by cubic functions or with a filter is linear, too: the image
    paired with its gradient is the result paired with the cotangent, whatever the factor.
    """
    for (axes, named), (n, factor) in product(OTHERS, FACTORS):
        image = np.resize(x, (1, 2, *[n] * axes))
        value, pull = be.vjp(
            lambda z, named=named, by=factor: be.interpolate_scaled(z, None, by, **named), image
        )
        cotangent = np.resize(w, be.shape(value))
        there, here = be.numpy(value) * cotangent, image * be.numpy(pull(cotangent)[0])
        scale = abs(there).sum() + abs(here).sum()
        be.check(be.tensor(here.sum()), Total(there.sum(), scale, 64), f"pairing by {factor}")
