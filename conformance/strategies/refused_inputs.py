"""Tensors that layers and functions of networks take together, and shapes that do not fit."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..protocol.subject import Subject

Shape = tuple[int, ...]
Shapes = Mapping[str, Shape]
Wrong = Mapping[str, Sequence[Shape]]

MATRIX, PAIRS = (2, 3), ((2, 4), (3, 3))


def _compared(*names: str, wrong: Sequence[Shape] = PAIRS) -> tuple[dict[str, Any], Shapes, Wrong]:
    """Tensors of one shape, of which each but the first may not have others."""
    return {}, dict.fromkeys(names, MATRIX), dict.fromkeys(names[1:], wrong)


FUNCTIONS: Mapping[str, tuple[Mapping[str, Any], Shapes, Wrong]] = {
    "linear": ({}, {"input": MATRIX, "weight": (4, 3), "bias": (4,)}, {
        "input": [(2, 4), (3, 2)], "weight": [(3, 4), (4, 1)], "bias": [(3,), (3, 4)]}),
    "bilinear": ({}, {"input1": MATRIX, "input2": (2, 4), "weight": (5, 3, 4), "bias": (5,)}, {
        "input1": [(3, 3), (2, 4)], "input2": [(1, 4), (2, 3)],
        "weight": [(5, 4, 3), (5, 3)], "bias": [(4,)]}),
    "conv1d": ({}, {"input": (1, 2, 4), "weight": (3, 2, 2), "bias": (3,)}, {
        "input": [(1, 3, 4), (1, 2, 1)], "weight": [(3, 3, 2), (3, 2, 5), (3, 2)],
        "bias": [(2,), (1,), (3, 1)]}),
    "conv2d": ({}, {"input": (1, 2, 4, 4), "weight": (3, 2, 2, 2), "bias": (3,)}, {
        "input": [(1, 3, 4, 4), (1, 1, 4, 4)], "weight": [(3, 1, 2, 2), (3, 2, 5, 2), (3, 2, 2)],
        "bias": [(2,), (1,), (3, 1)]}),
    "conv3d": ({}, {"input": (1, 2, 3, 3, 3), "weight": (3, 2, 2, 2, 2), "bias": (3,)}, {
        "input": [(1, 3, 3, 3, 3)], "weight": [(3, 1, 2, 2, 2), (3, 2, 2, 4, 2)],
        "bias": [(2,), (1,)]}),
    "conv_transpose2d": ({}, {"input": (1, 2, 4, 4), "weight": (2, 3, 2, 2), "bias": (3,)}, {
        "input": [(1, 3, 4, 4)], "weight": [(3, 3, 2, 2), (1, 3, 2, 2)], "bias": [(2,), (1,)]}),
    "batch_norm": (
        {"training": True},
        {"input": (4, 3), **dict.fromkeys(("running_mean", "running_var", "weight", "bias"), (3,))},
        dict.fromkeys(("running_mean", "running_var", "weight", "bias"), ((2,), (4,), (1,))),
    ),
    "instance_norm": (
        {},
        {"input": (4, 3, 2), **dict.fromkeys(("weight", "bias"), (3,))},
        dict.fromkeys(("weight", "bias"), ((2,), (4,))),
    ),
    "layer_norm": (
        {"normalized_shape": [3]},
        {"input": MATRIX, "weight": (3,), "bias": (3,)},
        {"input": [(2, 4), (3, 2)], "weight": [(2,), (1,), (2, 3)], "bias": [(2,), (1,)]},
    ),
    "rms_norm": (
        {"normalized_shape": [3]},
        {"input": MATRIX, "weight": (3,)},
        {"input": [(2, 4)], "weight": [(2,), (1,), (2, 3)]},
    ),
    "group_norm": (
        {"num_groups": 2},
        {"input": (2, 4, 3), "weight": (4,), "bias": (4,)},
        {"input": [(2, 3, 4)], "weight": [(2,), (1,), (3,)], "bias": [(2,), (1,)]},
    ),
    "prelu": ({}, {"input": MATRIX, "weight": (3,)}, {"weight": [(2,), (4,), (1, 3)]}),
    "scaled_dot_product_attention": (
        {},
        {"query": (2, 3, 4), "key": (2, 5, 4), "value": (2, 5, 6), "attn_mask": (3, 5)},
        {"query": [(2, 3, 5)], "key": [(2, 5, 3), (3, 5, 4)], "value": [(2, 4, 6), (3, 5, 6)],
         "attn_mask": [(3, 4), (5, 3), (3, 3, 5)]},
    ),
    "grid_sample": (
        {"align_corners": False},
        {"input": (1, 2, 4, 4), "grid": (1, 3, 3, 2)},
        {"input": [(2, 2, 4, 4), (1, 2, 4)], "grid": [(2, 3, 3, 2), (1, 3, 3, 3), (1, 3, 2)]},
    ),
    "binary_cross_entropy": _compared("input", "target", wrong=[*PAIRS, (3,), (2, 1), (1, 3)]),
    "binary_cross_entropy_with_logits": _compared(
        "input", "target", wrong=[*PAIRS, (3,), (2, 1), (1, 3)]
    ),
    "multilabel_soft_margin_loss": _compared("input", "target"),
    "gaussian_nll_loss": ({}, dict.fromkeys(("input", "target", "var"), MATRIX), {
        "target": PAIRS, "var": [(3,), (2, 4)]}),
    "triplet_margin_loss": _compared("anchor", "positive", "negative", wrong=[*PAIRS, (3,)]),
    "cosine_embedding_loss": (
        {},
        {"input1": MATRIX, "input2": MATRIX, "target": (2,)},
        {"input1": [(3,), (3, 3)], "input2": [(3,), (2, 4)], "target": [(3,), (2, 1), ()]},
    ),
    **{
        name: _compared("input", "target")
        for name in ("l1_loss", "mse_loss", "smooth_l1_loss", "huber_loss", "kl_div",
                     "poisson_nll_loss", "soft_margin_loss", "hinge_embedding_loss")
    },
    "margin_ranking_loss": ({}, {"input1": (3,), "input2": (3,), "target": (3,)}, {
        "input2": [(2,), (3, 1)], "target": [(2,), (3, 1), ()]}),
    "pairwise_distance": _compared("x1", "x2"),
    "cosine_similarity": _compared("x1", "x2"),
}  # fmt: skip
"""Functions, options, the shapes of their tensors, and others that do not fit to the rest."""

LAYERS: Mapping[str, tuple[tuple[Any, ...], Shapes, Wrong]] = {
    **{
        name: ((4, 3), {"input": (5, 2, 4), "hx": (1, 2, 3)}, {
            "input": [(5, 2, 3), (5, 3, 4)],
            "hx": [(2, 2, 3), (1, 3, 3), (1, 1, 3), (1, 2, 4), (2, 3)]})
        for name in ("RNN", "GRU")
    },
    **{
        f"{name}Cell": ((4, 3), {"input": (2, 4), "hx": (2, 3)}, {
            "input": [(2, 3), (3, 4), (1, 4)], "hx": [(3, 3), (1, 3), (2, 4), (3,)]})
        for name in ("RNN", "GRU")
    },
    "MultiheadAttention": (
        (4, 2),
        {"query": (3, 2, 4), "key": (5, 2, 4), "value": (5, 2, 4),
         "key_padding_mask": (2, 5), "attn_mask": (3, 5)},
        {"query": [(3, 2, 5), (3, 1, 4), (3, 4)], "key": [(5, 3, 4), (5, 2, 3), (6, 2, 4)],
         "value": [(6, 2, 4), (5, 2, 3), (5, 4)],
         "key_padding_mask": [(2, 4), (1, 5), (5,), (2, 5, 1)],
         "attn_mask": [(3, 4), (1, 5), (5,), (3, 3, 5), (1, 4, 3, 5)]},
    ),
}  # fmt: skip
"""Layers, their sizes, the shapes of their tensors, and others that do not fit to the rest."""


def tensors(be: Subject, shapes: Shapes) -> dict[str, Any]:
    """Make tensors of halves of these shapes."""
    return {name: be.tensor(np.full(shape, 0.5)) for name, shape in shapes.items()}
