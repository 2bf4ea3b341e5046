"""The reference autograd, checked by the specification like any other."""

import operator
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import ModuleType
from typing import Any

import numpy as np

from ... import reference
from ..protocol.backend import Backend
from ..protocol.boxes import Boxes
from ..protocol.capabilities import Capability
from ..protocol.errors import ErrorKind
from ..protocol.layout import buffer_of, layout_of
from ..protocol.operations import OPERATIONS
from ..protocol.profiling_api import Memory

Tensor = Any

METHODS = "numel item"
"""Functions that are methods of a tensor only."""

OPERATORS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
    "neg": operator.neg,
    "matmul": operator.matmul,
}

BY_OPERATOR = {
    **{name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "number_sub": operator.sub,
    "number_div": operator.truediv,
    "number_pow": operator.pow,
    "getitem": operator.getitem,
}
"""Functions that are written as operators only."""

IN_PLACE = "neg exp sin tanh sigmoid relu clamp t squeeze unsqueeze scatter scatter_add"
"""Functions of one tensor, or of shapes that fit, which are also computed in place."""


class Reference(Backend):
    """The reference, or a copy of it: `library` is the package that plays its part."""

    name = "reference"
    small_dtypes = ("float16",)
    capabilities = frozenset(Capability) - {
        Capability.COMPLEX,
        Capability.JVP,
        Capability.RANDOM,
        Capability.DISTRIBUTIONS,
        Capability.NN,
        Capability.NUMPY_INTEROP,
        Capability.OPTIM,
        Capability.DATASETS,
        Capability.SERIALIZE,
        Capability.DEVICES,
        Capability.EVENTS,
        Capability.TRANSFER,
        Capability.REPLICAS,
        Capability.FUSION,
        Capability.INFERENCE,
        Capability.NODE_HOOKS,
        Capability.MARKS,
        Capability.CHECKPOINT,
        Capability.SCAN,
        Capability.FOLD,
        Capability.BRANCHES,
        Capability.LOOPS,
        Capability.VMAP,
        Capability.TRANSFORMS,
        Capability.GRADIENT_FUNCTIONS,
        Capability.JACOBIANS,
        Capability.LINEARIZE,
        Capability.AUTOCAST,
        Capability.BATCHED,
        Capability.FUNCTIONAL,
        Capability.OUT,
        Capability.TORCH,
    }

    def __init__(self, library: ModuleType = reference) -> None:
        self.library = library
        self.functions: Mapping[str, Callable[..., Any]] = {
            **{name: getattr(library, name) for name in OPERATIONS if hasattr(library, name)},
            **{name: getattr(library.Tensor, name) for name in METHODS.split()},
            **BY_OPERATOR,
            "cast": library.to,
            "stop_gradient": library.Tensor.detach,
        }

    @property
    def version(self) -> str:
        return f"numpy-{np.__version__}"

    def tensor(self, array: np.ndarray[Any, Any], dtype: str, device: str) -> Tensor:
        memory, shape, strides, offset = layout_of(array)
        own = memory.astype(dtype)
        item = own.itemsize
        places = np.ndarray(shape, own.dtype, own, offset * item, [item * s for s in strides])
        return self.library.Tensor.from_array(places)

    def numpy(self, x: Tensor) -> np.ndarray[Any, Any]:
        array: np.ndarray[Any, Any] = x.array.copy()
        return array

    def dtype_of(self, x: Tensor) -> str:
        return str(x.dtype)

    def error_kind(self, error: Exception) -> ErrorKind | None:
        return ErrorKind(error.kind) if isinstance(error, self.library.AutogradError) else None

    def state(self) -> Mapping[str, object]:
        return {"grad mode": self.library.is_grad_enabled()}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.library.set_grad_enabled(state["grad mode"])

    # ---- derivatives of a function ---------------------------------------------------------------

    def vjp(
        self, function: Callable[..., Tensor], *inputs: Tensor, create_graph: bool = False
    ) -> tuple[Tensor, Callable[[Tensor], Sequence[Tensor | None]]]:
        leaves = [x if x.requires_grad else x.detach().requires_grad_() for x in inputs]
        value = function(*leaves)

        def pull(cotangent: Tensor) -> Sequence[Tensor | None]:
            if not value.requires_grad:
                return [None] * len(leaves)
            return self.gradients(
                value,
                leaves,
                cotangent,
                retain_graph=True,
                create_graph=create_graph,
                allow_unused=True,
            )

        return value, pull

    def spellings(self, name: str) -> Mapping[str, Callable[..., Any]]:
        overwrite = getattr(self.library, f"{name}_", None) if name in IN_PLACE.split() else None
        found: dict[str, Any] = {
            "method": getattr(self.library.Tensor, name, None) if name != "where" else None,
            "operator": OPERATORS.get(name),
            "in place": overwrite and (lambda x, *rest: overwrite(x.clone(), *rest)),
        }
        return {
            word: function
            for word, function in found.items()
            if function not in (None, self.functions[name])
        }

    # ---- backward --------------------------------------------------------------------------------

    def leaf(self, array: np.ndarray[Any, Any], dtype: str, device: str) -> Tensor:
        return self.tensor(array, dtype, device).requires_grad_()

    def backward(self, y: Tensor, cotangent: Tensor | None = None, **options: Any) -> None:
        self.library.backward(y, cotangent, **options)

    def grad(self, x: Tensor) -> Tensor | None:
        return x.grad

    def clear(self, x: Tensor) -> None:
        x.grad = None

    def requires_grad(self, x: Tensor) -> bool:
        return bool(x.requires_grad)

    def set_requires_grad(self, x: Tensor, *flag: bool) -> Tensor:
        return x.requires_grad_(*flag)

    def is_leaf(self, x: Tensor) -> bool:
        return bool(x.is_leaf)

    def gradients(
        self, y: Tensor, inputs: Sequence[Tensor], cotangent: Tensor | None = None, **options: Any
    ) -> Sequence[Tensor | None]:
        gradients: Sequence[Tensor | None] = self.library.grad(y, inputs, cotangent, **options)
        return gradients

    def jacobian(self, function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
        return self.library.jacobian(function, x)

    def set_grad(self, x: Tensor, gradient: object) -> None:
        x.grad = gradient

    # ---- memory ----------------------------------------------------------------------------------

    def shares_memory(self, x: Tensor, y: Tensor) -> bool:
        return buffer_of(x.array) is buffer_of(y.array)

    def strides(self, x: Tensor) -> tuple[int, ...]:
        strides: tuple[int, ...] = x.stride()
        return strides

    def setitem(self, x: Tensor, index: object, value: object) -> None:
        x[index] = value

    def version_of(self, x: Tensor) -> int:
        return int(x.version.count)

    # ---- recording -------------------------------------------------------------------------------

    def no_grad(self) -> AbstractContextManager[object]:
        mode: AbstractContextManager[object] = self.library.no_grad()
        return mode

    def enable_grad(self) -> AbstractContextManager[object]:
        mode: AbstractContextManager[object] = self.library.enable_grad()
        return mode

    def set_grad_enabled(self, flag: bool) -> AbstractContextManager[object]:  # noqa: FBT001
        mode: AbstractContextManager[object] = self.library.set_grad_enabled(flag)
        return mode

    def is_grad_enabled(self) -> bool:
        return bool(self.library.is_grad_enabled())

    def detach(self, x: Tensor) -> Tensor:
        return x.detach()

    def detach_(self, x: Tensor) -> Tensor:
        return x.detach_()

    def data(self, x: Tensor) -> Tensor:
        return x.data

    def set_data(self, x: Tensor, value: Tensor) -> None:
        x.data = value

    # ---- introspection ---------------------------------------------------------------------------

    def node(self, x: Tensor) -> Any | None:
        return x.node

    def next_nodes(self, node: Any) -> Sequence[Any | None]:
        following: Sequence[Any | None] = node.next_nodes
        return following

    def leaf_of(self, node: Any) -> Tensor | None:
        return getattr(node, "leaf", None)

    def pull(self, node: Any, gradient: Tensor) -> Sequence[Tensor | None]:
        wrap = self.library.Tensor.from_array
        results = node.vjp([gradient.array], node.edges, False)
        return [None if g is None else wrap(np.asarray(g)) for g in results]

    def saved_values(self, node: Any) -> Mapping[str, Tensor | None]:
        return {
            name: self.library.Tensor.from_array(value)
            for name, value in node.saved_values().items()
            if isinstance(value, np.ndarray)
        }

    def base(self, x: Tensor) -> Tensor | None:
        return x.base

    @contextmanager
    def saved_tensors(self) -> Iterator[Boxes]:
        boxes = Boxes()
        with self.saved_tensors_hooks(boxes.pack, boxes.unpack):
            yield boxes

    def saved_tensors_hooks(
        self, pack: Callable[[Tensor], Any], unpack: Callable[[Any], Tensor]
    ) -> AbstractContextManager[object]:
        block: AbstractContextManager[object] = self.library.saved_tensors_hooks(pack, unpack)
        return block

    def retain_grad(self, x: Tensor) -> None:
        x.retain_grad()

    def register_hook(self, x: Tensor, hook: Callable[[Any], Any]) -> Any:
        return x.register_hook(hook)

    def register_post_accumulate_hook(self, x: Tensor, hook: Callable[[Any], None]) -> Any:
        return x.register_post_accumulate_grad_hook(hook)

    # ---- operations written by hand --------------------------------------------------------------

    def custom(self, forward: Callable[..., Any], backward: Callable[..., Any]) -> Any:
        rule = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
        return type("Custom", (self.library.Function,), rule)

    def with_pullback(
        self, function: Callable[..., Tensor], pullback: Callable[..., Any]
    ) -> Callable[..., Tensor]:
        def forward(ctx: Any, *inputs: Tensor) -> Tensor:
            ctx.save_for_backward(*inputs)
            return function(*inputs)

        def backward(ctx: Any, cotangent: Tensor) -> Any:
            return pullback(ctx.saved_tensors, cotangent)

        ruled: Callable[..., Tensor] = self.custom(forward, backward).apply
        return ruled

    def once_differentiable(self, backward: Callable[..., Any]) -> Callable[..., Any]:
        marked: Callable[..., Any] = self.library.once_differentiable(backward)
        return marked

    def gradcheck(
        self, function: Callable[..., Any], inputs: Sequence[Tensor], **options: Any
    ) -> bool:
        return bool(self.library.gradcheck(function, inputs, **options))

    # ---- measurements ----------------------------------------------------------------------------

    def memory(self, work: Callable[[], object], device: str) -> Memory:
        # numpy tells tracemalloc of every array; objects of Python count as well.
        tracemalloc.start()
        try:
            result = work()
            kept, peak = tracemalloc.get_traced_memory()
            del result
        finally:
            tracemalloc.stop()
        return Memory(peak, kept)
