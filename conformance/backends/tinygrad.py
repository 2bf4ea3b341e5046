"""tinygrad, on its device that runs in Python itself, unless `DEV` names another one.

There every program is interpreted, so few examples are drawn.
"""

import operator
import os
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from typing import Any

import numpy as np

os.environ.setdefault("DEV", "PYTHON")
os.environ.setdefault("PARALLEL", "0")  # its processes that compile would outlive a claim

from tinygrad import Device, Tensor, dtypes

from ..protocol.backend import Backend
from ..protocol.capabilities import Capability
from ..protocol.errors import ErrorKind
from .names import named
from .tinygrad_functions import MORE
from .tinygrad_modes import MODES
from .tinygrad_writing import WRITING, spellings_of

METHODS = """
add sub mul div pow neg exp exp2 log log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh
acosh atanh sqrt rsqrt square reciprocal abs sign floor ceil trunc round erf relu relu6 sigmoid
logsigmoid softplus silu elu leaky_relu hardtanh maximum minimum clamp where logaddexp fmod lerp
isnan matmul sum mean prod argmax argmin logsumexp softmax log_softmax cumsum cumprod logcumsumexp
sort argsort topk pad
reshape flatten permute transpose squeeze unsqueeze expand chunk split flip unflatten diagonal tril
triu repeat repeat_interleave roll clone contiguous gather masked_fill scatter masked_select nonzero
einsum one_hot eq ne all any dot size numel tolist item allclose
"""
"""Methods of a tensor that take what PyTorch's take, axes and all."""

KINDS = {
    "cannot broadcast": ErrorKind.SHAPE,
    "size mismatch": ErrorKind.SHAPE,
    "must have one element": ErrorKind.SHAPE,
    "does not match the shape": ErrorKind.SHAPE,
    "sum exactly": ErrorKind.SHAPE,
    "cannot dot": ErrorKind.SHAPE,
    "invalid shrink": ErrorKind.SHAPE,
    "out of range": ErrorKind.DIMENSION,
    "too many indices": ErrorKind.DIMENSION,
    "is out of bounds with size": ErrorKind.INDEX_RANGE,
}
"""Parts of tinygrad's messages."""


class Tinygrad(Backend):
    """tinygrad as it is: lazy, every operation differentiable, without a flag or a mode."""

    name = "tinygrad"
    capabilities = frozenset(
        {
            Capability.VJP,
            Capability.CREATE_GRAPH,
            Capability.CONVENTIONS,
            Capability.SPELLINGS,
        }
    )
    example_divisor = 4
    unrolled = frozenset({"scatter", "scatter_number", "scatter_part", "masked_select", "cumprod"})
    oldest = "0.10.1"
    modes = MODES
    functions: Mapping[str, Callable[..., Any]] = {
        **named(Tensor, METHODS),
        **MORE,
        **WRITING,
        "shape": operator.attrgetter("shape"),
        "dim": operator.attrgetter("ndim"),
        "amax": lambda x, dim=None, keepdim=False: x.max(None if dim == () else dim, keepdim),
        "amin": lambda x, dim=None, keepdim=False: x.min(None if dim == () else dim, keepdim),
        "var": Tensor.var,
        "std": Tensor.std,
        "lt": operator.lt,
        "le": operator.le,
        "gt": operator.gt,
        "ge": operator.ge,
        "getitem": operator.getitem,
        "stop_gradient": Tensor.detach,
        "cat": lambda tensors, dim=0: Tensor.cat(*tensors, dim=dim),
        "stack": lambda tensors, dim=0: Tensor.stack(*tensors, dim=dim),
        "conv2d": lambda x, weight, bias=None, stride=1, padding=0: x.conv2d(
            weight, bias, stride=stride, padding=padding
        ),
        "conv_transpose2d": lambda x, weight, bias=None, stride=1: x.conv_transpose2d(
            weight, bias, stride=stride
        ),
        "max_pool2d": lambda x, size: x.max_pool2d((size, size)),
        "avg_pool2d": lambda x, size: x.avg_pool2d((size, size)),
    }

    @property
    def version(self) -> str:
        return metadata.version("tinygrad")

    def tensor(self, array: np.ndarray[Any, Any], dtype: str, device: str) -> Tensor:
        # From an array without axes tinygrad would make a constant that lies on no device.
        flat = Tensor(array.astype(dtype).reshape(-1), dtype=getattr(dtypes, dtype))
        return flat.reshape(array.shape)

    def numpy(self, x: Tensor) -> np.ndarray[Any, Any]:
        # A constant that was simplified out of a program lies on no device.
        return np.array((x if x.device else x.clone(device=Device.DEFAULT)).numpy())

    def dtype_of(self, x: Tensor) -> str:
        return str(np.dtype(x.dtype.fmt))

    def error_kind(self, error: Exception) -> ErrorKind | None:
        text = str(error)
        return next((kind for part, kind in KINDS.items() if part in text), None)

    def vjp(
        self, function: Callable[..., Tensor], *inputs: Tensor, create_graph: bool = False
    ) -> tuple[Tensor, Callable[[Tensor], Sequence[Tensor | None]]]:
        # Gradients belong to tensors, not to arguments: one that is given twice is two.
        places = [x.clone() if sum(x is y for y in inputs) > 1 else x for x in inputs]
        value = function(*places)
        return value, lambda cotangent: value.gradient(*places, gradient=cotangent)

    def spellings(self, name: str) -> Mapping[str, Callable[..., Any]]:
        return spellings_of(name)
