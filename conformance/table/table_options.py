"""Tables of rows by all of their options at once."""

import math
from typing import Any

import numpy as np

from ..truth.oracles.jets import constant
from .arguments import Arguments, Drawing
from .distances import norm
from .drawing import SMALL_POSITIVE, Array, Draw
from .layer_forms import told
from .operation import Operation
from .optional import one_of
from .parts import RANKED


def counting(
    table: Array, index: Array, padding_idx: int | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False,  # noqa: FBT001, FBT002
) -> Array:  # fmt: skip
    """Rows that were shortened, of which gradients count as often as is said."""
    wanted = np.ones(index.shape)
    if scale_grad_by_freq:
        wanted = wanted / np.bincount(index.ravel(), minlength=len(table))[index]
    if padding_idx is not None:
        wanted = wanted * (index != padding_idx % len(table))
    rows = constant(table)[index]
    made = rows
    if max_norm is not None:
        long = norm(rows, norm_type, -1, keepdims=True)
        made = np.where(long > max_norm, rows * (max_norm / (long + 1e-7)), rows)
    return told(table[index], wanted[..., None]) - rows + made


LOOKED_UP: dict[str, tuple[Any, ...]] = {
    "padding_idx": ("usual", 0, -1, 1),
    "max_norm": ("usual", 0.25, 2.0, 1024.0),
    "norm_type": ("usual", math.inf, 1.0, 3.0),
}
FREQUENT: dict[str, tuple[Any, ...]] = {"scale_grad_by_freq": ("usual", True)}


def looked_up(d: Draw) -> Arguments:
    """Draw a table, indices, and options."""
    d.go_on()
    table = d.array(d.pick((3, 2), (2, 3), (4, 2)), RANKED, fixed=True)
    index = d.indices(d.pick((5,), (2, 3), (), (1, 2, 2)), len(table))
    return Arguments((table,), (index,), one_of(d, **LOOKED_UP, **FREQUENT))


def bags(*tensors: Array, index: Array, offsets: Array | None, last: bool, mode: str = "mean",
         padding_idx: int | None = None, **named: Any) -> Array:  # fmt: skip
    """Put the rows of each bag together; an empty one makes zeros."""
    table, *weights = tensors
    rows = counting(table, index, padding_idx, **named)
    if weights:
        rows = rows * weights[0][..., None]
    if offsets is None:
        each = [*zip(index, rows, strict=True)]
    else:
        ends = [*offsets[1:]] if last else [*offsets[1:], len(index)]
        each = [(index[a:b], rows[a:b]) for a, b in zip(offsets, ends, strict=False)]
    made = []
    for places, bag in each:
        kept = bag if padding_idx is None else bag[places != padding_idx % len(table)]
        if mode == "max" and len(kept):
            made.append(np.max(kept, axis=0))
        else:
            made.append(kept.sum(0) / (max(1, len(kept)) if mode == "mean" else 1))
    return np.stack(made)


def bagged(*modes: str, **options: tuple[Any, ...]) -> Drawing:
    """Draw a table, bags of rows, perhaps weights for these, and options."""

    def draw(d: Draw) -> Arguments:
        d.go_on()
        table = d.array(d.pick((3, 2), (4, 2)), RANKED, fixed=True)
        mode, square, last = d.pick(*modes), d.pick(False, True), d.pick(False, True)
        weighted = d.pick(True, False) and mode == "sum"
        index = d.indices((2, 3) if square else (6,), len(table))
        starts = d.pick((0, 2, 4), (0, 3, 3), (0, 1, 6), (0, 0, 5))
        offsets = None if square else np.array([*starts, *([6] if last else [])])
        named = one_of(d, mode=(mode,), **options)
        named |= {"index": index, "offsets": offsets, "last": last and not square}
        weights = [d.array(index.shape, SMALL_POSITIVE)] if weighted else []
        return Arguments((table, *weights), (), named)

    return draw


def into_bags(name: str) -> Any:
    """Call it on a copy of the table, which it may shorten."""

    def call(be: Any, table: Any, *weights: Any, index: Array, offsets: Any, last: bool,
             **named: Any) -> Any:  # fmt: skip
        places = None if offsets is None else be.tensor(offsets)
        named |= {"per_sample_weights": weights[0]} if weights else {}
        named |= {"include_last_offset": True} if last else {}
        return getattr(be, name)(be.tensor(index), be.clone(table), places, **named)

    return call


TABLE_OPTIONS = (
    Operation("embedding_options", counting, looked_up, nondeterministic=True,
              call=lambda be, table, index, **named: be.embedding_options(
                  be.tensor(index), be.clone(table), **named)),
    Operation("embedding_bag_options", bags, bagged("sum", "usual", "max", **LOOKED_UP),
              call=into_bags("embedding_bag_options"), kinks="equal entries", ties=True,
              nondeterministic=True),
    Operation("embedding_bag_by_frequency", bags, bagged(
        "sum", "usual", **LOOKED_UP, scale_grad_by_freq=(True,)), nondeterministic=True,
              call=into_bags("embedding_bag_by_frequency")),
)  # fmt: skip
"""What looks rows up."""
