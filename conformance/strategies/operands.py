"""Functions told to write into one of their operands, and whole numbers for these."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

OVER_OPERANDS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "torch:mm": ("MM", {}),
    "torch:matmul": ("MN", {}),
    "torch:bmm": ("SS", {}),
    "torch:mv": ("MV", {}),
    "torch:addmm": ("NMM", {}),
    "torch:addmv": ("VMV", {}),
    "torch:addr": ("MVV", {}),
    "torch:addbmm": ("MSS", {}),
    "torch:baddbmm": ("SSS", {}),
    "torch.linalg:solve_triangular": ("UM", {"upper": True}),
    "torch.linalg:matrix_power": ("M", {"n": 3}),
    "torch:tensordot": ("MM", {"dims": 1}),
    "torch:triu": ("M", {}),
    "torch:cumsum": ("M", {"dim": 0}),
    "torch:cumprod": ("M", {"dim": 1}),
    "torch:msort": ("M", {}),
    "torch:transpose_copy": ("M", {"dim0": 0, "dim1": 1}),
    "torch:add": ("MN", {}),
    "torch:addcmul": ("MNM", {}),
}
"""What each is given, by the letters of `whole_numbers`, and its options.

A letter that stands there twice is one tensor. All results are whole and small enough to be exact.
"""


def whole_numbers(n: int, seed: int) -> dict[str, Array]:
    """Return matrices M and N, an upper one U of determinant 1, a stack S and a vector V."""
    draw = np.random.default_rng(seed)
    sizes = {"M": (n, n), "N": (n, n), "U": (n, n), "S": (2, n, n), "V": (n,)}
    found = {key: draw.integers(-1, 2, size).astype(float) for key, size in sizes.items()}
    found["U"] = np.eye(n) + np.diag(np.diag(found["U"], 1), 1)
    return found
