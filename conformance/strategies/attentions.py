"""Attention with any of its options at once, and what it is made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from ..protocol.subject import Subject
from .arrays import Array
from .distributions import around

Mask = Array | npt.NDArray[np.bool_]
"""Numbers that are added to scores, or bools that leave keys out."""

WIDTH, HEADS, BATCH, QUERIES, KEYS = 4, 2, 3, 2, 5


@dataclass(frozen=True)
class Attention:
    """A layer of attention, who looks at what, and what is asked for."""

    options: Mapping[str, Any]
    asked: Mapping[str, bool]
    masks: Sequence[str]
    """Which of the masks are given."""
    added: bool
    """Whether masks are finite numbers that are added to scores, or bools that leave keys out."""
    by_head: bool
    """Whether each item and head has a mask of its own for its queries."""
    looks: str
    """Whether queries look at themselves, at keys that are the values, or at keys with values."""
    recorded: bool
    alone: bool
    """Whether there is one item without a batch."""
    seed: int

    def check(self, be: Subject) -> None:
        """Compare the layer with its parts. Raises AssertionError."""
        rng = np.random.default_rng(self.seed)
        layer = be.layer("MultiheadAttention", WIDTH, HEADS, **self.options)
        for parameter in layer.parameters():
            be.set_data(parameter, be.tensor(rng.normal(size=be.numpy(parameter).shape)))
        count = 1 if self.alone else BATCH
        keys = QUERIES if self.looks == "itself" else KEYS
        kdim, vdim = (self.options.get(word) or WIDTH for word in ("kdim", "vdim"))
        query = be.leaf(rng.normal(size=(count, QUERIES, WIDTH)))
        key = query if self.looks == "itself" else be.leaf(rng.normal(size=(count, keys, kdim)))
        value = key if self.looks != "both" else be.leaf(rng.normal(size=(count, keys, vdim)))
        bias = self._masks(rng, count, keys)
        whole = self._whole(be, layer, query, key, value, bias)
        masks = {name: be.tensor(mask) for name, mask in bias.items()}
        layer.train(self.recorded)
        with be.enable_grad() if self.recorded else be.no_grad():
            found = self._found(layer, query, key, value, masks)
        for got, want in zip(found, whole, strict=True):
            if want is not None:
                true = be.numpy(want)
                be.check(got, around(true, np.abs(true).max() + 16, times=16), f"result of {self}")
        assert (found[1] is None) is not self.asked["need_weights"]
        if self.recorded:
            w = be.tensor(rng.normal(size=(count, QUERIES, WIDTH)))
            leaves = [query, key, value, *layer.parameters()]
            both = (be.gradients(y, leaves, w) for y in (whole[0], found[0]))
            for want, got in zip(*both, strict=True):
                true = be.numpy(want)
                size = np.abs(true).max() + 64
                be.check_gradient(got, around(true, size, times=16), f"gradient of {self}")

    def _masks(self, rng: np.random.Generator, count: int, keys: int) -> dict[str, Mask]:
        """Draw the masks, none of which leaves out the first key."""
        heads = (count * HEADS,) if self.by_head else ()
        sizes = {"attn_mask": (*heads, QUERIES, keys), "key_padding_mask": (count, keys)}
        made: dict[str, Mask] = {}
        for name in self.masks:
            hidden = rng.random(size=sizes[name]) < 0.5
            hidden[..., 0] = False  # known: where nothing is to be seen
            made[name] = rng.normal(size=sizes[name]) * hidden if self.added else hidden
        return made

    def _found(self, layer: Any, *given: Any) -> tuple[Any, Any]:
        """Call the layer, and put the axis of the batch first in what it returns."""
        *inputs, masks = given
        first = self.options.get("batch_first", False)

        def turned(x: Any) -> Any:
            return x[0] if self.alone else x if first else x.transpose(0, 1)

        # What is one tensor stays one: the layer has a way of its own for that.
        made = {id(x): turned(x) for x in inputs}
        if self.alone and "key_padding_mask" in masks:
            masks = masks | {"key_padding_mask": masks["key_padding_mask"][0]}
        result, weights = layer(*(made[id(x)] for x in inputs), **masks, **self.asked)
        if self.alone:
            return result[None], None if weights is None else weights[None]
        return result if first else result.transpose(0, 1), weights

    def _whole(
        self, be: Subject, layer: Any, query: Any, key: Any, value: Any, masks: Mapping[str, Mask]
    ) -> tuple[Any, Any]:
        """Attention by its formula: shares of the values, by the products of queries and keys."""
        linear = be.lookup("torch.nn.functional:linear")
        names = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
        weights = (
            [getattr(layer, name) for name in names]
            if layer.in_proj_weight is None
            else layer.in_proj_weight.chunk(3)
        )
        biases = [None] * 3 if layer.in_proj_bias is None else layer.in_proj_bias.chunk(3)
        q, k, v = map(linear, (query, key, value), weights, biases)
        count, more = len(query), 0
        if layer.bias_k is not None:
            k, v = (
                be.cat([x, extra.expand(count, 1, WIDTH)], 1)
                for x, extra in ((k, layer.bias_k), (v, layer.bias_v))
            )
            more += 1
        if layer.add_zero_attn:
            k, v = (be.cat([x, be.tensor(np.zeros((count, 1, WIDTH)))], 1) for x in (k, v))
            more += 1
        q, k, v = (x.unflatten(-1, (HEADS, -1)).transpose(1, 2) for x in (q, k, v))
        scores = q @ k.transpose(-1, -2) / sqrt(WIDTH // HEADS)
        for name, mask in masks.items():
            wide = np.pad(mask, ((0, 0),) * (mask.ndim - 1) + ((0, more),))
            if name == "key_padding_mask":
                wide = wide[:, None, None]
            elif self.by_head:
                wide = wide.reshape(count, HEADS, *wide.shape[1:])
            told = be.tensor(wide)
            scores = scores + told if self.added else scores.masked_fill(told, -np.inf)
        shares = scores.softmax(-1)
        result = (shares @ v).transpose(1, 2).flatten(2)
        said = shares.mean(1) if self.asked.get("average_attn_weights", True) else shares
        result = linear(result, layer.out_proj.weight, layer.out_proj.bias)
        return result, said if self.asked["need_weights"] else None


def attention(seed: int) -> Attention:
    """Draw a layer of attention with a seed."""
    rng = np.random.default_rng(seed)

    def coin() -> bool:
        return bool(rng.random() < 0.5)

    looks = ("itself", "keys", "both")[seed % 3]
    options: dict[str, Any] = {
        name: value
        for name, value in (
            ("bias", False), ("add_bias_kv", True), ("add_zero_attn", True), ("batch_first", True),
            ("kdim", 3), ("vdim", 5),
        )
        if coin() and (looks == "both" or name not in {"kdim", "vdim"})
    }  # fmt: skip
    if looks == "keys" and coin():
        options |= {"kdim": 3, "vdim": 3}
    masks = tuple(name for name in ("attn_mask", "key_padding_mask") if coin())
    asked = {"need_weights": coin()}
    if asked["need_weights"]:
        asked["average_attn_weights"] = coin()
    how = coin(), coin()
    recorded, alone = coin(), coin() and coin()
    if coin() and coin():
        # Layers have a faster way for this.
        options, looks, recorded = {"batch_first": True}, "itself", False
    return Attention(options, asked, masks, *how, looks, recorded, alone, seed % 1000)
