"""Attention, recurrent cells, and tables of rows."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..truth.oracles.elementary import sigmoid
from .arguments import Arguments, Drawing
from .drawing import HALVES, SMALL, SMALL_POSITIVE, Array, Draw
from .operation import Operation
from .parts import RANKED, floats, pick


def attended(q: Array, k: Array, v: Array, mask: Any, scale: float) -> Array:
    """Mean values, weighed by how well keys fit a query (Vaswani et al., 2017, eq. 1)."""
    return weighed_by(q, k, mask, scale) @ v


def weighed_by(q: Array, k: Array, mask: Any, scale: float) -> Array:
    """How much each value counts for a query."""
    scores = (q @ k.swapaxes(-2, -1)) * scale
    seen: Any = True
    if mask is not None and mask.dtype == bool:
        seen = mask
    elif mask is not None:
        scores = scores + mask
    top = np.max(np.where(seen, floats(scores), -math.inf), axis=-1, keepdims=True)
    powers = pick(seen, np.exp(pick(seen, scores - top, 0)), 0)
    result: Array = powers / powers.sum(-1, keepdims=True)
    return result


def attention(
    q: Array, k: Array, v: Array, attn_mask: Array | None, is_causal: bool, scale: float | None,  # noqa: FBT001
    enable_gqa: bool,  # noqa: FBT001
) -> Array:  # fmt: skip
    """The same, with PyTorch's options."""
    if enable_gqa:
        times = q.shape[-3] // k.shape[-3]
        k, v = np.repeat(k, times, -3), np.repeat(v, times, -3)
    if is_causal:
        attn_mask = np.tri(q.shape[-2], k.shape[-2]) > 0
    return attended(q, k, v, attn_mask, 1 / math.sqrt(q.shape[-1]) if scale is None else scale)


def queries(d: Draw) -> Arguments:
    """Draw queries, keys and values, and what is asked of them."""
    q, k, v = d.shapes(
        ((1, 1, 2, 2), (1, 1, 3, 2), (1, 1, 3, 1)),
        ((2, 2, 1), (2, 2, 1), (2, 2, 2)),
        ((1, 2, 2, 1), (1, 2, 1, 1), (1, 2, 1, 2)),
        ((1, 2, 2, 1), (1, 1, 2, 1), (1, 1, 2, 1)),
        ((1, 2, 2, 2), (1, 2, 3, 2), (1, 2, 3, 2)),
    )
    tensors = tuple(d.array(shape, HALVES) for shape in (q, k, v))
    how, place = d.pick("bias", "some", "causal", None), (q[-2], k[-2])
    mask = None
    if how == "bias":
        mask = d.array(place, SMALL, fixed=True)
    if how == "some":
        mask = d.mask(place) | (np.arange(k[-2]) == 0)
    named = {"attn_mask": mask, "is_causal": how == "causal", "scale": d.pick(None, 0.5),
             "enable_gqa": q[-3] != k[-3]}  # fmt: skip
    return Arguments(tensors, (), named)


def call_attention(be: Any, *tensors: Any, attn_mask: Array | None, **named: Any) -> Any:
    """Call attention with a mask that is a constant."""
    mask = None if attn_mask is None else be.tensor(attn_mask)
    return be.scaled_dot_product_attention(*tensors, attn_mask=mask, **named)


def multi_head(
    q: Array, k: Array, v: Array, inner: Array, shift: Array, outer: Array, last: Array, heads: int
) -> list[Array]:
    """Attention of several heads between linear maps: places, samples, entries."""
    size = q.shape[-1]
    each = [
        x @ inner[n * size : (n + 1) * size].T + shift[n * size : (n + 1) * size]
        for n, x in enumerate((q, k, v))
    ]

    def by_heads(x: Array) -> Array:
        return np.transpose(x.reshape((*x.shape[:2], heads, -1)), (1, 2, 0, 3))

    queries, keys, values = map(by_heads, each)
    counts = weighed_by(queries, keys, None, 1 / math.sqrt(size // heads))
    joined = np.transpose(counts @ values, (2, 0, 1, 3)).reshape((q.shape[0], q.shape[1], size))
    return [joined @ outer.T + last, counts.mean(1)]


def many_heads(d: Draw) -> Arguments:
    """Draw queries, keys, values and all weights of two entries in one head or two."""
    places, samples = d.sized((1, 1), (2, 1))
    shapes = [(1, samples, 2), *[(places, samples, 2)] * 2, (6, 2), (6,), (2, 2), (2,)]
    return Arguments(tuple(d.array(shape, HALVES) for shape in shapes), (d.pick(2, 1),))


def call_heads(be: Any, q: Any, k: Any, v: Any, *weights: Any) -> Any:
    """Call it as PyTorch writes it."""
    inner, shift, outer, last, heads = weights
    return be.multi_head_attention_forward(
        q, k, v, 2, heads, inner, shift, None, None, False, 0.0, outer, last
    )


# ---- recurrent cells -----------------------------------------------------------------------------


def cells(gates: int, states: int) -> Drawing:
    """Draw an input, a state or two, two matrices and two biases."""

    def draw(d: Draw) -> Arguments:
        n, size, hidden = d.sized((1, 2, 1), (2, 1, 1), (1, 1, 2))
        shapes = [(n, size), *[(n, hidden)] * states, (gates * hidden, size),
                  (gates * hidden, hidden), (gates * hidden,), (gates * hidden,)]  # fmt: skip
        return Arguments(tuple(d.array(shape, HALVES) for shape in shapes))

    return draw


def mapped(x: Array, weight: Array, bias: Array, gates: int) -> list[Array]:
    """Map rows linearly, and split what comes of it by gates."""
    return list(np.split(x @ weight.T + bias, gates, axis=-1))


def simple(activation: Callable[[Any], Any]) -> Callable[..., Array]:
    """The next state of a network of Elman's."""

    def forward(x: Array, h: Array, w: Array, u: Array, a: Array, b: Array) -> Array:
        result: Array = activation(x @ w.T + a + (h @ u.T + b))
        return result

    return forward


def gated(x: Array, h: Array, w: Array, u: Array, a: Array, b: Array) -> Array:
    """The next state of a gated unit (Cho et al., 2014), its gates in PyTorch's order."""
    (r, z, n), (hr, hz, hn) = mapped(x, w, a, 3), mapped(h, u, b, 3)
    new, keep = np.tanh(n + sigmoid(r + hr) * hn), sigmoid(z + hz)
    result: Array = (1 - keep) * new + keep * h
    return result


def remembering(
    x: Array, h: Array, c: Array, w: Array, u: Array, a: Array, b: Array
) -> list[Array]:
    """The next state and cell of long short-term memory, its gates in PyTorch's order."""
    parts = [p + q for p, q in zip(mapped(x, w, a, 4), mapped(h, u, b, 4), strict=True)]
    enter, keep, new, out = parts
    cell = sigmoid(keep) * c + sigmoid(enter) * np.tanh(new)
    return [sigmoid(out) * np.tanh(cell), cell]


# ---- tables of rows ------------------------------------------------------------------------------

REDUCED: dict[str, Callable[[Array], Array]] = {
    "sum": lambda rows: rows.sum(0),
    "mean": lambda rows: rows.mean(0),
    "max": lambda rows: np.max(rows, axis=0),
}


def bags(table: Array, index: Array, offsets: Array, mode: str) -> Array:
    """Put the rows of each bag together."""
    ends = [*offsets[1:], len(index)]
    rows = [REDUCED[mode](table[index[a:b]]) for a, b in zip(offsets, ends, strict=True)]
    return np.stack(rows)


def bagged(d: Draw) -> Arguments:
    """Draw a table, indices, where bags begin, and how rows are put together."""
    table = d.array(d.shape((3, 2), (2, 2), (4, 1), many=0), RANKED, fixed=True)
    index = d.indices((4,), len(table))
    index[:2] = 0, len(table) - 1
    return Arguments((table,), (index, np.array([0, d.pick(2, 3)]), d.pick("sum", "mean", "max")))


def weighed_bags(table: Array, weights: Array, index: Array, offsets: Array) -> Array:
    """Add up the rows of each bag, times weights."""
    ends = [*offsets[1:], len(index)]
    rows = [
        (table[index[a:b]] * weights[a:b][:, None]).sum(0)
        for a, b in zip(offsets, ends, strict=True)
    ]
    return np.stack(rows)


def weighed(d: Draw) -> Arguments:
    """Draw a table, weights, indices, and where bags begin."""
    table = d.array(d.shape((3, 2), (2, 2), (4, 1)), SMALL)
    index = d.indices((4,), len(table))
    return Arguments((table, d.array((4,), SMALL_POSITIVE)), (index, np.array([0, d.pick(2, 3)])))


ATTENTION = (
    Operation("scaled_dot_product_attention", attention, queries, call=call_attention),
    Operation("multi_head_attention_forward", multi_head, many_heads, call=call_heads),
    Operation("rnn_tanh_cell", simple(np.tanh), cells(1, 1)),
    Operation("rnn_relu_cell", simple(lambda x: pick(floats(x) > 0, x, 0)), cells(1, 1),
              kinks="0"),
    Operation("gru_cell", gated, cells(3, 1)),
    Operation("lstm_cell", remembering, cells(4, 2),
              call=lambda be, x, h, c, *w: be.lstm_cell(x, (h, c), *w)),
    Operation("embedding_bag", bags, bagged, kinks="equal entries", ties=True,
              nondeterministic=True, call=lambda be, table, index, offsets, mode: be.embedding_bag(
                  be.tensor(index), table, be.tensor(offsets), mode=mode)),
    Operation("embedding_bag_weighted", weighed_bags, weighed, nondeterministic=True,
              call=lambda be, table, weights, index, offsets: be.embedding_bag_weighted(
                  be.tensor(index), table, be.tensor(offsets), mode="sum",
                  per_sample_weights=weights)),
)  # fmt: skip
"""What looks up and what remembers."""
