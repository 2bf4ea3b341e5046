"""Constraints, with events that lie in them, at the bounds too, and events that do not."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..protocol.subject import Subject


class Edge(NamedTuple):
    """How a constraint is made, and events of one shape inside of it and outside."""

    made: Callable[[Any], Any]
    inside: Sequence[Any]
    outside: Sequence[Any]


UNIT = [[1.0, 0.0], [0.0, 1.0]]
LOWER = [[1.0, 0.0], [2.0, 0.5]]
EVEN = [[2.0, 1.0], [1.0, 2.0]]
FLAT = [[1.0, 0.0], [0.0, 0.0]]
UPPER = [[1.0, 2.0], [0.0, 1.0]]
MIXED = [[1.0, 2.0], [2.0, 1.0]]
TURNED = [[0.0, 1.0], [-1.0, 0.0]]
BELOW = [[1.0, 0.0], [2.0, -0.5]]
LENGTH_ONE = [[1.0, 0.0], [0.6, 0.8]]
BACKWARD = [[1.0, 0.0], [0.6, -0.8]]
WIDE = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
NAN = float("nan")

EDGES: Mapping[str, Edge] = {
    "boolean": Edge(lambda of: of.boolean, (0.0, 1.0), (0.5, 2.0, -1.0)),
    "integer_interval": Edge(
        lambda of: of.integer_interval(1, 3), (1.0, 2.0, 3.0), (0.0, 4.0, 1.5, NAN)
    ),
    "nonnegative_integer": Edge(lambda of: of.nonnegative_integer, (0.0, 3.0), (-1.0, 0.5)),
    "positive_integer": Edge(lambda of: of.positive_integer, (1.0, 3.0), (0.0, 1.5, -1.0)),
    "real": Edge(lambda of: of.real, (0.0, -2.5), (NAN,)),
    "positive": Edge(lambda of: of.positive, (0.25, 3.0), (0.0, -0.25, NAN)),
    "nonnegative": Edge(lambda of: of.nonnegative, (0.0, 3.0), (-0.25, NAN)),
    "greater_than": Edge(lambda of: of.greater_than(1.0), (1.25,), (1.0, 0.0, NAN)),
    "greater_than_eq": Edge(lambda of: of.greater_than_eq(1.0), (1.0, 2.0), (0.75, NAN)),
    "less_than": Edge(lambda of: of.less_than(1.0), (0.75, -3.0), (1.0, 2.0, NAN)),
    "interval": Edge(lambda of: of.interval(1.0, 2.0), (1.0, 1.5, 2.0), (0.75, 2.25, NAN)),
    "half_open_interval": Edge(
        lambda of: of.half_open_interval(1.0, 2.0), (1.0, 1.5), (0.75, 2.0, 2.25, NAN)
    ),
    "unit_interval": Edge(lambda of: of.unit_interval, (0.0, 0.5, 1.0), (-0.25, 1.25)),
    "real_vector": Edge(lambda of: of.real_vector, ([0.0, -1.0],), ([NAN, 0.0], [0.0, NAN])),
    "simplex": Edge(
        lambda of: of.simplex,
        ([0.25, 0.75], [1.0, 0.0], [0.0, 1.0]),
        ([0.25, 0.5], [0.5, 0.75], [-0.25, 1.25], [1.25, -0.25]),
    ),
    "one_hot": Edge(
        lambda of: of.one_hot, ([1.0, 0.0], [0.0, 1.0]), ([1.0, 1.0], [0.0, 0.0], [0.5, 0.5])
    ),
    "multinomial": Edge(
        lambda of: of.multinomial(3),
        ([1.0, 2.0], [0.0, 3.0]),
        ([2.0, 2.0], [-1.0, 4.0], [4.0, 0.0]),
    ),
    "independent": Edge(
        lambda of: of.independent(of.positive, 1), ([1.0, 2.0],), ([0.0, 1.0], [1.0, -1.0])
    ),
    "independent, twice": Edge(
        lambda of: of.independent(of.greater_than(1.0), 2),
        ([[2.0, 3.0], [4.0, 5.0]],),
        ([[2.0, 3.0], [4.0, 1.0]], [[1.0, 3.0], [4.0, 5.0]]),
    ),
    "cat": Edge(
        lambda of: of.independent(of.cat([of.positive, of.unit_interval], -1, [2, 1]), 1),
        ([3.0, 2.0, 1.0], [0.25, 1.0, 0.0]),
        ([3.0, 0.0, 1.0], [1.0, 1.0, 1.25], [-1.0, 1.0, 0.5]),
    ),
    "stack": Edge(
        lambda of: of.independent(of.stack([of.positive, of.unit_interval], -1), 1),
        ([3.0, 1.0], [0.25, 0.0]),
        ([0.0, 1.0], [1.0, 1.25]),
    ),
    "lower_triangular": Edge(lambda of: of.lower_triangular, (LOWER, FLAT, BELOW), (UPPER, MIXED)),
    "lower_cholesky": Edge(lambda of: of.lower_cholesky, (LOWER, UNIT), (UPPER, FLAT, BELOW)),
    "corr_cholesky": Edge(
        lambda of: of.corr_cholesky, (LENGTH_ONE, UNIT), (LOWER, FLAT, BACKWARD, UPPER)
    ),
    "square": Edge(lambda of: of.square, (LOWER, UPPER), ()),
    "square, wide": Edge(lambda of: of.square, (), (WIDE,)),
    "symmetric": Edge(lambda of: of.symmetric, (EVEN, MIXED), (UPPER, TURNED)),
    "symmetric, wide": Edge(lambda of: of.symmetric, (), (WIDE,)),
    "positive_semidefinite": Edge(
        lambda of: of.positive_semidefinite, (EVEN, UNIT, FLAT), (UPPER, MIXED, TURNED)
    ),
    "positive_definite": Edge(
        lambda of: of.positive_definite, (EVEN, UNIT), (UPPER, FLAT, MIXED, TURNED)
    ),
    "positive_definite, wide": Edge(lambda of: of.positive_definite, (), (WIDE,)),
}
"""Constraints by name."""


def constrained(be: Subject, name: str) -> Any:
    """Make a constraint that has edges."""
    return EDGES[name].made(be.lookup("torch.distributions:constraints"))
