"""Layers that have a function for a twin: their sizes, their options, and what both are given."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..protocol.subject import Subject
from .arrays import Array
from .distributions import around

Shape = tuple[int, ...]
Options = Mapping[str, Any]

PLACE = "torch.nn.functional"
BATCH = (4, 6)


def _same(*arrays: Array) -> Sequence[Array]:
    return arrays


def _no_mode(training: bool, options: Options) -> Options:  # noqa: ARG001, FBT001
    return {}


@dataclass(frozen=True)
class Twin:
    """How a layer is made, and the function that says what it computes.

    The function is given the inputs, what it is `told`, by their names what the layer has of its
    `own`, and the options, but for those that say which parameters and buffers a layer has.
    """

    function: str
    shapes: Sequence[Shape]
    sizes: Sequence[Any] = ()
    options: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    own: Sequence[str] = ()
    told: Sequence[Any] | None = None
    """As the sizes, if nothing is said."""
    of: Callable[..., Sequence[Array]] = _same
    """Makes inputs of numbers that are drawn."""
    mode: Callable[[bool, Options], Options] = _no_mode
    """What the function is told of the mode of the layer."""
    alone: bool = False
    """Whether the layer takes an input without the axis of the batch too."""


def chances(x: Array, t: Array) -> Sequence[Array]:
    """Turn numbers into chances, and into others to be compared with them."""
    return 1 / (1 + np.exp(-x)), 1 / (1 + np.exp(-t))


def shares(x: Array, t: Array) -> Sequence[Array]:
    """Turn numbers into logarithms of shares of the classes."""
    return tuple(each - np.log(np.exp(each).sum(1, keepdims=True)) for each in (x, t))


def signs(*arrays: Array) -> Sequence[Array]:
    """Turn the last of several arrays into signs."""
    return *arrays[:-1], np.where(arrays[-1] > 0, 1, -1)


def classes(x: Array, t: Array) -> Sequence[Array]:
    """Turn the second array into numbers of classes."""
    return x, rows(t[:, 0], x.shape[1])[0]


def rows(x: Array, count: int = 5) -> Sequence[Any]:
    """Turn numbers into numbers of rows."""
    return ((np.abs(x) * 64).astype(np.int64) % count,)


def drawing(training: bool, options: Options) -> Options:  # noqa: ARG001, FBT001
    """Say whether anything is drawn."""
    return {"training": training}


def batch_norm(training: bool, options: Options) -> Options:  # noqa: FBT001
    """Say whose statistics a batch normalization takes."""
    return {"training": training or not options.get("track_running_stats", True)}


def instance_norm(training: bool, options: Options) -> Options:  # noqa: FBT001
    """Say whose statistics a normalization of instances takes."""
    return {"use_input_stats": training or not options.get("track_running_stats", False)}


KEPT = {
    "eps": (0.25,), "momentum": (0.5,), "affine": (False,), "track_running_stats": (False,),
}  # fmt: skip
GAINED = {**KEPT, "affine": (True,), "track_running_stats": (True,)}
STATED = ("weight", "bias", "running_mean", "running_var")
REDUCED = {"reduction": ("none", "sum", "mean")}
IN_1, IN_2, IN_3 = (2, 4, 9), (2, 4, 6, 7), (2, 4, 4, 5, 6)


def _each(
    name: str, function: str, sizes: Sequence[Any], axes: Sequence[int] = (1, 2, 3), **rest: Any
) -> dict[str, Twin]:
    """Make twins of layers for one axis or more of places."""
    shapes = {1: IN_1, 2: IN_2, 3: IN_3}
    alone = "Norm" not in name
    return {
        f"{name}{n}d": Twin(
            f"{function}{n}d" if alone else function, [shapes[n]], sizes, alone=alone, **rest
        )
        for n in axes
    }


CONVOLVED = {
    "stride": (2,), "padding": (1, "valid"), "dilation": (2,), "groups": (2,), "bias": (False,),
}  # fmt: skip
SPREAD = {
    "stride": (2,), "padding": (1,), "dilation": (2,), "groups": (2,), "bias": (False,),
}  # fmt: skip

TWINS: dict[str, Twin] = {
    # ---- affine maps and convolutions ------------------------------------------------------------
    "Linear": Twin("linear", [(4, 6)], (6, 3), {"bias": (False,)}, ("weight", "bias"),
                   told=(), alone=True),
    "Bilinear": Twin("bilinear", [(4, 3), (4, 2)], (3, 2, 5), {"bias": (False,)},
                     ("weight", "bias"), told=(), alone=True),
    **_each("Conv", "conv", (4, 6, 2), options=CONVOLVED, own=("weight", "bias"), told=()),
    **_each("ConvTranspose", "conv_transpose", (4, 6, 2), options=SPREAD, own=("weight", "bias"),
            told=()),
    # ---- pooling and padding ---------------------------------------------------------------------
    **_each("MaxPool", "max_pool", (3,), options={
        "stride": (1, 2), "padding": (1,), "dilation": (2,), "ceil_mode": (True,),
        "return_indices": (True,)}, axes=(1, 2)),
    "MaxPool3d": Twin("max_pool3d", [IN_3], (2,), {
        "stride": (1, 3), "padding": (1,), "ceil_mode": (True,), "return_indices": (True,)},
        alone=True),
    **_each("AvgPool", "avg_pool", (3,), options={
        "stride": (1, 2), "padding": (1,), "ceil_mode": (True,), "count_include_pad": (False,)}),
    **_each("LPPool", "lp_pool", (2.0, 3), options={"stride": (1, 2), "ceil_mode": (True,)}),
    **_each("AdaptiveAvgPool", "adaptive_avg_pool", (3,)),
    **_each("AdaptiveMaxPool", "adaptive_max_pool", (3,), options={"return_indices": (True,)}),
    **_each("FractionalMaxPool", "fractional_max_pool", (2, 2), options={
        "return_indices": (True,)}, axes=(2, 3)),
    "Fold": Twin("fold", [(2, 12, 4)], ((4, 3), (3, 2))),
    "Unfold": Twin("unfold", [IN_2], (2,), {"stride": (2,), "padding": (1,), "dilation": (2,)}),
    "Upsample": Twin("interpolate", [IN_2], ((3, 5),), {"mode": ("bilinear", "bicubic")}),
    # ---- activations -----------------------------------------------------------------------------
    **{
        name: Twin(function, [BATCH], (), options)
        for name, function, options in (
            ("ReLU", "relu", {"inplace": (False,)}), ("ReLU6", "relu6", {}),
            ("ELU", "elu", {"alpha": (0.5,)}), ("CELU", "celu", {"alpha": (0.5,)}),
            ("SELU", "selu", {}), ("GELU", "gelu", {"approximate": ("tanh",)}),
            ("SiLU", "silu", {}), ("Mish", "mish", {}), ("Sigmoid", "sigmoid", {}),
            ("Tanh", "tanh", {}), ("Hardsigmoid", "hardsigmoid", {}),
            ("Hardswish", "hardswish", {}), ("Tanhshrink", "tanhshrink", {}),
            ("Hardtanh", "hardtanh", {"min_val": (-0.5,), "max_val": (0.5,)}),
            ("LeakyReLU", "leaky_relu", {"negative_slope": (0.5,)}),
            ("LogSigmoid", "logsigmoid", {}), ("Softsign", "softsign", {}),
            ("Softplus", "softplus", {"beta": (2.0,), "threshold": (0.5,)}),
            ("Softshrink", "softshrink", {"lambd": (0.25,)}),
            ("Hardshrink", "hardshrink", {"lambd": (0.25,)}),
            ("GLU", "glu", {"dim": (0,)}),
        )
    },
    **{
        name: Twin(function, [BATCH], (), {"dim": (0, -1)})
        for name, function in (
            ("Softmax", "softmax"), ("LogSoftmax", "log_softmax"), ("Softmin", "softmin"))
    },
    "Threshold": Twin("threshold", [BATCH], (0.25, 2.0)),
    "PReLU": Twin("prelu", [BATCH], (6,), {}, ("weight",), told=()),
    # ---- what is drawn ---------------------------------------------------------------------------
    "Dropout": Twin("dropout", [BATCH], (), {"p": (0.25, 0.75)}, mode=drawing),
    "Dropout1d": Twin("dropout1d", [IN_1], (), {"p": (0.25, 0.75)}, mode=drawing),
    "Dropout2d": Twin("dropout2d", [IN_2], (), {"p": (0.25, 0.75)}, mode=drawing),
    "Dropout3d": Twin("dropout3d", [IN_3], (), {"p": (0.25, 0.75)}, mode=drawing),
    "AlphaDropout": Twin("alpha_dropout", [BATCH], (), {"p": (0.25, 0.75)}, mode=drawing),
    "FeatureAlphaDropout": Twin("feature_alpha_dropout", [IN_1], (), {"p": (0.25, 0.75)},
                                mode=drawing),
    "RReLU": Twin("rrelu", [BATCH], (), {"lower": (0.25,), "upper": (0.75,)}, mode=drawing),
    # ---- norms and distances ---------------------------------------------------------------------
    "LayerNorm": Twin("layer_norm", [BATCH], ((6,),), {
        "eps": (0.25,), "bias": (False,), "elementwise_affine": (False,)}, ("weight", "bias")),
    "RMSNorm": Twin("rms_norm", [BATCH], ((6,),), {
        "eps": (0.25,), "elementwise_affine": (False,)}, ("weight",)),
    "GroupNorm": Twin("group_norm", [IN_1], (2, 4), {"eps": (0.25,), "affine": (False,)},
                      ("weight", "bias"), (2,)),
    **_each("BatchNorm", "batch_norm", (4,), options=KEPT, own=STATED, told=(), mode=batch_norm),
    **_each("InstanceNorm", "instance_norm", (4,), options=GAINED, own=STATED, told=(),
            mode=instance_norm),
    "LocalResponseNorm": Twin("local_response_norm", [IN_2], (2,), {
        "alpha": (0.5,), "beta": (0.5,), "k": (2.0,)}),
    "CosineSimilarity": Twin("cosine_similarity", [BATCH, BATCH], (), {
        "dim": (0, -1), "eps": (8.0,)}),
    "PairwiseDistance": Twin("pairwise_distance", [BATCH, BATCH], (), {
        "p": (3.0,), "eps": (0.25,), "keepdim": (True,)}),
    "Flatten": Twin("torch:flatten", [IN_2], (1, 2)),
    "Unflatten": Twin("torch:unflatten", [BATCH], (1, (2, 3))),
    "PixelShuffle": Twin("pixel_shuffle", [IN_2], (2,)),
    "PixelUnshuffle": Twin("pixel_unshuffle", [(2, 3, 4, 6)], (2,)),
    "ChannelShuffle": Twin("channel_shuffle", [IN_2], (2,)),
    # ---- tables of rows --------------------------------------------------------------------------
    "Embedding": Twin("embedding", [(3, 2)], (5, 4), {
        "padding_idx": (0, 1, -1), "max_norm": (0.5,), "norm_type": (1.0,),
        "scale_grad_by_freq": (True,)}, ("weight",), told=(),
        of=rows),
    "EmbeddingBag": Twin("embedding_bag", [(3, 4)], (5, 4), {
        "padding_idx": (0, 1, -1), "max_norm": (0.5,), "norm_type": (1.0,),
        "mode": ("sum", "mean", "max")}, ("weight",), told=(),
        of=rows),
    # ---- losses ----------------------------------------------------------------------------------
    "L1Loss": Twin("l1_loss", [BATCH, BATCH], (), REDUCED),
    "MSELoss": Twin("mse_loss", [BATCH, BATCH], (), REDUCED),
    "HuberLoss": Twin("huber_loss", [BATCH, BATCH], (), {**REDUCED, "delta": (0.5,)}),
    "SmoothL1Loss": Twin("smooth_l1_loss", [BATCH, BATCH], (), {**REDUCED, "beta": (0.5,)}),
    "BCELoss": Twin("binary_cross_entropy", [BATCH, BATCH], (), REDUCED, of=chances),
    "BCEWithLogitsLoss": Twin("binary_cross_entropy_with_logits", [BATCH, BATCH], (), REDUCED,
                              of=lambda x, t: (x, chances(x, t)[1])),
    "KLDivLoss": Twin("kl_div", [BATCH, BATCH], (), {
        "reduction": ("none", "sum", "batchmean"), "log_target": (True,)},
        of=shares),
    "PoissonNLLLoss": Twin("poisson_nll_loss", [BATCH, BATCH], (), {
        **REDUCED, "log_input": (False,), "full": (True,), "eps": (0.25,)},
        of=lambda x, t: (np.abs(x) + 1, np.abs(t) + 1)),
    "GaussianNLLLoss": Twin("gaussian_nll_loss", [BATCH, BATCH, BATCH], (), {
        **REDUCED, "full": (True,), "eps": (0.25,)}, of=lambda x, t, v: (x, t, np.abs(v) + 0.5)),
    "SoftMarginLoss": Twin("soft_margin_loss", [BATCH, BATCH], (), REDUCED, of=signs),
    "HingeEmbeddingLoss": Twin("hinge_embedding_loss", [BATCH, BATCH], (), {
        **REDUCED, "margin": (0.5,)}, of=signs),
    "CosineEmbeddingLoss": Twin("cosine_embedding_loss", [BATCH, BATCH, (4,)], (), {
        **REDUCED, "margin": (0.5,)}, of=signs),
    "MarginRankingLoss": Twin("margin_ranking_loss", [BATCH, BATCH, BATCH], (), {
        **REDUCED, "margin": (0.5,)}, of=signs),
    "TripletMarginLoss": Twin("triplet_margin_loss", [BATCH, BATCH, BATCH], (), {
        **REDUCED, "margin": (0.5,), "p": (3.0,), "eps": (0.25,), "swap": (True,)}),
    "MultiLabelSoftMarginLoss": Twin("multilabel_soft_margin_loss", [BATCH, BATCH], (), REDUCED,
                                     of=lambda x, t: (x, (t > 0) * 1.0)),
    "CrossEntropyLoss": Twin("cross_entropy", [BATCH, BATCH], (), {
        **REDUCED, "ignore_index": (1,), "label_smoothing": (0.25,)}, of=classes),
    "NLLLoss": Twin("nll_loss", [BATCH, BATCH], (), {**REDUCED, "ignore_index": (1,)}, of=classes),
    "MultiMarginLoss": Twin("multi_margin_loss", [BATCH, BATCH], (), {
        **REDUCED, "p": (2,), "margin": (0.5,)}, of=classes),
}  # fmt: skip
"""Layers by their names; to each option the values that it may have beside its default."""

PADDED = {
    "Zero": "constant", "Constant": "constant", "Reflection": "reflect",
    "Replication": "replicate", "Circular": "circular",
}  # fmt: skip
"""The first words of layers that pad, and what the function calls what they do."""

for _n, _shape in enumerate((IN_1, IN_2, IN_3), start=1):
    for _word, _mode in PADDED.items():
        for _sides in (1, (2, 1, 0, 1, 2, 0)[: 2 * _n]):
            _told = (_sides,) * (2 * _n) if _sides == 1 else _sides
            _value = (0.5,) if _word == "Constant" else ()
            TWINS[f"{_word}Pad{_n}d {_sides}"] = Twin(
                "pad", [_shape], (_sides, *_value), told=(_told, _mode, *_value), alone=True
            )

ABOUT_PARAMETERS = {"bias", "affine", "elementwise_affine", "track_running_stats"}


@dataclass(frozen=True)
class Case:
    """A layer with options, and numbers to give it."""

    name: str
    options: Options
    inputs: Sequence[Array]
    training: bool
    seed: int

    def check(self, be: Subject) -> None:
        """Compare the layer with the function, and their gradients. Raises AssertionError."""
        twin, what = TWINS[self.name], f"{self.name} with {self.options}"
        layer = be.layer(self.name.partition(" ")[0], *twin.sizes, **self.options)
        layer.train(self.training)
        inputs = [be.leaf(x) if x.dtype == float else be.tensor(x) for x in self.inputs]
        own = {name: getattr(layer, name) for name in twin.own}
        copies = {name: None if x is None else be.clone(x) for name, x in own.items()}
        options = {k: v for k, v in self.options.items() if k not in ABOUT_PARAMETERS}
        options |= twin.mode(self.training, self.options)
        told = twin.sizes if twin.told is None else twin.told
        place = twin.function if ":" in twin.function else f"{PLACE}:{twin.function}"
        function = be.lookup(place)
        results = []
        calls: Sequence[Callable[[], Any]] = (
            lambda: function(*inputs, *told, **copies, **options),
            lambda: layer(*inputs),
        )
        for call in calls:
            with be.fork_random():
                be.manual_seed(self.seed)
                found = call()
            results.append(found if isinstance(found, tuple) else (found,))
        for want, got in zip(*results, strict=True):
            be.same(got, want, f"result of {what}")
        for name, copy in copies.items():
            if copy is not None:
                be.same(own[name], copy, f"{name} of {what}")
        leaves = [x for x in (*inputs, *own.values()) if x is not None and be.requires_grad(x)]
        self._check_gradients(be, [each[0] for each in results], leaves, what)

    def _check_gradients(
        self, be: Subject, results: Sequence[Any], leaves: Sequence[Any], what: str
    ) -> None:
        shape = be.numpy(results[0]).shape
        w = be.tensor(np.random.default_rng(self.seed).normal(size=shape))
        found = (be.gradients(y, leaves, w, allow_unused=True) for y in results)
        for want, got in zip(*found, strict=True):
            assert (want is None) is (got is None), what
            if want is not None:
                terms = be.numpy(want).astype(float)
                be.check_gradient(got, around(terms, np.abs(terms).max()), f"gradient of {what}")


def layers_with_twins(seed: int) -> Iterator[Case]:
    """Give each fourth layer any of its options at once, and numbers, all drawn with a seed.

    By the first four seeds each layer has all of its options.
    """
    rng = np.random.default_rng(seed)
    for name, twin in list(TWINS.items())[seed % 4 :: 4]:
        options = {
            key: values[int(rng.integers(len(values)))]
            for key, values in twin.options.items()
            if rng.random() < 0.5 or key == "dim" or seed < 4
        }
        lone = slice(None) if not twin.alone or rng.random() < 0.5 else 0
        drawn = [rng.normal(size=shape)[lone] for shape in twin.shapes]
        yield Case(name, options, twin.of(*drawn), bool(rng.random() < 0.5), int(rng.integers(99)))
