"""Norms and distances, by all options at once."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .arguments import Arguments
from .decompositions import turned
from .distances import LITTLE, norm, renormalised
from .drawing import NONZERO, SMALL, UNIT, Array, Draw, Shape
from .matrix_forms import size_of
from .operation import Operation
from .optional import calling, given
from .parts import RANKED, Flag
from .reducing import ordered
from .reducing_forms import norm_of

PLANES: tuple[tuple[Shape, tuple[int, int] | None], ...] = (
    ((2, 3), None), ((3, 2), (-2, -1)), ((2, 3), (1, 0)), ((2, 2, 2), (0, 1)), ((2, 2, 2), None),
    ((2, 1, 3), (-1, 0)), ((3, 1, 2), (0, 2)),
)  # fmt: skip
"""Shapes, and which axes are those of matrices."""


PLANE_ORDERS = {"ranked": (None, "fro", 1, math.inf, -1, -math.inf), "apart": ("nuc", 2, -2)}


def in_plane(values: str) -> Callable[[Draw], Arguments]:
    """Draw matrices along two axes, a norm by entries or by singular values, and the rest."""

    def draw(d: Draw) -> Arguments:
        shape, dim = d.pick(*PLANES)
        named = {"ord": d.pick(*PLANE_ORDERS[values]), "dim": dim, "keepdim": d.pick(False, True)}
        if values == "ranked":
            return Arguments((d.array(shape, RANKED, fixed=True),), (), named)
        rows, columns = (shape[a] for a in dim or (-2, -1))
        own = np.eye(rows, columns) * (2.0 + 4 * np.arange(columns))
        rest = tuple(n for a, n in enumerate(shape) if a not in [b % len(shape) for b in dim or (
            -2, -1)])  # fmt: skip
        x = d.array((*rest, rows, columns), UNIT) + own
        return Arguments((np.moveaxis(x, (-2, -1), dim or (-2, -1)),), (), named)

    return draw


def plane_norm(x: Array, ord: Any, dim: Any, keepdim: Flag) -> Array:
    """A norm of matrices that lie along two axes."""
    dims = dim or (-2, -1)
    made = size_of(np.moveaxis(x, dims, (-2, -1)), "fro" if ord is None else ord)
    return np.expand_dims(made, tuple(a % x.ndim for a in dims)) if keepdim else made


def in_lines(*orders: Any) -> Callable[[Draw], Arguments]:
    """Draw a tensor, an order, axes, and whether they are kept, or nothing of it."""

    def draw(d: Draw) -> Arguments:
        shape, order = d.shape((2, 3), (3,), (2, 2, 2), many=0), d.pick(*orders)
        rank = len(shape)
        most = 2 if isinstance(order, str) else rank
        dim = d.pick(None, -1, 0, (0,), (-1, 0)[-rank:], tuple(range(rank))[-most:])
        x = d.array(shape, SMALL) if order == 0 else d.array(shape, RANKED, fixed=True)
        return Arguments((x,), (), {"ord": order, "dim": dim, "keepdim": d.pick(False, True)})

    return draw


def line_norm(x: Array, ord: Any, dim: Any, keepdim: Flag) -> Any:
    """The norm of an order along axes."""
    order = 2 if ord is None or isinstance(ord, str) else ord
    return norm_of(x, order, dim, bool(keepdim))


def call_norm(be: Any, x: Any, ord: Any, **named: Any) -> Any:
    """Call it by the words of old."""
    return be.norm_options(x, **given(p=ord, **named))


def distant(d: Draw) -> Arguments:
    """Draw rows of which none are equal, an order, and how it is computed."""
    x, y = d.pick(((2, 3), (2, 3)), ((1, 2), (3, 2)), ((2, 1, 2), (2, 2)), ((3, 1), (2, 1, 1)),
                  ((26, 1), (2, 1)))  # fmt: skip
    d.go_on()
    mode = d.pick(None, "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")
    near = d.array(y, LITTLE, fixed=True)
    far = np.resize(d.distinct((26,)) + 8, x) if x[0] > 9 else d.array(x, RANKED, fixed=True)
    return Arguments((far, near), (), {
        "p": d.pick(None, 2.0, 1.0, 0.0, 0.5, 4.0, math.inf), "compute_mode": mode})  # fmt: skip


def between(x: Array, y: Array, p: float | None, compute_mode: str | None) -> Any:
    """The distances of all rows."""
    del compute_mode
    return norm_of(x[..., :, None, :] - y[..., None, :, :], 2.0 if p is None else p, -1,
                   keepdim=False)  # fmt: skip


def by_products(x: Array, y: Array, p: float | None, compute_mode: str | None) -> Any:
    """The same by the squares of lengths and products of rows, where that is asked for."""
    if p not in (None, 2.0) or compute_mode == "donot_use_mm_for_euclid_dist":
        return between(x, y, p, compute_mode)
    squares = (x * x).sum(-1)[..., :, None] + (y * y).sum(-1)[..., None, :]
    return np.sqrt(squares - 2 * (x @ turned(y)))


ORDERS = (None, 2.0, 1.0, 3.0, 0.5, 4.0, math.inf)


def two_apart(*pool: tuple[Shape, Shape], **options: tuple[Any, ...]) -> Callable[..., Arguments]:
    """Draw two tensors in one of some pairs of shapes, the second one small, and options."""

    def draw(d: Draw) -> Arguments:
        x, y = d.pick(*pool)
        tensors = d.array(x, RANKED, fixed=True), d.array(y, LITTLE, fixed=True)
        return Arguments(tensors, (), {key: d.pick(*some) for key, some in options.items()})

    return draw


def distance(x: Array, y: Array, p: float | None) -> Any:
    """The norm of a difference."""
    return norm_of(x - y, 2.0 if p is None else p, None, keepdim=False)


def by_pairs(x: Array, y: Array, p: float | None, eps: float | None, keepdim: Flag) -> Any:
    """The norm of a difference along the last axis."""
    return norm(x - y + (1e-6 if eps is None else eps), 2.0 if p is None else p, -1, bool(keepdim))


def in_rows(x: Array, p: float | None) -> Any:
    """The distances of all pairs of rows."""
    first, second = np.triu_indices(x.shape[0], 1)
    return norm(x[first] - x[second], 2.0 if p is None else p, -1)


def shortened(d: Draw) -> Arguments:
    """Draw a tensor, an order, an axis, and a norm that all slices exceed, or some, or none."""
    shape = d.shape((2, 3), (3, 2), (2, 2, 2), many=0)
    x = d.array(shape, NONZERO)
    x[0] = x[0] / 8
    return Arguments((x,), (d.pick(2.0, 1.0, math.inf, 3.0), d.pick(0, 1, -1, -2),
                            d.pick(1.7, 0.0625, 64.0)))  # fmt: skip


NORM_OPTIONS = (
    Operation(
        "matrix_norm_options",
        plane_norm,
        in_plane("ranked"),
        kinks="0 and ties",
        ties=True,
        call=calling("matrix_norm_options"),
    ),
    Operation(
        "matrix_norm_singular_options",
        plane_norm,
        in_plane("apart"),
        call=calling("matrix_norm_singular_options"),
    ),
    Operation(
        "vector_norm_options",
        line_norm,
        in_lines(None, 2, 1, 3.0, math.inf, -math.inf, 0, 0.5, -1, -2),
        kinks="0 and ties",
        ties=True,
        call=calling("vector_norm_options"),
    ),
    Operation(
        "norm_options",
        line_norm,
        in_lines(None, "fro", 2, 1, 3.0, math.inf, -math.inf, 0.5),
        kinks="0 and ties",
        ties=True,
        call=call_norm,
    ),
    Operation(
        "cdist_options",
        between,
        distant,
        kinks="equal entries",
        ties=True,
        formulas=(by_products,),
        call=calling("cdist_options"),
    ),
    ordered("dist_options", distance, two_apart(((3,), (3,)), ((2, 3), (3,)), ((2, 3), (2, 3)),
            p=(*ORDERS, -math.inf)), call=calling("dist_options")),
    ordered("dist_count_options", distance, two_apart(((3,), (3,)), ((2, 3), (3,)), ((1,), (2, 1)),
            p=(0.0,)), call=calling("dist_count_options")),
    ordered("pairwise_distance_options", by_pairs, two_apart(
        ((2, 3), (2, 3)), ((3,), (3,)), ((1, 2), (1, 2)), ((2, 3), (3,)), ((2, 2, 2), (2, 2)),
        p=ORDERS, eps=(None, 0.25), keepdim=(None, True)), call=calling(
            "pairwise_distance_options")),
    ordered("pdist_options", in_rows, lambda d: Arguments((d.array(d.shape(
        (3, 2), (2, 3), (3, 1), many=0), RANKED, fixed=True),), (), {"p": d.pick(*ORDERS)}),
        call=calling("pdist_options")),
    ordered("renorm_options", renormalised, shortened),
)  # fmt: skip
"""What is measured."""
