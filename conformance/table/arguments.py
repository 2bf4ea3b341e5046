"""What an operation takes: tensors, then options; and how most operations draw them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..protocol.layout import layout_of
from .drawing import ANY, MANY, SHAPES, Array, Draw, Shape

WRITTEN = 3 * MANY
"""Numbers of a call that can be written down, at most: with room for how they lie in memory."""


@dataclass(frozen=True)
class Arguments:
    """What a call is made of: tensors that may be differentiated by, then options.

    `options` follow the tensors in order, `named` are given by name; arrays among `options` become
    constants.
    """

    tensors: tuple[Array, ...]
    options: tuple[Any, ...] = ()
    named: Mapping[str, Any] = field(default_factory=dict)

    @property
    def constants(self) -> list[Array]:
        """The arrays that are no tensors."""
        found: list[Array] = []

        def noted(x: Array) -> Array:
            found.append(x)
            return x

        self.with_constants(noted)
        return found

    def with_constants(self, change: Callable[[Array], Array]) -> "Arguments":
        """Return these arguments with each array changed that is no tensor."""

        def changed(value: Any) -> Any:
            match value:
                case np.ndarray():
                    return change(value)
                case tuple() | list():
                    return type(value)(map(changed, value))
                case _:
                    return value

        named = {name: changed(value) for name, value in self.named.items()}
        return replace(self, options=changed(self.options), named=named)


@dataclass(frozen=True, eq=False)
class Told:
    """A call that is written down as what it is: the operation is named beside it."""

    arguments: Arguments
    weights: Array
    which: int = 0

    @property
    def numbers(self) -> int:
        """How many numbers there are to write, or to compute with if that is more."""
        given = self.arguments
        arrays = (*given.tensors, *given.constants)
        return sum(max(x.size, layout_of(x).memory.size) for x in arrays)


Drawing = Callable[[Draw], Arguments]

FILLED = tuple(shape for shape in SHAPES if 0 not in shape)
VECTORS = tuple(shape for shape in SHAPES if shape)
FILLED_VECTORS = tuple(shape for shape in FILLED if shape)
MATRICES = tuple(shape for shape in SHAPES if len(shape) >= 2)


def one(values: Array = ANY, shapes: tuple[Shape, ...] = SHAPES, *options: Any) -> Drawing:
    """Draw one tensor; the same `options` follow it every time."""
    return lambda d: Arguments((d.array(d.shape(*shapes), values),), options)


def two(first: Array = ANY, second: Array = ANY) -> Drawing:
    """Draw two tensors that broadcast."""

    def draw(d: Draw) -> Arguments:
        x, y = d.shapes()
        return Arguments((d.array(x, first), d.array(y, second)))

    return draw


def alike(*values: Array, shapes: tuple[Shape, ...] = SHAPES) -> Drawing:
    """Draw tensors of one shape, each with its own values."""

    def draw(d: Draw) -> Arguments:
        shape = d.shape(*shapes)
        return Arguments(tuple(d.array(shape, each) for each in values))

    return draw


def along(values: Array = ANY, shapes: tuple[Shape, ...] = VECTORS) -> Drawing:
    """Draw a tensor and one of its axes."""

    def draw(d: Draw) -> Arguments:
        shape = d.shape(*shapes)
        return Arguments((d.array(shape, values),), (d.axis(shape),))

    return draw


def reduced(values: Array = ANY, shapes: tuple[Shape, ...] = SHAPES) -> Drawing:
    """Draw a tensor and what a reduction is told: nothing, an axis or several, whether to keep."""

    def draw(d: Draw) -> Arguments:
        shape = d.shape(*shapes)
        axis, other, several = d.axis(shape), d.axis(shape), d.axes(shape)
        # Whether a number has an axis is a matter of contract.
        options = d.pick((), (axis,), (several, True), (other, False)) if shape else ()
        return Arguments((d.array(shape, values),), options)

    return draw


def products(*fixed: tuple[Shape, Shape], values: Array = ANY, many: int = MANY) -> Drawing:
    """Draw two tensors in one of the given pairs of shapes."""

    def draw(d: Draw) -> Arguments:
        x, y = d.shapes(*fixed, many=many)
        return Arguments((d.array(x, values), d.array(y, values)))

    return draw
