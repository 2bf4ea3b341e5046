"""Kinks: points at which mathematics leaves the derivative open, or all but one library forget it.

At a kink a library chooses. What it chose is a convention, on record beside its adapter.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .arguments import Arguments, Told
from .drawn import ALL, Hand
from .generalized import AtKink, Kink
from .operation import Operation


def at(
    operation: str,
    *tensors: npt.ArrayLike,
    options: tuple[Any, ...] = (),
    weights: Sequence[float] = (1.0,),
    open: bool = False,
    **named: Any,
) -> Kink:
    """Name a kink."""
    arrays = tuple(np.asarray(tensor, np.float64) for tensor in tensors)
    return Kink(operation, Arguments(arrays, options, named), weights, open)


ONE = np.ones(1)
PLAIN: dict[str, Any] = {"stride": None, "padding": 0, "ceil_mode": False, "dilation": 1}
"""How windows are laid out if nothing is said."""

KINKS = (
    # ---- entry by entry --------------------------------------------------------------------------
    at("abs", 0.0),
    at("relu", 0.0),
    at("relu6", 0.0),
    at("relu6", 6.0),
    at("leaky_relu", 0.0, options=(0.125,)),
    at("elu", 0.0),
    at("hardtanh", -1.0, options=(-1.0, 1.0)),
    at("hardtanh", 1.0, options=(-1.0, 1.0)),
    at("clamp", 0.0, options=(0.0, 1.0)),
    at("clamp", 1.0, options=(0.0, 1.0)),
    at("sqrt", 0.0, open=True),
    at("selu", 0.0),
    at("hardswish", -3.0),
    at("hardswish", 3.0),
    at("hardsigmoid", -3.0),
    at("hardsigmoid", 3.0),
    at("softshrink", 0.5, options=(0.5,)),
    at("softshrink", -0.5, options=(0.5,)),
    at("hardshrink", 0.5, options=(0.5,), open=True),
    at("threshold", 0.0, options=(0.0, 0.0)),
    at("threshold", 1.0, options=(1.0, -2.0), open=True),
    at("rrelu", 0.0, options=(0.125, 0.375)),
    at("clamp_min", 0.0, options=(0.0,)),
    at("clamp_max", 0.0, options=(0.0,)),
    at("entr", 0.0, open=True),
    at("celu", 0.0, options=(0.5,)),
    at("elu_alpha", 0.0, options=(2.0,)),
    at("softsign", 0.0),
    at("softplus_beta", 1.0, options=(2.0, 2.0)),
    at("logit_clamped", 0.25, options=(0.25,)),
    at("logit_clamped", 0.75, options=(0.25,)),
    at("hardtanh_bounds", 0.25, options=(0.25, 1.5)),
    at("hardtanh_bounds", 1.5, options=(0.25, 1.5)),
    at("leaky_relu_slope", 0.0, options=(-0.5,)),
    at("i0e", 0.0),
    at("i1e", 0.0),
    # ---- steps, which are constant on both sides -------------------------------------------------
    at("sign", 0.0),
    at("sgn", 0.0),
    at("floor", 1.0),
    at("ceil", 1.0),
    at("trunc", -1.0),
    at("fix", -1.0),
    at("frac", 1.0),
    at("round", 0.5),
    at("fmod", 4.0, 2.0),
    at("remainder", 4.0, 2.0),
    at("fmod_number", 4.0, options=(2.0,)),
    at("remainder_number", 4.0, options=(2.0,)),
    at("div_floor", 4.0, 2.0),
    at("div_trunc", 4.0, 2.0),
    # ---- two operands ----------------------------------------------------------------------------
    at("maximum", 1.0, 1.0),
    at("maximum", 0.0, 0.0),
    at("minimum", 1.0, 1.0),
    at("fmax", 1.0, 1.0),
    at("fmin", 1.0, 1.0),
    at("clamp_tensors", 1.0, 1.0, 2.0),
    at("clamp_tensors", 2.0, 1.0, 2.0),
    at("copysign", 0.0, 1.0),
    at("copysign", 0.0, -1.0),
    at("xlog1py", 0.0, -1.0, open=True),
    at("pow", 0.0, 2.0, open=True),
    at("pow", 0.0, 0.0, open=True),
    at("pow", -2.0, 2.0, open=True),
    at("atan2", 0.0, 0.0, open=True),
    at("hypot", 0.0, 0.0, open=True),
    at("xlogy", 0.0, 0.0, open=True),
    at("clamp_tensors_wide", [1.0], 1.0, sides="min"),
    at("prelu", [0.0], [0.25]),
    # ---- losses and distances --------------------------------------------------------------------
    at("l1_loss", [1.0], [1.0], reduction="sum"),
    at("smooth_l1_loss", [2.0], [1.0], reduction="sum"),
    at("smooth_l1_loss_beta", [1.0], [1.0], reduction="sum", beta=0.0),
    at("smooth_l1_loss_beta", [1.5], [1.0], reduction="sum", beta=0.5),
    at("huber_loss", [2.0], [1.0], reduction="sum"),
    at("huber_loss_delta", [1.5], [1.0], reduction="sum", delta=0.5),
    at("margin_ranking_loss", [1.0], [1.0], options=(ONE,), reduction="sum", margin=0.0),
    at("hinge_embedding_loss", [1.0], options=(-ONE,), reduction="sum", margin=1.0),
    at("multilabel_margin_loss", [[1.0, 0.0]], options=(np.array([[0, -1]]),), reduction="sum"),
    at("dist", [1.0, 2.0], [1.0, 3.0], p=1.0),
    at("dist", [1.0, 2.0], [1.0, 2.0], p=2.0, open=True),
    at("dist", [1.0, 2.0], [2.0, 3.0], p=math.inf),
    at("cdist", [[1.0, 2.0]], [[1.0, 3.0]], p=1.0),
    at("cdist", [[1.0, 2.0]], [[1.0, 2.0]], p=2.0, open=True),
    at("pdist", [[1.0, 2.0], [1.0, 3.0]], options=(1.0,)),
    at("pdist", [[1.0, 2.0], [1.0, 2.0]], options=(2.0,), open=True),
    at("renorm", [[0.0, 0.0]], options=(2.0, 0, 0.125), weights=(1.0, 2.0)),
    # ---- many entries ----------------------------------------------------------------------------
    at("amax", [1.0, 3.0, 3.0]),
    at("amax", [[3.0, 1.0], [3.0, 3.0]], options=((0, 1), True)),
    at("amin", [3.0, 1.0, 1.0]),
    at("aminmax", [1.0, 3.0, 3.0], options=(0, False)),
    at("aminmax_all", [1.0, 3.0, 1.0]),
    at("max", [1.0, 3.0, 3.0], options=(0,)),
    at("min", [3.0, 1.0, 1.0], options=(0,)),
    at("max_keepdim", [1.0, 3.0, 3.0], options=(0, True)),
    at("min_keepdim", [3.0, 1.0, 1.0], options=(0, True)),
    at("topk", [1.0, 3.0, 3.0], options=(1, 0, True)),
    at("median", [1.0, 3.0, 3.0], options=(0,)),
    at("nanmedian", [1.0, 3.0, 3.0], options=(0,)),
    at("sort", [3.0, 3.0, 1.0], options=(0, True), weights=(1.0, 2.0, 3.0)),
    at("max_all", [1.0, 3.0, 3.0]),
    at("min_all", [3.0, 1.0, 1.0]),
    at("median_all", [1.0, 3.0, 3.0]),
    at("kthvalue", [1.0, 3.0, 3.0], options=(2, 0, False)),
    at("mode", [1.0, 3.0, 3.0], options=(0,), open=True),
    at("quantile", [1.0, 3.0, 3.0], options=(0.5, 0, False, "linear")),
    at("cummax", [3.0, 3.0, 1.0], options=(0,), weights=(1.0, 2.0, 3.0)),
    at("cummin", [1.0, 1.0, 3.0], options=(0,), weights=(1.0, 2.0, 3.0)),
    at("msort", [3.0, 3.0, 1.0], weights=(1.0, 2.0, 3.0)),
    at("vector_norm", [0.0, 0.0], options=(2.0, None, False), open=True),
    at("vector_norm", [3.0, -3.0], options=(math.inf, None, False)),
    at("norm", [0.0, 0.0], open=True),
    at("norm_order", [0.0, 2.0], options=(1.0, (0,), False)),
    at("matrix_norm", [[1.0, 2.0], [2.0, 1.0]], options=(math.inf,)),
    at("std", [2.0, 2.0], open=True),
    at("std", [2.0], open=True),
    at("sort_stable", [3.0, 3.0, 1.0], options=(0, True), weights=(1.0, 2.0, 3.0)),
    at("max_pool1d", [[[3.0, 3.0]]], options=(2,), **PLAIN),
    at("max_pool2d", [[[3.0, 3.0], [1.0, 3.0]]], options=(2,)),
    at("max_pool3d", [[[[3.0, 3.0], [1.0, 3.0]]]], options=((1, 2, 2),), **PLAIN),
    at("adaptive_max_pool1d", [[[3.0, 3.0, 1.0]]], options=((1,),)),
    at("adaptive_max_pool2d", [[[3.0, 3.0], [1.0, 3.0]]], options=((1, 1),)),
    at("embedding_bag", [[1.0], [1.0]], options=(np.array([0, 1]), np.array([0]), "max")),
    at("scatter_reduce_amax", [1.0, 3.0], [3.0, 3.0], options=(0, np.array([1, 1]), True)),
    at("scatter_reduce_amin", [3.0, 1.0], [1.0, 1.0], options=(0, np.array([1, 1]), True)),
    at("index_reduce_amax", [1.0, 3.0], [3.0, 3.0], options=(0, np.array([1, 1]), True)),
    at("index_reduce_amin", [3.0, 1.0], [1.0, 1.0], options=(0, np.array([1, 1]), True)),
    at("grid_sample", [[[[1.0, 3.0, 2.0]]]], [[[[0.0, 0.0]]]], options=("bilinear", "zeros", True)),
    # ---- no kinks at all, but zeros that rules divide by -----------------------------------------
    at("prod", [0.0, 2.0, 3.0]),
    at("cumprod", [2.0, 0.0, 3.0], options=(0,)),
    at("square", 0.0),
    at("sinc", 0.0),
)
"""Every kink that is looked at."""


@dataclass(frozen=True)
class Kinks:
    """The kinks of an operation that is named when a claim runs."""

    closed: bool = False

    def corners(self, operation: Operation, hand: Hand = ALL) -> list[AtKink]:  # noqa: ARG002
        """All of them, without the `open` ones if only `closed` ones are asked for."""
        own = [kink for kink in KINKS if kink.operation == operation.name]
        return [kink.of(operation) for kink in own if not (self.closed and kink.open)]

    def named(self, operation: Operation, word: str | Told) -> AtKink:
        """Return the one called `word`. Raises ValueError if there is none."""
        for kink in self.corners(operation):
            if kink.name == word:
                return kink
        raise ValueError(f"{operation.name} has no kink called {word!r}")


def kinks(*, closed: bool = False) -> Kinks:
    """Draw kinks of the operation at hand; `closed` ones bind every convention."""
    return Kinks(closed)
