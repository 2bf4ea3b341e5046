"""PaddlePaddle, in dynamic graphs, on the CPU.

It can end the process: run it with `--isolate`. Its `narrow` is not lent, because it reads and
writes outside of its tensor, and so spoils the memory of what runs after it.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import paddle
from paddle import Tensor, compat, linalg
from paddle.nn import functional

from ..protocol.backend import Backend
from ..protocol.capabilities import Capability
from ..protocol.errors import ErrorKind
from ..protocol.layout import layout_of
from .names import named
from .paddle_functions import MORE

PLAIN = """
pow neg exp expm1 log log2 log10 log1p sqrt rsqrt square reciprocal abs sign floor ceil trunc round
frac sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf sigmoid deg2rad rad2deg
maximum minimum clamp where atan2 hypot logaddexp remainder floor_divide lerp heaviside isnan
eq ne lt le gt ge conj real
sum mean prod amax amin logsumexp softmax cumsum cumprod logcumsumexp var norm trace
count_nonzero all any argmax argmin argsort topk
matmul mm bmm mv inner outer addmm baddbmm einsum tensordot kron cross inverse cholesky eigvalsh
reshape flatten ravel unflatten permute transpose swapaxes swapdims t moveaxis squeeze unsqueeze
broadcast_to unbind tensor_split diagonal diag tril triu flip roll tile repeat_interleave clone
cat concat concatenate stack hstack vstack row_stack dstack column_stack
gather scatter scatter_add index_add index_select masked_select masked_fill take take_along_dim
conv1d conv2d
"""
"""Functions that `paddle` spells as gradspec does: many take PyTorch's arguments beside its own."""

FUNCTIONAL = """
relu relu6 leaky_relu elu hardtanh logsigmoid softplus silu gelu log_softmax glu prelu
bilinear embedding
mse_loss l1_loss smooth_l1_loss binary_cross_entropy binary_cross_entropy_with_logits kl_div
nll_loss
"""
"""Functions of `paddle.nn.functional`."""

METHODS = """
dim item tolist view view_as expand repeat contiguous
neg_ exp_ sin_ tanh_ sigmoid_ clamp_ zero_ fill_ t_ squeeze_ unsqueeze_
"""
"""Functions that are methods of a tensor."""

OPERATORS = {"add": "add", "sub": "sub", "mul": "mul", "div": "truediv"}
"""Functions that are operators: `paddle` has them for tensors alone, not for numbers."""

IN_PLACE = "add_ sub_ mul_ div_"
"""Methods that take a tensor alone: a number is handed to them as one."""

COMPATIBLE = "max min median sort split equal"
"""Functions of `paddle.compat`, which mean what PyTorch's do."""

LINALG = "det solve svd matrix_power"
"""Functions of `paddle.linalg`."""

KINDS: dict[str, ErrorKind] = {
    "The TensorWrappers of": ErrorKind.FREED_GRAPH,
    "has been modified by an inplace operation": ErrorKind.STALE_SAVED_VALUE,
    "does not appear in the backward graph": ErrorKind.UNREACHABLE,
    "doesn't have any grad op": ErrorKind.NOT_DIFFERENTIABLE,
    "Cannot register hook on a tensor that stop gradient": ErrorKind.NO_GRAPH,
    "that doesn't stop gradient can't use inplace strategy": ErrorKind.LEAF_INPLACE,
    "is different from that of inplace tensor": ErrorKind.INPLACE_SHAPE,
    "must be equal with out shape": ErrorKind.GRAD_ASSIGNMENT,
    "The Tensor can not be viewed": ErrorKind.VIEW_INCOMPATIBLE,
    "Broadcast dimension mismatch": ErrorKind.SHAPE,
    "is expected to be equal": ErrorKind.SHAPE,
    "must have the same batch size": ErrorKind.SHAPE,
    "in ReshapeOp is invalid": ErrorKind.SHAPE,
    "must be equal to the input's size": ErrorKind.SHAPE,
    "must be larger than 0": ErrorKind.SHAPE,
    "only one element tensors can be converted": ErrorKind.SHAPE,
    "but got empty list": ErrorKind.SHAPE,
    "The length of grad_": ErrorKind.COTANGENT_SHAPE,
    "The argument 'grad_tensors'": ErrorKind.ARGUMENT,
    "grad_outputs must be None": ErrorKind.ARGUMENT,
    "Only one dimension value": ErrorKind.SHAPE,
    "Each dimension value": ErrorKind.SHAPE,
    "Type promotion only support": ErrorKind.DTYPE,
    "The data type of indices should be": ErrorKind.DTYPE,
    "does not match the type of data": ErrorKind.DTYPE,
    "should be in the range": ErrorKind.DIMENSION,
    "appear not only once": ErrorKind.DIMENSION,
    "must be unique": ErrorKind.DIMENSION,
    "The insert dimension": ErrorKind.DIMENSION,
    "The axis must in range": ErrorKind.DIMENSION,
    "list index out of range": ErrorKind.DIMENSION,
    "must have the same number of dimensions": ErrorKind.SHAPE,
    "exceeds dimension size": ErrorKind.SHAPE,
    "inputs contain duplicate tensor": ErrorKind.ARGUMENT,
    "input's channels should be equal": ErrorKind.SHAPE,
    "only non-negative entries": ErrorKind.SHAPE,
    "must be 3-dimensional": ErrorKind.SHAPE,
    "can only be Zero-Sized": ErrorKind.SHAPE,
    "cannot reshape tensor of 0 elements": ErrorKind.SHAPE,
    "must be equal with Input(Y)": ErrorKind.SHAPE,
    "split_size_or_sections must be greater than 0": ErrorKind.SHAPE,
    "must have the same number with 'destination'": ErrorKind.DIMENSION,
    "x not in list": ErrorKind.DIMENSION,
    "Attr(axis) must be inside": ErrorKind.DIMENSION,
    "expected to be a boolean Tensor": ErrorKind.DTYPE,
    "has different data type with Tensor": ErrorKind.GRAD_ASSIGNMENT,
}
"""Parts of PaddlePaddle's messages."""


def in_place(method: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Let a method take a number, in the dtype of a floating tensor or in its own."""

    def call(x: Tensor, y: Any) -> Tensor:
        if isinstance(y, int | float):
            y = paddle.to_tensor(y, dtype=x.dtype if x.is_floating_point() else None)
        return method(x, y)

    return call


class Paddle(Backend):
    """PaddlePaddle as it is: its `.data` counts writes as `detach` does, so it is not declared."""

    name = "paddle"
    capabilities = frozenset(
        {
            Capability.VJP,
            Capability.CREATE_GRAPH,
            Capability.BACKWARD,
            Capability.GRADIENTS,
            Capability.RETAIN_GRAPH,
            Capability.GRAD_ASSIGN,
            Capability.VIEWS,
            Capability.INPLACE,
            Capability.VERSION_COUNTER,
            Capability.NO_GRAD,
            Capability.DETACH,
            Capability.HOOKS,
            Capability.CONVENTIONS,
        }
    )
    functions: Mapping[str, Callable[..., Any]] = {
        **named(paddle, PLAIN),
        **named(functional, FUNCTIONAL),
        **named(Tensor, METHODS),
        **named(compat, COMPATIBLE),
        **named(linalg, LINALG),
        **{name: getattr(operator, theirs) for name, theirs in OPERATORS.items()},
        **{name: in_place(function) for name, function in named(Tensor, IN_PLACE).items()},
        **MORE,
        "stop_gradient": Tensor.detach,
        "linear": compat.nn.functional.linear,
        "pad": compat.nn.functional.pad,
        "conv_transpose2d": functional.conv2d_transpose,
        "normalize": lambda x, dim=1: functional.normalize(x, axis=dim),
        "cosine_similarity": lambda x, y, dim=1: functional.cosine_similarity(x, y, axis=dim),
        "cross_entropy": lambda x, p: functional.cross_entropy(x, p, soft_label=True),
        "std": lambda x, dim=None, correction=1: paddle.std(
            x, dim, unbiased={1: True, 0: False}[correction]
        ),
        "igamma": paddle.gammainc,
        "fft": paddle.fft.fft,
        "ifft": paddle.fft.ifft,
        "movedim": paddle.moveaxis,
        "block_diag": lambda *matrices: paddle.block_diag(matrices),
        "index_fill": lambda x, dim, index, value: paddle.index_fill(x, index, dim, value),
        "relu_": functional.relu_,
        "getitem": operator.getitem,
        "shape": operator.attrgetter("shape"),
        "size": lambda x, *dim: x.size(*dim),
        "numel": lambda x: int(x.size),
    }

    @property
    def version(self) -> str:
        return str(paddle.version.full_version)

    def tensor(self, array: np.ndarray[Any, Any], dtype: str, device: str) -> Tensor:
        memory, shape, strides, offset = layout_of(array)
        own = memory.astype(dtype)
        native = paddle.to_tensor(own)
        # Detached, because a view could not be a leaf like any other; the offset is one in bytes.
        view: Tensor = paddle.as_strided(native, shape, strides, offset * own.itemsize)
        return view.detach()

    def numpy(self, x: Tensor) -> np.ndarray[Any, Any]:
        return np.array(x.numpy())

    def dtype_of(self, x: Tensor) -> str:
        return str(x.dtype).removeprefix("paddle.")

    def error_kind(self, error: Exception) -> ErrorKind | None:
        text = str(error)
        return next((kind for part, kind in KINDS.items() if part in text), None)

    def state(self) -> Mapping[str, object]:
        return {
            "grad mode": paddle.is_grad_enabled(),
            "default dtype": paddle.get_default_dtype(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        paddle.set_grad_enabled(state["grad mode"])
        paddle.set_default_dtype(state["default dtype"])

    # ---- derivatives of a function ---------------------------------------------------------------

    def vjp(
        self, function: Callable[..., Tensor], *inputs: Tensor, create_graph: bool = False
    ) -> tuple[Tensor, Callable[[Tensor], Sequence[Tensor | None]]]:
        leaves = [x if x.requires_grad else x.detach().requires_grad_() for x in inputs]
        value = function(*leaves)

        def pull(cotangent: Tensor) -> Sequence[Tensor | None]:
            if not value.requires_grad:
                return [None] * len(leaves)
            gradients: Sequence[Tensor | None] = paddle.grad(
                value,
                leaves,
                cotangent,
                retain_graph=True,
                create_graph=create_graph,
                allow_unused=True,
            )
            return gradients

        return value, pull

    # ---- backward --------------------------------------------------------------------------------

    def leaf(self, array: np.ndarray[Any, Any], dtype: str, device: str) -> Tensor:
        return self.tensor(array, dtype, device).requires_grad_()

    def backward(self, y: Tensor, cotangent: Tensor | None = None, **options: Any) -> None:
        paddle.autograd.backward(y, cotangent, **options)

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
        found: Sequence[Tensor | None] = paddle.grad(y, inputs, cotangent, **options)
        return found

    def set_grad(self, x: Tensor, gradient: Any) -> None:
        x.grad = gradient

    # ---- memory ----------------------------------------------------------------------------------

    def shares_memory(self, x: Tensor, y: Tensor) -> bool:
        return bool(x._is_shared_buffer_with(y))

    def strides(self, x: Tensor) -> tuple[int, ...]:
        return tuple(x.strides)

    def setitem(self, x: Tensor, index: Any, value: Any) -> None:
        x[index] = value

    def version_of(self, x: Tensor) -> int:
        return int(x.inplace_version)

    # ---- recording -------------------------------------------------------------------------------

    def no_grad(self) -> AbstractContextManager[object]:
        block: AbstractContextManager[object] = paddle.no_grad()
        return block

    def enable_grad(self) -> AbstractContextManager[object]:
        block: AbstractContextManager[object] = paddle.enable_grad()
        return block

    def is_grad_enabled(self) -> bool:
        return bool(paddle.is_grad_enabled())

    def detach(self, x: Tensor) -> Tensor:
        return x.detach()

    def detach_(self, x: Tensor) -> Tensor:
        return x.detach_()

    def retain_grad(self, x: Tensor) -> None:
        x.retain_grads()

    def register_hook(self, x: Tensor, hook: Callable[[Any], Any]) -> Any:
        return x.register_hook(hook)
