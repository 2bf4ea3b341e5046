"""A tensor: numpy memory, a version counter, and a place in the graph.

A numpy array already *is* storage with shape, strides and offset, so a tensor only adds what
differentiation needs. Two things are shared between tensors, and the sharing is the whole story of
views: the memory (numpy does that) and the `Version`, which counts the writes to it. A base, its
views and its `detach()`ed aliases share one version; `.data` gets its own, so that writes through
it stay unseen. Operators and methods are bound in `methods.py`, where all operations are known.
"""

# ruff: noqa: FBT001, FBT002  (signatures are PyTorch's)

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import AutogradError
from .graph import Edge, Hooks, Node

Array = np.ndarray[tuple[int, ...], np.dtype[Any]]
Shape = tuple[int, ...]


class Version:
    """How often the memory was written in place."""

    count = 0  # of the class until the first write: most memory is never written again


class Tensor:
    """An n-dimensional array that can be differentiated."""

    array: Array
    version: Version
    edge: Edge | None  # to the node that computed this tensor; None for a leaf
    origin: Any  # of a view: its base and when its edge was last brought up to date (views.py)
    tracked: bool  # a leaf's own requires_grad flag
    retains: bool  # keep .grad although not a leaf
    accumulator: weakref.ref[AccumulateGrad] | None  # of a leaf, while a graph uses it
    hooks: Hooks | None  # of a leaf, called before its gradient is added to .grad
    post_hooks: Hooks | None  # of a leaf, called after
    gradient: Tensor | None  # what .grad shows
    __slots__ = ("__weakref__", *__annotations__)
    # An ndarray on the left leaves the operation to us instead of going through our elements.
    __array_ufunc__ = None

    def __new__(cls, data: Any, dtype: Any = None, requires_grad: bool = False) -> Any:
        """A copy of anything numpy turns into a numeric or boolean array. Raises TypeError."""
        array = np.array(raw(data), dtype=dtype, order="C")
        if array.dtype.kind not in "biufc":
            raise TypeError(f"a tensor cannot hold elements of dtype {array.dtype}")
        return cls.from_array(array, requires_grad)

    @staticmethod
    def from_array(array: Array, requires_grad: bool = False) -> Tensor:
        """A tensor on `array` itself: no copy, the strides are kept."""
        tensor = wrap(array)
        return tensor.requires_grad_() if requires_grad else tensor

    # --- place in the graph ---------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient is wanted here; a view inherits it from its base."""
        if self.tracked or self.edge is not None:
            return True
        return self.origin is not None and bool(self.origin.base.requires_grad)

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        self.requires_grad_(flag)

    def requires_grad_(self, flag: bool = True) -> Tensor:
        """Set the flag of a leaf. Raises integer_requires_grad; nonleaf_flag on a non-leaf."""
        if flag and self.array.dtype.kind not in "fc":
            raise AutogradError("integer_requires_grad", f"{self.dtype} cannot require gradients")
        if not flag and self.node is not None:
            raise AutogradError("nonleaf_flag", "only leaves can be switched off; use detach()")
        if self.node is None:
            self.tracked = bool(flag)
        return self

    @property
    def node(self) -> Node | None:
        """The operation that computed this tensor, None for a leaf. A view's is kept current."""
        if self.origin is not None:
            self.origin.refresh(self)
        return None if self.edge is None else self.edge[0]

    @property
    def slot(self) -> int:
        """Which of the node's outputs this tensor is."""
        return 0 if self.edge is None else self.edge[1]

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation computed this tensor."""
        return self.node is None

    @property
    def base(self) -> Tensor | None:
        """The tensor whose memory this view shares; never itself a view."""
        base: Tensor | None = None if self.origin is None else self.origin.base
        return base

    def gradient_edge(self) -> Edge | None:
        """Where the gradient of this tensor goes: to its node, to its accumulator, or nowhere."""
        if self.origin is not None:
            self.origin.refresh(self)
        if self.edge is not None or not self.tracked:
            return self.edge
        accumulator = None if self.accumulator is None else self.accumulator()
        if accumulator is None:
            accumulator = AccumulateGrad(self)
            self.accumulator = weakref.ref(accumulator)
        return accumulator, 0

    def set_edge(self, edge: Edge | None) -> None:
        """Take a new place in the graph. Hooks stay with the former node, retain_grad moves."""
        if self.retains and self.edge is not None:
            (self.edge[0].retained or {}).pop(self.edge[1], None)
        self.edge = edge
        if self.retains and edge is not None:
            edge[0].retained = {**(edge[0].retained or {}), edge[1]: weakref.ref(self)}

    def retain_grad(self) -> None:
        """Fill `.grad` of this non-leaf too, after all hooks; nothing changes on a leaf.

        Raises no_graph.
        """
        if not self.requires_grad:
            raise AutogradError("no_graph", "retain_grad needs a tensor that requires grad")
        if self.node is not None:
            self.retains = True
            self.set_edge(self.edge)

    def detach(self) -> Tensor:
        """An untracked alias: same memory, same version counter, no history, not a view."""
        return wrap(self.array, self.version)

    def detach_(self) -> Tensor:
        """Cut this tensor from its history. Raises detach_view on a view."""
        if self.origin is not None:
            raise AutogradError("detach_view", "views cannot be detached in place; use detach()")
        self.set_edge(None)
        self.tracked = False
        return self

    # --- gradients ------------------------------------------------------------------------------

    @property
    def grad(self) -> Tensor | None:
        """The gradient accumulated so far, None before the first."""
        return self.gradient

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor) or value is self:
                raise AutogradError("grad_assignment", "a gradient is None or another Tensor")
            if value.shape != self.shape or value.dtype != self.dtype:
                theirs, ours = (f"{each.dtype}{list(each.shape)}" for each in (value, self))
                raise AutogradError("grad_assignment", f"gradient of {theirs} for {ours}")
        self.gradient = value

    # --- memory and geometry --------------------------------------------------------------------

    @property
    def data(self) -> Tensor:
        """An untracked alias of the memory whose writes are not counted."""
        return wrap(self.array)

    @data.setter
    def data(self, value: Any) -> None:
        array = np.asarray(raw(value))
        if self.requires_grad and array.dtype.kind not in "fc":
            raise AutogradError("data_assignment", f"{array.dtype} cannot require gradients")
        self.array = array

    @property
    def shape(self) -> Shape:
        """The size along each dimension."""
        return self.array.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.array.ndim

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy dtype of the elements."""
        return self.array.dtype

    def numel(self) -> int:
        """The number of elements."""
        return self.array.size

    def stride(self) -> Shape:
        """The step along each dimension, in elements."""
        return tuple(step // self.array.itemsize for step in self.array.strides)

    def is_contiguous(self) -> bool:
        """Whether the elements lie in row-major order without gaps."""
        return self.array.flags.c_contiguous

    def item(self) -> Any:
        """The element of a one-element tensor as a Python number."""
        if self.array.size != 1:
            raise AutogradError("shape", f"a tensor of {self.array.size} elements is no scalar")
        return self.array.item()

    def __repr__(self) -> str:
        suffix = "" if self.edge is None else f", node={self.edge[0].name}"
        if self.tracked:
            suffix = ", requires_grad=True"
        return f"Tensor({np.array2string(self.array, separator=', ')}{suffix})"

    if TYPE_CHECKING:  # bound in methods.py

        def __getattr__(self, name: str) -> Any: ...
        def _operator(self, other: Any = None) -> Any: ...

        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _operator
        __rtruediv__ = __pow__ = __matmul__ = __getitem__ = __neg__ = _operator


def wrap(array: Array, version: Version | None = None, edge: Edge | None = None) -> Tensor:
    """A tensor on existing memory; with a `version` given it is an alias of another tensor."""
    tensor = _new(Tensor)
    tensor.array = array
    tensor.version = Version() if version is None else version
    tensor.edge = edge
    tensor.tracked = tensor.retains = False
    tensor.origin = tensor.gradient = tensor.accumulator = None
    tensor.hooks = tensor.post_hooks = None
    return tensor


_new = object.__new__


def raw(x: Any) -> Any:
    """The array of a tensor, anything else as it is: what is not differentiated through."""
    return x.array if isinstance(x, Tensor) else x


class AccumulateGrad(Node):
    """Where gradients of a leaf arrive. It keeps the leaf alive for the graph."""

    __slots__ = ("leaf",)

    def __init__(self, leaf: Tensor) -> None:
        super().__init__((), {}, ((leaf.array.shape, leaf.array.dtype),))
        self.leaf = leaf
        # The hooks are the leaf's: accumulators come and go with the graphs that use it.
        self.hooks = leaf.hooks = {} if leaf.hooks is None else leaf.hooks

    def wants(self) -> bool:
        """Whether the leaf still wants its gradient. Raises moved_leaf if it is none any more."""
        if self.leaf.node is not None:
            raise AutogradError("moved_leaf", "what was a leaf is the result of a write")
        return self.leaf.tracked
