"""More functions of MyGrad, under gradspec's names.

Its `squeeze` refuses axes that are longer than one, and its `argmax` keeps no axis: what means
something else, or less, is left out. A condition is an array, as comparisons of MyGrad return it: a
tensor as condition of `where` ends in endless recursion, as results/findings/ show.
"""

from collections.abc import Callable, Mapping
from typing import Any

import mygrad
from mygrad import Tensor
from mygrad.nnet import activations, layers

from .mygrad_layers import LAYERS
from .names import named
from .numpy_options import numpy_options

SAME = """
atleast_1d atleast_2d atleast_3d logaddexp2 sinc positive
isfinite isinf signbit isclose logical_and logical_or logical_xor logical_not
"""
"""Functions of `mygrad` that go by our names."""

OTHERWISE = """
fmod_number remainder_number number_remainder clamp_tensors_wider clamp_tensors_wide
matrix_norm_along where_numbers repeat_interleave_flat
"""
"""Forms of functions that are for constants, or that take less than ours."""

FORMS: Mapping[str, Callable[..., Any]] = {
    "where": lambda condition, x, y: mygrad.where(mygrad.asarray(condition), x, y),
    "pow_number": mygrad.power,
    "number_pow": mygrad.power,
    "clamp_tensors": mygrad.clip,
    "clamp_min": lambda x, low: mygrad.clip(x, low, None),
    "clamp_max": lambda x, high: mygrad.clip(x, None, high),
    "glu": activations.glu,
    "selu": activations.selu,
    "elu_alpha": activations.elu,
    "elu": lambda x: activations.elu(x, 1.0),
    "leaky_relu": activations.leaky_relu,
    "softsign": activations.soft_sign,
    "hardtanh": lambda x, low, high: activations.hard_tanh(x, lower_bound=low, upper_bound=high),
    "multi_dot": mygrad.multi_matmul,
    "repeat_interleave_counts": lambda x, counts, dim: mygrad.repeat(x, counts.data, dim),
    "roll_several": mygrad.roll,
    "prod_all": mygrad.prod,
    "max_all": mygrad.max,
    "min_all": mygrad.min,
}
"""Functions that have another name, or options that have a name of their own here."""


def along(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Let a reduction take axes, and whether to keep them."""
    return lambda x, dims, keepdim: function(x, axis=dims, keepdims=keepdim)


def spread(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Let a measure of spread take axes, what the count is corrected by, and `keepdim`."""
    return lambda x, dims, correction, keepdim: function(
        x, axis=dims, ddof=correction, keepdims=keepdim
    )


def batch_norm(x: Tensor, *rest: Any) -> Tensor:
    """Normalise by the statistics of the batch; there are no other ones."""
    _, _, weight, bias, _, _, eps = rest
    return layers.batchnorm(x, gamma=weight, beta=bias, eps=eps)


def at(dim: int, places: Any) -> tuple[Any, ...]:
    """Return the key of places on an axis, which is counted from either end."""
    return (*dim * (slice(None),), places) if dim >= 0 else (..., places, *~dim * (slice(None),))


def written(x: Tensor, key: Any, value: Any) -> Tensor:
    """Write over entries of a copy: an assignment that is recorded."""
    made = mygrad.positive(x, constant=False)
    made[key] = value
    return made


def put(x: Tensor, keys: tuple[Tensor, ...], values: Tensor, accumulate: bool) -> Tensor:  # noqa: FBT001
    """Write to places, of which none is met twice where entries are added."""
    places = tuple(key.data for key in keys)
    return written(x, places, x[places] + values if accumulate else values)


ENTRIES: Mapping[str, Callable[..., Any]] = {
    "index_select": lambda x, dim, index: x[at(dim, index)],
    "masked_select": lambda x, mask: x[mask.data],
    "masked_fill": written,
    "masked_fill_tensor": written,
    "index_fill_tensor": lambda x, dim, index, value: written(x, at(dim, index), value),
    "index_put_wide": put,
    "index_put_mask": put,
    "index_fill": lambda x, dim, index, value: written(x, at(dim, index), value),
    "index_copy": lambda x, dim, index, source: written(x, at(dim, index), source),
    "select_scatter": lambda x, source, dim, index: written(x, at(dim, index), source),
    "slice_scatter": lambda x, source, dim, start, end, step: written(
        x, at(dim, slice(start, end, step)), source
    ),
}
"""Functions that are an index, or an assignment to one."""


MORE: Mapping[str, Callable[..., Any]] = {
    **named(mygrad, SAME),
    **FORMS,
    **ENTRIES,
    **{name: f for name, f in numpy_options(mygrad).items() if name not in OTHERWISE.split()},
    "sum_several": along(mygrad.sum),
    "any_along": along(mygrad.any),
    "var_several": spread(mygrad.var),
    "std_several": spread(mygrad.std),
    "max_pool2d": lambda x, size: layers.max_pool(x, (size, size), size),
    "batch_norm": batch_norm,
    **LAYERS,
}
"""Every one of them."""
