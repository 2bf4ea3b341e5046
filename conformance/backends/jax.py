"""JAX, on the CPU and on CUDA devices.

JAX has float64 only in a process that asks for it: making this adapter switches `jax_enable_x64`
on, for everything in the process. It also keeps JAX from reserving the memory of a GPU, where other
libraries are at work.
"""

import operator
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
from jax import Array, lax
from jax import numpy as jnp

from ..protocol.backend import Backend
from ..protocol.capabilities import Capability
from ..protocol.errors import ErrorKind
from .jax_functions import LATER, MORE
from .jax_modes import MODES
from .jax_more import STILL_MORE
from .jax_spellings import spellings_of
from .names import named, of_this_release
from .numpy_names import numpy_names

PLATFORMS = {"cpu": "cpu", "cuda": "gpu"}
"""What JAX calls our devices."""

COMPILED_FOR = 50
"""So many looks at the state, of which each claim takes two or three, what is compiled is kept."""

KINDS = {
    "Incompatible shapes": ErrorKind.SHAPE,
    "incompatible shapes": ErrorKind.SHAPE,
    "shape of the cotangent": ErrorKind.COTANGENT_SHAPE,
    "out of bounds": ErrorKind.DIMENSION,
    "Too many indices": ErrorKind.DIMENSION,
    "too many boolean indices": ErrorKind.DIMENSION,
    "unsupported indexer": ErrorKind.DIMENSION,
    "only works on arrays of": ErrorKind.DIMENSION,
    "cannot select an axis to squeeze out": ErrorKind.SHAPE,
    "cannot reshape": ErrorKind.SHAPE,
    "different numbers of dimensions": ErrorKind.SHAPE,
    "same number of dimensions": ErrorKind.SHAPE,
    "must be nonnegative": ErrorKind.SHAPE,
    "equal division": ErrorKind.SHAPE,
    "division or modulo by zero": ErrorKind.SHAPE,
    "Need at least one array": ErrorKind.SHAPE,
    "zero-size array": ErrorKind.SHAPE,
    "tuple index out of range": ErrorKind.DIMENSION,
    "array of size 1": ErrorKind.SHAPE,
    "lhs feature dimension size": ErrorKind.SHAPE,
    "not performing simple un-batched": ErrorKind.SHAPE,
    "to have the same shape": ErrorKind.SHAPE,
    "must have the same shape": ErrorKind.SHAPE,
    "indices must be 1D": ErrorKind.SHAPE,
    "slice slice_sizes must be": ErrorKind.SHAPE,
    "inconsistent sizes for array axes to be mapped": ErrorKind.SHAPE,
    "requested to map its argument along axis": ErrorKind.DIMENSION,
    "conversion of traced array": ErrorKind.TRANSFORM,
}
"""Parts of JAX's messages."""


Function = Callable[..., Array]

NN = "relu relu6 softplus silu leaky_relu elu glu selu celu mish"
"""Functions of `jax.nn` that go by our names."""


SPECIAL = "digamma erfc erfinv ndtr entr xlog1py"
"""Functions of `jax.scipy.special` that go by our names."""


def _convolution(
    x: Array, weight: Array, bias: None = None, stride: int = 1, padding: int = 0
) -> Array:
    if bias is not None:
        raise NotImplementedError
    spatial = x.ndim - 2
    return lax.conv_general_dilated(x, weight, (stride,) * spatial, [(padding, padding)] * spatial)


class Jax(Backend):
    """JAX, without jit: every operation is traced and compiled on its own."""

    name = "jax"
    capabilities = frozenset(
        {
            Capability.VJP,
            Capability.JVP,
            Capability.CREATE_GRAPH,
            Capability.JACOBIAN,
            Capability.VMAP,
            Capability.TRANSFORMS,
            Capability.JACOBIANS,
            Capability.LINEARIZE,
            Capability.GRADIENT_FUNCTIONS,
            Capability.RULES,
            Capability.CHECKPOINT,
            Capability.SCAN,
            Capability.FOLD,
            Capability.BRANCHES,
            Capability.LOOPS,
            Capability.COMPLEX,
            Capability.SPELLINGS,
            Capability.CONVENTIONS,
        }
    )
    example_divisor = 4
    unrolled = frozenset({"unbind"})
    oldest = "0.4.30"
    modes = MODES
    functions: Mapping[str, Callable[..., Any]] = {
        **numpy_names(jnp, jax.nn, jax.scipy.special),
        **MORE,
        **of_this_release(STILL_MORE, LATER),
        **named(jax.nn, NN),
        **named(jax.scipy.special, SPECIAL),
        "elu_alpha": jax.nn.elu,
        "hardswish": jax.nn.hard_swish,
        "hardsigmoid": jax.nn.hard_sigmoid,
        "softsign": jax.nn.soft_sign,
        "lgamma": jax.scipy.special.gammaln,
        "gelu_tanh": jax.nn.gelu,
        "gelu": lambda x: jax.nn.gelu(x, approximate=False),
        "logsigmoid": jax.nn.log_sigmoid,
        "rsqrt": lax.rsqrt,
        "xlogy": jax.scipy.special.xlogy,
        "igamma": jax.scipy.special.gammainc,
        "conv1d": _convolution,
        "conv2d": _convolution,
        "expand": lambda x, *shape: jnp.broadcast_to(x, shape),
        "narrow": lambda x, dim, start, length: lax.slice_in_dim(
            x, start, start + length, axis=dim
        ),
        "select": lambda x, dim, index: lax.index_in_dim(x, index, dim, keepdims=False),
        "unbind": lambda x, dim=0: jnp.unstack(x, axis=dim),
        "block_diag": jax.scipy.linalg.block_diag,
        "svd": lambda x: jnp.linalg.svd(x, full_matrices=False),
        "getitem": operator.getitem,
        "clone": jnp.copy,
        "stop_gradient": lax.stop_gradient,
        "one_hot": lambda labels, classes: jax.nn.one_hot(labels, classes, dtype=int),
        "tolist": operator.methodcaller("tolist"),
        "item": operator.methodcaller("item"),
    }

    transforms: ClassVar[Mapping[str, Callable[..., Any]]] = {"compile": jax.jit}

    def __init__(self) -> None:
        self._looked_at = 0
        jax.config.update("jax_enable_x64", True)

    @property
    def version(self) -> str:
        return str(jax.__version__)

    def devices(self) -> Sequence[str]:
        present = {device.platform for device in jax.devices()}
        return ("cpu", "cuda") if "gpu" in present else ("cpu",)

    def device_model(self, device: str) -> str:
        return str(_device(device).device_kind)

    def tensor(self, array: np.ndarray[Any, Any], dtype: str, device: str) -> Array:
        return jax.device_put(np.array(array, dtype), _device(device))

    def numpy(self, x: Array) -> np.ndarray[Any, Any]:
        # While a function is differentiated only what was cut off may be looked at.
        return np.array(lax.stop_gradient(x))

    def dtype_of(self, x: Array) -> str:
        return str(x.dtype)

    def error_kind(self, error: Exception) -> ErrorKind | None:
        text = str(error)
        return next((kind for part, kind in KINDS.items() if part in text), None)

    def synchronize(self, device: str) -> None:
        # Work on one device is done in the order in which it was given.
        jax.device_put(0.0, _device(device)).block_until_ready()

    def state(self) -> Mapping[str, object]:
        # What is compiled is kept for good, some megabytes each: a whole run took ten gigabytes.
        self._looked_at += 1
        if self._looked_at % COMPILED_FOR == 0:
            jax.clear_caches()
        return {"x64": jax.config.jax_enable_x64}

    # ---- derivatives of a function ---------------------------------------------------------------

    def vjp(
        self, function: Callable[..., Array], *inputs: Array, create_graph: bool = False
    ) -> tuple[Array, Callable[[Array], Sequence[Array | None]]]:
        value, pull = jax.vjp(function, *inputs)
        return value, pull

    def jvp(
        self,
        function: Callable[..., Array],
        inputs: Sequence[Array],
        tangents: Sequence[Array],
    ) -> tuple[Array, Array]:
        value, tangent = jax.jvp(function, tuple(inputs), tuple(tangents))
        return value, tangent

    def jacobian(self, function: Callable[[Array], Array], x: Array) -> Array:
        return jax.jacrev(function)(x)

    # ---- ways to write ---------------------------------------------------------------------------

    def spellings(self, name: str) -> Mapping[str, Callable[..., Any]]:
        return spellings_of(name, self.functions[name])

    # ---- transforms ------------------------------------------------------------------------------

    def vmap(
        self, function: Function, in_axes: Sequence[int | None], out_axis: int = 0
    ) -> Function:
        mapped: Function = jax.vmap(function, tuple(in_axes), out_axis)
        return mapped

    def pulled(
        self, function: Function, inputs: Sequence[Array], cotangent: Array
    ) -> Sequence[Array]:
        gradients: Sequence[Array] = jax.vjp(function, *inputs)[1](cotangent)
        return gradients

    def pushed(
        self, function: Function, inputs: Sequence[Array], tangents: Sequence[Array]
    ) -> Array:
        tangent: Array = jax.jvp(function, tuple(inputs), tuple(tangents))[1]
        return tangent

    def jacrev(self, function: Function) -> Function:
        matrix: Function = jax.jacrev(function)
        return matrix

    def jacfwd(self, function: Function) -> Function:
        matrix: Function = jax.jacfwd(function)
        return matrix

    def gradient_of(self, function: Function, which: int | tuple[int, ...]) -> Callable[..., Any]:
        made: Callable[..., Any] = jax.grad(function, which)
        return made

    def value_and_gradient_of(
        self, function: Function, which: int | tuple[int, ...]
    ) -> Callable[..., tuple[Array, Any]]:
        made: Callable[..., tuple[Array, Any]] = jax.value_and_grad(function, which)
        return made

    def gradient_and_rest_of(
        self, function: Callable[..., tuple[Array, Array]], which: int
    ) -> Callable[..., tuple[Array, Array]]:
        made: Callable[..., tuple[Array, Array]] = jax.grad(function, which, has_aux=True)
        return made

    def with_pullback(self, function: Function, pullback: Callable[..., Any]) -> Function:
        ruled = jax.custom_vjp(function)
        ruled.defvjp(lambda *inputs: (function(*inputs), inputs), pullback)
        made: Function = ruled
        return made

    def linearize(self, function: Function, *inputs: Array) -> tuple[Array, Function]:
        value, push = jax.linearize(function, *inputs)
        return value, push

    def scan(
        self, step: Function, carry: Array, rows: Array, *, reverse: bool = False
    ) -> tuple[Array, Array]:
        last, results = lax.scan(step, carry, rows, reverse=reverse)
        return last, results

    def associative_scan(self, joined: Function, rows: Array) -> Array:
        result: Array = lax.associative_scan(joined, rows)
        return result

    def branch(
        self, predicate: Array, first: Function, second: Function, *operands: Array
    ) -> Array:
        result: Array = lax.cond(predicate, first, second, *operands)
        return result

    def while_loop(self, condition: Function, body: Function, start: Array) -> Array:
        result: Array = lax.while_loop(condition, body, start)
        return result

    def checkpoint(self, function: Function, *inputs: Array) -> Array:
        result: Array = jax.checkpoint(function)(*inputs)
        return result


def _device(name: str) -> jax.Device:
    return jax.devices(PLATFORMS[name])[0]
