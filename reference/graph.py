"""The graph: one node per recorded operation, edges to the nodes that computed its inputs.

An edge is a pair (node, output number). Edges point backwards only, from results to inputs, so a
graph is a plain acyclic structure that reference counting reclaims as soon as its root is dropped.
Two details keep it acyclic: a leaf knows its accumulator only weakly, and a value saved for
backward is kept as memory plus edge instead of as the tensor, which an in-place operation could
later hang under the very node that saved it.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .errors import FreedGraph, InvalidGradient, StaleSavedValue
from .modes import state
from .tensor import Array, Tensor, Version, wrap

if TYPE_CHECKING:
    from .primitives import Primitive

Edge = tuple["Node", int]


class Saved:
    """A tensor kept for backward, with the version seen at saving."""

    __slots__ = ("array", "count", "edge", "leaf", "slot", "unpack", "version")

    unpack: Callable[[Any], Any] | None

    def __init__(self, tensor: Tensor, slot: int | None = None) -> None:
        self.version: Version = tensor.version
        self.count = tensor.version.count
        self.slot = slot  # which output of the saving node it is, if it is one
        # An output belongs to the node that saves it: naming its edge would close a cycle.
        if slot is not None:
            self.edge = None
        else:
            if tensor.origin is not None:
                tensor.origin.refresh(tensor)
            self.edge = tensor.edge
        # A leaf is kept itself: assigning its .data must stay visible to backward, as in PyTorch.
        self.leaf = None if slot is not None or self.edge is not None else tensor
        self.array: Any = tensor.array
        self.unpack = None
        if state.packing:
            pack, self.unpack = state.packing[-1]
            if self.leaf is not None:
                self.edge, self.leaf = edge_of(tensor), None
                self.array = pack(tensor)
            else:
                self.array = pack(wrap(tensor.array, tensor.version, self.edge))

    def value(self, node: Node) -> Array:
        """The memory. Raises StaleSavedValue if it was written in place since."""
        if self.unpack is not None:
            unpacked = self.unpack(self.array)
            return unpacked.array if isinstance(unpacked, Tensor) else np.asarray(unpacked)
        if self.version.count != self.count:
            raise StaleSavedValue(
                f"a value that {node.name} needs for its gradient was modified in place: "
                f"it is at version {self.version.count}, expected {self.count}"
            )
        return self.array if self.leaf is None else self.leaf.array  # type: ignore[no-any-return]

    def tensor(self, node: Node) -> Tensor:
        """The tensor it was, in its place in the graph: what differentiating again needs."""
        array = self.value(node)
        if self.leaf is not None:
            return self.leaf
        return wrap(array, self.version, self.edge if self.slot is None else (node, self.slot))


class Node:
    """One recorded operation.

    `edges` has an entry per input, None where no gradient is wanted. `saved` maps names to what
    backward needs; it is None once freed, and empty if the rules need nothing, which is why such
    a node can run again and again.
    """

    __slots__ = (
        "__weakref__",
        "attributes",
        "dtype",
        "edges",
        "hooks",
        "primitive",
        "retained",
        "saved",
        "shape",
    )
    multiple: ClassVar[bool] = False  # several outputs, see function.py
    fresh: ClassVar[bool] = True  # what pull returns was made by it, or is its argument

    def __init__(
        self,
        primitive: Primitive | None,
        edges: tuple[Edge | None, ...],
        saved: dict[str, Any] | None,
        attributes: Mapping[str, Any],
        output: Array | None,
    ) -> None:
        self.primitive = primitive
        self.edges = edges
        self.saved = saved
        self.attributes = attributes
        if output is not None:
            self.shape = output.shape
            self.dtype = output.dtype
        self.hooks: list[tuple[int, Callable[..., Any]]] | None = None
        self.retained: dict[int, weakref.ref[Tensor]] | None = None

    @property
    def name(self) -> str:
        return "" if self.primitive is None else self.primitive.name

    @property
    def next_nodes(self) -> tuple[Node | None, ...]:
        """The nodes that computed the inputs; None where no gradient is wanted."""
        return tuple(None if edge is None else edge[0] for edge in self.edges)

    def set_output(self, out: Tensor) -> None:
        """Keep the output too if the rules need it: for in-place, known after the write only."""
        self.shape, self.dtype = out.array.shape, out.array.dtype
        if self.saved and "out" in self.saved:
            self.saved["out"] = Saved(out, 0)

    def shape_of(self, slot: int) -> tuple[tuple[int, ...], np.dtype[Any]]:
        """Shape and dtype of an output."""
        return self.shape, self.dtype

    def saved_values(self) -> dict[str, Any]:
        """What is kept for backward, as arrays and numbers. Raises FreedGraph once freed."""
        if self.saved is None:
            raise FreedGraph(FREED)
        return {name: _opened(kept, self, False) for name, kept in self.saved.items()}

    def pull(self, g: Any, live: Any, recording: bool) -> list[Any]:
        """The gradients of the inputs, given that of the output; None where none is wanted.

        `g` is an array, or a Tensor when the pass is itself recorded.
        """
        saved = self.saved
        if saved is None:
            raise FreedGraph(FREED)
        assert self.primitive is not None
        opened: dict[str, Any] = {}
        results: list[Any] = []
        for position, edge in enumerate(self.edges):
            if edge is None or (live is not None and edge[0] not in live):
                results.append(None)
                continue
            rule = self.primitive.rule(position)
            arguments = []
            for kind, name in rule.needs:
                if kind == SAVED:
                    if name not in opened:
                        opened[name] = _opened(saved[name], self, recording)
                    arguments.append(opened[name])
                elif kind == ATTRIBUTE:
                    arguments.append(self.attributes[name])
                elif kind == SHAPE:
                    arguments.append(edge[0].shape_of(edge[1])[0])
                else:
                    arguments.append(position)
            results.append(rule.function(g, *arguments))
        return results


class AccumulateGrad(Node):
    """Where gradients of a leaf arrive. It keeps the leaf alive for the graph."""

    __slots__ = ("leaf",)

    def __init__(self, leaf: Tensor) -> None:
        super().__init__(None, (), {}, {}, leaf.array)
        self.leaf = leaf

    @property
    def name(self) -> str:
        return "AccumulateGrad"

    def pull(self, g: Any, live: Any, recording: bool) -> list[Any]:
        return []

    def add(self, g: Any, owned: bool) -> None:
        """Add this pass's gradient to `.grad`, then call the post-accumulate hooks."""
        leaf = self.leaf
        accumulate(leaf, g, owned)
        if leaf.hooks is not None:
            for hook in tuple(leaf.hooks.after):
                hook(leaf)


SAVED, ATTRIBUTE, SHAPE, POSITION = range(4)
FREED = (
    "Trying to backward through the graph a second time (or to read saved values after they were "
    "freed). Saved values are freed by backward() and grad(); pass retain_graph=True to keep them."
)


def _opened(kept: Any, node: Node, recording: bool) -> Any:
    if type(kept) is Saved:
        return kept.tensor(node) if recording else kept.value(node)
    if type(kept) is tuple:
        return tuple(_opened(each, node, recording) for each in kept)
    return kept


def edge_of(tensor: Tensor) -> Edge | None:
    """Where the gradient of `tensor` goes: to its node, to its accumulator, or nowhere."""
    if tensor.origin is not None:
        tensor.origin.refresh(tensor)
    if tensor.edge is not None:
        return tensor.edge
    if not tensor.tracked:
        return None
    accumulator = None if tensor.accumulator is None else tensor.accumulator()
    if accumulator is None:
        accumulator = AccumulateGrad(tensor)
        tensor.accumulator = weakref.ref(accumulator)
    return accumulator, 0


def set_edge(tensor: Tensor, edge: Edge | None) -> None:
    """Give `tensor` a new place in the graph. Its hooks stay behind, retain_grad comes along."""
    if tensor.retains and tensor.edge is not None and tensor.edge[0].retained is not None:
        tensor.edge[0].retained.pop(tensor.edge[1], None)
    tensor.edge = edge
    if tensor.retains and edge is not None:
        retain(tensor, edge)


def retain(tensor: Tensor, edge: Edge) -> None:
    """Ask the node to store the gradient of this output in the tensor's `.grad`."""
    if edge[0].retained is None:
        edge[0].retained = {}
    edge[0].retained[edge[1]] = weakref.ref(tensor)


def accumulate(tensor: Tensor, g: Any, owned: bool) -> None:
    """Add `g` to `tensor.grad`.

    An array is added in place to an existing gradient, so that the object stays the same; a first
    one is copied unless the engine owns it, so that no gradient ever shares memory with another.
    A Tensor (recorded pass) replaces the former gradient by a new sum.
    """
    former = tensor.grad
    if tensor.array.shape != g.shape:
        raise InvalidGradient(f"gradient of shape {g.shape} for a tensor of {tensor.shape}")
    if isinstance(g, Tensor):
        tensor._grad = (g if owned else g.clone()) if former is None else former + g
    elif former is None:
        tensor._grad = wrap(g if owned and g.strides == tensor.array.strides else laid_out(g, tensor.array))
    else:
        np.add(former.array, g, out=former.array, casting="same_kind")
        former.version.count += 1


def is_dense(array: Array) -> bool:
    """Whether the elements fill one piece of memory, in whatever order of dimensions."""
    if array.flags.forc or array.size == 0:
        return True
    expected = array.itemsize
    for step, size in sorted(zip(array.strides, array.shape, strict=True)):
        if size != 1:
            if step != expected:
                return False
            expected *= size
    return True


def laid_out(source: Array, like: Array) -> Array:
    """A copy of `source` with the strides of `like` if that is dense, else in row-major order."""
    made = np.empty_like(like, source.dtype) if is_dense(like) else np.empty(like.shape, source.dtype)
    np.copyto(made, source)
    return made


def walk(node: Node) -> Iterator[Node]:
    """Every node reachable from `node`, once each."""
    seen, stack = {node}, [node]
    while stack:
        current = stack.pop()
        yield current
        for following in current.next_nodes:
            if following is not None and following not in seen:
                seen.add(following)
                stack.append(following)
