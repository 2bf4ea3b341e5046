"""What the operations of the table take: the shapes of their tensors and the options that fit."""

from collections.abc import Callable
from typing import Any

from .drawing import ANY, MANY, SHAPES, Array, Draw, Shape
from .operation import Arguments

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
