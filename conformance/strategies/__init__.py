"""What claims draw: arrays, shapes, indices, programs, networks.

Strategies of Hypothesis, and nothing that computes what should come out.
"""

from hypothesis.strategies import (
    booleans,
    floats,
    integers,
    lists,
    one_of,
    permutations,
    sampled_from,
    tuples,
)

from .arrays import ANY, COMPACT, DENSE, NONZERO, POSITIVE, arrays, shapes

__all__ = [
    "ANY",
    "COMPACT",
    "DENSE",
    "NONZERO",
    "POSITIVE",
    "arrays",
    "booleans",
    "floats",
    "integers",
    "lists",
    "one_of",
    "permutations",
    "sampled_from",
    "shapes",
    "tuples",
]
