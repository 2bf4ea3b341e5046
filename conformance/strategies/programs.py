"""Programs that write in place, each with the functional program that means the same."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from ..protocol.backend import Native
from ..protocol.subject import Subject
from .arrays import SHAPES, Array, arrays, shapes, so_many_bytes

# ---- single writes -------------------------------------------------------------------------------


class Update(NamedTuple):
    """An operation in two forms: `name` returns a value, `name_` writes it over its argument."""

    name: str
    operands: tuple[float, ...] = ()

    def compute(self, be: Subject, x: Native) -> Native:
        """Return the updated value of `x`, which stays."""
        return getattr(be, self.name)(x, *self.operands)

    def overwrite(self, be: Subject, x: Native) -> Native:
        """Update `x` in place."""
        return getattr(be, f"{self.name}_")(x, *self.operands)


UPDATES = (
    Update("add", (1.0,)),
    Update("mul", (2.0,)),
    Update("neg"),
    Update("sub", (0.5,)),
    Update("div", (4.0,)),
    Update("exp"),
    Update("sin"),
    Update("relu"),
    Update("clamp", (-1.0, 1.0)),
    Update("unsqueeze", (0,)),
)


def _augmented(_: Subject, x: Native) -> None:
    x += 1


WRITES: Mapping[str, Callable[[Subject, Native], object]] = {
    "x += 1": _augmented,
    "x[...] = 1": lambda be, x: be.setitem(x, ..., 1.0),
    "x[0] = 1": lambda be, x: be.setitem(x, 0, 1.0),
    "x[:1] = 1": lambda be, x: be.setitem(x, slice(1), 1.0),
    "x[[0]] = 1": lambda be, x: be.setitem(x, [0], 1.0),
    "x[x > 0] = 1": lambda be, x: be.setitem(x, x > 0, 1.0),
    "zero_(x)": lambda be, x: be.zero_(x),
    "fill_(x, 1)": lambda be, x: be.fill_(x, 1),
    "copy_(x, 1)": lambda be, x: be.copy_(x, be.tensor(np.ones((2, 2)))),
    "t_(x)": lambda be, x: be.t_(x),
    "squeeze_(x)": lambda be, x: be.squeeze_(x),
    "unsqueeze_(x, 0)": lambda be, x: be.unsqueeze_(x, 0),
    "scatter_(x, 0, 0, 1)": lambda be, x: be.scatter_(
        x, 0, be.tensor(np.zeros((2, 2), int)), be.tensor(np.ones((2, 2)))
    ),
}
"""Ways to write over a 2x2 matrix, or to change its shape, that have no twin among `UPDATES`."""

ALIASES: Mapping[str, Callable[[Subject, Native], Native]] = {
    "x[...]": lambda _, x: x[...],
    "t(x)": lambda be, x: be.t(x),
    "x[:, :]": lambda _, x: x[:, :],
    "t(x)[...]": lambda be, x: be.t(x)[...],
    "view(x, 2, 2)": lambda be, x: be.view(x, 2, 2),
}
"""Views of a 2x2 matrix in its own shape."""

WRITING = "inplace views version_counter copy_ fill_ zero_ t t_ squeeze_ unsqueeze_ scatter_ view"
"""What a claim needs that writes in each of these ways, through each of these views."""

RESULTS: Mapping[str, Callable[[Subject, Native], Native]] = {
    "exp(x)": lambda be, x: be.exp(x),
    "sigmoid(x)": lambda be, x: be.sigmoid(x),
    "tanh(x)": lambda be, x: be.tanh(x),
    "relu(x)": lambda be, x: be.relu(x),
    "sqrt(x)": lambda be, x: be.sqrt(x),
    "softmax(x, 0)": lambda be, x: be.softmax(x, 0),
    "exp_(x * 1)": lambda be, x: be.exp_(x * 1),
    "tanh_(x * 1)": lambda be, x: be.tanh_(x * 1),
    "sigmoid_(x * 1)": lambda be, x: be.sigmoid_(x * 1),
}
"""Operations that are differentiated by their result."""

# ---- straight-line programs ----------------------------------------------------------------------

SHAPE = (2, 3)
PARTS = (None, (slice(1, None),), (slice(None), slice(0, 3, 2)), (0,), (Ellipsis, 1))
"""The parts of a register that a step may write: all of it, or one of these views."""

OPERANDS = (2, -1, 3, -2)
INTEGERS = np.array([0, 1, -1, 2, -2, 1, 2, -1] * 32, np.float64)


class Step(NamedTuple):
    """Write `name(register, operand)` to a part of a register.

    An operand is another register, the number `number`, or, for `neg`, missing.
    """

    name: str
    target: int
    part: tuple[Any, ...] | None
    register: int | None = None
    number: int | None = None

    @property
    def inside(self) -> Array:
        """One within the part, zero outside."""
        mask = np.zeros(SHAPE)
        mask[self.part or ()] = 1
        return mask


@dataclass(frozen=True, eq=False)
class Program:
    """Steps on two registers that start as the leaves do.

    All values are integers, small enough that every result and gradient is exact in float32.
    """

    start: tuple[Array, Array]
    steps: tuple[Step, ...]

    def in_place(self, be: Subject, leaves: Sequence[Native]) -> list[Native]:
        """Overwrite the registers step by step, and return them."""
        registers = [be.mul(leaf, 1) for leaf in leaves]
        for step in self.steps:
            written, *operands = [
                r if step.part is None else r[step.part]
                for r in [registers[i] for i in (step.target, step.register) if i is not None]
            ]
            if step.number is not None:
                operands.append(step.number)
            getattr(be, f"{step.name}_")(written, *operands)
        return registers

    def functional(self, be: Subject, leaves: Sequence[Native]) -> list[Native]:
        """Compute what `in_place` does without writing over anything."""
        registers = [be.mul(leaf, 1) for leaf in leaves]
        for step in self.steps:
            old = registers[step.target]
            operand = step.number if step.register is None else registers[step.register]
            match step.name:
                case "neg":
                    new = be.neg(old)
                case "copy":
                    new = be.mul(operand, 1)
                case "fill":
                    new = be.add(be.mul(old, 0), operand)
                case name:
                    new = getattr(be, name)(old, operand)
            registers[step.target] = be.add(be.mul(old, 1 - step.inside), be.mul(new, step.inside))
        return registers


STEP = 4  # bytes
MOST = 5  # steps


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Draw a program of up to five steps that no implementation may refuse.

    A register that a product has saved for backward is not written again.
    """
    entries = int(np.prod(SHAPE))
    codes = draw(so_many_bytes(1 + 2 * entries + MOST * STEP))
    values = INTEGERS[np.frombuffer(codes[1 : 1 + 2 * entries], np.uint8)].reshape(2, *SHAPE)
    steps, saved = [], set()
    for n in range(1 + codes[0] % MOST):
        operation, target, part, operand = codes[1 + 2 * entries + n * STEP :][:STEP]
        name = ("add", "mul", "sub", "neg", "copy", "fill")[operation % 6]
        written = 1 - target % 2 if target % 2 in saved else target % 2
        binary = name == "copy" or (name in ("add", "mul", "sub") and operand < 128)
        if binary and name == "mul":
            saved.add(1 - written)
        steps.append(
            Step(
                name,
                written,
                PARTS[part % len(PARTS)],
                register=1 - written if binary else None,
                number=None if binary or name == "neg" else OPERANDS[operand % len(OPERANDS)],
            )
        )
    return Program((values[0], values[1]), tuple(steps))


# ---- operands of another shape -------------------------------------------------------------------


@st.composite
def fitting(draw: st.DrawFn, /, label: str = "shape", **options: Any) -> Array:
    """Draw an array that broadcasts to the shape of `label` without enlarging it."""
    shape = draw(shapes(label))
    drop, *flat = draw(so_many_bytes(4))
    sizes = [1 if code & 1 else size for size, code in zip(shape, flat, strict=False)]
    return draw(arrays(shape=tuple(sizes[drop % (len(sizes) + 1) :]), **options))


@st.composite
def enlarging(draw: st.DrawFn, /, label: str = "shape", **options: Any) -> Array:
    """Draw an array that would broadcast the shape of `label` to a larger one."""
    shape = draw(shapes(label))
    ones = [axis for axis, size in enumerate(shape) if size == 1]
    axis = draw(st.sampled_from([-1, *ones]))
    larger = (2, *shape) if axis < 0 else (*shape[:axis], 3, *shape[axis + 1 :])
    return draw(arrays(shape=larger, **options))


@cache
def _clashing() -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """List pairs of shapes with an axis whose sizes differ and are not one."""
    return [
        (x, y)
        for x, y in itertools.product(SHAPES, repeat=2)
        if any(n != m and 1 not in (n, m) for n, m in zip(x[::-1], y[::-1], strict=False))
    ]


@st.composite
def clashes(draw: st.DrawFn) -> tuple[Array, Array]:
    """Draw two arrays that do not broadcast against each other."""
    x, y = draw(st.sampled_from(_clashing()))
    return draw(arrays(shape=x)), draw(arrays(shape=y))
