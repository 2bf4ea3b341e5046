"""TensorFlow, eager and on the CPU, with what it offers under NumPy's names.

TensorFlow can be told once in a process, before its first operation, on what to compute: making
this adapter keeps it off GPUs and on one thread, for everything in the process.
"""

import operator
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from tensorflow.experimental import numpy as tnp

from ..protocol.backend import Backend
from ..protocol.capabilities import Capability
from ..protocol.errors import ErrorKind
from .names import named
from .numpy_names import along, numpy_names
from .tensorflow_functions import MORE

Tensor = Any
"""A `tf.Tensor`."""

KINDS = {
    "Incompatible shapes": ErrorKind.SHAPE,
    "list index out of range": ErrorKind.SHAPE,
    "tuple index out of range": ErrorKind.DIMENSION,
    "expected a dimension of 1": ErrorKind.SHAPE,
    "equal division": ErrorKind.SHAPE,
    "Expected dimension": ErrorKind.SHAPE,
    "ndims must be": ErrorKind.SHAPE,
    "size-incompatible": ErrorKind.SHAPE,
    "different ndims": ErrorKind.SHAPE,
    "must be the same": ErrorKind.SHAPE,
    "must match": ErrorKind.SHAPE,
    "Invalid reduction dimension": ErrorKind.DIMENSION,
    "not in range": ErrorKind.DIMENSION,
    "to be a double tensor": ErrorKind.DTYPE,
    "to be a float tensor": ErrorKind.DTYPE,
}
"""Parts of TensorFlow's messages."""

OTHERWISE = "std"
"""What takes no correction."""

REAL = frozenset({"conv_transpose2d", "pinv"})
"""What there is of real numbers only."""

MATH = """
abs acos acosh add asin asinh atan atan2 atanh ceil cos cosh count_nonzero erf exp expm1 floor
igamma log log1p maximum minimum pow reciprocal round rsqrt sigmoid sign sin sinh softplus sqrt
square tan tanh xlogy
sub=subtract mul=multiply neg=negative remainder=floormod floor_divide=floordiv isnan=is_nan
logsigmoid=log_sigmoid eq=equal ne=not_equal lt=less le=less_equal gt=greater ge=greater_equal
"""
ALONG = """
sum=reduce_sum mean=reduce_mean prod=reduce_prod amax=reduce_max amin=reduce_min
logsumexp=reduce_logsumexp softmax log_softmax cumsum cumprod logcumsumexp=cumulative_logsumexp
"""
NN = "elu gelu leaky_relu relu relu6 silu"
LINALG = "cholesky det inverse=inv mv=matvec solve trace"
CORE = """
broadcast_to clone=identity einsum flip=reverse hardtanh=clip_by_value nonzero=where ones_like
permute=transpose reshape roll squeeze stop_gradient tensordot unsqueeze=expand_dims where
zeros_like
"""
NUMPY = "deg2rad fliplr flipud rad2deg trunc=fix"
"""Our names for functions of `tf.math`, `tf.nn`, `tf.linalg`, `tf` and `tf.experimental.numpy`, and
theirs where they differ; those in `ALONG`, of `tf.math`, take an axis.
"""


class TensorFlow(Backend):
    """TensorFlow as it is: what is differentiated is what a tape watches while it is computed."""

    name = "tensorflow"
    capabilities = frozenset(
        {
            Capability.VJP,
            Capability.JVP,
            Capability.CREATE_GRAPH,
            Capability.JACOBIAN,
            Capability.CONVENTIONS,
            Capability.COMPLEX,
        }
    )
    example_divisor = 4
    functions: Mapping[str, Callable[..., Any]] = {
        **{
            name: function
            for name, function in numpy_names(tnp).items()
            if name not in OTHERWISE.split()
        },
        **named(tnp, NUMPY),
        **named(tf.math, MATH),
        **{name: along(function) for name, function in named(tf.math, ALONG).items()},
        **named(tf.nn, NN),
        **named(tf.linalg, LINALG),
        **named(tf, CORE),
        **MORE,
        "mm": lambda x, y: tf.raw_ops.MatMul(a=x, b=y),
        "bmm": lambda x, y: tf.raw_ops.BatchMatMul(x=x, y=y),
        "repeat_interleave": lambda x, times, dim: tf.repeat(x, times, axis=dim),
        "take": lambda x, index: tnp.take(x, index, mode="wrap"),
        "index_select": lambda x, dim, index: tf.gather(x, index, axis=dim),
        "embedding": lambda index, weight: tf.nn.embedding_lookup(weight, index),
        "one_hot": lambda labels, classes: tf.one_hot(labels, classes, dtype=tf.int64),
        "unbind": lambda x, dim=0: tf.unstack(x, axis=dim),
        "cat": lambda tensors, dim=0: tf.concat(tensors, axis=dim),
        "concat": lambda tensors, dim=0: tf.concat(tensors, axis=dim),
        "stack": lambda tensors, dim=0: tf.stack(tensors, axis=dim),
        "normalize": lambda x, dim=1: tf.math.l2_normalize(x, axis=dim),
        "expand": lambda x, *shape: tf.broadcast_to(x, shape),
        "shape": lambda x: tuple(x.shape),
        "dim": operator.attrgetter("ndim"),
    }

    def __init__(self) -> None:
        tf.config.set_visible_devices([], "GPU")
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)

    @property
    def version(self) -> str:
        return str(tf.__version__)

    def lacking(self, dtype: str, device: str) -> frozenset[str]:
        return REAL if dtype.startswith("complex") else frozenset()

    def tensor(self, array: np.ndarray[Any, Any], dtype: str, device: str) -> Tensor:
        return tf.constant(array, dtype)

    def numpy(self, x: Tensor) -> np.ndarray[Any, Any]:
        return np.asarray(x.numpy())

    def dtype_of(self, x: Tensor) -> str:
        return str(x.dtype.name)

    def error_kind(self, error: Exception) -> ErrorKind | None:
        text = str(error)
        return next((kind for part, kind in KINDS.items() if part in text), None)

    def state(self) -> Mapping[str, object]:
        return {"eager": tf.executing_eagerly()}

    # ---- derivatives of a function ---------------------------------------------------------------

    def vjp(
        self, function: Callable[..., Tensor], *inputs: Tensor, create_graph: bool = False
    ) -> tuple[Tensor, Callable[[Tensor], Sequence[Tensor | None]]]:
        # A tape knows tensors, not arguments: one that is given twice is two.
        watched = [tf.identity(x) for x in inputs]
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(watched)
            value = function(*watched)

        def pull(cotangent: Tensor) -> Sequence[Tensor | None]:
            gradients = tape.gradient(value, watched, output_gradients=cotangent)
            # Of rows that were picked the gradient is sparse.
            return [None if g is None else tf.convert_to_tensor(g) for g in gradients]

        return value, pull

    def jvp(
        self,
        function: Callable[..., Tensor],
        inputs: Sequence[Tensor],
        tangents: Sequence[Tensor],
    ) -> tuple[Tensor, Tensor]:
        watched = [tf.identity(x) for x in inputs]
        with tf.autodiff.ForwardAccumulator(watched, list(tangents)) as accumulator:
            value = function(*watched)
        return value, accumulator.jvp(value, tf.UnconnectedGradients.ZERO)

    def jacobian(self, function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = function(x)
        return tape.jacobian(value, x, tf.UnconnectedGradients.ZERO)
