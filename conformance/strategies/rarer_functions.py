"""Functions that few libraries have: what their values and slopes are told by."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray

from .arrays import Array

Slope = Callable[[Array, Callable[[str], Array]], Array]

BESSEL: Mapping[str, Slope] = {
    "bessel_j0": lambda _, of: -of("bessel_j1"),
    "bessel_j1": lambda x, of: of("bessel_j0") - of("bessel_j1") / x,
    "bessel_y0": lambda _, of: -of("bessel_y1"),
    "bessel_y1": lambda x, of: of("bessel_y0") - of("bessel_y1") / x,
    "modified_bessel_i0": lambda _, of: of("modified_bessel_i1"),
    "modified_bessel_i1": lambda x, of: of("modified_bessel_i0") - of("modified_bessel_i1") / x,
    "modified_bessel_k0": lambda _, of: -of("modified_bessel_k1"),
    "modified_bessel_k1": lambda x, of: -of("modified_bessel_k0") - of("modified_bessel_k1") / x,
    "scaled_modified_bessel_k0": lambda _, of: (
        of("scaled_modified_bessel_k0") - of("scaled_modified_bessel_k1")
    ),
    "scaled_modified_bessel_k1": lambda x, of: (
        (1 - 1 / x) * of("scaled_modified_bessel_k1") - of("scaled_modified_bessel_k0")
    ),
    "spherical_bessel_j0": lambda x, of: (np.cos(x) - of("spherical_bessel_j0")) / x,
}
"""The slope of each Bessel function by the values of others (DLMF 10.6, 10.29, 10.51)."""

X = Polynomial([0.0, 1.0])


@dataclass(frozen=True)
class Family:
    """Polynomials by the one of degree 1, and the step from two of them to the next (DLMF 18.9)."""

    first: Polynomial
    step: Callable[[int, Polynomial, Polynomial], Polynomial]

    def of(self, degree: int) -> Polynomial:
        """Return the polynomial of a degree."""
        former, made = Polynomial([1.0]), self.first
        for k in range(1, degree):
            former, made = made, self.step(k, made, former)
        return made if degree else former

    def shifted(self, degree: int) -> Polynomial:
        """Return the polynomial of a degree whose argument runs from 0 to 1."""
        made: Polynomial = self.of(degree)(2 * X - 1)
        return made


def doubled(_: int, p: Polynomial, former: Polynomial) -> Polynomial:
    """Step from two Chebyshev polynomials of any kind to the next."""
    return 2 * X * p - former


FAMILIES: Mapping[str, Family] = {
    "chebyshev_polynomial_t": Family(X, doubled),
    "chebyshev_polynomial_u": Family(2 * X, doubled),
    "chebyshev_polynomial_v": Family(2 * X - 1, doubled),
    "chebyshev_polynomial_w": Family(2 * X + 1, doubled),
    "hermite_polynomial_h": Family(2 * X, lambda k, p, former: 2 * X * p - 2 * k * former),
    "hermite_polynomial_he": Family(X, lambda k, p, former: X * p - k * former),
    "laguerre_polynomial_l": Family(
        1 - X, lambda k, p, former: ((2 * k + 1 - X) * p - k * former) / (k + 1)
    ),
    "legendre_polynomial_p": Family(
        X, lambda k, p, former: ((2 * k + 1) * X * p - k * former) / (k + 1)
    ),
}
"""Families of orthogonal polynomials."""

POLYNOMIALS: Mapping[str, Callable[[int], Polynomial]] = {
    **{name: family.of for name, family in FAMILIES.items()},
    **{
        f"shifted_{name}": family.shifted
        for name, family in FAMILIES.items()
        if name.startswith("chebyshev")
    },
}
"""All of them by their names, those included whose argument runs from 0 to 1."""

STEPS: Mapping[str, np.ufunc] = {
    "eq_": np.equal,
    "ne_": np.not_equal,
    "lt_": np.less,
    "le_": np.less_equal,
    "gt_": np.greater,
    "ge_": np.greater_equal,
    "logical_and_": np.logical_and,
    "logical_or_": np.logical_or,
    "logical_xor_": np.logical_xor,
    "logical_not_": np.logical_not,
}
"""Functions whose values are true or false, as they are written over their operand."""

UNRULED: Mapping[str, Callable[[Any, Any], Any]] = {
    "igamma": lambda function, x: function(x, 1 + x.detach()),
    "special.gammaincc": lambda function, x: function(x, 1 + x.detach()),
    "special.zeta": lambda function, x: function(2 + x, 1 + x.detach()),
    "heaviside": lambda function, x: function(x, x.detach()),
    "floor_divide": lambda function, x: function(x, 2.0),
    # Of this there is a kernel for the host alone.
    "histogram": lambda function, x: function(x.cpu(), 3)[0],
    "unique": lambda function, x: function(x),
    "unique_consecutive": lambda function, x: function(x, dim=0),
    "geqrf": lambda function, x: function(x)[0],
    **{
        name: lambda function, x: function(1 + x.clone()) for name in ("asinh_", "acosh_", "atanh_")
    },
    "linalg.ldl_factor": lambda function, x: function(x)[0],
    "linalg.ldl_solve": lambda function, x: function(x, (x[0] * 0 + 1).int(), x),
}
"""Calls of functions whose derivatives a library may lack, each of one tensor."""

BESIDE_NUMBERS: Mapping[str, Callable[[Any, Any, Any], Any]] = {
    **{
        name: lambda function, x, y: function(x, y)
        for name in (
            *("xlogy", "special.xlog1py", "copysign", "fmod", "remainder", "pow"),
            *("clamp_min", "clamp_max", "float_power"),
            *("add", "sub", "rsub", "mul", "div", "true_divide"),
        )
    },
    **{
        f"{name} first": lambda function, x, y: function(y, x)
        for name in ("xlogy", "special.xlog1py", "special.zeta", "pow")
    },
    **{
        f"{name} of a negative": lambda function, x, y: function(x, -y)
        for name in ("copysign", "fmod", "remainder", "pow", "clamp_min", "clamp_max")
    },
    "div floor": lambda function, x, y: function(x, y, rounding_mode="floor"),
    "div trunc": lambda function, x, y: function(x, y, rounding_mode="trunc"),
    "add alpha": lambda function, x, y: function(x, y, alpha=-3),
    "where": lambda function, x, y: function(x > 2, x, y),
    "where first": lambda function, x, y: function(x > 2, y, x * x),
    "lerp": lambda function, x, y: function(x, x * x, y),
    "nn.functional.gaussian_nll_loss": lambda function, x, y: function(x, -x, y, reduction="none"),
}
"""Calls of functions that take a number in the place of an operand, by their names."""


def distinct(x: Array, axis: int | None) -> tuple[NDArray[Any], ...]:
    """Find the entries of an array, or its slices, that differ: in order, their places, counts.

    Of slices a place is a number along the axis; of entries there is one for each of the array.
    """
    found, places, counts = np.unique(x, axis=axis, return_inverse=True, return_counts=True)
    return found, places.reshape(x.shape if axis is None else -1), counts


def runs(x: Array, axis: int | None) -> tuple[NDArray[Any], ...]:
    """Find the first of every run of equal entries of an array, or slices, their places, counts."""
    rows = x.ravel() if axis is None else np.moveaxis(x, axis, 0)
    begins = np.array([n == 0 or (row != rows[n - 1]).any() for n, row in enumerate(rows)])
    found, places = rows[begins], np.cumsum(begins) - 1
    if axis is None:
        return found, places.reshape(x.shape), np.bincount(places)
    return np.moveaxis(found, 0, axis), places, np.bincount(places)
