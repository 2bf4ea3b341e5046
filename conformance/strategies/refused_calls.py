"""Functions of networks, and what their options may and may not be."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from .arrays import Array

Call = tuple[str, Sequence[Array], Mapping[str, Any], str, Sequence[Any], Sequence[Any]]

MATRIX = np.ones((2, 3))
ROWS = [np.array([[0, 1]]), np.ones((4, 3))]
"""Numbers of rows, and a table of four."""

HALF, TWICE, APART = {"kernel_size": 2}, {"scale_factor": 2.0}, {"align_corners": False}


def _of_units() -> Iterator[Call]:
    for name, shape in {
        "dropout": (2, 3), "alpha_dropout": (2, 3), "feature_alpha_dropout": (2, 3),
        "dropout1d": (2, 3), "dropout2d": (2, 3, 4, 4), "dropout3d": (1, 2, 3, 4, 4),
    }.items():  # fmt: skip
        yield name, [np.ones(shape)], {}, "p", (0.0, 1.0), (-0.25, 1.25)
    yield "rrelu", [MATRIX], {"lower": 0.5}, "upper", (0.5, 0.75), (0.25,)
    yield "softshrink", [MATRIX], {}, "lambd", (0.0, 0.5), (-0.5,)
    yield "hardtanh", [MATRIX], {"min_val": 0.5}, "max_val", (0.75,), (0.25,)
    yield "glu", [MATRIX], {}, "dim", (0, -2), (1, -1, 2, -3)
    yield "softmax", [MATRIX], {}, "dim", (0, 1, -2), (2, -3)
    yield "gumbel_softmax", [MATRIX], {}, "dim", (0, 1, -2), (2, -3)
    for name in ("layer_norm", "rms_norm"):
        wrong: Sequence[list[int]] = ([2], [4], [], [1, 2, 3])
        yield name, [MATRIX], {}, "normalized_shape", ([3], [2, 3]), wrong
    yield "group_norm", [np.ones((2, 4))], {}, "num_groups", (1, 2, 4), (-1, 3)
    yield "local_response_norm", [np.ones((1, 3, 4))], {}, "size", (1, 2), (0, -1)
    yield "one_hot", [np.array([0, 2])], {}, "num_classes", (3, 5, -1), (2, -2)
    for name in ("embedding", "embedding_bag"):
        yield name, ROWS, {}, "padding_idx", (0, 3, -4), (4, -5)
    yield "embedding_bag", ROWS, {}, "mode", ("sum", "mean", "max"), ("min", "")


def _of_losses() -> Iterator[Call]:
    both = [MATRIX, MATRIX]
    for name in (
        "l1_loss", "mse_loss", "smooth_l1_loss", "huber_loss", "kl_div", "poisson_nll_loss",
        "cross_entropy", "soft_margin_loss", "binary_cross_entropy_with_logits",
        "hinge_embedding_loss",
    ):  # fmt: skip
        yield name, both, {}, "reduction", ("none", "mean", "sum"), ("most", "")
    yield "huber_loss", both, {}, "delta", (0.5,), (0.0, -1.0)
    yield "smooth_l1_loss", both, {}, "beta", (0.0, 0.5), (-1.0,)
    yield "triplet_margin_loss", [MATRIX] * 3, {}, "margin", (0.5,), (0.0, -1.0)
    yield "multi_margin_loss", [MATRIX, np.array([0, 1])], {}, "p", (1, 2), (0, 3)
    yield "cosine_similarity", both, {}, "dim", (0, 1, -2), (2, -3)


def _of_windows() -> Iterator[Call]:
    for n, kind in product((1, 2, 3), ("max", "avg")):
        x, pool = [np.ones((1,) + (4,) * n)], f"{kind}_pool{n}d"
        yield pool, x, {}, "kernel_size", (1, 2, 4), (0, -1, 5)
        yield pool, x, HALF, "stride", (1, 2, None), (0, -1)
        yield pool, x, {"kernel_size": 3}, "padding", (0, 1), (-1, 2)
        yield f"adaptive_{pool}", x, {}, "output_size", (1, 3), (-1,)
        if kind == "max":
            yield pool, x, HALF, "dilation", (1, 2), (0, -1, 4)
        elif n > 1:
            yield pool, x, HALF, "divisor_override", (1, -2, None), (0,)
    images, patches = [np.ones((1, 2, 4, 4))], [np.ones((1, 8, 4))]
    yield "lp_pool2d", images, {"norm_type": 2.0}, "kernel_size", (1, 2), (0, -1, 5)
    yield "unfold", images, {}, "kernel_size", (1, 2, 4), (0, -1, 5)
    yield "unfold", images, HALF, "stride", (1, 2), (0, -1)
    yield "unfold", images, HALF, "padding", (0, 1), (-1,)
    yield "unfold", images, HALF, "dilation", (1, 2), (0, -1, 4)
    sizes = ((4, 3), (2, 4), (5, 6), (0, 4))
    yield "fold", patches, {**HALF, "stride": 2}, "output_size", ((4, 4),), sizes
    yield "fold", patches, {"output_size": (4, 4), "stride": 2}, "kernel_size", (2,), (0, 3, -1)


def _of_convolutions() -> Iterator[Call]:
    for n in (1, 2, 3):
        given = [np.ones((2,) + (4,) * n), np.ones((2, 2) + (2,) * n)]
        for name, option, legal, wrong in (
            ("conv", "stride", (1, 2), (0, -1)),
            ("conv", "padding", (0, 1, "same", "valid"), (-1, "full")),
            ("conv", "dilation", (1, 2), (0, -1, 4)),
            ("conv", "groups", (1,), (0, -1, 2)),
            ("conv_transpose", "stride", (1, 2), (0, -1)),
            ("conv_transpose", "padding", (0, 1), (-1,)),
            ("conv_transpose", "dilation", (1, 2), (0, -1)),
            ("conv_transpose", "groups", (1, 2), (0, -1, 3)),
            ("conv_transpose", "output_padding", (0, 1), (-1, 2)),
        ):
            more = {"stride": 2} if option == "output_padding" else {}
            yield f"{name}{n}d", given, more, option, legal, wrong


def _of_images() -> Iterator[Call]:
    row, rows, images = (np.ones(shape) for shape in ((1, 4, 4), (1, 2, 4), (1, 2, 4, 4)))
    square = [images, np.ones((1, 3, 3, 2))]
    yield "pixel_shuffle", [np.ones((1, 4, 2, 2))], {}, "upscale_factor", (1, 2), (0, -1, 3)
    yield "pixel_unshuffle", [images], {}, "downscale_factor", (1, 2), (0, -1, 3)
    yield "channel_shuffle", [row], {}, "groups", (1, 2), (0, -1, 3)
    wrong: Sequence[Any] = ([1, 1, 0, 2], [1, 1, 2, -1], [1, 1, 2], [1, 1, 2, 2, 2])
    yield "affine_grid", [np.ones((1, 2, 3))], APART, "size", ([1, 1, 2, 2],), wrong
    wrong = ([1, 1, 2, 2], [1, 1, 2, 0, 2])
    yield "affine_grid", [np.ones((1, 3, 4))], APART, "size", ([1, 1, 2, 2, 2],), wrong
    known = ("zeros", "border", "reflection")
    yield "grid_sample", square, APART, "mode", ("bilinear", "nearest", "bicubic"), ("linear", "")
    yield "grid_sample", square, APART, "padding_mode", known, ("mirror", "")
    modes = ("nearest", "area", "nearest-exact")
    no_row, no_image = ("bilinear", "trilinear", "square"), ("linear", "trilinear", "square")
    yield "interpolate", [rows], TWICE, "mode", (*modes, "linear"), no_row
    yield "interpolate", [images], TWICE, "mode", (*modes, "bilinear", "bicubic"), no_image
    yield "interpolate", [rows], {}, "size", (1, 3, (5,)), (0, -1, (2, 2), None)
    factors: Sequence[Any] = (0.0, -1.0, (2.0, 2.0))
    yield "interpolate", [rows], {}, "scale_factor", (0.5, 2.0, (2.0,)), factors
    yield "interpolate", [rows], TWICE, "align_corners", (None,), (True, False)
    ways = ("constant", "reflect", "replicate", "circular")
    yield "pad", [rows], {"pad": (1, 1)}, "mode", ways, ("mirror", "")
    widths: Sequence[Any] = ((1,), (1, 1, 1), (1,) * 6, (-2, -2))
    yield "pad", [MATRIX], {}, "pad", ((1, 1), (-1, 0), (1, 1, 1, 1)), widths
    yield "pad", [rows], {"mode": "reflect"}, "pad", ((3, 3),), ((4, 0), (0, 4))
    yield "pad", [rows], {"mode": "circular"}, "pad", ((4, 4),), ((5, 0), (0, 5))


CALLS: Sequence[Call] = [
    *_of_units(), *_of_losses(), *_of_windows(), *_of_convolutions(), *_of_images(),
]  # fmt: skip
"""Functions, the tensors and other options that they are given, an option, and its values."""
