"""Tensors made from nothing or after a model: the factories, and what they are called with."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from ..protocol.backend import Native
from ..protocol.subject import Subject

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

RANDOM: Mapping[str, tuple[Any, ...]] = {
    "rand": ((2, 3),),
    "randn": ((2, 3),),
    "normal": (0.0, 1.0, (2, 3)),
}
"""More of them, which draw."""

COMPLEX: Mapping[str, tuple[Any, ...]] = {
    "full": ((2, 3), 0.5j),
    "from_data": ([0.5, 2j],),
}
"""Calls that make complex numbers of floats of the default dtype."""

DISCRETE: Mapping[str, tuple[Any, ...]] = {
    "full": ((2, 3), 3),
    "arange": (3,),
    "from_data": ([1, True],),
}
"""Calls that make integers of 64 bits."""

MODEL = np.zeros(2)

MADE: Mapping[str, tuple[str, Callable[..., Native]]] = {
    "zeros": ("biufc", lambda be, **o: be.zeros(2, **o)),
    "ones": ("biufc", lambda be, **o: be.ones(2, **o)),
    "empty": ("biufc", lambda be, **o: be.empty(2, **o)),
    "full": ("biufc", lambda be, **o: be.full((2,), 1, **o)),
    "eye": ("biufc", lambda be, **o: be.eye(2, **o)),
    "arange": ("iuf", lambda be, **o: be.arange(2, **o)),
    "linspace": ("iufc", lambda be, **o: be.linspace(0, 1, 2, **o)),
    "logspace": ("fc", lambda be, **o: be.logspace(0, 1, 2, **o)),
    "from_data": ("biufc", lambda be, **o: be.from_data([1, 0], **o)),
    "zeros_like": ("biufc", lambda be, **o: be.zeros_like(be.tensor(MODEL), **o)),
    "ones_like": ("biufc", lambda be, **o: be.ones_like(be.tensor(MODEL), **o)),
    "empty_like": ("biufc", lambda be, **o: be.empty_like(be.tensor(MODEL), **o)),
    "full_like": ("biufc", lambda be, **o: be.full_like(be.tensor(MODEL), 1, **o)),
    "new_zeros": ("biufc", lambda be, **o: be.new_zeros(be.tensor(MODEL), 2, **o)),
    "new_ones": ("biufc", lambda be, **o: be.new_ones(be.tensor(MODEL), 2, **o)),
    "new_empty": ("biufc", lambda be, **o: be.new_empty(be.tensor(MODEL), 2, **o)),
    "new_full": ("biufc", lambda be, **o: be.new_full(be.tensor(MODEL), (2,), 1, **o)),
    "rand": ("fc", lambda be, **o: be.rand(2, **o)),
    "randn": ("fc", lambda be, **o: be.randn(2, **o)),
    "rand_like": ("fc", lambda be, **o: be.rand_like(be.tensor(MODEL), **o)),
    "randn_like": ("fc", lambda be, **o: be.randn_like(be.tensor(MODEL), **o)),
    "randint": ("iuf", lambda be, **o: be.randint(0, 2, (2,), **o)),
    "randperm": ("iuf", lambda be, **o: be.randperm(2, **o)),
}
"""Every way to make a tensor of two entries or more, and the kinds of dtypes that it has."""

FACTORIES = " ".join(FLOATING)
"""The names of the factories, as a claim lists what it needs."""


def follows(strides: Sequence[int], model: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether `strides` fill memory without gaps and, if those of `model` do, are the same."""
    return _filling(strides, shape) and (
        not _filling(model, shape) or tuple(strides) == tuple(model)
    )


def _filling(strides: Sequence[int], shape: Sequence[int]) -> bool:
    """Whether every place in the memory that is spanned holds one entry."""
    want = 1
    for step, size in sorted((s, n) for s, n in zip(strides, shape, strict=True) if n > 1):
        if step != want:
            return False
        want *= size
    return True


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


# ---- what is told once ---------------------------------------------------------------------------


@contextmanager
def always_told(be: Subject) -> Iterator[None]:
    """Let PyTorch, in a block, warn each time of what it warns of once in a process."""
    warn_always = be.lookup("torch:set_warn_always")
    before = be.lookup("torch:is_warn_always_enabled")()
    warn_always(True)
    try:
        yield
    finally:
        warn_always(before)
