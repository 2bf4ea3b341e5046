"""Axes: which options of a call name them, and other names that the same ones have."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from inspect import Parameter
from typing import Any

import numpy as np

from .arguments import Told
from .call import Call
from .drawing import DEEP, KINDS
from .drawn import ALL, Hand, calls, fixed
from .operation import Operation, signature_of

NAMES = "dim dims dim1 dim2 axis axes axis1 axis2 first second source destination"
"""What parameters of the table are called that take an axis or several."""

LOOKED_AT = 8
"""Calls of an operation among which some along axes are found."""

SMOOTH = calls(smooth=True)
Way = Callable[[tuple[int, ...], int], tuple[int, ...]]


@dataclass(frozen=True)
class Along:
    """Calls along axes that have other names."""

    def corners(self, operation: Operation, hand: Hand = ALL) -> list[Call]:  # noqa: ARG002
        """Return the one that has the most other names, and two more."""
        return _along(operation)

    def named(self, operation: Operation, word: str | Told) -> Call:
        """Return the call that is told, or read from `word`. Raises ValueError if there is none."""
        return SMOOTH.named(operation, word)


@cache
def _along(operation: Operation) -> list[Call]:
    read = partial(SMOOTH.read, operation)
    met = [read(fixed(n), (KINDS[0], DEEP)[n % 2]) for n in range(LOOKED_AT)]
    # Where tensors are broadcast an axis from the front may be that of any of them.
    ways = {
        call: len(renamed(call))
        for call in met
        if operation.linear or {x.ndim for x in call.tensors} == {call.tensors[0].ndim}
    }
    best = sorted(filter(ways.get, ways), key=lambda call: -ways[call])
    return best[:1] + [call for call in filter(ways.get, ways) if call not in best[:1]][:2]


def along() -> Along:
    """Call the operation at hand along axes that can be named in other ways."""
    return Along()


def renamed(call: Call) -> list[Call]:
    """Return the call with its axes counted from the other end: all, the first; or in reverse.

    Where its result is another one then, their order matters, or they are not of the first tensor.
    """
    ways: tuple[Way, ...] = (
        lambda axes, rank: tuple(_turned(axis, rank) for axis in axes),
        lambda axes, rank: (_turned(axes[0], rank), *axes[1:]),
        lambda axes, _: axes[::-1],
    )
    # Those of a result may be meant, which has one axis more.
    for rank in (call.tensors[0].ndim, call.tensors[0].ndim + 1):
        met = {repr(call.arguments): call}
        for way in ways:
            other = _with_axes(call, way, rank)
            if repr(other.arguments) not in met and _agree(other, call):
                met[repr(other.arguments)] = other
        if len(met) > 1:
            break
    return [*met.values()][1:]


def named_by(operation: Operation) -> dict[str, int]:
    """Return the parameters by which an operation is told axes, and their places; or -1."""
    parameters = [*signature_of(operation.forward).parameters.values()]
    counted = [each.kind is Parameter.POSITIONAL_OR_KEYWORD for each in parameters]
    return {
        each.name: place if all(counted[: place + 1]) else -1
        for place, each in enumerate(parameters)
        if each.name in NAMES.split()
    }


def _turned(axis: int, rank: int) -> int:
    return axis - rank if axis >= 0 else axis + rank


def _with_axes(call: Call, way: Way, rank: int) -> Call:
    given, count = call.arguments, len(call.tensors)
    options, named = [*given.options], {**given.named}

    def other(value: Any) -> Any:
        if type(value) is int:
            return way((value,), rank)[0]
        several = isinstance(value, tuple) and {*map(type, value)} == {int}
        return way(value, rank) if several else value

    for name, place in named_by(call.operation).items():
        if name in named:
            named[name] = other(named[name])
        elif 0 <= place - count < len(options):
            options[place - count] = other(options[place - count])
    return replace(call, arguments=replace(given, options=tuple(options), named=named))


def _agree(one: Call, other: Call) -> bool:
    """Whether two calls have the same results, by numpy, also of entries that are all different."""
    apart = [x + np.arange(x.size).reshape(x.shape) * 2.0**-9 for x in other.tensors]
    try:
        return all(
            np.array_equal(
                replace(one, which=n).true(*tensors), replace(other, which=n).true(*tensors)
            )
            for n in range(other.results)
            for tensors in (other.tensors, apart)
        )
    except (IndexError, ValueError, TypeError):
        return False
