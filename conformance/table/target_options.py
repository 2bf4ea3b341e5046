"""Places that entries go to, diagonals and windows, by all options at once."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .arguments import Arguments
from .drawing import SMALL, Array, Draw, Shape
from .operation import Operation
from .optional import given, plain
from .parts import Flag
from .rearranging import unfold
from .reducing import ordered
from .writing import REDUCED

TARGETS: tuple[tuple[Shape, int, Shape], ...] = (
    ((2, 3), 0, (3, 3)), ((2, 3), 1, (2, 3)), ((3, 2), -1, (2, 3)), ((3, 2), -2, (4, 1)),
    ((4,), 0, (5,)), ((3,), -1, (2,)), ((2, 2, 3), 1, (2, 3, 2)), ((2, 2, 2), -3, (3, 1, 2)),
)  # fmt: skip
"""Shapes of a tensor, its axis, and the shape of places and of what goes there."""


def to_places(d: Draw) -> Arguments:
    """Draw a tensor, a source for more places or for fewer, and how entries are reduced."""
    shape, axis, own = d.pick(*TARGETS)
    reduce, include = d.pick(*REDUCED), d.pick(None, False, True)
    # Only what is the largest or smallest has to be so by far.
    fixed = not reduce.startswith("am")
    tensors = d.array(shape, SMALL, fixed=fixed), d.array(own, SMALL, fixed=fixed)
    return Arguments(tensors, (axis, d.indices(own, shape[axis])), {
        "reduce": reduce, "include_self": include})  # fmt: skip


def reduced(x: Array, source: Array, dim: int, index: Array, reduce: str,
            include_self: Flag) -> Array:  # fmt: skip
    """Reduce entries that go to one place, with what was there or without."""
    made = x.copy()
    axis = dim % x.ndim
    terms: dict[tuple[int, ...], list[Any]] = {}
    for at in np.ndindex(index.shape):
        goal = (*at[:axis], int(index[at]), *at[axis + 1 :])
        terms.setdefault(goal, []).append(source[at])
    for goal, some in terms.items():
        own = [] if include_self is False else [x[goal]]
        made[goal] = REDUCED[reduce](np.stack([*some, *own]))
    return made


def call_reduced(be: Any, x: Any, source: Any, dim: int, index: Array, reduce: str,
                 **named: Any) -> Any:  # fmt: skip
    """Call it with places that are constants."""
    return be.scatter_reduce_options(x, dim, be.tensor(index), source, reduce, **given(**named))


def to_lines(*kinds: str) -> Callable[[Draw], Arguments]:
    """Draw a tensor, lines of a source, where they go, and how they are reduced."""

    def draw(d: Draw) -> Arguments:
        d.go_on()
        shape = d.shape((2, 3), (4,), (3, 1), (2, 2, 3), many=0)
        axis, count, kind = d.axis(shape), d.pick(3, 2, 1, 4), d.pick(*kinds)
        own = [*shape]
        own[axis] = count
        fixed = not kind.startswith("am")
        tensors = (d.array(shape, SMALL, fixed=fixed), d.array(tuple(own), SMALL, fixed=fixed))
        return Arguments(tensors, (axis, d.indices((count,), shape[axis]), kind,
                                   d.pick(None, False, True)))  # fmt: skip

    return draw


def lines_reduced(x: Array, source: Array, dim: int, index: Array, reduce: str,
                  include_self: Flag) -> Array:  # fmt: skip
    """Reduce lines that go to one place."""
    shape = [1] * x.ndim
    shape[dim] = -1
    wide = np.broadcast_to(index.reshape(shape), source.shape)
    return reduced(x, source, dim, wide, reduce, include_self)


def call_lines(be: Any, x: Any, source: Any, dim: int, index: Array, reduce: str,
               include_self: Flag) -> Any:  # fmt: skip
    """Call it with places that are constants."""
    more = given(include_self=include_self)
    return be.index_reduce_options(x, dim, be.tensor(index), source, reduce, **more)


def to_add(d: Draw) -> Arguments:
    """Draw a tensor, lines of a source, where they are added, and a factor."""
    shape = d.shape((2, 3), (4,), (2, 2, 3), many=0)
    axis, count = d.axis(shape), d.pick(3, 2, 1, 5)
    own = [*shape]
    own[axis] = count
    tensors = d.array(shape), d.array(tuple(own))
    return Arguments(tensors, (axis, d.indices((count,), shape[axis])), {
        "alpha": d.pick(None, -0.5, 2.0, 0.0)})  # fmt: skip


def added(x: Array, source: Array, dim: int, index: Array, alpha: float | None) -> Array:
    """Add lines of a source, times a factor."""
    made = x.copy()
    at: Any = (slice(None),) * (dim % x.ndim) + (index,)
    np.add.at(made, at, source * (1.0 if alpha is None else alpha))
    return made


def between_axes(d: Draw, rank: int) -> tuple[int | None, int | None]:
    """Draw two axes of so many, or none named."""
    more = ((1, 2), (2, 0), (-3, 2)) if rank > 2 else ()
    return d.pick(None, (0, 1), (1, 0), (-1, -2), (0, -1), (-2, -1), *more) or (None, None)


def on_diagonals(d: Draw) -> Arguments:
    """Draw a tensor, the number of a diagonal, and between which axes it is, or none of it."""
    shape = d.shape((2, 3), (3, 4), (3, 2, 3), many=0)
    first, second = between_axes(d, len(shape))
    low, high = 1 - shape[first or 0], shape[1 if second is None else second] - 1
    offset = d.pick(None, *(n for n in (1, -1, 2, -2, 3, 0) if low <= n <= high))
    return Arguments((d.array(shape),), (), {"offset": offset, "dim1": first, "dim2": second})


def to_embed(d: Draw) -> Arguments:
    """Draw a tensor, the number of a diagonal, and between which new axes it is, or none of it."""
    shape = d.shape((2,), (2, 3), many=0)
    first, second = between_axes(d, len(shape) + 1)
    offset = d.pick(None, 1, -1, 2, -3)
    return Arguments((d.array(shape),), (), {"offset": offset, "dim1": first, "dim2": second})


def diagonal(x: Array, offset: int | None, dim1: int | None, dim2: int | None) -> Array:
    """A diagonal between two axes."""
    first, second = (0 if dim1 is None else dim1), (1 if dim2 is None else dim2)
    return np.diagonal(x, offset or 0, first, second)


def embedded(x: Array, offset: int | None, dim1: int | None, dim2: int | None) -> Array:
    """Zeros, and entries on a diagonal between two new axes."""
    shift = offset or 0
    n = x.shape[-1] + abs(shift)
    places = np.arange(x.shape[-1])
    made = np.zeros_like(x, shape=(*x.shape[:-1], n, n))
    made[..., places + max(0, -shift), places + max(0, shift)] = x
    return np.moveaxis(made, (-2, -1), (-2 if dim1 is None else dim1, -1 if dim2 is None else dim2))


def by_matrix(*pool: Shape) -> Callable[[Draw], Arguments]:
    """Draw a tensor, and the number of a diagonal."""
    return lambda d: Arguments(
        (d.array(d.shape(*pool, many=0)),), (d.pick(0, 1, -1, 2, -2, 4, -4),)
    )


def diagonals(x: Array, offset: int) -> Array:
    """The diagonal of a matrix, or a matrix with a vector on it."""
    return embedded(x, offset, None, None) if x.ndim == 1 else diagonal(x, offset, None, None)


def in_steps(d: Draw) -> Arguments:
    """Draw a tensor, an axis, and how long windows are and how far from each other."""
    shape = d.shape((4,), (2, 5), (5, 2), (2, 4, 2), many=0)
    axis = max(range(len(shape)), key=shape.__getitem__)
    return Arguments((d.array(shape),), (d.pick(axis, axis - len(shape)), d.pick(2, 1, 3, 4),
                                         d.pick(1, 2, 3, 5)))  # fmt: skip


TARGET_OPTIONS = (
    ordered("scatter_reduce_options", reduced, to_places, call=call_reduced,
            nondeterministic=True),
    ordered("index_reduce_options", lines_reduced, to_lines("prod", "mean", "amax", "amin"),
            call=call_lines, nondeterministic=True),
    Operation("index_add_options", added, to_add, linear=True, nondeterministic=True,
              call=lambda be, x, source, dim, index, **named: be.index_add_options(
                  x, dim, be.tensor(index), source, **given(**named))),
    plain("diagonal_options", diagonal, on_diagonals, linear=True,
          view="always"),
    plain("diag_embed_options", embedded, to_embed, linear=True),
    Operation("diag_options", diagonals, by_matrix((3,), (2, 3), (4, 3)), linear=True),
    Operation("diagflat_options", lambda x, offset: embedded(x.reshape(-1), offset, None, None),
              by_matrix((2,), (2, 2), ()), linear=True),
    Operation("triu_options", np.triu, by_matrix((2, 3), (3, 2), (2, 3, 3)), linear=True),
    Operation("tril_options", np.tril, by_matrix((2, 3), (3, 2), (2, 3, 3)), linear=True),
    Operation("unfold_axis_options", unfold, in_steps, linear=True, view="always"),
)  # fmt: skip
"""What goes to places, and what lies on diagonals or in windows."""
