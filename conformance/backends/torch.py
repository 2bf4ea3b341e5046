"""PyTorch, on the CPU and on CUDA devices."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from operator import attrgetter, getitem
from pkgutil import resolve_name
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.checkpoint import checkpoint
from torch.utils.dlpack import from_dlpack

from ..protocol.backend import Backend
from ..protocol.boxes import Boxes
from ..protocol.capabilities import Capability
from ..protocol.errors import ErrorKind, Undeclared
from ..protocol.layout import layout_of
from . import torch_state
from .torch_compiled import without_compiler
from .torch_control import TorchControlFlow
from .torch_devices import TorchDevices
from .torch_errors import KINDS
from .torch_functions import MORE
from .torch_groups import TorchGroups
from .torch_lacking import SMALL, lacking
from .torch_lending import TorchLending
from .torch_modes import MODES
from .torch_names import (
    CLASSES,
    FUNCTIONAL,
    IN_THE_TABLE,
    LINALG,
    METHODS,
    PLAIN,
    TYPED,
    TYPED_METHODS,
)
from .torch_network_api import TorchNetworkApi
from .torch_profiling_api import TorchProfilingApi
from .torch_spellings import TorchSpellings
from .torch_transforms import TorchTransforms

DTYPES = {
    each: str(each).removeprefix("torch.")
    for each in vars(torch).values()
    if type(each) is torch.dtype
}
"""The names of dtypes."""


def typed(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Let `function` take its dtype and its layout by name."""

    def call(*args: Any, **options: Any) -> Tensor:
        for name in ("dtype", "layout"):
            if name in options:
                options[name] = options[name] and getattr(torch, options[name])
        return function(*args, **options)

    return call


def cast(x: Tensor, dtype: str) -> Tensor:
    """Return `x` in another dtype."""
    return x.to(getattr(torch, dtype))


class Torch(
    TorchDevices,
    TorchGroups,
    TorchSpellings,
    TorchNetworkApi,
    TorchProfilingApi,
    TorchTransforms,
    TorchControlFlow,
    TorchLending,
    Backend,
):
    """PyTorch as it is: nothing here adds to what the library does."""

    name = "torch"
    capabilities = frozenset(Capability)
    small_dtypes = SMALL
    modes = MODES
    functions: Mapping[str, Callable[..., Any]] = {
        **{name: getattr(torch, name) for name in (PLAIN + IN_THE_TABLE).split()},
        **{name: getattr(Tensor, name) for name in METHODS.split()},
        **{name: typed(getattr(torch, name)) for name in TYPED.split()},
        **{name: typed(getattr(Tensor, name)) for name in TYPED_METHODS.split()},
        **{name: getattr(torch, name) for name in CLASSES.split()},
        **{name: getattr(functional, name) for name in FUNCTIONAL.split()},
        **{name: getattr(torch.linalg, name) for name in LINALG.split()},
        **MORE,
        "getitem": getitem,
        "stop_gradient": Tensor.detach,
        "cast": cast,
        "fft": torch.fft.fft,
        "ifft": torch.fft.ifft,
        "from_dlpack": from_dlpack,
        "shape": attrgetter("shape"),
        "from_data": typed(torch.tensor),
    }

    @property
    def version(self) -> str:
        return str(torch.__version__)

    def devices(self) -> Sequence[str]:
        return ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",)

    def device_model(self, device: str) -> str:
        return torch.cuda.get_device_name() if device == "cuda" else "cpu"

    def capabilities_on(self, device: str) -> frozenset[Capability]:
        if device == "cpu":
            lost = {Capability.EVENTS, Capability.TRANSFER, Capability.REPLICAS}
        else:
            # There a bad index is an assertion on the device, after which the process has lost it.
            lost = {Capability.INDEX_CHECKS}
            if torch.cuda.device_count() < 2:
                lost.add(Capability.REPLICAS)
        return self.capabilities - lost

    def lacking(self, dtype: str, device: str) -> frozenset[str]:
        return lacking(dtype, device)

    def tensor(self, array: np.ndarray[Any, Any], dtype: str, device: str) -> Tensor:
        memory, shape, strides, offset = layout_of(array)
        native = torch.tensor(memory, dtype=getattr(torch, dtype), device=device)
        # Detached, because a view could not be a leaf like any other.
        return native.as_strided(shape, strides, offset).detach()

    def numpy(self, x: Tensor) -> np.ndarray[Any, Any]:
        known = x.float() if x.dtype == torch.bfloat16 else x
        array: np.ndarray[Any, Any] = known.numpy(force=True).copy()
        return array

    def dtype_of(self, x: Tensor) -> str:
        return DTYPES[x.dtype]

    def error_kind(self, error: Exception) -> ErrorKind | None:
        text = str(error)
        for part, kind in KINDS.items():
            if part in text:
                return kind
        # What a distribution has not written it refuses without a word.
        undone = isinstance(error, NotImplementedError) and not text
        return ErrorKind.NOT_DIFFERENTIABLE if undone else None

    def synchronize(self, device: str) -> None:
        if device == "cuda":
            torch.cuda.synchronize()

    @contextmanager
    def on_threads(self, count: int) -> Iterator[None]:
        before = torch.get_num_threads()
        torch.set_num_threads(count)
        try:
            yield
        finally:
            torch.set_num_threads(before)

    def state(self) -> Mapping[str, object]:
        return torch_state.look()

    def restore(self, state: Mapping[str, Any]) -> None:
        torch_state.put_back(state)

    # ---- derivatives of a function ---------------------------------------------------------------

    def vjp(
        self, function: Callable[..., Tensor], *inputs: Tensor, create_graph: bool = False
    ) -> tuple[Tensor, Callable[[Tensor], Sequence[Tensor | None]]]:
        leaves = [x if x.requires_grad else x.detach().requires_grad_() for x in inputs]
        value = function(*leaves)

        def pull(cotangent: Tensor) -> Sequence[Tensor | None]:
            if not value.requires_grad:
                return [None] * len(leaves)
            return torch.autograd.grad(
                value,
                leaves,
                cotangent,
                retain_graph=True,
                create_graph=create_graph,
                allow_unused=True,
            )

        return value, pull

    def jvp(
        self,
        function: Callable[..., Tensor],
        inputs: Sequence[Tensor],
        tangents: Sequence[Tensor],
    ) -> tuple[Tensor, Tensor]:
        result = torch.func.jvp(function, tuple(inputs), tuple(tangents))
        return result[0], result[1]

    # ---- backward --------------------------------------------------------------------------------

    def leaf(self, array: np.ndarray[Any, Any], dtype: str, device: str) -> Tensor:
        return self.tensor(array, dtype, device).requires_grad_()

    def backward(self, y: Tensor, cotangent: Tensor | None = None, **options: Any) -> None:
        torch.autograd.backward(y, cotangent, **options)

    def grad(self, x: Tensor) -> Tensor | None:
        if x.is_leaf:
            return x.grad
        # PyTorch warns whoever asks this of a computed tensor; here it is asked on purpose.
        with warnings.catch_warnings(action="ignore"):
            return x.grad

    def clear(self, x: Tensor) -> None:
        x.grad = None

    def requires_grad(self, x: Tensor) -> bool:
        return x.requires_grad

    def set_requires_grad(self, x: Tensor, *flag: bool) -> Tensor:
        return x.requires_grad_(*flag)

    def is_leaf(self, x: Tensor) -> bool:
        return x.is_leaf

    def gradients(
        self, y: Tensor, inputs: Sequence[Tensor], cotangent: Tensor | None = None, **options: Any
    ) -> Sequence[Tensor | None]:
        return torch.autograd.grad(y, inputs, cotangent, **options)

    def jacobian(self, function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
        return torch.autograd.functional.jacobian(function, x)  # type: ignore[no-any-return,no-untyped-call]

    def set_grad(self, x: Tensor, gradient: Any) -> None:
        x.grad = gradient

    # ---- memory ----------------------------------------------------------------------------------

    def shares_memory(self, x: Tensor, y: Tensor) -> bool:
        return x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr() != 0

    def strides(self, x: Tensor) -> tuple[int, ...]:
        return x.stride()

    def setitem(self, x: Tensor, index: Any, value: Any) -> None:
        x[index] = value

    def version_of(self, x: Tensor) -> int:
        return x._version

    # ---- recording -------------------------------------------------------------------------------

    def no_grad(self) -> AbstractContextManager[object]:
        return torch.no_grad()

    def enable_grad(self) -> AbstractContextManager[object]:
        return torch.enable_grad()

    def is_grad_enabled(self) -> bool:
        return torch.is_grad_enabled()

    def set_grad_enabled(self, flag: bool) -> AbstractContextManager[object]:  # noqa: FBT001
        return torch.set_grad_enabled(flag)

    def inference_mode(self) -> AbstractContextManager[object]:
        return torch.inference_mode()

    def is_inference(self, x: Tensor) -> bool:
        return x.is_inference()

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
        return x.grad_fn

    def next_nodes(self, node: Any) -> Sequence[Any | None]:
        return [following for following, _ in node.next_functions]

    def leaf_of(self, node: Any) -> Tensor | None:
        return getattr(node, "variable", None)

    def pull(self, node: Any, gradient: Tensor) -> Sequence[Tensor | None]:
        result = node(gradient)
        return result if isinstance(result, tuple) else (result,)

    def saved_values(self, node: Any) -> Mapping[str, Any]:
        prefix = "_saved_"
        return {
            name.removeprefix(prefix): value
            for name in dir(node)
            if name.startswith(prefix) and isinstance(value := getattr(node, name), Tensor | None)
        }

    def base(self, x: Tensor) -> Tensor | None:
        return x._base

    @contextmanager
    def saved_tensors(self) -> Iterator[Boxes]:
        boxes = Boxes()
        with torch.autograd.graph.saved_tensors_hooks(boxes.pack, boxes.unpack):
            yield boxes

    def saved_tensors_hooks(
        self, pack: Callable[[Tensor], Any], unpack: Callable[[Any], Tensor]
    ) -> AbstractContextManager[object]:
        return torch.autograd.graph.saved_tensors_hooks(pack, unpack)

    def checkpoint(self, function: Callable[..., Tensor], *inputs: Tensor) -> Tensor:
        return checkpoint(function, *inputs, use_reentrant=False)  # type: ignore[no-any-return]

    def traced(self, function: Callable[[Any], Any], x: Tensor) -> Callable[[Any], Any]:
        traced: Callable[[Any], Any] = torch.jit.trace(function, x)  # type: ignore[no-untyped-call]
        return traced

    def compile(self, function: Callable[..., Any], compiler: str = "eager") -> Callable[..., Any]:
        compiled: Callable[..., Any] = torch.compile(function, backend=compiler)
        if compiler != "inductor":
            return compiled
        # Else processes and threads of its own outlive the claim.
        settings: Any = import_module("torch._inductor.config")
        settings.compile_threads = 1

        def run(*tensors: Tensor) -> Any:
            if reason := without_compiler(tensors[0].device.type):
                raise Undeclared(f"Inductor {reason}")
            return compiled(*tensors)

        return run

    def variable(self, x: Tensor, **options: Any) -> Tensor:
        return torch.autograd.Variable(x, **options)

    @contextmanager
    def defaults(self, dtype: str | None = None, device: str | None = None) -> Iterator[None]:
        before = torch.get_default_dtype()
        try:
            if dtype is not None:
                torch.set_default_dtype(getattr(torch, dtype))
            torch.set_default_device(device)
            yield
        finally:
            torch.set_default_device(None)
            torch.set_default_dtype(before)

    @contextmanager
    def deterministic(self) -> Iterator[None]:
        before = torch.are_deterministic_algorithms_enabled()
        torch.use_deterministic_algorithms(mode=True)
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(before)

    def lookup(self, place: str) -> Any:
        return resolve_name(place)

    def exports(self, name: str) -> bool:
        return hasattr(torch, name)

    def retain_grad(self, x: Tensor) -> None:
        x.retain_grad()

    def register_hook(self, x: Tensor, hook: Callable[[Any], Any]) -> Any:
        return x.register_hook(hook)  # type: ignore[no-untyped-call]

    def register_post_accumulate_hook(self, x: Tensor, hook: Callable[[Any], None]) -> Any:
        return x.register_post_accumulate_grad_hook(hook)  # type: ignore[no-untyped-call]

    def register_node_hook(
        self, node: Any, hook: Callable[..., Any], *, before: bool = False
    ) -> Any:
        return node.register_prehook(hook) if before else node.register_hook(hook)

    # ---- numpy -----------------------------------------------------------------------------------

    def from_numpy(self, array: np.ndarray[Any, Any]) -> Tensor:
        return torch.from_numpy(array)

    def to_numpy(self, x: Tensor, **options: bool) -> np.ndarray[Any, Any]:
        array: np.ndarray[Any, Any] = x.numpy(**options)
        return array

    # ---- operations written by hand --------------------------------------------------------------

    def custom(self, forward: Callable[..., Any], backward: Callable[..., Any]) -> Any:
        rule = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
        return type("Custom", (torch.autograd.Function,), rule)

    def once_differentiable(self, backward: Callable[..., Any]) -> Callable[..., Any]:
        return torch.autograd.function.once_differentiable(backward)

    def gradcheck(
        self, function: Callable[..., Any], inputs: Sequence[Tensor], **options: Any
    ) -> bool:
        return torch.autograd.gradcheck(function, inputs, **options)

    # ---- random numbers --------------------------------------------------------------------------

    def manual_seed(self, seed: int) -> None:
        torch.manual_seed(seed)

    def seed(self) -> int:
        return torch.seed()

    def initial_seed(self) -> int:
        return torch.initial_seed()

    def random_state(self, device: str) -> Tensor:
        return torch.cuda.get_rng_state() if device == "cuda" else torch.get_rng_state()

    def set_random_state(self, state: Tensor, device: str) -> None:
        (torch.cuda if device == "cuda" else torch).set_rng_state(state)

    def fork_random(self) -> AbstractContextManager[object]:
        return torch.random.fork_rng(devices=range(torch.cuda.device_count()))
