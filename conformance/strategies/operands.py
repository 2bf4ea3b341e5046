"""Functions that write into memory which they read, and whole numbers for these."""

from collections.abc import Callable, Mapping
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


READING: Mapping[str, str] = {
    **dict.fromkeys(("add_", "sub_", "mul_", "copy_", "clamp_min_", "eq_", "copysign_"), "R"),
    "addcmul_": "RR",
    "masked_scatter_": "BR",
    **dict.fromkeys(("index_add_", "index_copy_", "scatter_", "scatter_add_"), "0IR"),
    "put_": "IR",
    "addmv_": "MR",
}
"""What follows the receiver, a vector: another one R that is read, an axis 0, indices I in any
order, a mask B, a matrix M."""


UNRECORDED: Mapping[str, tuple[Callable[[Any, Any], Any], Callable[[Array], Array]]] = {
    "apply_": (
        lambda method, x: method(x, lambda a: 2 * a - 1),
        lambda x: 2 * x - 1,
    ),
    "map_": (
        lambda method, x: method(x, 3 * x.detach(), lambda a, b: 2 * a - b / 2),
        lambda x: 0.5 * x,
    ),
    "map2_": (
        lambda method, x: method(
            x, 2 * x.detach(), 4 * x.detach(), lambda a, b, c: a + 2 * b - c / 2
        ),
        lambda x: 3 * x,
    ),
    "resize_": (lambda method, x: method(x, 1, 2), lambda x: x[None, :2]),
    "resize_as_": (lambda method, x: method(x, x.detach()[None, :2]), lambda x: x[None, :2]),
}
"""Methods that write over a tensor of three entries, and what they make of it."""


def written_later(
    letters: str, n: int, later: int, seed: int
) -> tuple[Array, Callable[[Any, Any], list[Any]]]:
    """Return numbers for two vectors of n entries, one of which begins `later` in the same memory.

    They overlap in one entry at least. What is returned beside them makes of a subject, and of the
    vector that is read, what stands for the `letters` of a function.
    """
    draw = np.random.default_rng(seed)
    numbers = draw.integers(-3, 4, n + min(later, n - 1)).astype(float)
    fixed = {
        "0": 0,
        "I": draw.permutation(n),
        "B": draw.random(n) < 0.7,
        "M": draw.integers(-1, 2, (n, n)).astype(float),
    }

    def rest(be: Any, read: Any) -> list[Any]:
        made = {k: be.tensor(x) if isinstance(x, np.ndarray) else x for k, x in fixed.items()}
        return [{**made, "R": read}[letter] for letter in letters]

    return numbers, rest
