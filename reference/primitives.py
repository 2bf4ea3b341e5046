"""What an operation is: one declarative record.

    mul = primitive("mul", operator.mul, x=lambda g, y: g * y, y=lambda g, x: g * x)

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

# ruff: noqa: FBT001  (an internal flag may be a positional argument)

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any, Self

import numpy as np

from .errors import AutogradError, Kind
from .graph import Edge, Edges, Node
from .modes import state
from .tensor import Array, Shape, Tensor, raw, wrap

Function = Callable[..., Any]
REGISTRY: dict[str, Primitive] = {}
SAVED, ATTRIBUTE, SHAPE, POSITION = range(4)  # the kinds of things that a rule can ask for
Rule = tuple[Function, tuple[tuple[int, str], ...]]  # with the kind and name of what it needs


class Primitive:
    """A differentiable operation; see the module's text. Callable, also as a Tensor method.

    `broadcasts`: a gradient may be larger than its argument, and is then summed.
    """

    __slots__ = ("broadcasts", "forward", "inputs", "name", "plan", "rules")

    def __init__(
        self, name: str, forward: Function, *, broadcasts: bool = False, **rules: Function | None
    ) -> None:
        self.name = name
        self.forward = forward
        self.broadcasts = broadcasts
        self.inputs = tuple(rules)
        self.rules: tuple[Rule | None, ...] = tuple(  # the last may be of several arguments
            None if function is None else (function, self._needs(argument, function))
            for argument, function in rules.items()
        )
        self.plan = functools.cache(self._plan)

    @classmethod
    def define(cls, name: str, forward: Function, **rules: Any) -> Self:
        """Make a primitive and enter it in the registry. One rule per array argument, in order."""
        REGISTRY[name] = made = cls(name, forward, **rules)
        return made

    def _needs(self, argument: str, function: Function) -> tuple[tuple[int, str], ...]:
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

    def _plan(self, tracked: int, count: int) -> tuple[int, tuple[tuple[str, int], ...]]:
        """Which of the tracked arguments have a derivative, and what their rules make us save.

        Arguments are bits of a number. What is saved has a name and a position, -1 for the output.
        """
        names: dict[str, int] = {}
        for position in range(count):
            rule = self.rules[min(position, len(self.rules) - 1)]
            if rule is None:
                tracked &= ~(1 << position)
            elif tracked >> position & 1:
                for kind, name in rule[1]:
                    if kind == SAVED:
                        names[name] = -1 if name == "out" else self.inputs.index(name)
        return tracked, tuple(names.items())

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

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
            value = self.forward(*arrays, **attributes)
        except (IndexError, ValueError) as error:
            if isinstance(error, AutogradError):
                raise
            kind: Kind = "index_range" if isinstance(error, IndexError) else "shape"
            if "too many indices" in str(error):  # numpy has one class for both
                kind = "dimension"
            raise AutogradError(kind, f"{self.name}: {error}") from None
        if plain:
            return value
        if type(value) is not np.ndarray:
            value = np.array(value)
        out = wrap(value)
        if tracked and state.recording and value.dtype.kind in "fc":
            out.edge = record(self, inputs, tracked, attributes, out)
        return out


primitive = Primitive.define


# --- recording ------------------------------------------------------------------------------------


class Call(Node):
    """A recorded call of a primitive."""

    __slots__ = ("attributes", "primitive")
    primitive: Primitive
    attributes: dict[str, Any]

    @property
    def name(self) -> str:
        """The name of the primitive."""
        name: str = self.primitive.name
        return name

    @property
    def broadcasts(self) -> bool:
        """Whether the primitive does."""
        return bool(self.primitive.broadcasts)

    def vjp(self, gradients: Sequence[Any], edges: Edges, recording: bool) -> Sequence[Any]:
        """Apply the rules of the arguments, opening what they need and nothing else."""
        saved, rules = self.kept(), self.primitive.rules
        opened: dict[str, Any] = {}
        results: list[Any] = []
        for position, edge in enumerate(edges):
            rule = rules[position] if position < len(rules) else rules[-1]
            if edge is None or rule is None:
                results.append(None)
                continue
            function, needs = rule
            arguments = [gradients[0]]
            for kind, name in needs:
                if kind == SAVED:
                    if name not in opened:
                        opened[name] = self.opened(saved[name], recording)
                    arguments.append(opened[name])
                elif kind == ATTRIBUTE:
                    arguments.append(self.attributes[name])
                elif kind == SHAPE:
                    arguments.append(edge[0].outputs[edge[1]][0])
                else:
                    arguments.append(position)
            results.append(function(*arguments))
        return results


def record(
    primitive: Primitive, inputs: tuple[Any, ...], tracked: int, attributes: Any, out: Tensor
) -> Edge | None:
    """The edge to a new node that computed `out`; None if no tracked argument has a derivative."""
    tracked, plan = primitive.plan(tracked, len(inputs))
    if not tracked:
        return None
    saved: dict[str, Any] = {}
    for name, position in plan:
        if position < 0:
            saved[name] = Saved(out, 0)
        else:
            saved[name] = keep(inputs[position:] if name == "rest" else inputs[position])
    edges: list[Edge | None] = []
    for each in inputs:
        if not tracked & 1:
            edges.append(None)
        else:
            # The common case, an ordinary result, without a call.
            ordinary = each.origin is None and each.edge is not None
            edges.append(each.edge if ordinary else each.gradient_edge())
        tracked >>= 1
    node = Call(tuple(edges), saved, ((out.array.shape, out.array.dtype),))
    node.primitive, node.attributes = primitive, attributes
    return node, 0


# --- what a node keeps ----------------------------------------------------------------------------


def keep(value: Any) -> Any:
    """What to store for an argument, for `Node.opened` to open."""
    if type(value) is Tensor:
        return Saved(value)
    if type(value) is tuple:  # the arguments called `rest`
        each = tuple(map(keep, value))
        return lambda node, recording: tuple(node.opened(kept, recording) for kept in each)
    return value


class Saved:
    """A tensor kept for backward, with the version seen at saving.

    What is kept is an alias: an in-place operation could later hang the tensor itself under the
    very node that saved it, and such a cycle would outlive its last user. For the same reason an
    output of the node, which `slot` numbers, is kept without its edge.
    """

    __slots__ = ("count", "edge", "kept", "slot", "unpack")

    def __init__(self, tensor: Tensor, slot: int | None = None) -> None:
        if tensor.origin is not None:
            tensor.origin.refresh(tensor)
        self.count = tensor.version.count
        self.slot = slot
        self.edge = None if slot is not None else tensor.edge
        self.kept: Any = tensor
        # A leaf is kept itself: assigning its .data must stay visible to backward, as in PyTorch.
        if tensor.edge is not None or slot is not None:
            self.kept = wrap(tensor.array, tensor.version, self.edge)
        self.unpack: Callable[[Any], Any] | None = None
        if state.packing:
            pack, self.unpack = state.packing[-1]
            self.edge = self.kept.gradient_edge()
            self.kept = pack(self.kept)

    def __call__(self, node: Node, recording: bool) -> Array | Tensor:
        """The array, or in a recorded pass the tensor in its place in the graph.

        Raises stale_saved_value if the memory was written in place since.
        """
        kept: Tensor = self.kept
        if self.unpack is not None:
            kept = wrap(np.asarray(raw(self.unpack(self.kept))), None, self.edge)
        elif kept.version.count != self.count:
            raise AutogradError("stale_saved_value", f"{node.name} saved what was then overwritten")
        if not recording:
            return kept.array
        return kept if self.slot is None else wrap(kept.array, kept.version, (node, self.slot))


# --- the linear operations that differentiation itself needs --------------------------------------
#
# Where paths meet, gradients are added; where a value was broadcast or cast, its gradient is summed
# or cast back; what is handed out is a copy. A recorded pass records these like everything else.


def is_dense(array: Array) -> bool:
    """Whether the elements fill one piece of memory, in whatever order of dimensions."""
    if array.flags.forc:  # quicker, and nearly always so
        return True
    order = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
    return array.transpose(order).flags.c_contiguous


def laid_out(source: Array, like: Array) -> Array:
    """A copy of `source` with the strides of `like` if that is dense, else in row-major order."""
    made = np.empty_like(like, source.dtype, order="K" if is_dense(like) else "C")
    np.copyto(made, source)
    return made


def _summed(g: Array, shape: Shape) -> Array:
    extra = g.ndim - len(shape)
    axes = tuple(range(extra)) + tuple(
        axis for axis, size in enumerate(shape, extra) if size == 1 and g.shape[axis] != 1
    )
    result: Array = g.sum(axis=axes).reshape(shape)
    return result


add: Primitive = primitive("add", operator.add, broadcasts=True, x=lambda g: g, y=lambda g: g)
clone: Primitive = primitive("clone", lambda x: laid_out(x, x), x=lambda g: g)
sum_to: Primitive = primitive("sum_to", _summed, x=lambda g, x_shape: spread(g, shape=x_shape))
_cast: Primitive = primitive("to", lambda x, dtype: x.astype(dtype), x=lambda g: g)
_spread: Primitive = primitive(
    "spread", lambda x, shape: np.array(np.broadcast_to(x, shape)),
    x=lambda g, x_shape: sum_to(g, shape=x_shape),
)  # fmt: skip


def spread(x: Any, shape: Shape) -> Any:
    """`x` broadcast to `shape`: the adjoint of `sum_to`. Read-only where `x` is an array."""
    return _spread(x, shape=shape) if isinstance(x, Tensor) else np.broadcast_to(x, shape)


def to(x: Any, dtype: Any) -> Any:
    """`x` with elements of another dtype; `x` itself if it has them already."""
    return x if raw(x).dtype == np.dtype(dtype) else _cast(x, dtype=np.dtype(dtype))
