"""Tensors made from nothing: the factories, and what they are called with."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

ALIASES: Mapping[str, str] = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "cfloat": "complex64",
    "cdouble": "complex128",
}
"""Second names of dtypes."""

FLOATING: Mapping[str, tuple[Any, ...]] = {
    "zeros": ((2, 3),),
    "ones": ((2, 3),),
    "empty": ((2, 3),),
    "full": ((2, 3), 0.5),
    "eye": (3,),
    "arange": (3.0,),
    "linspace": (0, 1, 3),
    "logspace": (0, 1, 3),
    "from_data": ([0.5, 2],),
}
"""Calls that make floats of the default dtype."""

DISCRETE: Mapping[str, tuple[Any, ...]] = {
    "full": ((2, 3), 3),
    "arange": (3,),
    "from_data": ([1, True],),
}
"""Calls that make integers of 64 bits."""

FACTORIES = " ".join(FLOATING)
"""The names of the factories, as a claim lists what it needs."""


class Strides(tuple[tuple[int, int], ...]):
    """Sizes and strides of a tensor, dimension by dimension."""

    __slots__ = ()

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many entries there are along each dimension."""
        return tuple(size for size, _ in self)

    @property
    def steps(self) -> tuple[int, ...]:
        """How far apart in memory they are."""
        return tuple(step for _, step in self)

    @property
    def places(self) -> np.ndarray[Any, Any]:
        """Where in memory each entry lies."""
        steps = [i * s for i, s in zip(np.indices(self.sizes), self.steps, strict=True)]
        return np.asarray(np.sum(steps, 0))

    @property
    def extent(self) -> int:
        """How much memory the entries span."""
        return 1 + sum((n - 1) * s for n, s in self) if all(self.sizes) else 0

    @property
    def compact(self) -> bool:
        """Whether they lie in row-major order without gaps, as those of few entries always do."""
        want = 1
        for size, step in reversed(self):
            if size > 1 and step != want and all(self.sizes):
                return False
            want *= size
        return True


@cache
def strides() -> st.SearchStrategy[Strides]:
    """Draw sizes and strides of up to three dimensions; half of the strides are row-major."""
    code = st.tuples(st.integers(0, 3), st.sampled_from((None, None, None, 0, 1, 2, 5)))
    return st.lists(code, max_size=3).map(_filled)


def _filled(codes: list[tuple[int, int | None]]) -> Strides:
    pairs, want = [], 1
    for size, step in reversed(codes):
        pairs.append((size, want if step is None else step))
        want *= max(1, size)
    return Strides(reversed(pairs))
