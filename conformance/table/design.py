"""Calls that together meet every three options of an operation at once, and each in every shape.

Defects lie where choices meet: a reduction over several axes that keeps them, a norm of order one
of a vector without entries. A few calls drawn at random miss some of these at every seed, so calls
that meet them are chosen beforehand, the same ones for ever: of many candidates always the one that
meets the most of what none before it has met. (A covering array, found by the greedy method of
Cohen, Dalal, Fredman and Patton, 1997.)
"""

from collections.abc import Hashable
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

from .call import Call
from .operation import CODES, WEIGHTS, Operation

CANDIDATES = 200
"""Calls looked at for one operation, at most."""

OFFSETS = {"diagonal", "diag", "diagflat", "tril", "triu", "rot90", "matrix", "round"}
"""First words of operations of which an integer below zero may be other than an axis."""

PATIENCE = 30
"""After so many candidates in a row that showed nothing new, nothing new is expected."""


@cache
def design(operation: Operation, *, apart: bool = False) -> tuple[bytes, ...]:
    """Return the bytes of calls that meet all that any candidate meets, the richest call first.

    Calls whose values lie `apart` have options of their own. Rare choices, which no call has met
    when patience is at its end, are looked for among all candidates: their calls go first.
    """
    found: dict[bytes, set[Hashable]] = {}
    seen: set[Hashable] = set()
    rare: list[bytes] = []
    idle = 0
    for number in range(CANDIDATES):
        codes = _candidate(number)
        call = operation.read(codes, smooth=apart)
        if idle > PATIENCE:
            if alone := {*_choices(call)} - seen:
                seen |= alone
                rare.append(codes)
            continue
        met = met_by(call)
        idle = 0 if met - seen else idle + 1
        if not idle:
            seen |= met
            found[codes] = met
    seen = set().union(*found.values())
    chosen = rare
    while seen:
        best = max(found, key=lambda codes: len(found[codes] & seen))
        seen -= found.pop(best)
        chosen.append(best)
    return tuple(chosen)


@cache
def _candidate(number: int) -> bytes:
    """Return bytes of a call, the same ones for every operation."""
    return np.random.default_rng([number, CODES]).bytes(CODES + WEIGHTS)


def met_by(call: Call) -> set[Hashable]:
    """Return what a call meets: its shapes, up to three options at once, each beside each shape.

    Which of several results is differentiated is an option like any other. Beside a shape an axis
    is the same one from whichever end it is counted, where integers are axes.
    """
    options, chosen = _options(call), _choices(call)
    shapes = [("shape", n, x.shape) for n, x in enumerate(call.tensors)]
    offset = call.operation.name.split("_")[0] in OFFSETS
    both = (
        (name, _form(value if offset else _counted(value, len(shape))), n, shape)
        for name, value in options
        for _, n, shape in shapes
    )
    several = (*combinations(chosen, 2), *combinations(chosen, 3))
    return {tuple(shapes), *chosen, *both, *several}


def _options(call: Call) -> list[tuple[int | str, Any]]:
    """Return what a call is told besides its tensors, and which of several results is meant."""
    given = call.arguments
    options: list[tuple[int | str, Any]] = [*enumerate(given.options), *given.named.items()]
    options.append(("count", len(given.options)))
    if call.results > 1:
        options.append(("result", call.which % call.results))
    return options


def _choices(call: Call) -> list[tuple[int | str, Hashable]]:
    """Return what of each option is a choice."""
    return [(name, _form(value)) for name, value in _options(call)]


def _counted(value: Any, rank: int) -> Any:
    """Count axes from the front."""
    if isinstance(value, tuple | list):
        return tuple(_counted(each, rank) for each in value)
    return value + rank if type(value) is int and -rank <= value < 0 else value


def _form(value: Any) -> Hashable:
    """What of an option is a choice: of an array its shape, and of indices the smallest."""
    if isinstance(value, np.ndarray):
        return value.shape, value.min() if value.size and value.dtype.kind == "i" else None
    if isinstance(value, tuple | list):
        return tuple(_form(each) for each in value)
    return repr(value)
