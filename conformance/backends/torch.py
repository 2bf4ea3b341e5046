"""PyTorch, on the CPU and on CUDA devices."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from operator import attrgetter
from pkgutil import resolve_name
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from ..backend import Backend
from ..boxes import Boxes
from ..capabilities import Capability
from ..errors import ErrorKind
from ..layout import layout_of

PLAIN = """
add sub mul div pow neg exp log sin cos tanh sqrt abs relu sigmoid maximum minimum clamp where
sum mean prod amax amin logsumexp softmax log_softmax cumsum matmul
reshape flatten permute transpose swapaxes swapdims t movedim moveaxis squeeze unsqueeze narrow
select unbind chunk split stack cat flip clone gather scatter scatter_add
conv2d conv_transpose2d max_pool2d argmax round floor sign heaviside igamma
max equal allclose
rand randn randint randperm randint_like bernoulli normal
"""
"""Functions that `torch` spells as gradspec does."""

METHODS = """
size dim numel item tolist
view view_as expand contiguous add_ sub_ mul_ div_ neg_ exp_ sin_ tanh_ sigmoid_ relu_ clamp_ zero_
fill_ copy_ t_ squeeze_ unsqueeze_ scatter_ scatter_add_ uniform_
"""
"""Functions that are methods of a tensor only."""

TYPED = """
empty empty_strided zeros ones full eye arange linspace logspace
empty_like zeros_like ones_like full_like rand_like randn_like
"""
"""Functions of `torch` that take a dtype, and many a layout."""

TYPED_METHODS = "new_empty new_zeros new_ones new_full"
"""Methods of a tensor that take a dtype."""

CLASSES = "Tensor FloatTensor IntTensor"
"""Constructors of old, of tensors on the CPU."""

KINDS = {
    "Trying to backward through the graph a second time": ErrorKind.FREED_GRAPH,
    "has been modified by an inplace operation": ErrorKind.STALE_SAVED_VALUE,
    "does not require grad and does not have a grad_fn": ErrorKind.NO_GRAPH,
    "differentiated Tensors does not require grad": ErrorKind.NO_GRAPH,
    "appears to not have been used in the graph": ErrorKind.UNREACHABLE,
    "grad can be implicitly created only for scalar outputs": ErrorKind.NONSCALAR_BACKWARD,
    "Mismatch in shape: grad_output": ErrorKind.COTANGENT_SHAPE,
    "tensors and 1 gradients": ErrorKind.COTANGENT_SHAPE,
    "gradients can be either Tensors or None": ErrorKind.ARGUMENT,
    "object is not iterable": ErrorKind.ARGUMENT,
    "both grad_output and output are required to have the same dtype": ErrorKind.DTYPE,
    "returned an invalid gradient": ErrorKind.INVALID_GRADIENT,
    "returned an incorrect number of gradients": ErrorKind.INVALID_GRADIENT,
    "expected Variable or None": ErrorKind.INVALID_GRADIENT,
    "Jacobian mismatch": ErrorKind.WRONG_GRADIENT,
    "Numerical gradient for function expected to be zero": ErrorKind.WRONG_GRADIENT,
    "function that was marked with @once_differentiable": ErrorKind.NOT_DIFFERENTIABLE,
    "has changed the size of value": ErrorKind.INVALID_GRADIENT,
    "has changed the type of value": ErrorKind.INVALID_GRADIENT,
    "expected Variable, but hook returned": ErrorKind.ARGUMENT,
    "cannot register a hook on a tensor that doesn't require gradient": ErrorKind.NO_GRAPH,
    "can't retain_grad on Tensor that has requires_grad=False": ErrorKind.NO_GRAPH,
    "Concatenation operation is not implemented": ErrorKind.ARGUMENT,
    "is not implemented": ErrorKind.NOT_DIFFERENTIABLE,
    "floating point and complex dtype can require gradients": ErrorKind.INTEGER_REQUIRES_GRAD,
    "floating point dtype can require gradients": ErrorKind.INTEGER_REQUIRES_GRAD,
    "only change requires_grad flags of leaf variables": ErrorKind.NONLEAF_FLAG,
    "attempting to assign a gradient": ErrorKind.GRAD_ASSIGNMENT,
    "assigned grad": ErrorKind.GRAD_ASSIGNMENT,
    "can't assign Variable as its own grad": ErrorKind.GRAD_ASSIGNMENT,
    "data set to a tensor that requires gradients": ErrorKind.DATA_ASSIGNMENT,
    "a view of a leaf Variable that requires grad": ErrorKind.VIEW_OF_LEAF_INPLACE,
    "leaf Variable that requires grad": ErrorKind.LEAF_INPLACE,
    "created in no_grad mode": ErrorKind.NO_GRAD_VIEW_INPLACE,
    "output of a function that returns multiple views": ErrorKind.MULTI_OUTPUT_VIEW_INPLACE,
    "This view was created inside a custom Function": ErrorKind.CUSTOM_VIEW_INPLACE,
    "Can't detach views in-place": ErrorKind.DETACH_VIEW,
    "single memory location": ErrorKind.OVERLAPPING_WRITE,
    "doesn't match the broadcast shape": ErrorKind.INPLACE_SHAPE,
    "can't be cast to the desired output type": ErrorKind.INPLACE_DTYPE,
    "view size is not compatible": ErrorKind.VIEW_INCOMPATIBLE,
    "Inference tensors cannot be saved for backward": ErrorKind.INFERENCE_TENSOR,
    "is out of bounds for": ErrorKind.INDEX_RANGE,
    "Dimension out of range": ErrorKind.DIMENSION,
    "duplicate dims": ErrorKind.DIMENSION,
    "repeated dim": ErrorKind.DIMENSION,
    "multiple times in the list of dims": ErrorKind.DIMENSION,
    "tensor has no dimensions": ErrorKind.DIMENSION,
    "to a 0-dim tensor": ErrorKind.DIMENSION,
    "desired ordering of dimensions": ErrorKind.DIMENSION,
    "should contain the same number of dims": ErrorKind.DIMENSION,
    "is invalid for input of size": ErrorKind.SHAPE,
    "only one dimension can be inferred": ErrorKind.SHAPE,
    "invalid shape dimension": ErrorKind.SHAPE,
    "can be any value and is ambiguous": ErrorKind.SHAPE,
    "exceeds dimension size": ErrorKind.SHAPE,
    "length must be non-negative": ErrorKind.SHAPE,
    "start out of range": ErrorKind.INDEX_RANGE,
    "expects a tensor with <= 2 dimensions": ErrorKind.SHAPE,
    "Index tensor must have the same number of dimensions": ErrorKind.SHAPE,
    "to be no larger than self": ErrorKind.SHAPE,
    "reduce argument must be either": ErrorKind.ARGUMENT,
    "received an invalid combination of arguments": ErrorKind.ARGUMENT,
    "must be Tensor, not": ErrorKind.ARGUMENT,
    "can only save variables": ErrorKind.ARGUMENT,
    "Legacy autograd function": ErrorKind.ARGUMENT,
    "Variable data has to be a tensor": ErrorKind.ARGUMENT,
    "tensor() takes 1 positional argument": ErrorKind.ARGUMENT,
    "expects std >= 0.0": ErrorKind.ARGUMENT,
    "expects all elements of std >= 0.0": ErrorKind.ARGUMENT,
    "missing 1 required positional argument": ErrorKind.ARGUMENT,
    "expects to return a [from, to) range": ErrorKind.ARGUMENT,
    "expects 'from' to be less than 'to'": ErrorKind.ARGUMENT,
    "must be tuple of ints, not": ErrorKind.ARGUMENT,
    "p_in >= 0 && p_in <= 1": ErrorKind.ARGUMENT,
    "RNG state must be a torch.ByteTensor": ErrorKind.ARGUMENT,
    "input RNG state size": ErrorKind.ARGUMENT,
    "expects at least one input tensor to require gradient": ErrorKind.ARGUMENT,
    "input has a dimension with stride 0": ErrorKind.ARGUMENT,
    "expected sequence of length": ErrorKind.SHAPE,
    "stack expects each tensor to be equal size": ErrorKind.SHAPE,
    "negative dimension": ErrorKind.SHAPE,
    "ize must be non-negative": ErrorKind.SHAPE,
    "number of steps must be non-negative": ErrorKind.SHAPE,
    "must be greater or equal to 0, got": ErrorKind.SHAPE,
    "cannot be converted to Scalar": ErrorKind.SHAPE,
    "step must be nonzero": ErrorKind.ARGUMENT,
    "inconsistent with step sign": ErrorKind.ARGUMENT,
    "unsupported range": ErrorKind.ARGUMENT,
    "must be int, not": ErrorKind.ARGUMENT,
    "must be real number, not": ErrorKind.ARGUMENT,
    "data must be a sequence": ErrorKind.ARGUMENT,
    "invalid data type": ErrorKind.ARGUMENT,
    "too many dimensions": ErrorKind.ARGUMENT,
    "Could not infer dtype of": ErrorKind.ARGUMENT,
    "object cannot be interpreted as an integer": ErrorKind.ARGUMENT,
    "not implemented for '": ErrorKind.DTYPE,
    "without overflow": ErrorKind.OVERFLOW,
    "Overflow when unpacking": ErrorKind.OVERFLOW,
    "Expected dtype int32/int64 for index": ErrorKind.DTYPE,
    "only floating-point types are supported": ErrorKind.DTYPE,
    "does not match dtype of out parameter": ErrorKind.DTYPE,
    "must match dimensionality of strides": ErrorKind.SHAPE,
    "don't support automatic differentiation": ErrorKind.NOT_DIFFERENTIABLE,
    "channels, but got": ErrorKind.SHAPE,
    "only integer tensors of a single element": ErrorKind.DTYPE,
    "Can't call numpy() on Tensor that requires grad": ErrorKind.TRACKED_EXPORT,
    "device type tensor to numpy": ErrorKind.DEVICE,
    "can't convert np.ndarray of type": ErrorKind.DTYPE,
    "byte order different from the native": ErrorKind.DTYPE,
    "stride in the given numpy array is negative": ErrorKind.ARGUMENT,
    "unsupported operand type(s)": ErrorKind.ARGUMENT,
    "Expected self.dtype to be equal to src.dtype": ErrorKind.DTYPE,
}
"""Parts of PyTorch's messages, most specific first, and what each one means."""


def typed(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Let `function` take its dtype and its layout by name."""

    def call(*args: Any, **options: Any) -> Tensor:
        for name in ("dtype", "layout"):
            if name in options:
                options[name] = options[name] and getattr(torch, options[name])
        return function(*args, **options)

    return call


class Torch(Backend):
    """PyTorch as it is: nothing here adds to what the library does."""

    name = "torch"
    capabilities = frozenset(Capability)
    functions: Mapping[str, Callable[..., Any]] = {
        **{name: getattr(torch, name) for name in PLAIN.split()},
        **{name: getattr(Tensor, name) for name in METHODS.split()},
        **{name: typed(getattr(torch, name)) for name in TYPED.split()},
        **{name: typed(getattr(Tensor, name)) for name in TYPED_METHODS.split()},
        **{name: getattr(torch, name) for name in CLASSES.split()},
        "one_hot": functional.one_hot,
        "mse_loss": functional.mse_loss,
        "cross_entropy": functional.cross_entropy,
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
        # There a bad index is an assertion on the device, after which the process has lost it.
        return (
            self.capabilities - {Capability.INDEX_CHECKS} if device == "cuda" else self.capabilities
        )

    def tensor(self, array: np.ndarray[Any, Any], dtype: str, device: str) -> Tensor:
        memory, shape, strides, offset = layout_of(array)
        native = torch.tensor(memory, dtype=getattr(torch, dtype), device=device)
        # Detached, because a view could not be a leaf like any other.
        return native.as_strided(shape, strides, offset).detach()

    def numpy(self, x: Tensor) -> np.ndarray[Any, Any]:
        array: np.ndarray[Any, Any] = x.detach().cpu().numpy().copy()
        return array

    def dtype_of(self, x: Tensor) -> str:
        return str(x.dtype).removeprefix("torch.")

    def error_kind(self, error: Exception) -> ErrorKind | None:
        text = str(error)
        for part, kind in KINDS.items():
            if part in text:
                return kind
        return None

    def synchronize(self, device: str) -> None:
        if device == "cuda":
            torch.cuda.synchronize()

    def state(self) -> Mapping[str, object]:
        return {
            "grad mode": torch.is_grad_enabled(),
            "inference mode": torch.is_inference_mode_enabled(),
            "default dtype": torch.get_default_dtype(),
            "random state": bytes(torch.get_rng_state().numpy()),
        }

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

    def inference_mode(self) -> AbstractContextManager[object]:
        return torch.inference_mode()

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
            name.removeprefix(prefix): getattr(node, name)
            for name in dir(node)
            if name.startswith(prefix)
        }

    def base(self, x: Tensor) -> Tensor | None:
        return x._base

    @contextmanager
    def saved_tensors(self) -> Iterator[Boxes]:
        boxes = Boxes()
        with torch.autograd.graph.saved_tensors_hooks(boxes.pack, boxes.unpack):
            yield boxes

    def trace(self, function: Callable[[Any], Any], x: Tensor) -> Callable[[Any], Any]:
        traced: Callable[[Any], Any] = torch.jit.trace(function, x)  # type: ignore[no-untyped-call]
        return traced

    def compile(self, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return torch.compile(function, backend="eager")

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

    def lookup(self, place: str) -> Any:
        return resolve_name(place)

    def exports(self, name: str) -> bool:
        return hasattr(torch, name)

    def retain_grad(self, x: Tensor) -> None:
        x.retain_grad()

    def register_hook(self, x: Tensor, hook: Callable[[Any], Any]) -> Any:
        return x.register_hook(hook)  # type: ignore[no-untyped-call]

    # ---- numpy -----------------------------------------------------------------------------------

    def from_numpy(self, array: np.ndarray[Any, Any]) -> Tensor:
        return torch.from_numpy(array)

    def to_numpy(self, x: Tensor) -> np.ndarray[Any, Any]:
        array: np.ndarray[Any, Any] = x.numpy()
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

    # ---- layers and optimizers -------------------------------------------------------------------

    def linear(self, inputs: int, outputs: int, dtype: str, device: str) -> torch.nn.Linear:
        # Parameters come from a generator; a claim must find the global one as it was.
        with torch.random.fork_rng(devices=[]):
            return torch.nn.Linear(inputs, outputs, dtype=getattr(torch, dtype), device=device)

    def dropout(self, probability: float) -> torch.nn.Dropout:
        return torch.nn.Dropout(probability)

    def sgd(
        self, parameters: Sequence[Tensor], rate: float, weight_decay: float = 0.0
    ) -> torch.optim.Optimizer:
        return torch.optim.SGD(parameters, lr=rate, weight_decay=weight_decay)
