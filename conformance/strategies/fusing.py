"""Layers and the normalizations after them, made one layer in evaluation."""

from collections.abc import Mapping

import numpy as np

from ..protocol.subject import Subject
from .distributions import around
from .modules import fill

PLACE = "torch.nn.utils.fusion"

SHAPES: Mapping[str, tuple[int, ...]] = {
    "Linear": (3, 4),
    **{
        f"{name}{n}d": (2, 4, *[4] * n) for name in ("Conv", "ConvTranspose") for n in (1, 2, 3)
    },
}  # fmt: skip
"""Layers that can be fused, and the shapes of their inputs."""


def check_fused(
    be: Subject, name: str, seed: int, *, groups: int = 1, biased: bool = True, affine: bool = True
) -> None:
    """Fuse a layer with a normalization, and compare. Raises AssertionError."""
    rng, shape = np.random.default_rng(seed), SHAPES[name]
    axes, into = max(1, len(shape) - 2), shape[1]
    plain = name == "Linear"
    options = {} if plain else {"groups": groups}
    layer = be.layer(name, into, 6, *[2] * (not plain), bias=biased, **options).eval()
    norm = be.layer(f"BatchNorm{axes}d", 6, eps=0.25, affine=affine).eval()
    for module in (layer, norm):
        fill(be, module, *(rng.integers(-8, 9, be.shape(p)) / 4 for p in module.parameters()))
    be.set_data(norm.running_mean, be.tensor(rng.integers(-8, 9, 6) / 4))
    be.set_data(norm.running_var, be.tensor(rng.choice([0.0, 0.75, 2.0, 3.75], 6)))
    leaf, parameters = be.leaf(rng.integers(-8, 9, shape) / 4), [*layer.parameters()]
    before = [be.numpy(p) for p in (*parameters, *norm.state_dict().values())]
    if plain:
        fused = be.lookup(f"{PLACE}:fuse_linear_bn_eval")(layer, norm)
    else:
        turned = "Transpose" in name
        fused = be.lookup(f"{PLACE}:fuse_conv_bn_eval")(layer, norm, transpose=turned)
    assert type(fused) is type(layer)
    assert not fused.training
    assert [n for n, _ in fused.named_parameters()] == ["weight", "bias"]
    assert all(map(be.is_leaf, fused.parameters()))
    true, found = norm(layer(leaf)), fused(leaf)
    w = rng.integers(-8, 9, be.shape(true)) / 4
    (right,), (slope,) = (be.gradients(y, [leaf], be.tensor(w)) for y in (true, found))
    # No term is larger than 2 * 2 * 2 / 0.5, and there are no more than these.
    most = 16.0 * before[0].size
    be.check(found, around(be.numpy(true), most), f"result of a fused {name}")
    be.check_gradient(slope, around(be.numpy(right), most), f"gradient of a fused {name}")
    for x, value in zip((*parameters, *norm.state_dict().values()), before, strict=True):
        be.same(x, value, "what was fused")
