"""Autograd (HIPS), whose tensors are the arrays of numpy."""

import operator
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from typing import Any

import autograd
import numpy as np
from autograd import extend, scipy
from autograd import numpy as anp
from autograd.tracer import getval

from ..protocol.backend import Backend
from ..protocol.capabilities import Capability
from ..protocol.errors import ErrorKind
from ..protocol.layout import layout_of
from .autograd_functions import DENSITIES, MORE
from .autograd_spellings import spellings_of
from .numpy_names import numpy_names

Array = Any
"""An array of numpy or, while a function is differentiated, a box around one."""

KINDS = {
    "zero-size array": ErrorKind.SHAPE,
    "could not be broadcast": ErrorKind.SHAPE,
    "same shape": ErrorKind.SHAPE,
    "mismatch in its core dimension": ErrorKind.SHAPE,
    "need at least one array": ErrorKind.SHAPE,
    "array of size 1": ErrorKind.SHAPE,
    "cannot reshape": ErrorKind.SHAPE,
    "cannot select an axis to squeeze out": ErrorKind.SHAPE,
    "is out of bounds for array": ErrorKind.DIMENSION,
    "only works on arrays of": ErrorKind.DIMENSION,
    "out of bounds [": ErrorKind.DIMENSION,
    "too many indices": ErrorKind.DIMENSION,
    "is out of bounds for axis": ErrorKind.INDEX_RANGE,
    "not defined": ErrorKind.NOT_DIFFERENTIABLE,
    "doesn't match the broadcast shape": ErrorKind.INVALID_GRADIENT,
    "same number of dimensions": ErrorKind.SHAPE,
    "must be larger than 0": ErrorKind.SHAPE,
    "equal division": ErrorKind.SHAPE,
    "output subscript": ErrorKind.ARGUMENT,
    "extra leading dims": ErrorKind.NOT_DIFFERENTIABLE,
    "all returned NotImplemented from __array_ufunc__": ErrorKind.NOT_DIFFERENTIABLE,
}
"""Parts of the messages of Autograd and of numpy."""


FLOAT64 = frozenset(
    {"corrcoef", "cov", "log_ndtr", "mvlgamma", "ndtr", "polygamma", *DENSITIES.split()}
)
"""Functions of numpy and scipy whose results are of float64 whatever they are given."""


class Autograd(Backend):
    """Autograd as it is, with the functions that it wraps of scipy."""

    name = "autograd"
    capabilities = frozenset(
        {
            Capability.VJP,
            Capability.JVP,
            Capability.CREATE_GRAPH,
            Capability.JACOBIAN,
            Capability.INDEX_CHECKS,
            Capability.COMPLEX,
            Capability.CONVENTIONS,
            Capability.CHECKPOINT,
            Capability.GRADIENT_FUNCTIONS,
            Capability.RULES,
            Capability.SPELLINGS,
        }
    )
    functions: Mapping[str, Callable[..., Any]] = {
        **numpy_names(anp, scipy.special),
        **MORE,
        "getitem": operator.getitem,
        "sigmoid": scipy.special.expit,
        "igamma": scipy.special.gammainc,
        "expand": lambda x, *shape: anp.broadcast_to(x, shape),
        "item": operator.methodcaller("item"),
        "tolist": operator.methodcaller("tolist"),
    }

    @property
    def version(self) -> str:
        return metadata.version("autograd")

    def lacking(self, dtype: str, device: str) -> frozenset[str]:
        if dtype == "float32":
            return FLOAT64
        # The sigmoid is SciPy's, which has it of real numbers only.
        return frozenset(["sigmoid"] if dtype.startswith("complex") else ())

    def tensor(self, array: np.ndarray[Any, Any], dtype: str, device: str) -> Array:
        memory, shape, strides, offset = layout_of(array)
        own = memory.astype(dtype)
        item = own.itemsize
        return np.ndarray(shape, own.dtype, own, offset * item, [item * s for s in strides])

    def numpy(self, x: Array) -> np.ndarray[Any, Any]:
        # A box of an outer function lies around a box of an inner one.
        while (inner := getval(x)) is not x:
            x = inner
        return np.array(x)

    def dtype_of(self, x: Array) -> str:
        return str(x.dtype)

    def error_kind(self, error: Exception) -> ErrorKind | None:
        text = str(error)
        return next((kind for part, kind in KINDS.items() if part in text), None)

    def spellings(self, name: str) -> Mapping[str, Callable[..., Any]]:
        return spellings_of(name, self.functions[name])

    # ---- derivatives of a function ---------------------------------------------------------------

    def vjp(
        self, function: Callable[..., Array], *inputs: Array, create_graph: bool = False
    ) -> tuple[Array, Callable[[Array], Sequence[Array | None]]]:
        if len(inputs) == 1:
            # Of a tuple each gradient is added to zeros, whatever it is by itself.
            pull, value = autograd.make_vjp(function)(*inputs)
            return value, lambda cotangent: (pull(cotangent),)
        pull, value = autograd.make_vjp(function, tuple(range(len(inputs))))(*inputs)
        # While it is recorded what Autograd returns is a box of its own.
        return value, lambda cotangent: tuple(pull(cotangent))

    def jvp(
        self,
        function: Callable[..., Array],
        inputs: Sequence[Array],
        tangents: Sequence[Array],
    ) -> tuple[Array, Array]:
        push = autograd.make_jvp(function, tuple(range(len(inputs))))(*inputs)
        value, tangent = push(tuple(tangents))
        return value, tangent

    def checkpoint(self, function: Callable[..., Array], *inputs: Array) -> Array:
        return autograd.checkpoint(function)(*inputs)

    def jacobian(self, function: Callable[[Array], Array], x: Array) -> Array:
        return autograd.jacobian(function)(x)

    # ---- functions of functions ------------------------------------------------------------------

    def gradient_of(
        self, function: Callable[..., Array], which: int | tuple[int, ...]
    ) -> Callable[..., Any]:
        made: Callable[..., Any] = autograd.grad(function, which)
        return made

    def value_and_gradient_of(
        self, function: Callable[..., Array], which: int | tuple[int, ...]
    ) -> Callable[..., tuple[Array, Any]]:
        made: Callable[..., tuple[Array, Any]] = autograd.value_and_grad(function, which)
        return made

    def gradient_and_rest_of(
        self, function: Callable[..., tuple[Array, Array]], which: int
    ) -> Callable[..., tuple[Array, Array]]:
        made: Callable[..., tuple[Array, Array]] = autograd.grad_and_aux(function, which)
        return made

    def with_pullback(
        self, function: Callable[..., Array], pullback: Callable[..., Any]
    ) -> Callable[..., Array]:
        ruled: Callable[..., Array] = extend.primitive(function)

        def rule(argnums: Sequence[int], value: Array, inputs: Any, named: Any) -> Any:
            del value, named
            return lambda cotangent: [pullback(inputs, cotangent)[n] for n in argnums]

        extend.defvjp_argnums(ruled, rule)
        return ruled
