"""Norms, distances, and losses of distances."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..strategies.arrays import table_of
from .arguments import Arguments, Drawing
from .drawing import NONZERO, Array, Draw, Shape
from .losses import WORDS, composed, hinge
from .operation import Operation
from .parts import FIFTHFOLD, RANKED, floats, magnitude, pick

LITTLE = table_of(*(np.array([0.0, 1.0, -1.0, 0.5, -0.5]) / 64))
"""Values that do not change which of two ranked ones is larger."""

ORDERS = (2.0, 1.0, 3.0, math.inf)
"""Orders of norms."""


def norm(x: Array, order: float, axis: Any = None, keepdims: bool = False) -> Any:  # noqa: FBT001, FBT002
    """The norm of an order: the root of the sum of powers, or the largest entry, or the least."""
    if order == 2:
        return np.sqrt((x * x).sum(axis, keepdims=keepdims))
    size = magnitude(x)
    if math.isinf(order):
        return (np.max if order > 0 else np.min)(size, axis=axis, keepdims=keepdims)
    if order == 1:
        return size.sum(axis, keepdims=keepdims)
    return np.power(np.power(size, order).sum(axis, keepdims=keepdims), 1 / order)


def normed(*orders: float) -> Drawing:
    """Draw a tensor without zeros, an order, an axis or several, and whether to keep these."""

    def draw(d: Draw) -> Arguments:
        shape = d.shape((3,), (2, 3), (1, 2), (2, 2, 2), (3, 1), (1, 2, 2), many=0)
        axis = d.pick(d.axis(shape), d.axes(shape), None)
        x = d.array(shape, RANKED, fixed=True)
        return Arguments((x,), (d.pick(*orders), axis, d.pick(False, True)))

    return draw


def apart_by(x: Array, y: Array, p: float, eps: float, keepdim: bool) -> Any:  # noqa: FBT001
    """The norm of a difference along the last axis."""
    return norm(x - y + eps, p, -1, keepdim)


def pairs(*pool: tuple[Shape, Shape], **options: tuple[Any, ...]) -> Drawing:
    """Draw two tensors in one of some pairs of shapes, the smaller one small, and options."""

    def draw(d: Draw) -> Arguments:
        x, y = d.shapes(*pool, many=0)
        # Else many entries differ from a single one by as much, and the largest is not one alone.
        of_x, of_y = (RANKED, LITTLE) if math.prod(x) >= math.prod(y) else (LITTLE, RANKED)
        tensors = d.array(x, of_x, fixed=True), d.array(y, of_y, fixed=True)
        if d.is_large:
            tensors = d.distinct(x), d.distinct(y)
        return Arguments(tensors, (), {key: d.pick(*some) for key, some in options.items()})

    return draw


def between_rows(x: Array, y: Array, p: float) -> Any:
    """The distances of all rows of one from all rows of another."""
    return norm(x[..., :, None, :] - y[..., None, :, :], p, -1)


def within_rows(x: Array, p: float) -> Any:
    """The distances of all pairs of rows."""
    first, second = np.triu_indices(x.shape[0], 1)
    return norm(x[first] - x[second], p, -1)


def rows(d: Draw) -> Arguments:
    """Draw rows."""
    shape = d.shape((3, 2), (2, 3), (3, 1), many=0)
    x = d.distinct(shape) if d.is_large else d.array(shape, RANKED, fixed=True)
    return Arguments((x,), (d.pick(*ORDERS),))


def triplet(
    a: Array,
    x: Array,
    y: Array,
    reduction: str,
    margin: float,
    swap: bool,  # noqa: FBT001
    p: float = 2.0,
) -> Array:
    """How much nearer an anchor is to the one it belongs to, less a margin."""
    near, far = (apart_by(a, each, p, 1e-6, keepdim=False) for each in (x, y))
    if swap:
        other = apart_by(x, y, p, 1e-6, keepdim=False)
        far = pick(floats(other) < floats(far), other, far)
    return composed(hinge(near - far + margin), reduction)


def triplets(*orders: float) -> Drawing:
    """Draw anchors, and what is near and far."""

    def draw(d: Draw) -> Arguments:
        shape = d.shape((2, 3), (1, 2), (3,), many=0)
        # No two of the three distances are about the same.
        a, x = d.pick((RANKED, FIFTHFOLD), (FIFTHFOLD, RANKED))
        tensors = tuple(d.array(shape, values, fixed=True) for values in (a, x, LITTLE))
        # With such margins the loss is smooth: it is never 0.
        named = {"reduction": d.pick(*WORDS), "margin": d.pick(64.0, 128.0),
                 "swap": d.pick(False, True)}  # fmt: skip
        return Arguments(tensors, (), named | ({"p": d.pick(*orders)} if orders else {}))

    return draw


def matrix_norm(x: Array, order: Any) -> Array:
    """A norm of matrices."""
    if order == "fro":
        result: Array = np.sqrt((x * x).sum((-2, -1)))
        return result
    best: Callable[..., Array] = np.max if order > 0 else np.min
    return best(magnitude(x).sum(-2 if abs(order) == 1 else -1), axis=-1)


def matrices(d: Draw) -> Arguments:
    """Draw matrices, and a norm of them."""
    shape = d.shape((2, 3), (3, 1), (2, 2, 2), many=0)
    return Arguments(
        (d.array(shape, RANKED, fixed=True),), (d.pick("fro", 1, math.inf, -1, -math.inf),)
    )


def renormalised(x: Array, p: float, dim: int, maxnorm: float) -> Array:
    """Shorten slices that are longer than a norm, as PyTorch does: to a hair below it."""
    axes = tuple(a for a in range(x.ndim) if a != dim % x.ndim)
    long = norm(x, p, axes, keepdims=True)
    return pick(floats(long) > maxnorm, x * (maxnorm / (long + 1e-7)), x)


def slices(d: Draw) -> Arguments:
    """Draw a tensor without zeros, and a norm that all slices exceed, or none."""
    shape = d.shape((2, 3), (3, 2), (2, 2, 2))
    return Arguments((d.array(shape, NONZERO),), (d.pick(2.0, 1.0), d.pick(0, 1),
                                                 d.pick(0.125, 64.0)))  # fmt: skip


DISTANCES = (
    Operation("norm_order", norm, normed(2.0, 1.0, 3.0, math.inf), kinks="0 and ties", ties=True,
              call=lambda be, x, p, dim, keep: be.norm_order(x, p, dim, keep)),
    Operation("vector_norm", norm, normed(2.0, 3.0, 1.0, math.inf, -math.inf, 0.5), ties=True,
              kinks="0 and ties"),
    Operation("matrix_norm", matrix_norm, matrices, kinks="0 and ties", ties=True),
    Operation("dist", lambda x, y, p: norm(x - y, p), pairs(((3,), (3,)), ((2, 3), (3,)),
              ((1,), (2, 1)), p=ORDERS), kinks="equal entries", ties=True),
    Operation("pairwise_distance", apart_by, pairs(((2, 3), (2, 3)), ((3,), (3,)), ((1, 2), (1, 2)),
              p=ORDERS, eps=(1e-6, 0.25), keepdim=(False, True)), kinks="equal entries", ties=True),
    Operation("cdist", between_rows, pairs(((2, 3), (2, 3)), ((1, 2), (3, 2)),
              ((2, 2, 1), (2, 1, 1)), p=ORDERS), kinks="equal entries", ties=True),
    Operation("pdist", within_rows, rows, kinks="equal entries", ties=True),
    Operation("triplet_margin_loss", triplet, triplets(2.0, 1.0), kinks="equal entries", ties=True),
    Operation("triplet_margin_with_distance_loss", triplet, triplets(), kinks="equal entries",
              ties=True),
    Operation("renorm", renormalised, slices, kinks="0", ties=True),
)  # fmt: skip
"""What is measured between entries."""
