"""What crosses between numpy and tensors: arrays of every dtype, and programs that both can run."""

import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from ..protocol.backend import Native
from ..protocol.calls import Array
from ..protocol.layout import layout_of
from ..protocol.subject import Subject
from .arrays import LAYOUTS, Layout, arrays, expanded, sliced, so_many_bytes, transposed
from .programs import INTEGERS

# ---- arrays of every dtype -----------------------------------------------------------------------

FLOATS = ("float64", "float32", "float16")
INTEGRAL = ("int64", "int32", "int16", "int8", "uint8", "bool")
DTYPES = (*FLOATS, *INTEGRAL, "complex64", "complex128")
"""The dtypes that numpy and tensors have in common, by numpy's name."""

STRIDED: tuple[Layout, ...] = (transposed, sliced, expanded, transposed)
"""Layouts that are not read in the order of memory, entry after entry."""


@st.composite
def carried(
    draw: st.DrawFn,
    *,
    dtypes: tuple[str, ...] = DTYPES,
    layouts: tuple[Layout, ...] = LAYOUTS,
    min_dims: int = 0,
    min_size: int = 0,
) -> Array:
    """Draw an array of one of `dtypes` with memory of its own, in one of `layouts`."""
    array = draw(arrays(layouts=layouts, min_dims=min_dims, min_size=min_size))
    memory, shape, strides, offset = layout_of(array)
    # Negative numbers have no meaning in an unsigned dtype.
    own = np.abs(memory).astype(draw(st.sampled_from(dtypes)))
    item = own.itemsize
    return np.ndarray(shape, own.dtype, own, offset * item, [item * s for s in strides])


# ---- views of a tensor ---------------------------------------------------------------------------

View = Callable[[Subject, Native], Native]

VIEWS: Mapping[str, View] = {
    "x": lambda _, x: x,
    "x[None]": lambda _, x: x[None],
    "x[..., ::2]": lambda _, x: x[..., ::2],
    "x[0]": lambda _, x: x[0],
    "transpose(x, 0, -1)": lambda be, x: be.transpose(x, 0, -1),
    "expand(x, 2, ...)": lambda be, x: be.expand(x, 2, *x.shape),
}
"""Ways to look at a tensor of at least one dimension, by the way they are written."""

# ---- arithmetic, with its derivatives ------------------------------------------------------------


class Arithmetic(NamedTuple):
    """An operator, and the derivatives of its result by its left and right operand."""

    apply: Callable[[Any, Any], Any]
    slopes: Callable[[Array, Array], tuple[Any, Any]]


ARITHMETIC: Mapping[str, Arithmetic] = {
    "+": Arithmetic(operator.add, lambda _x, _y: (1, 1)),
    "-": Arithmetic(operator.sub, lambda _x, _y: (1, -1)),
    "*": Arithmetic(operator.mul, lambda x, y: (y, x)),
    "/": Arithmetic(operator.truediv, lambda x, y: (1 / y, -x / (y * y))),
}
"""The four operators, as they are written."""

# ---- expressions that numpy and a library read alike ---------------------------------------------

SIDE = 3
SHAPES = ((3,), (3, 1), (3,), (), (3,), (1, 3), (3,), (3, 3))
"""Shapes that broadcast to a square; half are rows, which aligned on the left would be columns."""

STEPS: Mapping[str, Callable[[Any, Any], Any]] = {
    "x + y": operator.add,
    "x - y": operator.sub,
    "y - x": lambda x, y: y - x,
    "x * y": operator.mul,
}

READINGS: Mapping[str, tuple[Callable[[Array], Any], Callable[[Subject, Native], Native]]] = {
    "x": (lambda x: x, lambda _, x: x),
    "x[1]": (lambda x: x[1], lambda _, x: x[1]),
    "x[-1, 1:]": (lambda x: x[-1, 1:], lambda _, x: x[-1, 1:]),
    "x[:, ::2]": (lambda x: x[:, ::2], lambda _, x: x[:, ::2]),
    "x[..., None, 0]": (lambda x: x[..., None, 0], lambda _, x: x[..., None, 0]),
    "sum(x)": (lambda x: x.sum(), lambda be, x: be.sum(x)),
    "sum(x, 0)": (lambda x: x.sum(0), lambda be, x: be.sum(x, 0)),
    "sum(x, 1, keepdim)": (
        lambda x: x.sum(1, keepdims=True),
        lambda be, x: be.sum(x, 1, keepdim=True),
    ),
    "amax(x, 1)": (lambda x: x.max(1), lambda be, x: be.amax(x, 1)),
    "amin(x, 0)": (lambda x: x.min(0), lambda be, x: be.amin(x, 0)),
    "x @ x[1]": (lambda x: x @ x[1], lambda be, x: be.matmul(x, x[1])),
    "x[0] @ x": (lambda x: x[0] @ x, lambda be, x: be.matmul(x[0], x)),
    "x @ x": (lambda x: x @ x, lambda be, x: be.matmul(x, x)),
}
"""Ways to read a square matrix: in numpy, and in a library."""


class Expression(NamedTuple):
    """Operands, the operators between them from left to right, and how the result is read.

    All entries are small integers, so that every value on the way is exact in every dtype.
    """

    operands: tuple[Array, ...]
    steps: tuple[str, ...]
    reading: str

    def expected(self) -> Array:
        """Compute the value with numpy."""
        value = self._fold(list(self.operands))
        return np.asarray(READINGS[self.reading][0](value))

    def compute(self, be: Subject) -> Native:
        """Compute the value with tensors."""
        value = self._fold([be.tensor(operand) for operand in self.operands])
        return READINGS[self.reading][1](be, value)

    def _fold(self, values: list[Any]) -> Any:
        result, *others = values
        for step, other in zip(self.steps, others, strict=True):
            result = STEPS[step](result, other)
        return result


@st.composite
def expressions(draw: st.DrawFn) -> Expression:
    """Draw an expression on two or three operands, all of floats or all of int64.

    Matrices are multiplied in floats only: few devices do it in integers.
    The last operand is a square, and so is the value of every expression before it is read.
    """
    whole, count, reading, *codes = draw(so_many_bytes(8))
    shapes = [SHAPES[code % len(SHAPES)] for code in codes[: 1 + count % 2]] + [(SIDE, SIDE)]
    sizes = [int(np.prod(shape)) for shape in shapes]
    entries = np.frombuffer(draw(so_many_bytes(sum(sizes))), np.uint8)
    names, readings = tuple(STEPS), tuple(READINGS)
    integral = whole & 1 and "@" not in readings[reading % len(readings)]
    values = INTEGERS[entries].astype(np.int64 if integral else np.float64)
    parts = np.split(values, np.cumsum(sizes)[:-1])
    return Expression(
        operands=tuple(part.reshape(s) for part, s in zip(parts, shapes, strict=True)),
        steps=tuple(names[code % len(names)] for code in codes[2 : 1 + len(shapes)]),
        reading=readings[reading % len(readings)],
    )
