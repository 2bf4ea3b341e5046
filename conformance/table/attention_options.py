"""Attention by all of its options at once."""

from typing import Any

import numpy as np

from .arguments import Arguments
from .attention import attention, weighed_by
from .drawing import HALVES, SMALL, Array, Draw, Shape
from .layer_forms import heads_of
from .operation import Operation
from .optional import one_of

QUERIES: tuple[tuple[Shape, Shape, Shape, bool], ...] = (
    ((2, 3), (3, 3), (3, 2), False),
    ((2, 3, 2), (2, 2, 2), (2, 2, 1), False),
    ((2, 2, 2, 1), (1, 2, 3, 1), (1, 2, 3, 2), False),
    ((2, 2, 2, 2), (2, 2, 3, 2), (2, 2, 3, 2), False),
    ((1, 4, 2, 1), (1, 2, 3, 1), (1, 2, 3, 2), True),
    ((2, 4, 2, 2), (2, 2, 2, 2), (2, 2, 2, 1), True),
)
"""Queries, keys and values, and whether several heads of the former share one of the latter."""


def queries(d: Draw) -> Arguments:
    """Draw queries, keys and values, and what is asked of them."""
    d.go_on()
    q, k, v, shared = d.pick(*QUERIES)
    how, own = d.pick("bias", "some", "causal", "all"), d.pick(False, True)
    place = (*(q[:-2] if own else ()), q[-2], k[-2])
    # Causal masks at other scales are a matter of EXT-320.
    scales = ("usual", 0.5, 2.0) if how == "causal" else ("usual", 0.5, -2.0, 0.0)
    named = one_of(d, scale=scales) | ({"enable_gqa": True} if shared else {})
    named |= {"is_causal": True} if how == "causal" else {}
    masks = {"bias": d.array(place, SMALL, fixed=True), "some": ~hidden(d, place)}
    tensors = tuple(d.array(shape, HALVES) for shape in (q, k, v))
    return Arguments(tensors, (masks.get(how),), named)


def hidden(d: Draw, place: Shape) -> Array:
    """Draw what is not seen; the first key is, by every query."""
    return d.mask(place) & (np.arange(place[-1]) > 0)


def attend(
    q: Array, k: Array, v: Array, mask: Array | None, *, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False,
) -> Array:  # fmt: skip
    """Attention with the usual options."""
    return attention(q, k, v, mask, is_causal, scale, enable_gqa)


# ---- several heads -------------------------------------------------------------------------------

SHAPES: dict[str, Shape] = {
    "inner": (6, 2), "to_q": (2, 2), "to_k": (2, 1), "to_v": (2, 3), "shift": (6,),
    "more_k": (1, 1, 2), "more_v": (1, 1, 2), "outer": (2, 2), "last": (2,),
}  # fmt: skip
"""Weights of attention between two entries, by their names here."""


def many_heads(
    *tensors: Array, given: str, heads: int, zero: bool, places: Array | None, keys: Array | None,
    weights: str,
) -> list[Array]:  # fmt: skip
    """Attention of several heads between linear maps, and perhaps how much each place counted."""
    known = dict(zip(given.split(), tensors[3:], strict=True))
    alone = tensors[0].ndim == 2
    q, k, v = ((x[:, None] if alone else x) for x in tensors[:3])
    maps = np.split(known["inner"], 3) if "inner" in known else tensors[3:6]
    shifts: Any = np.split(known["shift"], 3) if "shift" in known else (0, 0, 0)
    a, b, c = (x @ w.T + s for x, w, s in zip((q, k, v), maps, shifts, strict=True))
    if "more_k" in known:
        b = np.concatenate([b, np.broadcast_to(known["more_k"], (1, *b.shape[1:]))])
        c = np.concatenate([c, np.broadcast_to(known["more_v"], (1, *c.shape[1:]))])
    if zero:
        b, c = (np.concatenate([x, 0 * x[:1]]) for x in (b, c))
    places, keys = known.get("places", places), known.get("keys", keys)
    mask = together(places, keys, q.shape[1], heads, len(b))
    parts = weighed_by(heads_of(a, heads), heads_of(b, heads), mask, 1 / np.sqrt(2 // heads))
    made = np.transpose(parts @ heads_of(c, heads), (2, 0, 1, 3)).reshape(a.shape)
    made = made @ known["outer"].T + known.get("last", 0)
    counts = parts.mean(1) if weights == "mean" else parts
    results = [made[:, 0], counts[0]] if alone else [made, counts]
    return results[: 1 if weights == "none" else 2]


def together(
    places: Array | None, keys: Array | None, samples: int, heads: int, count: int
) -> Array | None:
    """Join masks of places and of keys, by which all further keys are seen."""
    each = []
    if places is not None:
        each.append(places.reshape((-1, heads if places.ndim > 2 else 1, *places.shape[-2:])))
    if keys is not None:
        each.append(keys.reshape((samples, 1, 1, -1)))
    if not each:
        return None
    mask: Any = ~np.logical_or(each[0], each[-1]) if each[0].dtype == bool else sum(each)
    more = count - mask.shape[-1]
    made: Array = np.pad(mask, [(0, 0)] * 3 + [(0, more)], constant_values=mask.dtype == bool)
    return made


def to_attend(d: Draw) -> Arguments:
    """Draw queries, keys and values, weights, masks, and what else is asked."""
    d.go_on()
    samples, heads = d.pick((1,), (), (2,)), d.pick(2, 1)
    apart, more = d.pick(False, True), d.pick("more_k more_v", "", "")
    given = " ".join(["to_q to_k to_v" if apart else "inner", d.pick("shift", ""), more, "outer",
                      d.pick("last", "")])  # fmt: skip
    given = " ".join(given.split())
    sizes = (2, 1, 3) if apart else (2, 2, 2)
    shapes = [(n, *samples, m) for n, m in zip((2, 3, 3), sizes, strict=True)]
    kind, count = d.pick("hidden", "bias"), samples[0] if samples else 1
    masks = {"places": d.pick(None, (2, 3), (count * heads, 2, 3)),
             "keys": d.pick(None, (*samples, 3))}  # fmt: skip
    masked = {word: shape for word, shape in masks.items() if shape is not None}
    # A bias is a weight like the others, and learned.
    learned = masked if kind == "bias" else {}
    given = " ".join([given, *learned])
    named = {
        "given": given, "heads": heads, "zero": d.pick(False, True),
        **{word: hidden(d, masked[word]) if word in masked.keys() - learned else None
           for word in masks},
        "weights": d.pick("none", "mean", "each"),
    }  # fmt: skip
    sizes_of = SHAPES | learned
    tensors = [d.array(shape, HALVES) for shape in (*shapes, *map(sizes_of.__getitem__,
                                                                 given.split()))]  # fmt: skip
    return Arguments(tuple(tensors), (), named)


def call_heads(be: Any, q: Any, k: Any, v: Any, *rest: Any, **named: Any) -> list[Any]:
    """Call it as PyTorch writes it."""
    known = dict(zip(named["given"].split(), rest, strict=True))
    first = (known.get(word) for word in ("inner", "shift", "more_k", "more_v"))
    words = {f"{each}_proj_weight": known.get(f"to_{each}") for each in "qkv"}
    asked = named["weights"] != "none"
    masks = {"attn_mask": "places", "key_padding_mask": "keys"}
    constants = {word: None if (x := named[name]) is None else be.tensor(x)
                 for word, name in masks.items()}  # fmt: skip
    made, counts = be.multi_head_attention_forward_options(
        q, k, v, 2, named["heads"], *first, named["zero"], 0.0, known["outer"], known.get("last"),
        need_weights=asked, average_attn_weights=named["weights"] == "mean",
        use_separate_proj_weight="to_q" in known, **words,
        **{word: known.get(name, constants[word]) for word, name in masks.items()},
    )  # fmt: skip
    assert asked is (counts is not None)
    return [made, counts] if asked else [made]


ATTENTION_OPTIONS = (
    Operation("scaled_dot_product_attention_options", attend, queries),
    Operation("multi_head_attention_forward_options", many_heads, to_attend, call=call_heads),
)
"""Attention, plain and of several heads."""
