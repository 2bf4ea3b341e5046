"""JAX, on the CPU and on CUDA devices.

JAX has float64 only in a process that asks for it: making this adapter switches `jax_enable_x64` on,
for everything in the process. It also keeps JAX from reserving the memory of a GPU, where other
libraries are at work.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from operator import methodcaller
from typing import Any

import numpy as np

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
from jax import Array, lax
from jax import numpy as jnp

from ..backend import Backend
from ..capabilities import Capability
from ..errors import ErrorKind
from .numpy_names import numpy_names

PLATFORMS = {"cpu": "cpu", "cuda": "gpu"}
"""What JAX calls our devices."""

KINDS = {
    "Incompatible shapes": ErrorKind.SHAPE,
    "incompatible shapes": ErrorKind.SHAPE,
    "shape of the cotangent": ErrorKind.COTANGENT_SHAPE,
    "out of bounds": ErrorKind.DIMENSION,
    "cannot select an axis to squeeze out": ErrorKind.SHAPE,
    "cannot reshape": ErrorKind.SHAPE,
    "Need at least one array": ErrorKind.SHAPE,
    "array of size 1": ErrorKind.SHAPE,
    "lhs feature dimension size": ErrorKind.SHAPE,
}
"""Parts of JAX's messages."""


class Jax(Backend):
    """JAX, without jit: every operation is traced and compiled on its own."""

    name = "jax"
    capabilities = frozenset(
        {Capability.VJP, Capability.JVP, Capability.CREATE_GRAPH, Capability.JACOBIAN}
    )
    functions: Mapping[str, Callable[..., Any]] = {
        **numpy_names(jnp, jax.nn),
        "relu": jax.nn.relu,
        "sigmoid": jax.nn.sigmoid,
        "igamma": jax.scipy.special.gammainc,
        "conv2d": lambda x, weight: lax.conv(x, weight, (1, 1), "VALID"),
        "flatten": lambda x, start_dim=0, end_dim=-1: lax.collapse(
            x, start_dim, end_dim % x.ndim + 1
        ),
        "expand": lambda x, *shape: jnp.broadcast_to(x, shape),
        "narrow": lambda x, dim, start, length: lax.slice_in_dim(
            x, start, start + length, axis=dim
        ),
        "select": lambda x, dim, index: lax.index_in_dim(x, index, dim, keepdims=False),
        "unbind": lambda x, dim=0: jnp.unstack(x, axis=dim),
        "clone": jnp.copy,
        "one_hot": lambda labels, classes: jax.nn.one_hot(labels, classes, dtype=int),
        "tolist": methodcaller("tolist"),
        "item": methodcaller("item"),
    }

    def __init__(self) -> None:
        jax.config.update("jax_enable_x64", True)

    @property
    def version(self) -> str:
        return jax.__version__

    def devices(self) -> Sequence[str]:
        present = {device.platform for device in jax.devices()}
        return ("cpu", "cuda") if "gpu" in present else ("cpu",)

    def device_model(self, device: str) -> str:
        return str(_device(device).device_kind)

    def tensor(self, array: np.ndarray[Any, Any], dtype: str, device: str) -> Array:
        return jax.device_put(np.array(array, dtype), _device(device), may_alias=False)

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


def _device(name: str) -> jax.Device:
    return jax.devices(PLATFORMS[name])[0]
