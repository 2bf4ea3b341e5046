"""Functions to be transformed, with derivatives in closed form, and chains of transforms."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from ..truth.tolerance import Total
from .arrays import table_of

Array = npt.NDArray[np.float64]

REFUSED: Mapping[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "torch:triu": ((3,), {}),
    "torch:tril": ((3,), {}),
    "torch:trace": ((3,), {}),
    "torch:diagonal": ((3,), {}),
    "torch.linalg:det": ((3,), {}),
    "torch.linalg:inv": ((4,), {}),
    "torch.linalg:matrix_norm": ((3,), {}),
    "torch.fft:fft2": ((3,), {}),
    "torch:sum": ((3,), {"dim": 1}),
    "torch:flip": ((3,), {"dims": (1,)}),
    "torch:cumsum": ((3,), {"dim": 1}),
    "torch:softmax": ((3,), {"dim": -2}),
    "torch:unsqueeze": ((3,), {"dim": 2}),
    "torch:transpose": ((3,), {"dim0": 0, "dim1": 1}),
    "torch:logsumexp": ((3,), {"dim": 1}),
    "torch.nn.functional:glu": ((), {}),
    "torch.nn.functional:layer_norm": ((3,), {"normalized_shape": (4, 3)}),
    "torch.nn.functional:group_norm": ((4,), {"num_groups": 2}),
    "torch.nn.functional:pixel_shuffle": ((4, 4), {"upscale_factor": 2}),
    "torch.nn.functional:max_pool2d": ((4, 4), {"kernel_size": 2}),
    "torch.nn.functional:avg_pool2d": ((4, 4), {"kernel_size": 2}),
}
"""Functions, the shape of a slice that each refuses, and the options it is told."""


@dataclass(frozen=True)
class Quadratic:
    """A function of two square matrices, of degree 2 in the first one at most.

    `of(x, y)` is written with operators alone, so that it takes tensors of any library; `by_x` and
    `by_y` are its gradients for a cotangent: functions of `w`, `x` and `y` on arrays.
    """

    name: str
    of: Callable[[Any, Any], Any]
    by_x: Callable[[Array, Array, Array], Array]
    by_y: Callable[[Array, Array, Array], Array]

    def __repr__(self) -> str:
        return self.name

    def value(self, x: Array, y: Array) -> Total:
        """What it computes."""
        return Total.products(self.of, x, y)

    def gradients(self, w: Array, x: Array, y: Array) -> list[Total]:
        """Return the cotangent through both of its derivatives."""
        return [Total.products(by, w, x, y) for by in (self.by_x, self.by_y)]

    def along(self, v: Array, x: Array, y: Array) -> Total:
        """Return its derivative along `v`: half of what steps to both sides differ by."""
        size = Total.products(self.of, np.abs(x) + np.abs(v), np.abs(y))
        ahead, behind = (Total.products(self.of, x + step, y).value for step in (v, -v))
        return Total(
            (ahead - behind) / 2, size.magnitude, 2 * size.count, error_bound=size.error_bound
        )

    def bent(self, w: Array, v: Array, y: Array) -> Total:
        """Return how the gradient for x moves along `v`, wherever x is: it is of degree 1 there."""
        still = Total.products(self.by_x, w, np.zeros_like(v), y)
        moved = Total.products(self.by_x, w, v, y)
        return moved.less(still)


QUADRATICS = (
    Quadratic(
        "x * x * y",
        lambda x, y: x * x * y,
        lambda w, x, y: w * x * y + w * x * y,
        lambda w, x, _: w * x * x,
    ),
    Quadratic("x @ y", lambda x, y: x @ y, lambda w, _, y: w @ y.T, lambda w, x, _: x.T @ w),
    Quadratic(
        "x * (x @ y)",
        lambda x, y: x * (x @ y),
        lambda w, x, y: w * (x @ y) + (w * x) @ y.T,
        lambda w, x, _: x.T @ (w * x),
    ),
    Quadratic(
        "y * y",
        lambda _, y: y * y,
        lambda w, _x, _y: 0 * w,
        lambda w, _, y: w * y + w * y,
    ),
    Quadratic(
        "x[0] * y",
        lambda x, y: x[0] * y,
        lambda w, _, y: np.array([[1.0], [0.0]]) * (w * y).sum(0),
        lambda w, x, _: w * x[0],
    ),
)


def quadratics(*, bent: bool = False) -> st.SearchStrategy[Quadratic]:
    """Draw a function of two matrices of 2 by 2; a `bent` one depends on the first of them."""
    return st.sampled_from([f for f in QUADRATICS if not bent or "x" in f.name])


def stacked(totals: Sequence[Total], axis: int) -> Total:
    """Put true values together along a new axis."""
    return Total(
        np.stack([t.value for t in totals], axis),
        np.stack([t.magnitude for t in totals], axis),
        max(t.count for t in totals),
        error_bound=np.stack([np.broadcast_to(t.error_bound, t.value.shape) for t in totals], axis),
    )


def summed(totals: Sequence[Total]) -> Total:
    """Add true values up."""
    return Total(
        np.sum([t.value for t in totals], 0),
        np.sum([t.magnitude for t in totals], 0),
        sum(t.count for t in totals),
        error_bound=np.sum([np.broadcast_to(t.error_bound, t.value.shape) for t in totals], 0),
    )


def axes(dims: int) -> st.SearchStrategy[int]:
    """Draw an axis of a tensor with so many, counted from either end."""
    return st.integers(-dims, dims - 1)


THREE = table_of(0.0, 1.0, 2.0)
SELECTED: Mapping[str, tuple[Callable[..., Any], Callable[[Array, Any], Array]]] = {
    "gather": (lambda be, x, n: be.gather(x, 0, n), lambda x, n: np.take_along_axis(x, n, 0)),
    "take_along_dim": (
        lambda be, x, n: be.take_along_dim(x, n, 1), lambda x, n: np.take_along_axis(x, n, 1),
    ),
    "take": (lambda be, x, n: be.take(x, n), lambda x, n: x.ravel()[n]),
    "embedding": (lambda be, x, n: be.embedding(n, x), lambda x, n: x[n]),
    "an index": (lambda _, x, n: x[n], lambda x, n: x[n]),
    "where": (
        lambda be, x, n: be.where(n > 0, x, 2 * x), lambda x, n: np.where(n > 0, x, 2 * x),
    ),
}  # fmt: skip
"""Functions that select some of a matrix by numbers, and the same of arrays."""
