"""What fills parameters for the first time, by which options, and what numbers come of that."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from math import erfc, prod, sqrt
from typing import Any

import numpy as np

from ..protocol.subject import Subject
from .arrays import Array
from .random_numbers import Distribution, check_draws, ks_ratio, normal, uniform

PLACE = "torch.nn.init"

GAINS: Mapping[tuple[str, float | None], float] = {
    **{(name, None): 1.0 for name in ("linear", "sigmoid")},
    **{(f"{name}{n}d", None): 1.0 for name in ("conv", "conv_transpose") for n in (1, 2, 3)},
    ("tanh", None): 5 / 3,
    ("relu", None): sqrt(2),
    ("relu", 3.0): sqrt(2),
    ("selu", None): 3 / 4,
    ("leaky_relu", None): sqrt(2 / (1 + 0.01**2)),
    ("leaky_relu", 0.0): sqrt(2),
    ("leaky_relu", 1): 1.0,
    ("leaky_relu", -3.0): sqrt(1 / 5),
}
"""What activations, some with a slope, let weights be multiplied by."""

SHAPES = ((100, 200), (400, 50), (20, 125, 8), (50, 10, 4, 10), (5, 40, 4, 5, 5))
"""Of weights of so many entries that their distribution shows."""

FILLS: Mapping[str, dict[str, Any]] = {
    "uniform_": {"a": 0.5},
    "normal_": {"mean": 0.5},
    "trunc_normal_": {"a": 0.25},
    "constant_": {"val": 0.5},
    "ones_": {},
    "zeros_": {},
    "eye_": {},
    "dirac_": {},
    "xavier_uniform_": {"gain": 2.0},
    "xavier_normal_": {"gain": 2.0},
    "kaiming_uniform_": {"mode": "fan_out"},
    "kaiming_normal_": {"mode": "fan_out"},
    "orthogonal_": {"gain": 2.0},
    "sparse_": {"sparsity": 0.5},
}
"""Everything that fills, with options."""

DRAWN: Mapping[str, dict[str, Any]] = {
    **{
        name: options
        for name, options in FILLS.items()
        if name not in ("constant_", "ones_", "zeros_", "eye_", "dirac_")
    },
    "trunc_normal_ far above the mean": {"mean": -3.0, "a": 0.0, "b": 0.5},
    "trunc_normal_ of little": {"mean": 0.25, "std": 8.0, "a": 0.0, "b": 0.5},
}
"""What fills with numbers that are drawn, with options and perhaps a word on these."""

REFUSED: tuple[tuple[str, tuple[int, ...], dict[str, Any]], ...] = (
    *((f"{name}_{kind}_", (3,), {}) for name in ("xavier", "kaiming") for kind in
      ("uniform", "normal")),
    *((f"kaiming_{kind}_", (3, 2), {"mode": "fan_avg"}) for kind in ("uniform", "normal")),
    *((f"kaiming_{kind}_", (3, 2), {"nonlinearity": "softplus"}) for kind in
      ("uniform", "normal")),
    ("eye_", (3,), {}),
    ("eye_", (2, 3, 1), {}),
    ("sparse_", (3,), {"sparsity": 0.5}),
    ("sparse_", (2, 3, 1), {"sparsity": 0.5}),
    ("orthogonal_", (3,), {}),
    ("dirac_", (2, 3), {}),
    ("dirac_", (2, 3, 1, 1, 1, 1), {}),
    ("dirac_", (4, 3, 1), {"groups": 3}),
)  # fmt: skip
"""Shapes and options that mean nothing to what fills."""


@dataclass(frozen=True)
class Initial:
    """What fills a weight, by which options, and the distribution of what it fills it with."""

    name: str
    shape: tuple[int, ...]
    options: dict[str, Any]
    distribution: Distribution

    def check(self, be: Subject, seed: int) -> Array:
        """Fill twice, compare what was drawn, and return it. Raises AssertionError."""
        fill = be.lookup(f"{PLACE}:{self.name}")
        with be.fork_random():
            be.manual_seed(seed)
            blank = [be.tensor(np.zeros(self.shape)) for _ in range(2)]
            weights = [be.numpy(fill(each, **self.options)) for each in blank]
        check_draws(weights, self.distribution)
        return np.stack(weights)


def fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return how many entries each result of a weight is added up of, and each input goes into."""
    places = prod(shape[2:])
    return shape[1] * places, shape[0] * places


def initial(kind: str, seed: int) -> Initial:
    """Draw what fills with numbers that are `uniform` or `normal`."""
    rng = np.random.default_rng(seed)
    shape = SHAPES[rng.integers(len(SHAPES))]
    options: dict[str, Any] = {}
    way = ("", "xavier_", "kaiming_")[rng.integers(3)]
    if not way:
        low, size = float(rng.integers(-2, 3)), float(rng.integers(1, 5)) / 4
        if kind == "uniform":
            return Initial("uniform_", shape, {"a": low, "b": low + size}, uniform(low, low + size))
        return Initial("normal_", shape, {"mean": low, "std": size}, normal(low, size))
    if way == "xavier_":
        deviation = sqrt(2 / sum(fans(shape)))
        if rng.random() < 0.75:
            options["gain"] = float(rng.choice([0.5, 2.0, 5 / 3]))
            deviation *= options["gain"]
    else:
        nonlinearity, slope = list(GAINS)[rng.integers(len(GAINS))]
        mode = ("fan_in", "fan_out")[rng.integers(2)]
        options = {"a": 0 if slope is None else slope, "mode": mode, "nonlinearity": nonlinearity}
        gain = sqrt(2) if nonlinearity == "leaky_relu" and slope is None else GAINS[
            nonlinearity, slope
        ]  # fmt: skip
        if rng.random() < 0.25:
            options, gain, mode = {}, sqrt(2), "fan_in"
        deviation = gain / sqrt(fans(shape)[mode == "fan_out"])
    if kind == "normal":
        return Initial(f"{way}normal_", shape, options, normal(0.0, deviation))
    bound = sqrt(3) * deviation
    return Initial(f"{way}uniform_", shape, options, uniform(-bound, bound))


# ---- normal numbers between bounds ---------------------------------------------------------------

BETWEEN = (
    (0.0, 1.0, -2.0, 2.0),
    (0.0, 1.0, -0.5, 0.25),
    (1.0, 2.0, 1.0, 9.0),
    (0.0, 1.0, 2.0, 3.0),
    (0.5, 0.5, -2.0, -1.5),
    (-3.0, 1.0, 3.0, 4.0),
    (0.0, 1.0, 8.0, 8.5),
    (0.0, 0.25, -3.5, -3.0),
)
"""Means, deviations and bounds: around the mean, on one side of it, and far from it."""


def truncated(mean: float, deviation: float, low: float, high: float) -> Distribution:
    """Normal numbers between two bounds; moments are not stated."""
    # Of the two tails the one that is short on that side has all of its digits.
    side = 1 if low + high < 2 * mean else -1

    def tail(x: float) -> float:
        return side * erfc(-side * (x - mean) / deviation / sqrt(2))

    first, whole = tail(low), tail(high) - tail(low)
    below = np.vectorize(lambda x: (tail(min(max(x, low), high)) - first) / whole, otypes=[float])
    return Distribution(below, mean, deviation, ())


def check_truncated(be: Subject, options: tuple[float, float, float, float], seed: int) -> None:
    """Fill a weight with normal numbers between bounds, and compare. Raises AssertionError."""
    mean, deviation, low, high = options
    # Far from the mean it is said that the distribution may be wrong.
    with be.fork_random(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        be.manual_seed(seed)
        weight = be.tensor(np.zeros(SHAPES[0]))
        be.lookup(f"{PLACE}:trunc_normal_")(weight, mean, deviation, low, high)
    found = be.numpy(weight)
    assert low <= found.min() <= found.max() <= high, f"{found.min()} to {found.max()}"
    off = ks_ratio(found, truncated(mean, deviation, low, high))
    assert off <= 1, f"the distribution is off by {off:.3g} times what chance explains"


# ---- layers that are made ------------------------------------------------------------------------


def within(count: float) -> Distribution:
    """All numbers alike up to one over the root of a count."""
    return uniform(-1 / sqrt(count), 1 / sqrt(count))


MADE: Mapping[str, tuple[tuple[Any, ...], dict[str, Any], dict[str, Distribution | float]]] = {
    "Linear": ((64, 300), {}, {"": within(64)}),
    "Bilinear": ((25, 16, 40), {}, {"": within(25)}),
    **{
        name: ((20, 50), {}, {"": within(50)})
        for name in ("RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell")
    },
    "Conv1d": ((24, 160, 9), {"groups": 2}, {"": within(12 * 9)}),
    "Conv2d": ((12, 160, (3, 4)), {"groups": 4}, {"": within(3 * 12)}),
    "Conv3d": ((6, 80, (2, 3, 4)), {}, {"": within(6 * 24)}),
    "ConvTranspose1d": ((160, 24, 9), {"groups": 2}, {"": within(12 * 9)}),
    "ConvTranspose2d": ((160, 12, (3, 4)), {"groups": 4}, {"": within(3 * 12)}),
    "ConvTranspose3d": ((80, 6, (2, 3, 4)), {}, {"": within(6 * 24)}),
    "Embedding": ((400, 40), {"padding_idx": 7}, {"weight": normal()}),
    "EmbeddingBag": ((400, 40), {"padding_idx": -1}, {"weight": normal()}),
    "PReLU": ((3,), {}, {"weight": 0.25}),
    "LayerNorm": ((3,), {}, {"weight": 1.0, "bias": 0.0}),
    "RMSNorm": ((3,), {}, {"weight": 1.0}),
    "GroupNorm": ((1, 3), {}, {"weight": 1.0, "bias": 0.0}),
    **{
        f"{name}{n}d": ((3,), {"affine": True}, {"weight": 1.0, "bias": 0.0})
        for name in ("BatchNorm", "InstanceNorm") for n in (1, 2, 3)
    },
}  # fmt: skip
"""Layers by their sizes and options, and what their parameters, or all of them, begin with."""


def check_made(be: Subject, name: str, seed: int) -> None:
    """Compare what the parameters of a new layer are filled with. Raises AssertionError."""
    sizes, options, begin = MADE[name]
    with be.fork_random():
        be.manual_seed(seed)
        layer = be.layer(name, *sizes, **options)
    if "padding_idx" in options:
        assert not be.numpy(layer.weight)[options["padding_idx"]].any(), "the row for padding"
    for parameter, x in layer.named_parameters():
        values, want = be.numpy(x).astype(np.float64), begin.get("", begin.get(parameter))
        if isinstance(want, Distribution):
            off = ks_ratio(values, want)
            assert off <= 1, f"{parameter}: off by {off:.3g} times what chance explains"
            reach = want.deviation * sqrt(3)
            assert "" not in begin or np.abs(values).max() <= reach * (1 + 1e-6), parameter
        else:
            assert want is not None, f"{parameter} is not stated"
            be.same(x, np.full(values.shape, want, be.dtype), parameter)
