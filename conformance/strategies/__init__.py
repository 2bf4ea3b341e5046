"""What claims draw."""

from hypothesis.strategies import (
    booleans,
    floats,
    integers,
    lists,
    permutations,
    sampled_from,
    tuples,
)

from .arrays import ANY, DENSE, NONZERO, POSITIVE, arrays, shapes

__all__ = [
    "ANY",
    "DENSE",
    "NONZERO",
    "POSITIVE",
    "arrays",
    "booleans",
    "floats",
    "integers",
    "lists",
    "permutations",
    "sampled_from",
    "shapes",
    "tuples",
]
