"""What a question is, and the cases that questions are asked on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from . import cases
from .cases import Case
from .trial import Trial

Cases = Callable[[Case], Iterator[Case]]

LONG, MOST = 40, 4096
"""So many entries does a dimension of many have, where no input has more than the most."""


@dataclass(frozen=True)
class Question:
    """One thing that is asked of every function: a sentence that holds on all cases or does not.

    `ask` raises `Broken` where it does not hold, and `NotAsked` where it means nothing; `mode` is
    what `modes` has to name for it.
    """

    name: str
    law: str
    cases: Cases
    ask: Callable[[Trial], None]
    mode: str = ""
    draws: bool = True
    """Whether it makes sense for a function that draws random numbers."""


def question(
    cases: Cases, mode: str = "", *, draws: bool = True
) -> Callable[[Callable[[Trial], None]], Question]:
    """Make a question of a body; its name is that of the body, its sentence the docstring."""

    def made(ask: Callable[[Trial], None]) -> Question:
        name = ask.__name__.replace("_", " ")
        return Question(name, str(ask.__doc__), cases, ask, mode, draws)

    return made


# ---- cases: each is made from the inputs as they were given --------------------------------------


def given(base: Case) -> Iterator[Case]:
    """The inputs as they were given."""
    yield base


def usual(base: Case) -> Iterator[Case]:
    """The inputs as they were given, and two draws near them."""
    yield base
    for salt in (1, 2):
        inputs = cases.near(base.inputs, base.seed * 10 + salt)
        yield replace(base, inputs=inputs, seed=base.seed + salt)


def special(base: Case) -> Iterator[Case]:
    """Zeros, ties, halves and whole numbers in place of the inputs."""
    yield from (replace(base, inputs=x) for x in cases.special(base.inputs, base.seed))


def laid_out(base: Case) -> Iterator[Case]:
    """The inputs in other memory."""
    yield from (replace(base, layout=layout) for layout in cases.LAYOUTS)


def pulled(base: Case) -> Iterator[Case]:
    """The cotangent in other memory."""
    yield from (replace(base, pulled=layout) for layout in cases.LAYOUTS)


def repeated(base: Case) -> Iterator[Case]:
    """One input smaller than it was, so that it is repeated."""
    if len(base.inputs) > 1:
        yield from (replace(base, inputs=x) for x in cases.broadcasts(base.inputs))


def far(base: Case) -> Iterator[Case]:
    """Inputs of tens and of thousands, in float64 and in float32."""
    for salt, factor in enumerate((2.0**6, 2.0**10), 3):
        inputs = cases.near(base.inputs, base.seed * 10 + salt)
        scaled = tuple(map(cases.short, (factor * x for x in inputs)))
        yield from (replace(base, inputs=scaled, dtype=dtype) for dtype in ("float64", "float32"))


def longer(base: Case) -> Iterator[Case]:
    """A dimension of many entries."""
    for size in filter(None, cases.sizes(base.inputs)):
        inputs = cases.enlarged(base.inputs, size, LONG, base.seed)
        if max(x.size for x in inputs) <= MOST:
            yield replace(base, inputs=inputs)


def without_entries(base: Case) -> Iterator[Case]:
    """A dimension without entries."""
    for size in cases.sizes(base.inputs):
        yield replace(base, inputs=cases.resized(base.inputs, size, 0))


def without_axes(base: Case) -> Iterator[Case]:
    """Inputs without dimensions, and with dimensions of one entry."""
    yield replace(base, inputs=cases.scalars(base.inputs))
    for size in cases.sizes(base.inputs):
        yield replace(base, inputs=cases.resized(base.inputs, size, 1))


def smaller_dtypes(base: Case) -> Iterator[Case]:
    """Numbers that every dtype has, in other dtypes than float64."""
    inputs = tuple(map(cases.short, cases.near(base.inputs, base.seed)))
    yield from (replace(base, inputs=inputs, dtype=dtype) for dtype in ("float32", "float16"))
