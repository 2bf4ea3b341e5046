"""More of JAX, under gradspec's names: what masks choose, and calls by all of their options."""

from collections.abc import Callable, Mapping
from typing import Any

import jax
from jax import Array, lax
from jax import numpy as jnp
from jax.scipy import special

from .jax_windows import avg_pool, patches
from .numpy_meeting import numpy_meeting
from .numpy_names import key
from .windows import spread

NOT_ALL = "svd_options"
"""What JAX has no derivatives of where all is drawn."""


def chosen(function: Callable[..., Array], **start: float) -> Callable[..., Array]:
    """Let a reduction look at what a mask selects."""

    def call(x: Array, dim: int, *, mask: Array, keepdim: bool = False) -> Array:
        return function(x, axis=dim, keepdims=keepdim, where=mask, **start)

    return call


def attention(
    q: Array,
    k: Array,
    v: Array,
    attn_mask: Array | None = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Array:
    """Let attention read heads after positions, and values as wide as keys."""
    del enable_gqa
    width, wide = max(q.shape[-1], v.shape[-1]), v.shape[-1]

    def with_heads(x: Array) -> Array:
        x = x[None] if x.ndim == 2 else x
        return x[:, None] if x.ndim == 3 else x

    # Zeros beside what is there change nothing but the width.
    full = [jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, width - x.shape[-1])]) for x in (q, k, v)]
    heads = [*map(with_heads, full)]
    batch = max(x.shape[0] for x in heads)
    laid = [jnp.swapaxes(jnp.broadcast_to(x, (batch, *x.shape[1:])), 1, 2) for x in heads]
    known = {}
    if attn_mask is not None:
        each = with_heads(jnp.broadcast_to(attn_mask, (*q.shape[:-1], k.shape[-2])))
        each = jnp.broadcast_to(each, (batch, *each.shape[1:]))
        known = {"mask" if each.dtype == bool else "bias": each}
    usual = q.shape[-1] ** -0.5
    made = jax.nn.dot_product_attention(
        *laid, is_causal=is_causal, scale=usual if scale is None else scale, **known
    )
    made = jnp.swapaxes(made, 1, 2)[..., :wide]
    made = made[:, 0] if q.ndim < 4 else made
    return made[0] if q.ndim < 3 else made


def convolution(
    x: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
) -> Array:
    """Convolve images or one image, by any options."""
    axes = weight.ndim - 2
    alone = x.ndim == axes + 1
    around = [(n, n) for n in spread(padding, axes)] if not isinstance(padding, str) else None
    made: Array = lax.conv_general_dilated(
        x[None] if alone else x, weight, spread(stride, axes), around or padding.upper(),
        rhs_dilation=spread(dilation, axes), feature_group_count=groups,
    )  # fmt: skip
    made = made if bias is None else made + bias.reshape((-1, *(1,) * axes))
    return made[0] if alone else made


def sorted_along(x: Array, dim: int = -1, **known: Any) -> tuple[Array, Array]:
    """Sort, and say from where entries come."""
    return jnp.sort(x, axis=dim, **known), jnp.argsort(x, axis=dim, **known)


def best(x: Array, k: int, dim: int = -1, *, largest: bool = True, **ordered: bool) -> Any:
    """Call `top_k`, which knows the largest entries only, and orders them."""
    del ordered
    values, found = lax.top_k(x if largest else -x, k, axis=dim)
    return (values if largest else -values), found


STILL_MORE: Mapping[str, Callable[..., Any]] = {
    **numpy_meeting(jnp, jax.nn, jax.scipy.special, without=NOT_ALL.split()),
    "ldexp_options": jnp.ldexp,
    "masked_prod": chosen(jnp.prod),
    "masked_logsumexp": chosen(special.logsumexp),
    "masked_log_softmax": lambda x, dim, mask: jax.nn.log_softmax(x, axis=dim, where=mask),
    "index_add_options": lambda x, dim, index, src, alpha=1: x.at[key(dim, index)].add(alpha * src),
    **{f"conv{n}d_options": convolution for n in (1, 2, 3)},
    **{f"avg_pool{n}d_options": avg_pool(n) for n in (1, 2, 3)},
    "unfold_patches_options": patches,
    "scaled_dot_product_attention_options": attention,
    "logcumsumexp_options": lambda x, dim: lax.cumlogsumexp(x, axis=dim % x.ndim),
    "solve_triangular_options": lambda a, b, *, upper, left=True, unitriangular=False: (
        lax.linalg.triangular_solve(
            a, b, left_side=left, lower=not upper, unit_diagonal=unitriangular
        )
    ),
    "repeat_interleave_options": lambda x, times, *, dim=None, output_size=None: jnp.repeat(
        x, times, axis=dim, total_repeat_length=output_size
    ),
    "sort_options": sorted_along,
    "sort_stable_options": sorted_along,
    "topk_options": best,
}
"""All of these."""
