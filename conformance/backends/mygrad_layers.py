"""Layers, losses and norms of MyGrad, under gradspec's names.

A convolution of MyGrad knows no groups and no bias, and like its pools it refuses windows that
leave something over; its losses are means that count all alike, and its norms are those of one
axis. What is asked for beyond that is put together of what it has: of parts, of single rows, and of
one axis in the place of several.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mygrad
import numpy as np
from mygrad import Tensor, nnet

from .windows import Sizes, spread, taken

Pairs = Sequence[tuple[int, int]]


# ---- windows -------------------------------------------------------------------------------------


def framed(x: Tensor, pairs: Pairs) -> Tensor:
    """Put zeros around the last axes; less than none are entries cut off at the end."""
    kept = [
        slice(n + min(after, 0))
        for n, (_, after) in zip(x.shape[-len(pairs) :], pairs, strict=True)
    ]
    inner = x[(..., *kept)]
    pairs = [(before, max(after, 0)) for before, after in pairs]
    if not any(map(any, pairs)):
        return inner
    lead, sizes = inner.shape[: -len(pairs)], inner.shape[-len(pairs) :]
    whole = [n + before + after for n, (before, after) in zip(sizes, pairs, strict=True)]
    places = [slice(before, before + n) for n, (before, _) in zip(sizes, pairs, strict=True)]
    made = mygrad.zeros((*lead, *whole), dtype=x.dtype, constant=False)
    made[(..., *places)] = inner
    return made


def convolution(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Any = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve images or one image, by groups; what no window covers is cut off."""
    if x.ndim < weight.ndim:
        made = convolution(x[None], weight, bias, stride, padding, dilation, groups)
        return made[0]
    axes = weight.ndim - 2
    strides, gaps = spread(stride, axes), spread(dilation, axes)
    reach = [gap * (n - 1) for gap, n in zip(gaps, weight.shape[2:], strict=True)]
    if padding == "same":
        around = [(n // 2, n - n // 2) for n in reach]
    else:
        around = [(n, n) for n in spread(0 if padding == "valid" else padding, axes)]
    over = [
        (n + sum(pair) - far - 1) % step
        for n, pair, far, step in zip(x.shape[2:], around, reach, strides, strict=True)
    ]
    if not any(over) and all(before == after for before, after in around):
        own = tuple(before for before, _ in around)
    else:
        own = (0,) * axes
        x = framed(
            x, [(before, after - rest) for (before, after), rest in zip(around, over, strict=True)]
        )
    # Rounded up, so that channels that no group takes are refused.
    inner, outer = -(-x.shape[1] // groups), weight.shape[0] // groups
    parts = [
        nnet.conv_nd(
            x[:, n * inner : (n + 1) * inner], weight[n * outer : (n + 1) * outer],
            stride=strides, padding=own, dilation=gaps,
        )
        for n in range(groups)
    ]  # fmt: skip
    made = mygrad.concatenate(parts, axis=1) if groups > 1 else parts[0]
    return made if bias is None else made + bias.reshape(-1, *(1,) * axes)


def max_pool(axes: int) -> Callable[..., Tensor]:
    """Reduce windows to their largest entries, those of an axis that has been laid out."""

    def pool(
        x: Tensor,
        size: Sizes,
        *,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        dilation: Sizes = 1,
    ) -> Tensor:
        sizes, around, gaps = (spread(each, axes) for each in (size, padding, dilation))
        steps = spread(size if stride is None else stride, axes)
        apart = []
        for axis, *window in zip(range(-axes, 0), sizes, steps, around, gaps, strict=True):
            places, step = taken(x.shape[axis], *window, ceil=ceil_mode)
            apart.append(step)
            if not np.array_equal(places, np.arange(x.shape[axis])):
                x = x[(..., places, *(slice(None),) * ~axis)]
        return nnet.max_pool(x, sizes, tuple(apart))

    return pool


# ---- losses --------------------------------------------------------------------------------------


def together(rows: Sequence[Tensor], reduction: str) -> Tensor:
    """Return losses of single rows, their sum or their mean."""
    made = mygrad.stack(rows)
    return made if reduction == "none" else getattr(mygrad, reduction)(made)


def of_classes(mean: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Let a mean of losses of rows have weights, labels that do not count, shares, and sums.

    A weighted mean is divided by the sum of weights, where that of MyGrad counts rows.
    """

    def call(
        x: Tensor,
        target: Tensor,
        *,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> Tensor:
        axis = min(1, x.ndim - 1)
        classes, rows = x.shape[axis], rows_of(x, axis)
        of = x.dtype.type
        weights = np.ones(classes, x.dtype) if weight is None else weight.data
        shares: Any
        if target.dtype.kind == "i":
            own = target.data.reshape(-1)
            counts, places = own != ignore_index, target.shape
            whole = weights[own[counts]].sum()
            if reduction == "mean" and counts.all() and not label_smoothing:
                if weight is None:
                    return mean(rows, own)
                if mean is nnet.negative_log_likelihood:
                    return mean(rows, own, weights=weights) * of(len(own) / whole)
            shares = np.eye(classes, dtype=x.dtype)[own * counts]
        else:
            shares, places = rows_of(target, axis), (*x.shape[:axis], *x.shape[axis + 1 :])
            whole, counts = len(rows), np.ones(len(rows), bool)
        made = []
        for n in range(len(rows)):
            total = mygrad.zeros((), dtype=x.dtype)
            for k in range(classes) if counts[n] else ():
                share = shares[n, k] * of(1 - label_smoothing) + of(label_smoothing / classes)
                if isinstance(share, Tensor) or share:
                    total = total + share * weights[k] * mean(rows[n : n + 1], np.array([k]))
            made.append(total)
        found = together(made, "sum" if reduction == "mean" else reduction)
        return (
            found / of(whole)
            if reduction == "mean"
            else found.reshape(places if reduction == "none" else ())
        )

    return call


def rows_of(x: Tensor, axis: int) -> Tensor:
    """Make the classes of each sample a row."""
    return mygrad.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])


def multi_margin(
    x: Tensor,
    labels: Tensor,
    *,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Compare the label of each row with other classes, all at once or by their squares."""
    own, classes = labels.data, x.dtype.type(x.shape[1])
    if p == 1 and weight is None and reduction == "mean":
        return nnet.multiclass_hinge(x, own, margin) / classes
    rows = []
    for n, label in enumerate(own):
        pairs = [x[n : n + 1, [label, other]] for other in range(x.shape[1]) if other != label]
        gaps = [nnet.multiclass_hinge(pair, own[:1] * 0, margin) for pair in pairs]
        whole = mygrad.stack(gaps) ** x.dtype.type(p)
        made = whole.sum() / classes
        rows.append(made if weight is None else made * weight[int(label)])
    return together(rows, reduction)


def margin_ranking(
    x: Tensor, y: Tensor, side: Tensor, *, reduction: str = "mean", margin: float = 0.0
) -> Tensor:
    """Compare entries that are to stand in order."""
    x, y = x.reshape(-1), y.reshape(-1)
    shape, sides = side.shape, side.data.reshape(-1)
    if reduction == "mean":
        return nnet.margin_ranking_loss(x, y, sides, margin)
    if not sides.size:
        return (x + y).reshape(shape) if reduction == "none" else (x + y).sum()
    each = [
        nnet.margin_ranking_loss(x[n : n + 1], y[n : n + 1], sides[n : n + 1], margin)
        for n in range(len(sides))
    ]
    made = together(each, reduction)
    return made.reshape(shape) if reduction == "none" else made


# ---- norms ---------------------------------------------------------------------------------------


def norm_of(x: Tensor, order: float = 2, dim: Any = None, keepdim: bool = False) -> Tensor:  # noqa: FBT001, FBT002
    """Take the norm along one axis, or along several that are made one."""
    if isinstance(dim, int):
        return mygrad.linalg.norm(x, order, dim, keepdim)
    dims = [n % x.ndim for n in (range(x.ndim) if dim is None else dim)]
    if len(dims) == 1:
        return mygrad.linalg.norm(x, order, dims[0], keepdim)
    rest = [n for n in range(x.ndim) if n not in dims]
    flat = mygrad.transpose(x, *rest, *dims).reshape(*(x.shape[n] for n in rest), -1)
    made = mygrad.linalg.norm(flat, order, -1)
    kept = [1 if n in dims else size for n, size in enumerate(x.shape)]
    return made.reshape(*kept) if keepdim else made


LAYERS: Mapping[str, Callable[..., Any]] = {
    **{f"conv{n}d_options": convolution for n in (1, 2, 3)},
    **{f"conv{n}d": convolution for n in (1, 2, 3)},
    **{f"conv{n}d_grouped": convolution for n in (1, 2)},
    **{f"conv{n}d_axes": convolution for n in (2, 3)},
    "conv1d_single": convolution,
    "max_pool2d_axes": max_pool(2),
    "max_pool2d_padded": max_pool(2),
    **{f"max_pool{n}d": max_pool(n) for n in (1, 3)},
    "nll_loss": of_classes(nnet.negative_log_likelihood),
    "nll_loss_options": of_classes(nnet.negative_log_likelihood),
    "cross_entropy_options": of_classes(nnet.softmax_crossentropy),
    "multi_margin_loss": multi_margin,
    "margin_ranking_loss": margin_ranking,
    "norm_order": norm_of,
    "vector_norm": norm_of,
    "norm_options": lambda x, p=2, dim=None, keepdim=False: norm_of(
        x, 2 if p == "fro" else p, dim, keepdim
    ),
}
"""All of them."""
