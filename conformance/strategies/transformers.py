"""Transformers with any of their options at once, and what their layers are made of."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..protocol.subject import Subject
from .distributions import around

WIDTH, HEADS, INNER, BATCH, ROWS, MEMORIES = 4, 2, 6, 3, 5, 4


@dataclass(frozen=True)
class Transformer:
    """An encoder or a decoder, what is masked, and whether the graph is recorded."""

    decodes: bool
    depth: int
    """How many layers there are; 0 for one that is called by itself."""
    options: Mapping[str, Any]
    mask: str
    """What rows may look at: "none" for all, "bool" or "infinite" for those before them, by bools
    or by additions of -inf, "heads" for other ones by each head, "finite" for additions of numbers.
    """
    padded: bool
    """Whether some rows at the ends of sequences are only there to fill them."""
    recorded: bool
    seed: int

    def check(self, be: Subject) -> None:
        """Compare results and gradients with those of the parts. Raises AssertionError."""
        rng = np.random.default_rng(self.seed)
        net = self._made(be)
        for parameter in net.parameters():
            be.set_data(parameter, be.tensor(rng.normal(size=be.numpy(parameter).shape)))
        leaves = [be.leaf(rng.normal(size=(BATCH, n, WIDTH))) for n in (ROWS, MEMORIES)]
        leaves = leaves if self.decodes else leaves[:1]
        filled = np.arange(ROWS) >= rng.integers(2, ROWS + 1, size=(BATCH, 1))
        masks = self._masks(be, rng, filled)
        layers = net.layers if self.depth else [net]
        net.train(self.recorded)
        with be.enable_grad() if self.recorded else be.no_grad():
            found = self._turned(net(*map(self._turned, leaves), **masks))
        # Recorded, no layer takes the way that is for evaluation alone.
        true, *memory = map(self._turned, leaves)
        for layer in layers:
            true = self._composed(layer, true, memory, masks)
        if self.depth and net.norm is not None:
            true = net.norm(true)
        true = self._turned(true)
        kept = ~filled if self.padded else np.ones_like(filled)
        got, want = (be.numpy(y)[kept] for y in (found, true))
        be.check(be.tensor(got), around(want, np.abs(want).max() + 16, times=64), f"of {self}")
        if self.recorded:
            w = be.tensor(rng.normal(size=(BATCH, ROWS, WIDTH)) * kept[..., None])
            wanted = [*leaves, *net.parameters()]
            both = (be.gradients(y, wanted, w) for y in (true, found))
            for one, other in zip(*both, strict=True):
                value = be.numpy(one)
                allowed = around(value, np.abs(value).max() + 64, times=64)
                be.check_gradient(other, allowed, f"gradient of {self}")

    def _made(self, be: Subject) -> Any:
        kind = "Decoder" if self.decodes else "Encoder"
        # Where nothing is recorded there is no training, and nothing is to be dropped.
        dropout = 0.0 if self.recorded else 0.5
        layer = be.layer(
            f"Transformer{kind}Layer", WIDTH, HEADS, INNER, dropout=dropout, **self.options
        )
        if not self.depth:
            return layer
        norm = be.layer("LayerNorm", WIDTH) if self.options["norm_first"] else None
        return be.layer(f"Transformer{kind}", layer, self.depth, norm)

    def _turned(self, x: Any) -> Any:
        """Exchange the axes of batch and rows where the layer has the batch second."""
        return x if self.options["batch_first"] else x.transpose(0, 1)

    def _masks(
        self, be: Subject, rng: np.random.Generator, filled: np.ndarray[Any, Any]
    ) -> dict[str, Any]:
        """Return masks by the names that the layer has for them."""
        later = np.triu(np.ones((ROWS, ROWS), bool), 1)
        hidden = rng.random(size=(BATCH * HEADS, ROWS, ROWS)) < 0.5
        hidden[..., 0] = False
        drawn = {
            "bool": later,
            "infinite": np.where(later, -np.inf, 0.0),
            "heads": hidden,
            "finite": rng.normal(size=(ROWS, ROWS)),
        }
        one = "mask" if self.depth else "src_mask"
        whole = "tgt_mask" if self.decodes else one
        found = {whole: be.tensor(drawn[self.mask])} if self.mask in drawn else {}
        if self.padded:
            fill = np.where(filled, -np.inf, 0.0) if self.mask == "infinite" else filled
            name = "tgt_key_padding_mask" if self.decodes else "src_key_padding_mask"
            found[name] = be.tensor(fill)
        return found

    def _composed(self, layer: Any, x: Any, memory: list[Any], masks: dict[str, Any]) -> Any:
        """Return what the parts of one layer make of rows, and of memories that are looked at."""
        given = {"key_padding_mask" if "padding" in n else "attn_mask": m for n, m in masks.items()}

        def itself(rows: Any) -> Any:
            return layer.self_attn(rows, rows, rows, **given)[0]

        def others(rows: Any) -> Any:
            return layer.multihead_attn(rows, *memory * 2)[0]

        def inner(rows: Any) -> Any:
            return layer.linear2(layer.activation(layer.linear1(rows)))

        parts = [itself, others, inner] if self.decodes else [itself, inner]
        norms = [layer.norm1, layer.norm2, *([layer.norm3] if self.decodes else [])]
        for part, norm in zip(parts, norms, strict=True):
            x = x + part(norm(x)) if self.options["norm_first"] else norm(x + part(x))
        return x


def transformer(seed: int) -> Transformer:
    """Choose what a transformer is made of, and under which mask; not as `unrecorded` does."""
    rng = np.random.default_rng(seed)
    options = {
        "activation": str(rng.choice(["relu", "gelu"])),
        "norm_first": bool(rng.integers(2)),
        "batch_first": bool(rng.integers(2)),
        "bias": bool(rng.integers(4)),
        "layer_norm_eps": 0.25,
    }
    decodes, recorded = (bool(rng.integers(2)) for _ in range(2))
    masks = ["none", "bool", "infinite", "heads", "finite"][: 5 if decodes or recorded else 4]
    return Transformer(
        decodes=decodes,
        depth=int(rng.integers(3)),
        options=options,
        mask=str(rng.choice(masks)),
        padded=bool(rng.integers(2)),
        recorded=recorded,
        seed=seed,
    )


def unrecorded(seed: int) -> Transformer:
    """Choose an encoder in evaluation, whose mask is added to the scores."""
    return replace(transformer(seed), decodes=False, recorded=False, mask="finite")
