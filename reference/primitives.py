"""What an operation is: one declarative record.

    mul = primitive("mul", operator.mul, x=lambda g, y: g * y, y=lambda g, x: g * x, ...)

says everything: how to compute, and for each array argument how the gradient `g` of the output
becomes the gradient of that argument (its *vector-Jacobian product*; Griewank & Walther,
"Evaluating Derivatives", 2nd ed., chapter 3). The parameter names of a rule say what it needs:

    the name of an array argument, or `out`     that value is saved for backward
    `x_shape`, for the argument x of the rule   its shape; nothing is saved
    `position`                                  which of the `rest` the rule is asked about
    any other name                              the attribute (keyword argument) of the call

So what a node keeps alive, and whether it can run a second time, follows from the mathematics: the
rules of a sum name no value, those of a product name the *other* factor. An argument called `rest`
collects all further array arguments. A rule of None marks an argument without derivative.

Primitives are polymorphic: given arrays they return arrays, given a Tensor they return a Tensor
and record. Rules are written with them, hence they differentiate again by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import MethodType
from typing import Any

import numpy as np

from .errors import AutogradError, IndexOutOfRange, ShapeMismatch
from .graph import ATTRIBUTE, POSITION, SAVED, SHAPE, Edge, Node
from .leaves import edge_of
from .modes import state
from .saved import Constant, Saved, Several
from .tensor import Array, Tensor, wrap
from .views import View

Needs = tuple[tuple[int, str], ...]
Plan = tuple[int, tuple[tuple[str, int], ...]]
REGISTRY: dict[str, Primitive] = {}


class Rule:
    """A vector-Jacobian product and what it needs besides `g`."""

    __slots__ = ("function", "needs")

    def __init__(self, function: Callable[..., Any], needs: Needs) -> None:
        self.function = function
        self.needs = needs


class Plans(dict[tuple[int, int], Plan]):
    """The plans of a primitive, each made when it is first asked for."""

    def __init__(self, primitive: Primitive) -> None:
        super().__init__()
        self.primitive = primitive

    def __missing__(self, key: tuple[int, int]) -> Plan:
        self[key] = self.primitive.plan(*key)
        return self[key]


class Primitive:
    """A differentiable operation; see the module's text. Callable, also as a Tensor method.

    `linear`: linear in each array argument by itself. `view`: the result shares the memory of the
    first argument; `lenient` does the same for any layout, copying if it must. `broadcasts`: a
    gradient may be larger than its argument and is then summed. `domain`: the interval on which
    the rules hold. `kinks`: where in it the derivative is a convention.
    """

    __slots__ = (
        "broadcasts",
        "domain",
        "forward",
        "inputs",
        "kinks",
        "lenient",
        "linear",
        "name",
        "plans",
        "rules",
        "view",
    )

    def __init__(
        self,
        name: str,
        forward: Callable[..., Any],
        rules: dict[str, Callable[..., Any] | None],
        *,
        linear: bool,
        view: bool,
        broadcasts: bool,
        domain: tuple[float, float],
        kinks: str,
        lenient: Callable[..., Any] | None,
    ) -> None:
        self.name = name
        self.forward = forward
        self.inputs = tuple(rules)
        self.linear = linear
        self.view = view
        self.broadcasts = broadcasts
        self.domain = domain
        self.kinks = kinks
        self.lenient = lenient
        self.rules = tuple(
            None if function is None else Rule(function, self._needs(argument, function))
            for argument, function in rules.items()
        )
        self.plans = Plans(self)

    def _needs(self, argument: str, function: Callable[..., Any]) -> Needs:
        code = function.__code__
        needs = []
        for name in code.co_varnames[1 : code.co_argcount]:
            if name == "out" or name in self.inputs:
                needs.append((SAVED, name))
            elif name.endswith("_shape"):
                if name != f"{argument}_shape":
                    raise TypeError(f"{self.name}: the rule of {argument} cannot see {name}")
                needs.append((SHAPE, name))
            else:
                needs.append((POSITION if name == "position" else ATTRIBUTE, name))
        return tuple(needs)

    def plan(self, tracked: int, count: int) -> Plan:
        """Which of the tracked arguments have a derivative, and what their rules make us save."""
        last = len(self.rules) - 1
        names: dict[str, int] = {}
        for position in range(count):
            rule = self.rules[min(position, last)]
            if rule is None:
                tracked &= ~(1 << position)
            elif tracked >> position & 1:
                for kind, name in rule.needs:
                    if kind == SAVED:
                        names[name] = -1 if name == "out" else self.inputs.index(name)
        return tracked, tuple(names.items())

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

    def run(self, arrays: Iterable[Any], attributes: dict[str, Any]) -> Any:
        """The forward computation alone."""
        try:
            return self.forward(*arrays, **attributes)
        except (IndexError, ValueError) as error:
            raise self._refusal(error) from None

    def _refusal(self, error: Exception) -> AutogradError:
        """What numpy complains of, in this package's words."""
        if isinstance(error, AutogradError):
            return error
        kind = IndexOutOfRange if isinstance(error, IndexError) else ShapeMismatch
        return kind(f"{self.name}: {error}")

    def __call__(self, *inputs: Any, **attributes: Any) -> Any:
        """Compute, and record if an argument is tracked."""
        arrays: list[Any] = []
        tracked, bit, plain = 0, 1, True
        for each in inputs:
            if type(each) is Tensor:
                plain = False
                array = each.array
                # numpy computes with a number several times faster than with a 0-d array.
                arrays.append(array if array.ndim or not self.broadcasts else array[()])
                if each.edge is not None or each.tracked or (each.origin and each.requires_grad):
                    tracked |= bit
            else:
                arrays.append(each)
            bit <<= 1
        try:
            value = self.forward(*arrays, **attributes) if attributes else self.forward(*arrays)
        except (IndexError, ValueError) as error:
            raise self._refusal(error) from None
        if plain:
            return value
        if type(value) is not np.ndarray:
            value = np.array(value)
        if self.view:
            return self._view(value, inputs[0], tracked, attributes)
        out = wrap(value)
        if tracked and state.recording and value.dtype.kind in "fc":
            node = record(self, inputs, tracked, attributes, out)
            if node is not None:
                out.edge = (node, 0)
        return out

    def _view(self, value: Array, source: Tensor, tracked: int, attributes: Any) -> Tensor:
        out = wrap(value, source.version)
        out.origin = View.of(source, self, attributes)
        if tracked and state.recording:
            node = record(self, (source,), tracked, attributes, out)
            if node is not None:
                out.edge = (node, 0)
        return out


def record(
    primitive: Primitive, inputs: tuple[Any, ...], tracked: int, attributes: Any, out: Tensor | None
) -> Node | None:
    """The node for a computed `out`; None if no argument with a derivative is tracked.

    Without `out`, which an in-place operation has later, the node awaits `complete`.
    """
    tracked, plan = primitive.plans[tracked, len(inputs)]
    if not tracked:
        return None
    saved: dict[str, Any] = {}
    for name, position in plan:
        if position < 0:
            saved[name] = None if out is None else Saved(out, 0)
        elif name == "rest":
            saved[name] = Several(inputs[position:])
        else:
            value = inputs[position]
            saved[name] = Saved(value) if type(value) is Tensor else Constant(value)
    edges: list[Edge | None] = []
    for each in inputs:
        if not tracked & 1:
            edges.append(None)
        else:
            # The common case, an ordinary result, without a call.
            ordinary = each.origin is None and each.edge is not None
            edges.append(each.edge if ordinary else edge_of(each))
        tracked >>= 1
    return Node(primitive, tuple(edges), saved, attributes, None if out is None else out.array)


def complete(node: Node, out: Tensor) -> None:
    """Tell a node recorded without its output what that became."""
    node.shape, node.dtype = out.array.shape, out.array.dtype
    if node.saved and "out" in node.saved:
        node.saved["out"] = Saved(out, 0)


def primitive(
    name: str,
    forward: Callable[..., Any],
    *,
    linear: bool = False,
    view: bool = False,
    broadcasts: bool = False,
    domain: tuple[float, float] = (-float("inf"), float("inf")),
    kinks: str = "",
    lenient: Callable[..., Any] | None = None,
    **rules: Callable[..., Any] | None,
) -> Primitive:
    """Define a primitive and enter it in the registry. One rule per array argument, in order."""
    made = Primitive(
        name,
        forward,
        rules,
        linear=linear,
        view=view,
        broadcasts=broadcasts,
        domain=domain,
        kinks=kinks,
        lenient=lenient,
    )
    REGISTRY[name] = made
    return made
