"""How far rounding may move what a program computes, found by running it again with more of it.

Every result of the reference that is not a short binary fraction is what rounding has made of it.
The program is run again with each of them moved by up to a relative `SHIFT`, up or down at random;
what moves an observed value by d there moves it, to first order, by d times the roundoff over
`SHIFT` in a run that rounds. Results that are short fractions are exact, and stay.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np

from .judging import SHORT, values_of
from .machine import Machine

Array = np.ndarray[Any, Any]

SHIFT = {"float64": 2.0**-40, "float32": 2.0**-14, "float16": 2.0**-6}
"""How far results are moved: enough to stand out from rounding, too little for anything else."""

ROUNDOFF = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11}

ENTRYWISE = frozenset(["exp", "sin", "cos", "tanh", "sigmoid", "log"])
ROUNDING = ENTRYWISE | {"softmax", "log_softmax", "logsumexp", "prod"}
"""Primitives whose results are rounded where they happen to be short, too; not the first at 0."""

SUMMING = frozenset(["sum", "sum_to", "mean", "cumsum", "matmul"])
CANCELLING = SUMMING | {"log_softmax", "logsumexp"}
"""Primitives that add and subtract what is as large as their arguments, of sums also in between."""

RUNS = 3
"""How often the signs are drawn anew."""

SAFETY = 64
"""What a function may lose beyond one roundoff, and what three draws of signs may miss."""

STEEP = {"float64": 2.0**20, "float32": 2.0**10, "float16": 2.0**2}
"""From here on a result depends so much on rounding that it is not judged.

What is moved by a shift is then still moved by little, so that a straight line is close to it.
"""


def allowed(
    run: Callable[[], Machine], library: ModuleType, expected: Machine
) -> list[Array] | None:
    """Return how far each value of a run may be off; None where rounding decides what happens."""
    exact = values_of(expected.seen)
    limits = [np.zeros(each.shape) for each in exact]
    for dtype in {each.dtype.name for each in exact} & SHIFT.keys():
        shift = SHIFT[dtype]
        for seed in range(RUNS):
            with perturbed(library, dtype, np.random.default_rng(seed)) as touched:
                moved = values_of(run().seen)
            if [each.shape for each in moved] != [each.shape for each in exact]:
                return None
            for limit, one, other in zip(limits, moved, exact, strict=True):
                off = np.where(np.isfinite(other), np.abs(one.astype(np.float64) - other), 0)
                if not (off <= STEEP[dtype] * shift * (1 + np.abs(other))).all():
                    return None
                np.maximum(limit, off * (SAFETY * ROUNDOFF[dtype] / shift), out=limit)
                if touched:  # and what is lost beside larger numbers may be their last digit
                    size = np.abs(np.nan_to_num(other, posinf=0.0, neginf=0.0))
                    np.maximum(limit, ROUNDOFF[dtype] * size, out=limit)
    return limits


@contextmanager
def perturbed(library: ModuleType, dtype: str, rng: np.random.Generator) -> Iterator[list[str]]:
    """Move every result of the primitives and rules that is not a short fraction.

    Yields the names of what was moved, rules being nameless.
    """
    touched: list[str] = []
    former = {each: (each.forward, each.rules) for each in library.REGISTRY.values()}
    try:
        for primitive, (forward, rules) in former.items():
            if not isinstance(primitive, library.views.ViewPrimitive):
                primitive.forward = _around(forward, primitive.name, dtype, rng, touched)
            # A product may be divided by an entry to have that of the others.
            name = "prod" if primitive.name == "prod" else ""
            primitive.rules = tuple(
                rule and (_around(rule[0], name, dtype, rng, touched), *rule[1:]) for rule in rules
            )
        yield touched
    finally:
        for primitive, (forward, rules) in former.items():
            primitive.forward, primitive.rules = forward, rules


def _around(
    function: Callable[..., Any],
    name: str,
    dtype: str,
    rng: np.random.Generator,
    touched: list[str],
) -> Callable[..., Any]:
    """Let a function move what it returns, and say that it did."""

    def moving(*given: Any, **told: Any) -> Any:
        result = function(*given, **told)
        if name == "prod" and hasattr(result, "array"):  # a tensor, in a recorded pass
            touched.append(name)
            by = (SHIFT[dtype] * (rng.random(result.shape) + 0.5)).astype(result.dtype)
            x = given[1]
            # Times (1 + by) x / x: as a quotient is off, its derivative by x is.
            whole = np.where(x.array == 0, 1, x.array)
            return result * (1 + by * (1 - x.array / whole) + by * (x / whole))
        if not isinstance(result, np.ndarray | np.floating) or result.dtype.name != dtype:
            return result
        with np.errstate(all="ignore"):
            # Not all by as much: two that are equal and opposite would hide each other.
            by = rng.random(np.shape(result)) - 0.5
            by = SHIFT[dtype] * (by + np.copysign(0.5, by))
            size = np.abs(result)
            if name in CANCELLING and np.size(given[0]):
                size = np.maximum(size, np.abs(given[0]).max())
            moved = result + np.asarray(size * by, result.dtype)
            kept = _exact(result, given, name) | ~np.isfinite(result)
            if not np.all(kept):
                touched.append(name)
            return np.where(kept, result, moved)

    return moving


def is_short(array: Any) -> Any:
    """Say which entries are short binary fractions."""
    largest, parts = SHORT.get(array.dtype.name, (np.inf, 1.0))
    return (np.abs(array) < largest) & (np.floor(array * parts) == array * parts)


def _exact(result: Any, given: tuple[Any, ...], name: str) -> Any:
    """Say which entries were computed without rounding."""
    short = is_short(result)
    if name in SUMMING:
        return short & is_short(given[0]).all()
    if name in ENTRYWISE:
        return short & np.equal(given[0], 0)
    if name in ROUNDING:
        return False
    # What was chosen among the arguments, or negated, was not computed.
    for each in given:
        if isinstance(each, np.ndarray | np.floating):
            short = short | np.isin(np.abs(result), np.abs(each))
    return short
