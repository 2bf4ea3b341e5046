"""What becomes of programs as functions of their leaves: pulled back, pushed forward, mapped.

What a program computes is weighed and added up: the sum is a function of the leaves, and the
pullback of that function gives its gradients; differentiated once more, its second derivatives. In
forward mode it gives the derivative along tangents, and mapped the same for each slice.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..protocol.backend import Backend, Native
from ..protocol.capabilities import Capability
from ..protocol.mode import Mode
from .instructions import Instructions, Value
from .language import Program, lines_of
from .machine import Machine
from .reading import VALUES

Seen = list[tuple[str, Native | None]]
"""What is seen of a function: of what kind it is, and the tensor."""

Way = Callable[[Instructions, Program], Seen]


class Evaluation(Machine):
    """One evaluation of a program at given leaves and, if they are given too, constants."""

    def __init__(
        self,
        table: Instructions,
        leaves: Sequence[Native],
        constants: Sequence[Native] | None = None,
    ) -> None:
        super().__init__(table)
        self.leaves = iter(leaves)
        self.constants = None if constants is None else iter(constants)

    def value_of(self, program: Program) -> list[Native]:
        """Carry out a program, and return what it makes. Raises what the library raises."""
        run, variables = self.table.run, self.variables
        for kind, operands, options, results in program:
            given = [variables[number] for number in operands]
            if kind == "leaf":
                made = next(self.leaves)
            elif kind == "constant" and self.constants is not None:
                made = next(self.constants)
            else:
                made = run[kind](self, given, options)
            if results > 1:
                variables += [*made]
            elif results:
                variables.append(made[0] if isinstance(made, list | tuple) else made)
        return variables

    def apart(self, x: Native, y: Native) -> Native:
        """Return y, or a copy: what a transform has wrapped does not tell where it lies."""
        return y if y is x else self.table.clone(y)


# ---- ways ----------------------------------------------------------------------------------------


def pulled(table: Instructions, program: Program, order: int = 1) -> Seen:
    """Return the values of a program, its gradients, and from order 2 those of the gradients."""
    leaves = given_to(table, program, "leaf")
    values = Evaluation(table, begun(table, leaves)).value_of(program)
    shapes, flat = shapes_of(table, values), table.sums and len(program) % 2 == 1

    def function(*inputs: Native) -> Native:
        made = Evaluation(table, begun(table, inputs)).value_of(program)
        return (summed if flat else weighed)(table, made, shapes)

    def derivative(*inputs: Native) -> Native:
        _, pull = way.vjp(run, *inputs, create_graph=True)
        return weighed(table, pull(weights(table, (), 0)), shapes_of(table, leaves), 5)

    way, run = in_mode(table, function, program)
    seen: Seen = [("value", x) for x in values]
    if leaves:
        seen.append(("sum", run(*leaves)))
    seen += [("gradient", g) for g in gradients(table, run, leaves, way)]
    if order > 1:
        seen += [("second derivative", g) for g in gradients(table, derivative, leaves)]
    return seen


def pushed(table: Instructions, program: Program) -> Seen:
    """Return the values of a program, and the derivative of their sum along tangents of its leaves.

    Without forward mode that is what the gradients come to along the tangents.
    """
    b, leaves = table.backend, given_to(table, program, "leaf")
    add, mul, total = (b.functions[name] for name in ("add", "mul", "sum"))
    values = Evaluation(table, copies(table, leaves)).value_of(program)
    shapes = shapes_of(table, values)
    tangents = [weights(table, shape, 3 + i) for i, shape in enumerate(shapes_of(table, leaves))]

    def function(*inputs: Native) -> Native:
        return weighed(table, Evaluation(table, copies(table, inputs)).value_of(program), shapes)

    derivative = constant(table, (0,), ())
    if not leaves:
        pass
    elif Capability.JVP in b.capabilities:
        way, run = in_mode(table, function, program)
        _, derivative = way.jvp(run, leaves, tangents)
    else:
        for gradient, tangent in zip(gradients(table, function, leaves), tangents, strict=True):
            derivative = add(derivative, total(mul(gradient, tangent)))
    return [*(("value", x) for x in values), ("tangent", derivative)]


def mapped(table: Instructions, program: Program) -> Seen:
    """Return the values of a program, what they add up to in two slices, and the gradients of both.

    Leaves and constants are mapped over. Without mapping the program is run for each slice.
    """
    b = table.backend
    mul, total = (b.functions[name] for name in ("mul", "sum"))
    slices = [[given_to(table, program, kind, n) for kind in ("leaf", "constant")] for n in (0, 1)]
    values = Evaluation(table, *(copies(table, each) for each in slices[0])).value_of(program)
    shapes, count = shapes_of(table, values), len(slices[0][0])
    seen: Seen = [("value", x) for x in values]
    if not sum(map(len, slices[0])):
        return seen

    def function(*inputs: Native) -> Native:
        given = copies(table, inputs)
        made = Evaluation(table, given[:count], given[count:]).value_of(program)
        return weighed(table, made, shapes)

    pairs = [(*leaves, *constants) for leaves, constants in slices]
    if Capability.VMAP in b.capabilities:
        batches = [stacked(table, pair) for pair in zip(*pairs, strict=True)]
        along = b.vmap(function, (0,) * len(batches))
        cotangent = weights(table, (2,), 1)
        found = gradients(
            table,
            lambda *inputs: total(mul(along(*inputs, *batches[count:]), cotangent)),
            batches[:count],
        )
        sums = along(*batches)
    else:
        sums = stacked(table, [function(*given) for given in pairs])
        each = []
        for n, given in enumerate(pairs):
            weight = constant(table, (VALUES[1 + n] or 5,), ())
            each.append(
                gradients(
                    table,
                    lambda *inputs, g=given, w=weight: mul(function(*inputs, *g[count:]), w),
                    given[:count],
                )
            )
        found = [stacked(table, pair) for pair in zip(*each, strict=True)]
    return [*seen, ("sums", sums), *(("gradient", g) for g in found)]


# ---- parts of them -------------------------------------------------------------------------------


def given_to(table: Instructions, program: Program, kind: str, turn: int = 0) -> list[Native]:
    """Make the leaves of a program, or its constants: at a `turn` others, of turned entries."""
    return [
        constant(table, np.roll(entries, turn) * (-1) ** turn, shape)
        for entries, shape, *_ in (each.options for each in program if each.kind == kind)
    ]


def shapes_of(table: Instructions, tensors: Sequence[Native]) -> list[tuple[int, ...]]:
    """List the shapes of tensors."""
    return [np.shape(table.backend.numpy(x)) for x in tensors]


def in_mode(
    table: Instructions, function: Callable[..., Native], program: Program
) -> tuple[Backend | Mode, Callable[..., Native]]:
    """Return who differentiates a program as a function, and what runs it there."""
    if table.mode is None:
        return table.backend, function
    return table.mode, table.mode.wrap(function, "; ".join(lines_of(program)))


def begun(table: Instructions, inputs: Sequence[Native]) -> Sequence[Native]:
    """Return what a program begins with: results, where it may write over it."""
    return copies(table, inputs) if table.writes else inputs


def copies(table: Instructions, tensors: Sequence[Native]) -> list[Native]:
    """Multiply tensors by one: what is written then is a result."""
    return [table.backend.functions["mul"](x, constant(table, (1,), ())) for x in tensors]


def stacked(table: Instructions, tensors: Sequence[Native]) -> Native:
    """Make a constant of tensors, one behind the other."""
    array = np.stack([np.asarray(table.backend.numpy(x)) for x in tensors])
    return table.backend.tensor(array, table.dtype, table.device)


def weighed(
    table: Instructions, made: Sequence[Native], shapes: Sequence[tuple[int, ...]], start: int = 0
) -> Native:
    """Add up what a program has made, each entry with a weight of its own."""
    add, mul, total = (table.backend.functions[name] for name in ("add", "mul", "sum"))
    parts = [
        total(mul(x, weights(table, shape, start + i)))
        for i, (x, shape) in enumerate(zip(made, shapes, strict=True))
        if x is not None and 0 not in shape
    ] or [weights(table, (), 0)]
    result = parts[0]
    for part in parts[1:]:
        result = add(result, part)
    return result


def summed(
    table: Instructions, made: Sequence[Native], shapes: Sequence[tuple[int, ...]]
) -> Native:
    """Add up what a program has made, each result as a whole with a weight of its own.

    A cotangent of its sum is one number for all entries, which compilers keep as such.
    """
    total = table.backend.functions["sum"]
    sums = [
        None if x is None or 0 in shape else total(x) for x, shape in zip(made, shapes, strict=True)
    ]
    return weighed(table, sums, [()] * len(sums))


def gradients(
    table: Instructions,
    function: Callable[..., Native],
    leaves: Sequence[Native],
    way: Backend | Mode | None = None,
) -> list[Native]:
    """Return the gradients of a function with one result, zeros where there is none."""
    _, pull = (way or table.backend).vjp(function, *leaves)
    found = pull(weights(table, (), 0))
    return [mul_by_zero(table, x) if g is None else g for x, g in zip(leaves, found, strict=True)]


def plain(table: Instructions, x: Native) -> Value:
    """Return the value of a tensor in the dtype that it is to have."""
    array = np.asarray((table.mode or table.backend).numpy(x))
    return Value(table.dtype, array.shape, array.tolist())


def mul_by_zero(table: Instructions, x: Native) -> Native:
    """Return zeros in the shape of a tensor."""
    return table.backend.functions["mul"](x, constant(table, (0,), ()))


def weights(table: Instructions, shape: tuple[int, ...], start: int) -> Native:
    """Return small integers of this shape; 1 for a scalar at the start."""
    count = int(np.prod(shape))
    return constant(table, [VALUES[(start + i) % 16] or 5 for i in range(count)], shape)


def constant(table: Instructions, entries: Any, shape: tuple[int, ...]) -> Native:
    """Make a constant of small integers."""
    array = np.array(entries, np.float64).reshape(shape)
    return table.backend.tensor(array, table.dtype, table.device)
