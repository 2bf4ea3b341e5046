"""Names, options and inputs that modules and layers take, and such as they refuse."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..protocol.subject import Subject
from .modules import attribute

# ---- names ---------------------------------------------------------------------------------------

REGISTERED: Mapping[str, str] = {
    "parameter": "register_parameter",
    "buffer": "register_buffer",
    "Linear": "add_module",
}
"""What a module lists, and the method that registers it under a name."""

TAKEN_FROM: Mapping[str, Sequence[str]] = {
    "parameter": [*REGISTERED, "number"],
    "buffer": ["buffer"],
    "Linear": ["buffer", "Linear", "number"],
}
"""What may be assigned to an attribute, and what may have been there."""


def assigned(be: Subject, kind: str) -> Any:
    """Make what is registered by being assigned to an attribute of a module."""
    value = attribute(be, kind)
    return be.lookup("torch.nn:Buffer")(value) if kind == "buffer" else value


def own(module: Any, kind: str) -> list[tuple[str, Any]]:
    """List the names and values of a kind that a module has itself, without those below it."""
    return list(
        module.named_children()
        if kind == "Linear"
        else getattr(module, f"named_{kind}s")(recurse=False)
    )


# ---- options -------------------------------------------------------------------------------------

Choice = tuple[str, Mapping[str, Any], str, Sequence[Any], Sequence[Any]]

CONVOLVED = {"in_channels": 6, "out_channels": 6, "kernel_size": 2}
ADAPTIVE = {"in_features": 4, "n_classes": 8}
RECURRENT = {"input_size": 2, "hidden_size": 3}
HALF_POOL = {"kernel_size": 2, "output_ratio": 0.5}


def _choices() -> list[Choice]:
    choices: list[Choice] = [
        ("Conv1d", CONVOLVED, "padding_mode", ("zeros", "reflect"), ("mirror",)),
        ("Conv2d", CONVOLVED, "padding", (0, "valid", "same"), ("full",)),
        ("Conv2d", {**CONVOLVED, "padding": "same"}, "stride", (1,), (2,)),
        ("ConvTranspose2d", CONVOLVED, "padding_mode", ("zeros",), ("reflect", "mirror")),
        ("RNN", RECURRENT, "nonlinearity", ("tanh", "relu"), ("sin",)),
        ("LSTM", RECURRENT, "proj_size", (0, 2), (-1, 3)),
        ("RNN", RECURRENT, "proj_size", (), (-1, 0, 2)),
        ("GRU", RECURRENT, "proj_size", (), (-1, 0, 2)),
        ("MultiheadAttention", {"embed_dim": 4}, "num_heads", (1, 2, 4), (0, 3)),
        ("MultiheadAttention", {"num_heads": 1}, "embed_dim", (1, 4), (0,)),
        ("GroupNorm", {"num_channels": 4}, "num_groups", (1, 4), (3,)),
        ("Bilinear", {"in2_features": 2, "out_features": 3}, "in1_features", (1, 2), (0,)),
        ("Hardtanh", {"min_val": 1.0}, "max_val", (1.5,), (1.0, -1.0)),
        ("MultiMarginLoss", {}, "p", (1, 2), (0, 3)),
        ("TripletMarginLoss", {}, "margin", (0.5,), (0.0, -1.0)),
        ("TripletMarginWithDistanceLoss", {}, "margin", (0.5,), (0.0, -1.0)),
        ("AdaptiveLogSoftmaxWithLoss", ADAPTIVE, "cutoffs", ([2], [1, 7]), (
            [], [0, 2], [2, 2], [4, 2], [2, 8], [2.5])),
    ]  # fmt: skip
    for name in ("Conv2d", "ConvTranspose1d"):
        choices += [
            (name, CONVOLVED, "groups", (1, 2, 6), (0, -1, 4)),
            (name, {**CONVOLVED, "groups": 3}, "in_channels", (3, 6), (4,)),
            (name, {**CONVOLVED, "groups": 3}, "out_channels", (3, 6), (4,)),
        ]
    for name in ("RNN", "LSTM", "GRU"):
        choices += [
            (name, {"input_size": 2}, "hidden_size", (1, 3), (0, -1)),
            (name, {"hidden_size": 3}, "input_size", (1, 2), (0, -1)),
            (name, RECURRENT, "num_layers", (1, 2), (0, -1)),
            (name, {**RECURRENT, "num_layers": 2}, "dropout", (0.0, 1.0), (-0.25, 1.25, True)),
        ]
    for name in ("Embedding", "EmbeddingBag"):
        sizes = {"num_embeddings": 4, "embedding_dim": 3}
        choices.append((name, sizes, "padding_idx", (0, 3, -4, None), (4, -5)))
    for name in ("Dropout", "Dropout1d", "AlphaDropout", "FeatureAlphaDropout"):
        choices.append((name, {}, "p", (0.0, 1.0), (-0.25, 1.25)))
    for n in (2, 3):
        name, window = f"FractionalMaxPool{n}d", {"kernel_size": 2}
        beyond = [(0.5,) * k + (r,) + (0.5,) * (n - 1 - k) for k in range(n) for r in (0.0, 1.0)]
        choices += [
            (name, window, "output_ratio", (0.5, (0.25,) * n), (0.0, 1.0, *beyond, None)),
            (name, HALF_POOL, "output_size", (None,), (2,)),
        ]
    return choices


CHOICES: Sequence[Choice] = _choices()
"""Layers, what else they are given, an option, and what it may and may not be."""

# ---- inputs --------------------------------------------------------------------------------------

WIDTH = 4
"""The length of each axis of an input."""

AXES: Mapping[str, tuple[tuple[Any, ...], Sequence[int]]] = {
    **{
        f"{name}{n}d": (sizes, (n + 1, n + 2))
        for n in (1, 2, 3)
        for name, sizes in {
            "Conv": (WIDTH, 6, 2),
            "ConvTranspose": (WIDTH, 6, 2),
            "InstanceNorm": (WIDTH,),
            "MaxPool": (2,),
            "AvgPool": (2,),
            "AdaptiveAvgPool": (2,),
            "AdaptiveMaxPool": (2,),
            "LPPool": (2, 2),
            "CircularPad": (1,),
            "ReflectionPad": (1,),
            "ReplicationPad": (1,),
        }.items()
    },
    **{f"FractionalMaxPool{n}d": ((2, 2), (n + 1, n + 2)) for n in (2, 3)},
    "BatchNorm1d": ((WIDTH,), (2, 3)),
    "BatchNorm2d": ((WIDTH,), (4,)),
    "BatchNorm3d": ((WIDTH,), (5,)),
    "Dropout1d": ((), (2, 3)),
    "Softmax2d": ((), (3, 4)),
    "Unfold": ((2,), (3, 4)),
    "Fold": ((3, 2), (2, 3)),
    "CrossMapLRN2d": ((2,), (4,)),
    **dict.fromkeys(("RNN", "LSTM", "GRU"), ((WIDTH, 3), (2, 3))),
    **{f"{name}Cell": ((WIDTH, 3), (1, 2)) for name in ("RNN", "LSTM", "GRU")},
}
"""Layers, their sizes, and how many axes an input of theirs has."""
