"""Complex numbers and their parts."""

from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from ..truth.tolerance import Total
from .arrays import ANY, LAYOUTS, Array, Layout, arrays


def parts(z: npt.ArrayLike) -> npt.NDArray[Any]:
    """Put both parts of complex numbers side by side, along a last axis."""
    array = np.asarray(z)
    return np.stack([array.real, array.imag], -1)


def complex_arrays(
    label: str,
    *,
    values: Array = ANY,
    layouts: tuple[Layout, ...] = LAYOUTS,
    shape: tuple[int, ...] | None = None,
) -> st.SearchStrategy[npt.NDArray[Any]]:
    """Draw an array of complex numbers, whose parts are `values`."""
    sides = (arrays(label, values=values, layouts=layouts, shape=shape) for _ in range(2))
    return st.tuples(*sides).map(lambda pair: np.asarray(pair[0] + 1j * pair[1]))


def products_of_others(z: npt.NDArray[Any], w: npt.NDArray[Any]) -> Total:
    """What a cotangent makes of the products of all other factors of a vector, as it ascends."""
    others = np.array([np.prod(np.delete(z, k)) for k in range(z.size)])
    size = parts((1 + 1j) * np.abs(w) * np.abs(others))
    return Total(parts(w * others.conj()), size, 2)


def products_so_far_of_others(z: npt.NDArray[Any], w: npt.NDArray[Any]) -> Total:
    """What a cotangent makes of the running products of all other factors, as it ascends."""
    value, size = np.zeros((2, z.size, 2))
    for k in range(z.size):
        total = products_of_others(z[: k + 1], w[k])
        value[: k + 1] += total.value
        size[: k + 1] += total.magnitude
    return Total(value, size, 4)
