"""A tensor: numpy memory, a version counter, and a place in the graph.

A numpy array already *is* storage with shape, strides and offset, so a tensor only adds what
differentiation needs. Two things are shared between tensors, and the sharing is the whole story of
views: the memory (numpy does that) and the `Version`, which counts the writes to it. A base, its
views and its `detach()`ed aliases share one version; `.data` gets its own, so that writes through
it stay unseen. Operators and methods are bound in `methods.py`, where all operations are known.
"""

# ruff: noqa: FBT001, FBT002, SLF001  (signatures are PyTorch's; this file fills its own slots)

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .errors import DataAssignment, GradAssignment, IntegerRequiresGrad, NonleafFlag, ShapeMismatch

if TYPE_CHECKING:
    from .graph import Edge, Node
    from .leaves import AccumulateGrad
    from .views import Steps, View

Array = np.ndarray[Any, Any]


class Version:
    """How often the memory was written in place."""

    count = 0  # of the class until the first write: most memory is never written again


class LeafHooks:
    """What to call before and after a gradient is added to a leaf."""

    __slots__ = ("after", "before")

    def __init__(self) -> None:
        self.before: list[Callable[..., Any]] = []
        self.after: list[Callable[..., Any]] = []


class Tensor:
    """An n-dimensional array that can be differentiated.

    `data` is anything numpy turns into a numeric or boolean array, and is copied. Raises TypeError
    for text and objects, IntegerRequiresGrad for `requires_grad=True` on integers or booleans.
    """

    __slots__ = (
        "__weakref__",
        "_grad",
        "accumulator",  # weak reference to the AccumulateGrad node of a leaf
        "array",
        "edge",  # (node, output number) that computed this tensor; None for a leaf
        "hooks",  # LeafHooks or None
        "origin",  # how this view was made from its base, or None
        "retains",  # keep .grad although not a leaf
        "tracked",  # a leaf's own requires_grad flag
        "turns",  # for each change of shape in place, the step that takes it back
        "version",
    )
    # An ndarray on the left leaves the operation to us instead of going through our elements.
    __array_ufunc__ = None

    array: Array
    version: Version
    tracked: bool
    edge: Edge | None
    origin: View | None
    _grad: Tensor | None
    accumulator: weakref.ref[AccumulateGrad] | None
    hooks: LeafHooks | None
    retains: bool
    turns: Steps

    def __init__(self, data: Any, dtype: Any = None, requires_grad: bool = False) -> None:
        if isinstance(data, Tensor):
            data = data.array
        _fill(self, np.array(data, dtype=dtype, order="C"), Version())
        if self.array.dtype.kind not in "biufc":
            raise TypeError(f"a tensor cannot hold elements of dtype {self.array.dtype}")
        if requires_grad:
            self.requires_grad_()

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
        return self.origin is not None and self.origin.base.requires_grad

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        self.requires_grad_(flag)

    def requires_grad_(self, flag: bool = True) -> Tensor:
        """Set the flag of a leaf. Raises IntegerRequiresGrad; NonleafFlag on a non-leaf."""
        if flag and self.array.dtype.kind not in "fc":
            raise IntegerRequiresGrad(
                f"only floating point tensors can require gradients, not {self.array.dtype}"
            )
        if not flag and self.node is not None:
            raise NonleafFlag("requires_grad can be cleared on leaves only; use detach()")
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
        return None if self.origin is None else self.origin.base

    @property
    def grad(self) -> Tensor | None:
        """The gradient accumulated so far, None before the first."""
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise GradAssignment(f"expected a Tensor or None, got {type(value).__name__}")
            if value is self:
                raise GradAssignment("a tensor cannot be its own gradient")
            if value.shape != self.shape:
                raise GradAssignment(f"gradient of shape {value.shape} for {self.shape}")
            if value.dtype != self.dtype:
                raise GradAssignment(f"gradient of dtype {value.dtype} for {self.dtype}")
        self._grad = value

    def set_grad(self, value: Tensor | None) -> None:
        """Set `.grad` unchecked."""
        self._grad = value

    @property
    def data(self) -> Tensor:
        """An untracked alias of the memory whose writes are not counted."""
        return wrap(self.array)

    @data.setter
    def data(self, value: Any) -> None:
        array = value.array if isinstance(value, Tensor) else np.asarray(value)
        if self.requires_grad and array.dtype.kind not in "fc":
            raise DataAssignment("data of a tensor that requires gradients must be floating")
        self.array = array

    # --- geometry -------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The size along each dimension."""
        shape: tuple[int, ...] = self.array.shape
        return shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.array.ndim

    @property
    def dtype(self) -> np.dtype[Any]:
        """The numpy dtype of the elements."""
        dtype: np.dtype[Any] = self.array.dtype
        return dtype

    def numel(self) -> int:
        """The number of elements."""
        return self.array.size

    def stride(self) -> tuple[int, ...]:
        """The step along each dimension, in elements."""
        return tuple(step // self.array.itemsize for step in self.array.strides)

    def is_contiguous(self) -> bool:
        """Whether the elements lie in row-major order without gaps."""
        return self.array.flags.c_contiguous

    def item(self) -> Any:
        """The element of a one-element tensor as a Python number."""
        if self.array.size != 1:
            raise ShapeMismatch(f"a tensor of {self.array.size} elements is no single number")
        return self.array.item()

    def __len__(self) -> int:
        return len(self.array)

    def __bool__(self) -> bool:
        return bool(self.array)

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __repr__(self) -> str:
        suffix = "" if self.edge is None else f", node={self.edge[0].name}"
        if self.tracked:
            suffix = ", requires_grad=True"
        return f"Tensor({np.array2string(self.array, separator=', ')}{suffix})"

    if TYPE_CHECKING:  # bound in methods.py
        _Binary = Callable[["Tensor", Any], Any]
        __add__: ClassVar[_Binary]
        __radd__: ClassVar[_Binary]
        __sub__: ClassVar[_Binary]
        __rsub__: ClassVar[_Binary]
        __mul__: ClassVar[_Binary]
        __rmul__: ClassVar[_Binary]
        __truediv__: ClassVar[_Binary]
        __rtruediv__: ClassVar[_Binary]
        __pow__: ClassVar[_Binary]
        __matmul__: ClassVar[_Binary]
        __getitem__: ClassVar[_Binary]
        __neg__: ClassVar[Callable[[Tensor], Any]]

        def __getattr__(self, name: str) -> Any: ...


def _fill(tensor: Tensor, array: Array, version: Version) -> None:
    tensor.array = array
    tensor.version = version
    tensor.tracked = tensor.retains = False
    tensor.turns = ()
    tensor.edge = tensor.origin = tensor._grad = tensor.accumulator = tensor.hooks = None


def wrap(array: Array, version: Version | None = None, edge: Edge | None = None) -> Tensor:
    """A tensor on existing memory; with a `version` given it is an alias of another tensor."""
    tensor = _new(Tensor)
    tensor.array = array
    tensor.version = Version() if version is None else version
    tensor.edge = edge
    tensor.tracked = tensor.retains = False
    tensor.turns = ()
    tensor.origin = tensor._grad = tensor.accumulator = tensor.hooks = None
    return tensor


_new = Tensor.__new__
