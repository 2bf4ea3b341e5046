"""MyGrad, on numpy's memory. Its arrays are locked while a graph holds them."""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mygrad
import numpy as np
from mygrad import Tensor
from mygrad._utils import graph_tracking, lock_management
from mygrad.nnet import activations
from mygrad.operation_base import Operation

from ..protocol.backend import Backend
from ..protocol.capabilities import Capability
from ..protocol.errors import ErrorKind
from ..protocol.layout import buffer_of, layout_of
from .mygrad_functions import MORE
from .mygrad_spellings import spellings_of
from .numpy_names import numpy_names

KINDS = {
    "could not be broadcast": ErrorKind.SHAPE,
    "same shape": ErrorKind.SHAPE,
    "mismatch in its core dimension": ErrorKind.SHAPE,
    "need at least one array": ErrorKind.SHAPE,
    "size-1": ErrorKind.SHAPE,
    "array of size 1": ErrorKind.SHAPE,
    "cannot reshape": ErrorKind.SHAPE,
    "cannot select an axis to squeeze out": ErrorKind.SHAPE,
    "is out of bounds for array": ErrorKind.DIMENSION,
    "is out of bounds for axis": ErrorKind.INDEX_RANGE,
    "tensor of size 1": ErrorKind.SHAPE,
    "repeated axis": ErrorKind.DIMENSION,
    "don't match array": ErrorKind.DIMENSION,
    "same number of elements": ErrorKind.DIMENSION,
    "array is read-only": ErrorKind.OVERLAPPING_WRITE,
    "destination is read-only": ErrorKind.OVERLAPPING_WRITE,
    "too many indices": ErrorKind.DIMENSION,
    "must match `filter_bank.shape[1]`": ErrorKind.SHAPE,
    "window-shape must fit": ErrorKind.INVALID_GRADIENT,
    "maximum recursion depth": ErrorKind.ARGUMENT,
}
"""Parts of the messages of MyGrad and of numpy."""


FOR_CONSTANTS = "floor ceil trunc sign fmod remainder heaviside"
"""Functions that refuse what requires a gradient, even where that is zero."""


def ruled(function: Callable[..., Tensor], pullback: Callable[..., Any]) -> Any:
    """Make an operation of a function and of what pulls a cotangent back, both of tensors."""

    def known(inputs: Sequence[Tensor]) -> list[Tensor]:
        return [mygrad.tensor(x.data, constant=True) for x in inputs]

    def forward(self: Any, *inputs: Tensor) -> np.ndarray[Any, Any]:
        self.variables = inputs
        return np.array(function(*known(inputs)).data)

    def backward_var(
        self: Any, grad: np.ndarray[Any, Any], index: int, **_: Any
    ) -> np.ndarray[Any, Any]:
        found = pullback(known(self.variables), mygrad.tensor(grad, constant=True))
        return np.array(found[index].data)

    return type("Ruled", (Operation,), {"__call__": forward, "backward_var": backward_var})


class MyGrad(Backend):
    """MyGrad as it is: backward replaces a gradient and does not add, so it is not declared."""

    name = "mygrad"
    capabilities = frozenset(
        {
            Capability.VJP,
            Capability.VIEWS,
            Capability.INPLACE,
            Capability.INDEX_CHECKS,
            Capability.CONVENTIONS,
            Capability.SPELLINGS,
            Capability.RULES,
        }
    )
    functions: Mapping[str, Callable[..., Any]] = {
        **{
            name: function
            for name, function in numpy_names(mygrad, activations).items()
            if name not in FOR_CONSTANTS.split()
        },
        **MORE,
        "getitem": operator.getitem,
        "relu": activations.relu,
        "sigmoid": activations.sigmoid,
        "log_softmax": activations.logsoftmax,
        "expand": lambda x, *shape: mygrad.broadcast_to(x, shape),
        "add_": operator.iadd,
        "sub_": operator.isub,
        "mul_": operator.imul,
        "div_": operator.itruediv,
        "shape": operator.attrgetter("shape"),
        "dim": operator.attrgetter("ndim"),
        "numel": operator.attrgetter("size"),
        "item": operator.methodcaller("item"),
    }

    @property
    def version(self) -> str:
        return str(mygrad.__version__)

    def tensor(self, array: np.ndarray[Any, Any], dtype: str, device: str) -> Tensor:
        memory, shape, strides, offset = layout_of(array)
        own = memory.astype(dtype)
        item = own.itemsize
        places = np.ndarray(shape, own.dtype, own, offset * item, [item * s for s in strides])
        return mygrad.tensor(places, constant=True, copy=False)

    def numpy(self, x: Tensor) -> np.ndarray[Any, Any]:
        return np.array(x.data)

    def dtype_of(self, x: Tensor) -> str:
        return str(x.dtype)

    def error_kind(self, error: Exception) -> ErrorKind | None:
        text = str(error)
        return next((kind for part, kind in KINDS.items() if part in text), None)

    def state(self) -> Mapping[str, object]:
        return {
            "graph tracking": graph_tracking.TRACK_GRAPH,
            "memory guarding": lock_management.MEM_GUARD,
        }

    def vjp(
        self, function: Callable[..., Tensor], *inputs: Tensor, create_graph: bool = False
    ) -> tuple[Tensor, Callable[[Tensor], Sequence[Tensor | None]]]:
        def record() -> tuple[Tensor, list[Tensor]]:
            leaves = [mygrad.tensor(x.data, constant=False, copy=False) for x in inputs]
            return function(*leaves), leaves

        def pull(cotangent: Tensor) -> Sequence[Tensor | None]:
            # One graph is good for one backward: each call records its own.
            value, leaves = record()
            value.backward(cotangent)
            return [
                None if x.grad is None else mygrad.tensor(x.grad, constant=True) for x in leaves
            ]

        return record()[0], pull

    def with_pullback(
        self, function: Callable[..., Tensor], pullback: Callable[..., Any]
    ) -> Callable[..., Tensor]:
        rule = ruled(function, pullback)

        def made(*inputs: Tensor) -> Tensor:
            result: Tensor = mygrad.execute_op(rule, *inputs)
            return result

        return made

    # ---- ways to write ---------------------------------------------------------------------------

    def spellings(self, name: str) -> Mapping[str, Callable[..., Any]]:
        return spellings_of(name, self.functions[name])

    # ---- memory ----------------------------------------------------------------------------------

    def shares_memory(self, x: Tensor, y: Tensor) -> bool:
        return buffer_of(x.data) is buffer_of(y.data)

    def strides(self, x: Tensor) -> tuple[int, ...]:
        return tuple(stride // x.data.itemsize for stride in x.data.strides)

    def setitem(self, x: Tensor, index: Any, value: Any) -> None:
        x[index] = value
