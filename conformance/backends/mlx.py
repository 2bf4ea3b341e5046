"""MLX, on the CPU: the only device on which it has float64.

Making this adapter makes the CPU the default device of MLX in the whole process.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from typing import Any, ClassVar

import numpy as np
from mlx import core as mx
from mlx import nn

from ..protocol.backend import Backend
from ..protocol.capabilities import Capability
from ..protocol.errors import ErrorKind
from ..protocol.layout import layout_of
from .mlx_functions import LATER, MORE
from .mlx_further import FURTHER
from .mlx_modes import MODES
from .mlx_more import STILL_MORE
from .mlx_spellings import spellings_of
from .names import named, of_this_release
from .numpy_names import numpy_names

KINDS = {
    "cannot be broadcast": ErrorKind.SHAPE,
    "reduce over axis": ErrorKind.SHAPE,
    "must have the same shape": ErrorKind.SHAPE,
    "Cannot reshape": ErrorKind.SHAPE,
    "No arrays provided": ErrorKind.SHAPE,
    "not equal to 1": ErrorKind.SHAPE,
    "Expect the input channels": ErrorKind.SHAPE,
    "Only length-1 arrays": ErrorKind.SHAPE,
    "too large for array": ErrorKind.INVALID_GRADIENT,
    "does not match array of dimension": ErrorKind.DIMENSION,
    "too many indices": ErrorKind.DIMENSION,
    "Indices must be integral": ErrorKind.DTYPE,
    "Invalid axis": ErrorKind.DIMENSION,
    "out of bounds": ErrorKind.DIMENSION,
    "Inconsistent axis sizes": ErrorKind.SHAPE,
    "Invalid vectorization axis": ErrorKind.DIMENSION,
    "during function transformations": ErrorKind.TRANSFORM,
}
"""Parts of MLX's messages."""


Function = Callable[..., mx.array]

ELSEWHERE = "movedim moveaxis"
"""Functions that take less than numpy's: one axis."""

CORE = "rsqrt flatten unflatten contiguous aminmax_all=minmax"
NN = "relu relu6 softplus silu gelu leaky_relu elu glu"
"""Functions of `mlx.core` and of `mlx.nn` that go by our names."""


FLOAT32 = frozenset(
    {"complex", "conv_transpose2d", "conv_transpose2d_axes", "fftn_whole", "ifftn_whole"}
    | {f"conv{way}{n}d_options" for way in ("", "_transpose") for n in (1, 2, 3)}
    | {f"conv{n}d{form}" for n in (1, 2, 3) for form in ("_axes", "_grouped", "_single")}
    | {f"conv_transpose{form}" for form in ("1d", "1d_single", "2d_grouped", "3d")}
    | {"conv3d"}
    | {f"scaled_dot_product_attention{form}" for form in ("", "_biased", "_options")}
    | {"stft_options", "istft_options"}
    | {
        f"{kind}{ending}_options"
        for kind in ("fft", "ifft", "rfft", "irfft")
        for ending in ("", "2", "n")
    }
    | {f"{kind}{ending}" for kind in ("fft", "ifft", "rfft", "irfft") for ending in ("", "2", "n")}
)
"""Functions that MLX does not have in float64.

Its complex numbers are pairs of float32, attention is computed in float32 whatever it is given, and
convolutions have no gradient in float64 where there are strides.
"""


class Mlx(Backend):
    """MLX as it is: lazy, and its tensors are values that share no memory."""

    name = "mlx"
    capabilities = frozenset(
        {
            Capability.VJP,
            Capability.JVP,
            Capability.CREATE_GRAPH,
            Capability.CONVENTIONS,
            Capability.SPELLINGS,
            Capability.VMAP,
            Capability.TRANSFORMS,
            Capability.GRADIENT_FUNCTIONS,
            Capability.RULES,
            Capability.CHECKPOINT,
        }
    )
    oldest = "0.26.5"
    modes = MODES
    functions: Mapping[str, Callable[..., Any]] = of_this_release(
        {
            **{
                name: function
                for name, function in numpy_names(mx, nn).items()
                if name not in ELSEWHERE.split()
            },
            **MORE,
            **STILL_MORE,
            **FURTHER,
            **named(mx, CORE),
            **named(nn, NN),
            "logsigmoid": nn.log_sigmoid,
            "getitem": operator.getitem,
            "stop_gradient": mx.stop_gradient,
            "expand": lambda x, *shape: mx.broadcast_to(x, shape),
            "shape": operator.attrgetter("shape"),
            "dim": operator.attrgetter("ndim"),
            "numel": operator.attrgetter("size"),
            "item": operator.methodcaller("item"),
            "tolist": operator.methodcaller("tolist"),
        },
        LATER,
    )

    transforms: ClassVar[Mapping[str, Callable[..., Any]]] = {"compile": mx.compile}

    def __init__(self) -> None:
        mx.set_default_device(mx.cpu)

    @property
    def version(self) -> str:
        return metadata.version("mlx")

    def lacking(self, dtype: str, device: str) -> frozenset[str]:
        return FLOAT32 if dtype == "float64" else frozenset()

    def tensor(self, array: np.ndarray[Any, Any], dtype: str, device: str) -> mx.array:
        own = getattr(mx, "bool_" if dtype == "bool" else dtype)
        if array.flags.c_contiguous or not array.size:
            return mx.array(array.astype(dtype), dtype=own)
        memory, shape, strides, offset = layout_of(array)
        made = mx.as_strided(mx.array(memory.astype(dtype), dtype=own), shape, strides, offset)
        # What is not computed yet would be made together with what is done to it.
        mx.eval(made)
        return made

    def numpy(self, x: mx.array) -> np.ndarray[Any, Any]:
        return np.array(x)

    def dtype_of(self, x: mx.array) -> str:
        return str(x.dtype).removeprefix("mlx.core.").removesuffix("_")

    def error_kind(self, error: Exception) -> ErrorKind | None:
        text = str(error)
        return next((kind for part, kind in KINDS.items() if part in text), None)

    def synchronize(self, device: str) -> None:
        mx.synchronize()

    def state(self) -> Mapping[str, object]:
        return {"default device": str(mx.default_device())}

    # ---- derivatives of a function ---------------------------------------------------------------

    def vjp(
        self, function: Callable[..., mx.array], *inputs: mx.array, create_graph: bool = False
    ) -> tuple[mx.array, Callable[[mx.array], Sequence[mx.array | None]]]:
        def pull(cotangent: mx.array) -> Sequence[mx.array | None]:
            gradients: Sequence[mx.array] = mx.vjp(function, list(inputs), [cotangent])[1]
            return gradients

        return function(*inputs), pull

    def jvp(
        self,
        function: Callable[..., mx.array],
        inputs: Sequence[mx.array],
        tangents: Sequence[mx.array],
    ) -> tuple[mx.array, mx.array]:
        (value,), (tangent,) = mx.jvp(function, list(inputs), list(tangents))
        return value, tangent

    # ---- ways to write ---------------------------------------------------------------------------

    def spellings(self, name: str) -> Mapping[str, Callable[..., Any]]:
        return spellings_of(name, self.functions[name])

    # ---- transforms ------------------------------------------------------------------------------

    def vmap(
        self, function: Function, in_axes: Sequence[int | None], out_axis: int = 0
    ) -> Function:
        mapped: Function = mx.vmap(function, tuple(in_axes), out_axis)
        return mapped

    def pulled(
        self, function: Function, inputs: Sequence[mx.array], cotangent: mx.array
    ) -> Sequence[mx.array]:
        gradients: Sequence[mx.array] = mx.vjp(function, list(inputs), [cotangent])[1]
        return gradients

    def pushed(
        self, function: Function, inputs: Sequence[mx.array], tangents: Sequence[mx.array]
    ) -> mx.array:
        (tangent,) = mx.jvp(function, list(inputs), list(tangents))[1]
        return tangent

    def gradient_of(self, function: Function, which: int | tuple[int, ...]) -> Callable[..., Any]:
        made: Callable[..., Any] = mx.grad(function, which)
        return made

    def value_and_gradient_of(
        self, function: Function, which: int | tuple[int, ...]
    ) -> Callable[..., tuple[mx.array, Any]]:
        made: Callable[..., tuple[mx.array, Any]] = mx.value_and_grad(function, which)
        return made

    def gradient_and_rest_of(
        self, function: Callable[..., tuple[mx.array, mx.array]], which: int
    ) -> Callable[..., tuple[mx.array, mx.array]]:
        def made(*inputs: mx.array) -> tuple[mx.array, mx.array]:
            (_, rest), gradient = mx.value_and_grad(function, which)(*inputs)
            return gradient, rest

        return made

    def with_pullback(self, function: Function, pullback: Callable[..., Any]) -> Function:
        ruled: Any = mx.custom_function(function)

        @ruled.vjp  # type: ignore[untyped-decorator]
        def rule(inputs: Any, cotangent: mx.array, value: mx.array) -> Any:
            del value
            # One argument comes alone.
            alone = isinstance(inputs, mx.array)
            found = pullback([inputs] if alone else inputs, cotangent)
            return found[0] if alone else tuple(found)

        made: Function = ruled
        return made

    def checkpoint(self, function: Function, *inputs: mx.array) -> mx.array:
        result: mx.array = mx.checkpoint(function)(*inputs)
        return result
