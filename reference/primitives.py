"""What an operation is: one declarative record.

    mul = primitive("mul", np.multiply, x=lambda g, y: g * y, y=lambda g, x: g * x, ...)

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
from .graph import ATTRIBUTE, POSITION, SAVED, SHAPE, Node
from .leaves import edge_of
from .modes import state
from .saved import Saved, Several, keep
from .tensor import Array, Tensor, wrap
from .views import View

Needs = tuple[tuple[int, str], ...]
REGISTRY: dict[str, Primitive] = {}


class Rule:
    """A vector-Jacobian product and what it needs besides `g`."""

    __slots__ = ("function", "needs")

    def __init__(self, function: Callable[..., Any], needs: Needs) -> None:
        self.function = function
        self.needs = needs


class Primitive:
    """A differentiable operation; see the module's text. Callable, also as a Tensor method.

    `linear`: linear in each array argument by itself. `view`: the result shares the memory of the
    first argument; `lenient` does the same for any layout, copying if it must. `broadcasts`: a
    gradient may be larger than its argument and is then summed. `domain`: the interval on which
    the rules hold. `kinks`: where in it the derivative is a convention.
    """

    __slots__ = (
        "_plans",
        "broadcasts",
        "domain",
        "forward",
        "inputs",
        "kinks",
        "lenient",
        "linear",
        "name",
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
        self._plans: dict[tuple[int, int], tuple[int, tuple[tuple[str, int], ...]]] = {}

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

    def rule(self, position: int) -> Rule:
        """The rule of the array argument at `position`."""
        rule = self.rules[min(position, len(self.rules) - 1)]
        assert rule is not None
        return rule

    def _plan(self, tracked: int, count: int) -> tuple[int, tuple[tuple[str, int], ...]]:
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

    def plan(self, tracked: int, count: int) -> tuple[int, tuple[tuple[str, int], ...]]:
        """The same, remembered: one entry per combination of tracked arguments."""
        key = (tracked, count)
        if key not in self._plans:
            self._plans[key] = self._plan(tracked, count)
        return self._plans[key]

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

    def run(self, arrays: Iterable[Any], attributes: dict[str, Any]) -> Any:
        """The forward computation, with numpy's complaints in this package's words."""
        try:
            return self.forward(*arrays, **attributes)
        except AutogradError:
            raise
        except IndexError as error:
            raise IndexOutOfRange(f"{self.name}: {error}") from None
        except ValueError as error:
            raise ShapeMismatch(f"{self.name}: {error}") from None

    def __call__(self, *inputs: Any, **attributes: Any) -> Any:
        """Compute, and record if an argument is tracked."""
        arrays: list[Any] = []
        tracked, bit, plain = 0, 1, True
        for each in inputs:
            if type(each) is Tensor:
                plain = False
                arrays.append(each.array)
                if each.edge is not None or each.tracked or (each.origin and each.requires_grad):
                    tracked |= bit
            else:
                arrays.append(each)
            bit <<= 1
        value = self.run(arrays, attributes)
        if plain:
            return value
        if type(value) is not np.ndarray:
            value = np.asarray(value)
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
    tracked, plan = primitive.plan(tracked, len(inputs))
    if not tracked:
        return None
    saved: dict[str, Any] = {}
    for name, position in plan:
        if position < 0:
            saved[name] = None if out is None else Saved(out, 0)
        elif name == "rest":
            saved[name] = Several(inputs[position:])
        else:
            saved[name] = keep(inputs[position])
    edges = []
    for each in inputs:
        edges.append(edge_of(each) if tracked & 1 else None)
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
