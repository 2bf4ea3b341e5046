"""What claims draw."""

from hypothesis.strategies import booleans, integers, permutations, sampled_from

from .arrays import ANY, DENSE, NONZERO, POSITIVE, arrays, shapes

__all__ = [
    "ANY",
    "DENSE",
    "NONZERO",
    "POSITIVE",
    "arrays",
    "booleans",
    "integers",
    "permutations",
    "sampled_from",
    "shapes",
]
