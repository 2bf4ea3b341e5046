"""What stands in layers, by rarer options: activations, normalisation, cells, tables of rows."""

import itertools
from typing import Any

import numpy as np

from ..truth.oracles.elementary import sigmoid
from ..truth.oracles.jets import constant
from .activations import options_of
from .arguments import Arguments
from .attention import weighed_by
from .distances import norm
from .drawing import ANY, HALVES, SMALL, SMALL_POSITIVE, UNIT, Array, Draw, Shape
from .elementwise import clamped
from .indexing import of_table
from .networks import normalised
from .normalizing import aside
from .operation import Operation
from .parts import RANKED, floats, pick

# ---- normalisation, without what comes after it --------------------------------------------------


def alone(*shapes: Shape, last: bool = False) -> Any:
    """Draw an array that is normalised, perhaps with the sizes of its last axes, and eps."""

    def draw(d: Draw) -> Arguments:
        shape = d.shape(*shapes)
        sizes = (shape[-d.pick(1, 2) :],) if last else ()
        return Arguments((d.array(shape, HALVES),), sizes, {"eps": d.pick(0.25, 1.0)})

    return draw


def last_of(sizes: Shape) -> tuple[int, ...]:
    """As many axes as there are sizes, counted from the end."""
    return tuple(range(-len(sizes), 0))


def root_mean(x: Array, sizes: Shape, eps: float) -> Array:
    """Divide by the root of the mean square."""
    result: Array = x / np.sqrt((x * x).mean(last_of(sizes), keepdims=True) + eps)
    return result


def in_groups(x: Array, groups: int, eps: float) -> Array:
    """Normalise each group of channels of each sample."""
    return normalised(x.reshape((x.shape[0], groups, -1)), (2,), eps).reshape(x.shape)


def of_channels(x: Array, mean: Array, variance: Array, training: bool, eps: float) -> Array:  # noqa: FBT001
    """Normalise each channel, in training by statistics of its own."""
    if training:
        return normalised(x, (0, *range(2, x.ndim)), eps)
    return by_statistics(x, mean, variance, eps)


def by_statistics(x: Array, mean: Array, variance: Array, eps: float) -> Array:
    """Normalise each channel by statistics that are given."""
    result: Array = (x - aside(mean, x.ndim)) / np.sqrt(aside(variance, x.ndim) + eps)
    return result


def by_factors(x: Array, mean: Array, variance: Array, training: bool, eps: float) -> Array:  # noqa: FBT001
    """Do so by one factor and one shift for each channel where the statistics are given."""
    if training:
        return of_channels(x, mean, variance, training, eps)
    factor = 1 / np.sqrt(variance + eps)
    return x * aside(factor, x.ndim) - aside(mean * factor, x.ndim)


def with_statistics(*shapes: Shape, **options: tuple[Any, ...]) -> Any:
    """Draw a batch, and statistics of its channels."""

    def draw(d: Draw) -> Arguments:
        x = d.array(d.shape(*shapes), HALVES)
        given = d.array(x.shape[1:2], SMALL), d.array(x.shape[1:2], SMALL_POSITIVE)
        named = {key: d.pick(*some) for key, some in options.items()}
        return Arguments((x,), given, {"eps": 0.25, **named})

    return draw


# ---- angles --------------------------------------------------------------------------------------


def angles(d: Draw, eps: float = 1e-8) -> Arguments:
    """Draw two tensors that broadcast and are not parallel, an axis, and the least length."""
    x, y, dim = d.pick(((2, 3), (2, 3), 1), ((3, 2), (3, 1), 0), ((2, 3), (1, 3), -1),
                       ((2, 2, 3), (3,), -1))  # fmt: skip
    signs = (-1.0) ** np.arange(3).reshape((-1, 1) if dim == 0 else (3,))
    tensors = d.array(x, SMALL_POSITIVE), d.array(y, SMALL_POSITIVE) * signs
    return Arguments(tensors, (), {"dim": dim, "eps": eps})


def cosine(x: Array, y: Array, dim: int, eps: float) -> Array:
    """The cosine of an angle, where no length counts less than eps."""
    x, y = x + 0 * y, y + 0 * x
    for_each = [norm(z, 2, dim, keepdims=True) for z in (x, y)]
    a, b = (
        z / pick(floats(long) > eps, long, eps) for z, long in zip((x, y), for_each, strict=True)
    )
    result: Array = (a * b).sum(dim)
    return result


# ---- attention of several heads ------------------------------------------------------------------


def heads_of(x: Array, heads: int) -> Array:
    """Give each head its part of the entries: samples, heads, places, entries."""
    return np.transpose(x.reshape((*x.shape[:2], heads, -1)), (1, 2, 0, 3))


def joined(q: Array, k: Array, v: Array, heads: int, mask: Any, outer: Array) -> list[Array]:
    """Attention of several heads, and how much each place counted for each head."""
    size = q.shape[-1]
    queries, keys, values = (heads_of(x, heads) for x in (q, k, v))
    counts = weighed_by(queries, keys, mask, 1 / np.sqrt(size // heads))
    made = np.transpose(counts @ values, (2, 0, 1, 3)).reshape(q.shape)
    return [made @ outer.T, counts]


def masked_heads(
    q: Array, k: Array, v: Array, inner: Array, outer: Array, heads: int, bias: Any, hidden: Any
) -> list[Array]:
    """The same where scores are increased by a bias, or places and keys are hidden."""
    a, b, c = (x @ w.T for x, w in zip((q, k, v), np.split(inner, 3), strict=True))
    mask = bias
    if hidden is not None:
        places, keys = hidden
        mask = ~(places | keys[:, None, None, :])
    return joined(a, b, c, heads, mask, outer)


def to_mask(d: Draw) -> Arguments:
    """Draw queries, keys and values, weights, and what scores are increased by or hides places."""
    shapes = [(1, 2, 2), (2, 2, 2), (2, 2, 2), (6, 2), (2, 2)]
    tensors = tuple(d.array(shape, HALVES) for shape in shapes)
    heads, biased = d.pick(2, 1), d.pick(True, False)
    if biased:
        return Arguments(tensors, (heads, d.array((1, 2), SMALL, fixed=True), None))
    last = np.array([False, True])
    return Arguments(tensors, (heads, None, (d.mask((1, 2)) & last, d.mask((2, 2)) & last)))


def call_masked(be: Any, *arguments: Any) -> Any:
    """Call it as PyTorch writes it: a mask holds where a place is hidden."""
    q, k, v, inner, outer, heads, bias, hidden = arguments
    places, keys = (bias, None) if hidden is None else hidden
    return be.multi_head_attention_masked(
        q, k, v, 2, heads, inner, None, None, None, False, 0.0, outer, None,
        attn_mask=be.tensor(places), key_padding_mask=None if keys is None else be.tensor(keys),
        average_attn_weights=False,
    )  # fmt: skip


def extended_heads(
    q: Array, k: Array, v: Array, inner: Array, more_k: Array, more_v: Array, outer: Array,
    heads: int, zero: bool,  # noqa: FBT001
) -> Array:  # fmt: skip
    """The same with a key and a value more, which are weights, and perhaps with zeros."""
    a, b, c = (x @ w.T for x, w in zip((q, k, v), np.split(inner, 3), strict=True))
    rows = (1, b.shape[1], b.shape[2])
    keys, values = ([x, np.broadcast_to(more, rows)] for x, more in ((b, more_k), (c, more_v)))
    if zero:
        keys, values = ([*each, 0 * each[1]] for each in (keys, values))
    return joined(a, np.concatenate(keys), np.concatenate(values), heads, None, outer)[0]


def to_extend(d: Draw) -> Arguments:
    """Draw queries, keys and values, weights, a key and a value more."""
    shapes = [(1, 1, 2), (2, 1, 2), (2, 1, 2), (6, 2), (1, 1, 2), (1, 1, 2), (2, 2)]
    return Arguments(tuple(d.array(s, HALVES) for s in shapes), (d.pick(2, 1), d.pick(True, False)))


def call_extended(be: Any, q: Any, k: Any, v: Any, *rest: Any) -> Any:
    """Call it as PyTorch writes it."""
    inner, more_k, more_v, outer, heads, zero = rest
    return be.multi_head_attention_extended(
        q, k, v, 2, heads, inner, None, more_k, more_v, zero, 0.0, outer, None
    )[0]


def separate_heads(q: Array, k: Array, v: Array, *rest: Any) -> list[Array]:
    """The same with a matrix for queries, one for keys and one for values."""
    to_q, to_k, to_v, outer, heads = rest
    made, counts = joined(q @ to_q.T, k @ to_k.T, v @ to_v.T, heads, None, outer)
    return [made, counts.mean(1)]


def to_separate(d: Draw) -> Arguments:
    """Draw queries, keys and values of different sizes, and their weights."""
    shapes = [(1, 1, 2), (2, 1, 1), (2, 1, 3), (2, 2), (2, 1), (2, 3), (2, 2)]
    return Arguments(tuple(d.array(shape, HALVES) for shape in shapes), (d.pick(2, 1),))


def call_separate(be: Any, q: Any, k: Any, v: Any, *rest: Any) -> Any:
    """Call it as PyTorch writes it."""
    to_q, to_k, to_v, outer, heads = rest
    return be.multi_head_attention_separate(
        q, k, v, 2, heads, None, None, None, None, False, 0.0, outer, None,
        use_separate_proj_weight=True, q_proj_weight=to_q, k_proj_weight=to_k, v_proj_weight=to_v,
    )  # fmt: skip


# ---- recurrent cells -----------------------------------------------------------------------------


def cells(gates: int, states: int) -> Any:
    """Draw an input, a state or two, and two matrices."""

    def draw(d: Draw) -> Arguments:
        n, size, hidden = d.pick((1, 2, 1), (2, 1, 1), (1, 1, 2))
        shapes = [(n, size), *[(n, hidden)] * states, (gates * hidden, size),
                  (gates * hidden, hidden)]  # fmt: skip
        return Arguments(tuple(d.array(shape, HALVES) for shape in shapes))

    return draw


def gated(x: Array, h: Array, w: Array, u: Array) -> Array:
    """The next state of a gated unit."""
    (r, z, n), (hr, hz, hn) = np.split(x @ w.T, 3, axis=-1), np.split(h @ u.T, 3, axis=-1)
    keep = sigmoid(z + hz)
    result: Array = (1 - keep) * np.tanh(n + sigmoid(r + hr) * hn) + keep * h
    return result


def remembering(x: Array, h: Array, c: Array, w: Array, u: Array) -> list[Array]:
    """The next state and cell of long short-term memory."""
    enter, keep, new, out = np.split(x @ w.T + h @ u.T, 4, axis=-1)
    cell = sigmoid(keep) * c + sigmoid(enter) * np.tanh(new)
    return [sigmoid(out) * np.tanh(cell), cell]


# ---- tables of rows ------------------------------------------------------------------------------


def told(rows: Array, wanted: Any) -> Array:
    """Rows of which only `wanted` times their differentials count."""
    fixed = constant(rows)
    result: Array = fixed + (rows - fixed) * wanted
    return result


def not_padded(table: Array, index: Array, padding_idx: int) -> Array:
    """Look rows up, of which one is a constant."""
    counts = index != padding_idx % len(table)
    return told(table[index], counts[..., None] * 1.0)


def padding(d: Draw) -> Arguments:
    """Draw a table, indices, and the row that is no parameter, counted from either end."""
    shape, sizes = of_table(d, ((3, 2), (2, 1)), ((4,), (2, 2)))
    table = d.array(shape, SMALL)
    place = d.pick(0, 1, -1)
    return Arguments((table,), (d.indices(d.pick(*sizes), len(table)), place))


def by_frequency(table: Array, index: Array) -> Array:
    """Look rows up, whose gradients are divided by how often a row stands there."""
    counts = np.bincount(index.ravel(), minlength=len(table))[index]
    return told(table[index], 1.0 / counts[..., None])


def shortened(table: Array, index: Array, max_norm: float, norm_type: float) -> Array:
    """Look rows up, which were shortened to a norm before, without a trace."""
    rows = constant(table)[index]
    long = norm(rows, norm_type, -1, keepdims=True)
    made = np.where(long > max_norm, rows * (max_norm / (long + 1e-7)), rows)
    return told(table[index], 1.0) - rows + made


def to_shorten(d: Draw) -> Arguments:
    """Draw a table, indices, a norm that most rows exceed or none does, and its order."""
    table = d.array(d.shape((3, 2), (2, 2), many=0), RANKED, fixed=True)
    named = {"max_norm": d.pick(0.25, 1024.0), "norm_type": d.pick(2.0, 1.0)}
    return Arguments((table,), (d.indices((4,), len(table)),), named)


def bags(table: Array, index: Array, mode: str, padding_idx: int) -> Array:
    """Put the rows of each bag together, without one that does not count."""
    made = []
    for bag in index:
        rows = table[bag[bag != padding_idx % len(table)]]
        made.append(rows.sum(0) if mode == "sum" else rows.sum(0) / max(1, rows.shape[0]))
    return np.stack(made)


def padded_bags(d: Draw) -> Arguments:
    """Draw a table, bags of one size, how rows are put together, and the one that is not."""
    table = d.array(d.shape((3, 2), (2, 1)), SMALL)
    named = {"mode": d.pick("sum", "mean"), "padding_idx": d.pick(0, 1, -1)}
    return Arguments((table,), (d.indices((2, 3), len(table)),), named)


def last_bags(table: Array, index: Array, offsets: Array) -> Array:
    """Add up the rows of each bag, whose ends are given too."""
    pairs = itertools.pairwise(offsets)
    return np.stack([table[index[a:b]].sum(0) for a, b in pairs])


LAYER_FORMS = (
    Operation("hardtanh_bounds", clamped, options_of(ANY, (-2.0, 0.5), (0.25, 1.5)),
              kinks="the bounds"),
    Operation("leaky_relu_slope", lambda x, slope=0.01: pick(floats(x) > 0, x, slope * x),
              options_of(ANY, (), (2.0,), (-0.5,)), kinks="0"),
    Operation("prelu_channels", lambda x, w: pick(floats(x) > 0, x, aside(w, x.ndim) * x),
              lambda d: Arguments((x := d.array(d.shape((2, 3, 2), (1, 2, 2, 1))),
                                   d.array(x.shape[1:2], UNIT, fixed=True))), kinks="0"),
    Operation("layer_norm_plain", lambda x, sizes, eps: normalised(x, last_of(sizes), eps),
              alone((2, 4), (2, 2, 3), (1, 3), last=True)),
    Operation("rms_norm_plain", root_mean, alone((2, 4), (2, 2, 3), (1, 3), last=True),
              call=lambda be, x, sizes, eps: be.rms_norm_plain(x, sizes, None, eps)),
    Operation("group_norm_plain", in_groups, lambda d: Arguments((
        d.array(d.shape((2, 4, 1), (1, 2, 2), (2, 4)), HALVES),), (d.pick(2, 1),), {"eps": 0.25})),
    Operation("batch_norm_plain", of_channels, with_statistics(
        (4, 2), (2, 2, 2), (3, 1, 2), training=(True, False)), formulas=(by_factors,),
        call=lambda be, x, mean, variance, training, eps: be.batch_norm_plain(
            x, be.tensor(mean), be.tensor(variance), training=training, eps=eps)),
    Operation("instance_norm_given", by_statistics, with_statistics((2, 2, 2), (1, 3, 2)),
              formulas=(lambda x, mean, variance, eps: by_factors(x, mean, variance, False, eps),),
              call=lambda be, x, mean, variance, eps: be.instance_norm_given(
                  x, be.tensor(mean), be.tensor(variance), use_input_stats=False, eps=eps)),
    Operation("cosine_similarity_along", cosine, angles),
    Operation("cosine_similarity_eps", cosine, lambda d: angles(d, 16.0)),
    Operation("multi_head_attention_masked", masked_heads, to_mask, call=call_masked),
    Operation("multi_head_attention_extended", extended_heads, to_extend, call=call_extended),
    Operation("multi_head_attention_separate", separate_heads, to_separate, call=call_separate),
    Operation("rnn_tanh_cell_plain", lambda x, h, w, u: np.tanh(x @ w.T + h @ u.T), cells(1, 1)),
    Operation("gru_cell_plain", gated, cells(3, 1)),
    Operation("lstm_cell_plain", remembering, cells(4, 2),
              call=lambda be, x, h, c, *w: be.lstm_cell_plain(x, (h, c), *w)),
    Operation("embedding_padded", not_padded, padding, nondeterministic=True,
              call=lambda be, table, index, place: be.embedding_padded(
                  be.tensor(index), table, padding_idx=place)),
    Operation("embedding_by_frequency", by_frequency, lambda d: Arguments(
        (table := d.array(d.shape((3, 2), (2, 1)), SMALL),), (d.indices((4,), len(table)),)),
        nondeterministic=True, call=lambda be, table, index: be.embedding_by_frequency(
            be.tensor(index), table, scale_grad_by_freq=True)),
    Operation("embedding_shortened", shortened, to_shorten, nondeterministic=True,
              call=lambda be, table, index, **named: be.embedding_shortened(
                  be.tensor(index), be.clone(table), **named)),
    Operation("embedding_bag_padded", bags, padded_bags, nondeterministic=True,
              call=lambda be, table, index, **named: be.embedding_bag_padded(
                  be.tensor(index), table, **named)),
    Operation("embedding_bag_last", last_bags, lambda d: Arguments(
        (table := d.array(d.shape((3, 2), (2, 1)), SMALL),),
        (d.indices((4,), len(table)), np.array(d.pick([0, 2, 4], [0, 1, 4])))),
        nondeterministic=True, call=lambda be, table, index, offsets: be.embedding_bag_last(
            be.tensor(index), table, be.tensor(offsets), mode="sum", include_last_offset=True)),
)  # fmt: skip
"""Forms of layers."""
