"""The floating dtypes of the error model, among them one that numpy does not have.

Values of bfloat16 cross as float32, of which it is the upper half: a rounding rule of three lines
is all that is needed, and no package more.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class Float(NamedTuple):
    """What rounding does in a dtype.

    `roundoff` is half the distance from 1 to the next number, `spacing` the smallest number above
    zero, `normal` the smallest one of full precision, and `crossing` the dtype of numpy in which
    values come and go.
    """

    roundoff: float
    spacing: float
    normal: float
    crossing: str


def _of_numpy(name: str) -> Float:
    finfo = np.finfo(name)
    spacing, normal = float(finfo.smallest_subnormal), float(finfo.smallest_normal)
    return Float(float(finfo.eps) / 2, spacing, normal, name)


FLOATS = {
    **{name: _of_numpy(name) for name in ("float16", "float32", "float64")},
    "bfloat16": Float(2.0**-8, 2.0**-133, 2.0**-126, "float32"),
}
"""The dtypes that the error model knows."""


def rounded(values: npt.NDArray[np.float64], dtype: str) -> npt.NDArray[Any]:
    """Round to the nearest numbers of `dtype`, ties to even."""
    nearest: npt.NDArray[Any] = values.astype(FLOATS[dtype].crossing)
    if dtype != "bfloat16":
        return nearest
    bits = np.asarray(nearest).view(np.uint32)
    upper = (bits + (0x7FFF + (bits >> 16 & 1)).astype(np.uint32)) & np.uint32(0xFFFF0000)
    return np.where(np.isfinite(nearest), upper.view(np.float32), nearest)
