"""Further functions of MLX, under gradspec's names: what several entries are written to, orders."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mlx import core as mx
from mlx.nn import losses

from .mlx_more import places, put, scattered, written
from .numpy_names import key

Function = Callable[..., Any]

# ---- places --------------------------------------------------------------------------------------

REDUCED: Mapping[str, tuple[str, float]] = {
    "sum": ("add", 0),
    "prod": ("multiply", 1),
    "amax": ("maximum", -math.inf),
    "amin": ("minimum", math.inf),
}
"""What entries that go to one place may come to: MLX's word for it, and what changes nothing."""


def reduced_at(kind: str, place: Function, part: Function) -> Function:
    """Join what goes to one place, with what is there or without it."""
    word, nothing = REDUCED[kind]

    def call(
        x: mx.array, dim: int, index: mx.array, src: mx.array, include_self: bool = True  # noqa: FBT001, FBT002
    ) -> mx.array:  # fmt: skip
        where = place(x, index, dim)
        x = x if include_self else written(x, where, mx.array(nothing, x.dtype))
        made: mx.array = getattr(x.at[where], word)(part(src, index))
        return made

    return call


def near(src: mx.array, index: mx.array) -> mx.array:
    """Leave out what lies beyond the index."""
    return src[tuple(map(slice, index.shape))]


def written_flat(
    x: mx.array, index: mx.array, src: mx.array, accumulate: bool = False  # noqa: FBT001, FBT002
) -> mx.array:  # fmt: skip
    """Write to places in row-major order, or add to them."""
    flat = (index.reshape(-1),)
    return put(x.reshape(-1), flat, src.reshape(-1), accumulate).reshape(x.shape)


def cut(x: mx.array, sizes: Sequence[int], dim: int = 0) -> tuple[mx.array, ...]:
    """Cut into parts of these sizes."""
    ends = [sum(sizes[: n + 1]) for n in range(len(sizes) - 1)]
    return tuple(mx.split(x, ends, axis=dim))


def at(x: mx.array, dim: int, index: Any) -> tuple[Any, ...]:
    """Index one axis, counted from the first: after an ellipsis is where `index_add_options` is."""
    return key(dim % x.ndim, index)


PLACES: Mapping[str, Function] = {
    "gather": lambda x, dim, index: x[places(index, dim)],
    "gather_part": lambda x, dim, index: x[places(index, dim)],
    "take_along_dim_flat": lambda x, index: mx.take_along_axis(x, index.reshape(-1), axis=None),
    "select": lambda x, dim, index: x[at(x, dim, index)],
    "index_add": lambda x, dim, index, src: x.at[at(x, dim, index)].add(src),
    "index_add_alpha": lambda x, dim, index, src, alpha: x.at[at(x, dim, index)].add(alpha * src),
    "index_copy": lambda x, dim, index, src: written(x, at(x, dim, index), src),
    "index_fill": lambda x, dim, index, value: written(x, at(x, dim, index), value),
    "index_fill_tensor": lambda x, dim, index, y: written(x, at(x, dim, index), y),
    "index_put_wide": put,
    "index_put_ends": put,
    "put": written_flat,
    "scatter_part": scattered,
    "scatter_add_part": lambda x, dim, index, src: x.at[places(index, dim)].add(near(src, index)),
    "select_scatter": lambda x, src, dim, index: mx.slice_update(
        x, mx.expand_dims(src, dim), mx.array([index % x.shape[dim]]), [dim]
    ),
    "slice_scatter_ends": lambda x, src, dim, start, end, step: written(
        x, at(x, dim, slice(start, end, step)), src
    ),
    "split_sizes": cut,
    **{
        f"scatter_reduce_{kind}": reduced_at(kind, lambda _, *at: places(*at), near)
        for kind in REDUCED
    },
    **{
        f"index_reduce_{kind}": reduced_at(
            kind, lambda x, index, dim: at(x, dim, index), lambda src, _: src
        )
        for kind in REDUCED
        if kind != "sum"
    },
}
"""What is read from places and written to them."""

# ---- orders --------------------------------------------------------------------------------------


def backwards(x: mx.array, dim: int) -> mx.array:
    """Turn an axis around: MLX knows one direction, and what is no number comes last in it."""
    return x[at(x, dim, slice(None, None, -1))]


def sorted_along(
    x: mx.array, dim: int = -1, descending: bool = False, **stable: bool  # noqa: FBT001, FBT002
) -> tuple[mx.array, mx.array]:  # fmt: skip
    """Sort, and say from where entries come."""
    del stable
    found = mx.sort(x, axis=dim), mx.argsort(mx.stop_gradient(x), axis=dim)
    return (backwards(found[0], dim), backwards(found[1], dim)) if descending else found


def best(
    x: mx.array, k: int, dim: int = -1, largest: bool = True, **ordered: bool  # noqa: FBT001, FBT002
) -> tuple[mx.array, mx.array]:  # fmt: skip
    """Put in order what `topk` and `partition` return in any."""
    del ordered
    places = sorted_along(x, dim, largest)[1][at(x, dim, slice(k))]
    if largest:
        return backwards(mx.sort(mx.topk(x, k, axis=dim), axis=dim), dim), places
    low = mx.partition(x, min(k, x.shape[dim] - 1), axis=dim)[at(x, dim, slice(k))]
    return mx.sort(low, axis=dim), places


ORDERS: Mapping[str, Function] = {
    "sort": sorted_along,
    "sort_options": sorted_along,
    "topk": best,
    "topk_options": best,
    "argsort": lambda x, dim=-1: mx.argsort(x, axis=dim),
}
"""What is put in order."""

# ---- products and norms --------------------------------------------------------------------------


def added(c: mx.array, a: mx.array, b: mx.array, *, beta: float = 1, alpha: float = 1) -> mx.array:
    """Add a product of matrices, of batches of them, or of a matrix and a vector."""
    return mx.addmm(c, a, b, alpha=alpha, beta=beta)


def norm(x: mx.array, order: Any = 2, dim: Any = None, keepdim: bool = False) -> mx.array:  # noqa: FBT001, FBT002
    """Take a norm of entries, those of several axes in one row."""
    dims = range(x.ndim) if dim is None else dim
    if isinstance(dims, int):
        return mx.linalg.norm(x, order, dims, keepdim)
    dims = [n % x.ndim for n in dims]
    rest = [n for n in range(x.ndim) if n not in dims]
    together = [*(x.shape[n] for n in rest), math.prod(x.shape[n] for n in dims)]
    flat = mx.transpose(x, [*rest, *dims]).reshape(together)
    made = mx.linalg.norm(flat, order, -1)
    return made.reshape([1 if n in dims else x.shape[n] for n in range(x.ndim)] if keepdim
                        else made.shape)  # fmt: skip


PRODUCTS: Mapping[str, Function] = {
    **{f"{name}{form}": added for name in ("addmm", "baddbmm", "addmv")
       for form in ("", "_wide", "_options", "_nothing") if (name, form) != ("addmv", "_wide")},
    "matmul_batches": mx.matmul,
    "kron_wide": mx.kron,
    "cross_along": lambda x, y, dim: mx.linalg.cross(x, y, axis=dim),
    "norm_order": norm,
    "norm_orders": norm,
    "vector_norm": norm,
    "vector_norm_orders": norm,
    "vector_norm_options": lambda x, ord=2, dim=None, keepdim=False: norm(x, ord, dim, keepdim),  # noqa: A006
}  # fmt: skip
"""Products of matrices, and how long vectors are."""

# ---- attention and losses ------------------------------------------------------------------------


def with_heads(x: mx.array) -> mx.array:
    """Put axes of one entry before others, up to four."""
    return x.reshape((*(1,) * (4 - x.ndim), *x.shape))


def in_one_row(x: mx.array, lead: Sequence[int]) -> mx.array:
    """Repeat a batch for the axes that lead, and make those one."""
    return mx.broadcast_to(x, (*lead, *x.shape[-3:])).reshape((math.prod(lead), *x.shape[-3:]))


def attention(
    q: mx.array,
    k: mx.array,
    v: mx.array,
    attn_mask: mx.array | None = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> mx.array:
    """Let attention read heads, or positions alone; of batches that differ one is repeated."""
    del enable_gqa
    axes = q.ndim
    q, k, v = map(with_heads, (q, k, v))
    lead = mx.broadcast_shapes(*(x.shape[:-3] for x in (q, k, v)))
    mask: Any = None
    if is_causal:
        # What MLX calls causal ends at the last key for the last query.
        seen = mx.tril(mx.ones((q.shape[-2], k.shape[-2]))).astype(mx.bool_)
        mask = "causal" if q.shape[-2] == k.shape[-2] else seen
    elif attn_mask is not None:
        mask = in_one_row(with_heads(attn_mask), lead)
    made = mx.fast.scaled_dot_product_attention(
        *(in_one_row(x, lead) for x in (q, k, v)),
        scale=q.shape[-1] ** -0.5 if scale is None else scale,
        mask=mask,
    )
    made = made.reshape((*lead, *made.shape[1:]))
    return made.reshape(made.shape[made.ndim - axes :])


def of_labels(
    x: mx.array,
    labels: mx.array,
    *,
    weight: mx.array | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> mx.array:
    """Tell the loss of each row how much it counts, and divide the sum by how much all count."""
    axis = min(1, x.ndim - 1)
    counts = labels != ignore_index
    at = mx.where(counts, labels, 0)
    known = counts.astype(x.dtype)
    own = known if weight is None else weight[at] * known
    total, made = own.sum(), losses.cross_entropy(x, at, own, axis, label_smoothing)
    if weight is not None and label_smoothing:
        # Of the share of another class its own weight counts, where MLX knows that of the row.
        share = label_smoothing / x.shape[axis]
        for n in range(x.shape[axis]):
            more = share * (weight[n] - weight[at]) * known
            made = made + losses.cross_entropy(x, mx.full(at.shape, n, at.dtype), more, axis)
    return {"none": made, "sum": made.sum(), "mean": made.sum() / total}[reduction]


def diverging(x: mx.array, y: mx.array, *, reduction: str = "mean") -> mx.array:
    """Let a divergence be summed over no axis but one of a single entry."""
    alone = losses.kl_div_loss(x[..., None], y[..., None], reduction="none")
    if reduction == "batchmean":
        return alone.sum() / x.shape[0]
    return alone if reduction == "none" else getattr(mx, reduction)(alone)


def weighed(function: Function, **always: bool) -> Function:
    """Let a weight broadcast."""

    def call(
        x: mx.array, y: mx.array, *, weight: mx.array | None = None, reduction: str = "mean"
    ) -> mx.array:
        counts = None if weight is None else mx.broadcast_to(weight, x.shape)
        made: mx.array = function(x, y, counts, reduction=reduction, **always)
        return made

    return call


def averaged(function: Function) -> Function:
    """Let a loss be a mean unless it is told otherwise, and of tensors that broadcast."""
    return lambda *tensors, reduction="mean", **options: function(
        *mx.broadcast_arrays(*tensors), reduction=reduction, **options
    )


LOSSES: Mapping[str, Function] = {
    **{f"scaled_dot_product_attention{form}": attention for form in ("", "_biased", "_options")},
    "cross_entropy_labels": of_labels,
    "kl_div_log_target": diverging,
    "binary_cross_entropy_weight": weighed(losses.binary_cross_entropy, with_logits=False),
    "binary_cross_entropy_options": weighed(losses.binary_cross_entropy, with_logits=False),
    **{
        f"{name}_options": averaged(getattr(losses, name))
        for name in ("huber_loss", "smooth_l1_loss", "margin_ranking_loss")
    },
}
"""What networks are made of, and what they are judged by."""

# ---- signals -------------------------------------------------------------------------------------


def short_time(
    x: mx.array,
    n_fft: int,
    *,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    return_complex: bool = True,
    **known: Any,
) -> mx.array:
    """Transform parts of a signal; what goes on from its other end is put there first."""
    if center and pad_mode == "circular":
        n = n_fft // 2
        x, center = mx.concatenate([x[..., -n:], x, x[..., :n]], axis=-1), False
    mode = {"replicate": "edge", "circular": "reflect"}.get(pad_mode, pad_mode)
    norm = "ortho" if normalized else "backward"
    made = mx.fft.stft(x, n_fft, center=center, pad_mode=mode, norm=norm, **known)
    return made if return_complex else mx.stack([mx.real(made), mx.imag(made)], axis=-1)


def of_short_times(
    x: mx.array,
    n_fft: int,
    *,
    normalized: bool = False,
    return_complex: bool = False,
    **known: Any,
) -> mx.array:
    """Put a signal together of its parts; that of MLX is real, and it is asked for both of ours."""
    norm = "ortho" if normalized else "backward"
    if not return_complex:
        return mx.fft.istft(x, n_fft, norm=norm, **known)
    known["onesided"] = False
    re, im = (mx.fft.istft(part * x, n_fft, norm=norm, **known) for part in (1, -1j))
    return re + 1j * im


FURTHER: Mapping[str, Function] = {
    **PLACES,
    **ORDERS,
    **PRODUCTS,
    **LOSSES,
    "flatten_ends": mx.flatten,
    "permute_four": mx.transpose,
    "stft_options": short_time,
    "istft_options": of_short_times,
}
"""All of them."""
