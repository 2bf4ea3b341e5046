"""Programs as functions of their leaves, for libraries that differentiate functions.

What a program computes is weighed and added up: the sum is a function of the leaves, and the
pullback of that function gives its gradients; differentiated once more, its second derivatives.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ..protocol.backend import Backend, Native
from ..protocol.capabilities import Capability
from .comparing import REFERENCE, Comparison
from .kinds import kinds_of
from .language import Kind, Program
from .machine import Instructions, Machine, Value
from .reading import VALUES

FAMILIES = ("making", "looking")
"""What computes and looks, and changes nothing."""

LEFT_OUT = """
laid_out_leaf cast contiguous chain zeros_like full_like as_strided overlapping
abs relu clamp maximum minimum amax sqrt
squeeze
"""
"""Kinds that are about dtypes and memory or need no derivative, that have kinks where integers lie,
and that libraries refuse where PyTorch does nothing."""

ALONG = frozenset(["transpose", "permute", "movedim", "softmax", "log_softmax", "cumsum"])
"""Kinds that take a scalar for a vector of one entry: that is a contract, and no law."""


class Functions(Comparison):
    """Programs on a backend and on the reference, as functions of their leaves."""

    daring: ClassVar[bool] = False  # what is refused is no function

    def __init__(self, backend: Backend, dtype: str, device: str, order: int) -> None:
        super().__init__(backend, dtype, device, FAMILIES)
        self.order = order

    def kinds_in(self, families: Iterable[str]) -> Mapping[str, Kind]:
        """Return the kinds of some families that are functions, and leaves."""
        kinds = kinds_of(self.backend, REFERENCE, families=families)
        kept = {name: kind for name, kind in kinds.items() if name not in LEFT_OUT.split()}
        return {"leaf": kinds_of(REFERENCE)["leaf"], **kept}

    def judges(self, program: Program, expected: Machine) -> bool:
        """Whether the reference refuses nothing, and no scalar is taken for a vector."""
        if any(what == "refused" for _, what, _ in expected.seen):
            return False
        shapes = [answer.shape for _, what, answer in expected.seen if what == "value"]
        return not any(
            each.kind in ALONG and not shapes[number]
            for each in program
            for number in each.operands
        )

    def run(self, table: Instructions, program: Program) -> Machine:
        """Return a run that has seen values and derivatives, or why they are refused."""
        seen = Machine(table)
        one_dtype = tuple(
            each._replace(options=(*each.options[:2], False))
            if each.kind in {"leaf", "constant"}
            else each
            for each in program
        )
        try:
            for what, x in derivatives(table, one_dtype, self.order):
                seen.note(what, None if x is None else plain(table, x))
        except Exception as error:
            seen.note("refused", table.reason(error))
        return seen


def comparison_of(backend: Backend, dtype: str, device: str) -> Comparison:
    """Return the comparison of all that a backend can do: of functions where it has no .grad."""
    if Capability.BACKWARD in backend.capabilities:
        return Comparison(backend, dtype, device)
    order = 2 if Capability.CREATE_GRAPH in backend.capabilities else 1
    return Functions(backend, dtype, device, order)


def plain(table: Instructions, x: Native) -> Value:
    """Return the value of a tensor in the dtype that it is to have."""
    array = np.asarray(table.backend.numpy(x))
    return Value(table.dtype, array.shape, array.tolist())


class Evaluation(Machine):
    """One evaluation of a program at given leaves."""

    def __init__(self, table: Instructions, leaves: Sequence[Native]) -> None:
        super().__init__(table)
        self.leaves = iter(leaves)

    def value_of(self, program: Program) -> list[Native]:
        """Carry out a program, and return what it makes. Raises what the library raises."""
        run, variables = self.table.run, self.variables
        for kind, operands, options, results in program:
            given = [variables[number] for number in operands]
            made = next(self.leaves) if kind == "leaf" else run[kind](self, given, options)
            variables += (
                [*made] if results > 1 else [made[0] if isinstance(made, list | tuple) else made]
            )
        return variables


def derivatives(
    table: Instructions, program: Program, order: int
) -> list[tuple[str, Native | None]]:
    """Return the values of a program, its gradients, and from order 2 those of the gradients."""
    b = table.backend
    add, mul, total = (b.functions[name] for name in ("add", "mul", "sum"))
    leaves = [constant(table, *each.options[:2]) for each in program if each.kind == "leaf"]
    values = Evaluation(table, leaves).value_of(program)
    shapes = [np.shape(b.numpy(x)) for x in values]

    def weighed(made: Sequence[Native], shapes: Sequence[tuple[int, ...]], start: int) -> Native:
        parts = [
            total(mul(x, weights(table, shape, start + i)))
            for i, (x, shape) in enumerate(zip(made, shapes, strict=True))
            if x is not None and 0 not in shape
        ] or [weights(table, (), 0)]
        result = parts[0]
        for part in parts[1:]:
            result = add(result, part)
        return result

    def function(*inputs: Native) -> Native:
        return weighed(Evaluation(table, inputs).value_of(program), shapes, 0)

    def slope(*inputs: Native) -> Native:
        _, pull = b.vjp(function, *inputs, create_graph=True)
        return weighed(pull(weights(table, (), 0)), [np.shape(b.numpy(x)) for x in leaves], 5)

    seen: list[tuple[str, Native | None]] = [("value", x) for x in values]
    seen += [("gradient", g) for g in gradients(table, function, leaves)]
    if order > 1:
        seen += [("second derivative", g) for g in gradients(table, slope, leaves)]
    return seen


def gradients(
    table: Instructions, function: Callable[..., Native], leaves: Sequence[Native]
) -> list[Native]:
    """Return the gradients of a function with one result, zeros where there is none."""
    _, pull = table.backend.vjp(function, *leaves)
    found = pull(weights(table, (), 0))
    return [mul_by_zero(table, x) if g is None else g for x, g in zip(leaves, found, strict=True)]


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
