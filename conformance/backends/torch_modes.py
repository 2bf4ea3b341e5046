"""Other ways in which PyTorch runs a function: transforms, batches, compilers."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.utils.checkpoint import checkpoint

from ..protocol.capabilities import Capability
from ..protocol.mode import Mode
from .torch_compiled import Compiled, Inductor
from .torch_functions import SEGMENTS

Function = Callable[..., Tensor]
Pullback = Callable[[Tensor], Sequence[Tensor | None]]


def within(x: Tensor) -> Tensor:
    """Return the tensor that transforms have wrapped."""
    functorch: Any = torch._C._functorch
    while functorch.is_functorch_wrapped_tensor(x):
        x = functorch.get_unwrapped(x)
    return x


def weighed(derivatives: Tensor, cotangent: Tensor) -> Tensor:
    """Return products of derivatives with a cotangent; no part of it goes where they are zero.

    A pullback that moves entries brings back none of an infinite one to those it does not move.
    """
    dropped = (derivatives == 0) & ~torch.isfinite(cotangent)
    return derivatives * torch.where(dropped, torch.zeros_like(cotangent), cotangent)


class Transformed(Mode):
    """A mode in which claims meet tensors that a transform has wrapped."""

    def numpy(self, x: Tensor) -> np.ndarray[Any, Any]:
        inner = within(x)
        if inner._is_zerotensor():
            # Zeros for which PyTorch has taken no memory.
            return np.zeros(inner.shape, self.backend.dtype_of(inner))
        # Else what is done to the tensor here would be wrapped again.
        with torch._C._DisableFuncTorch():
            array: np.ndarray[Any, Any] = self.backend.numpy(inner)
        return array


class Func(Transformed):
    """The transform of a function into its pullback."""

    name = "func"
    does = "gradients by torch.func.vjp"

    def vjp(
        self, function: Function, *inputs: Tensor, create_graph: bool = False
    ) -> tuple[Tensor, Pullback]:
        pair: Any = torch.func.vjp(function, *inputs)
        value, pull = pair
        return value, pull


WITHOUT_TANGENTS = """
cdist cdist_orders ctc_loss ctc_loss_impossible ctc_loss_joined ctc_loss_row embedding_bag
embedding_bag_by_frequency embedding_bag_empty embedding_bag_last embedding_bag_padded
embedding_bag_weighted grid_sample
grid_sample_volume igamma igammac index_reduce_amax index_reduce_amin index_reduce_mean
index_reduce_prod multi_margin_loss multilabel_margin_loss ormqr pdist weight_norm zeta
"""
"""Operations without a formula for forward mode, which PyTorch says."""


class Forward(Transformed):
    """Forward mode alone: what it says of each entry makes up a gradient."""

    name = "forward"
    does = "tangents by torch.autograd.forward_ad, gradients by one for each entry"
    # Of a complex entry two would be needed.
    lost = frozenset({Capability.COMPLEX})
    lacking = frozenset(
        {*WITHOUT_TANGENTS.split(), *(f"segment_reduce_{kind}" for kind in SEGMENTS.split())}
    )
    of_many = False
    by_entry = True

    def vjp(
        self, function: Function, *inputs: Tensor, create_graph: bool = False
    ) -> tuple[Tensor, Pullback]:
        def pull(cotangent: Tensor) -> Sequence[Tensor]:
            return [self.gradient(function, inputs, n, cotangent) for n in range(len(inputs))]

        return function(*inputs), pull

    def gradient(
        self, function: Function, inputs: Sequence[Tensor], place: int, cotangent: Tensor
    ) -> Tensor:
        """Return the gradient for one of the inputs, one entry after the other."""
        x = inputs[place]

        def of_one(x: Tensor) -> Tensor:
            return function(*inputs[:place], x, *inputs[place + 1 :])

        derivatives = [
            weighed(torch.func.jvp(of_one, (x,), (unit.reshape(x.shape),))[1], cotangent).sum()
            for unit in torch.eye(x.numel(), dtype=x.dtype, device=x.device)
        ]
        # What a narrower input is multiplied with may be wide.
        return (
            torch.stack(derivatives).reshape(x.shape).to(x.dtype)
            if derivatives
            else torch.zeros_like(x)
        )

    def jvp(
        self, function: Function, inputs: Sequence[Tensor], tangents: Sequence[Tensor]
    ) -> tuple[Tensor, Tensor]:
        with forward_ad.dual_level():
            made, parts = (getattr(forward_ad, name) for name in ("make_dual", "unpack_dual"))
            duals = [made(x, t) for x, t in zip(inputs, tangents, strict=True)]
            value, tangent = parts(function(*duals))
        return value, torch.zeros_like(value) if tangent is None else tangent


class Jacrev(Transformed):
    """All rows of the matrix of derivatives at once, by mapped pullbacks."""

    name = "jacrev"
    does = "gradients by the matrix of torch.func.jacrev"
    # Of a complex result the rows for imaginary parts are left out.
    lost = frozenset({Capability.COMPLEX})
    # The matrix of tens of thousands of entries takes gigabytes.
    of_many = False

    def vjp(
        self, function: Function, *inputs: Tensor, create_graph: bool = False
    ) -> tuple[Tensor, Pullback]:
        def pull(cotangent: Tensor) -> Sequence[Tensor]:
            matrices = torch.func.jacrev(function, argnums=tuple(range(len(inputs))))(*inputs)
            rows = cotangent.reshape(-1, 1)
            return [
                weighed(matrix.reshape(len(rows), x.numel()), rows)
                .sum(0)
                .reshape(x.shape)
                .to(x.dtype)
                for x, matrix in zip(inputs, matrices, strict=True)
            ]

        return function(*inputs), pull


def batch(x: Tensor) -> Tensor:
    """Put other values beside those of `x`, which come second: its own, backwards."""
    return torch.stack([x.detach().flip(tuple(range(x.dim()))), x])


UNMAPPED = """
moveaxis column_stack nonzero split_copy unsafe_split_with_sizes as_strided_scatter ihfft rrelu
lstm_cell lstm_cell_plain batch_norm_plain gaussian_nll_loss gaussian_nll_loss_eps
geometric_log_prob continuous_bernoulli_log_prob categorical_logits_divergence
bernoulli_logits_divergence bernoulli_logits_divergence_wide
"""
"""Operations that vmap has no rule for, or that look at values; PyTorch says so of each."""


class Vmap(Transformed):
    """A function as one slice of a batch, differentiated within it."""

    name = "vmap"
    # Nor over what does not depend on the slice.
    writes = False
    lacking = frozenset(UNMAPPED.split())
    does = "functions mapped by torch.func.vmap, and their gradients slice by slice"

    def spellings(self, name: str) -> Mapping[str, Function]:
        # Nothing is written into a tensor from outside, as is documented; lists have no rule.
        every = super().spellings(name).items()
        return {w: f for w, f in every if not (w.endswith("out") or w.startswith("each"))}

    def wrap(self, function: Function, about: str) -> Function:
        def mapped(*tensors: Tensor) -> Tensor:
            # The axis that is mapped over is the first one and the last one by turns.
            axes = [-(n % 2) for n in range(len(tensors))]
            batches = [batch(x).movedim(0, axis) for x, axis in zip(tensors, axes, strict=True)]
            return torch.func.vmap(function, tuple(axes))(*batches)[1]

        mapped.__dict__["plain"] = function
        return mapped

    def vjp(
        self, function: Function, *inputs: Tensor, create_graph: bool = False
    ) -> tuple[Tensor, Pullback]:
        plain: Function = getattr(function, "plain", function)

        def gradients(cotangent: Tensor, *at: Tensor) -> tuple[Tensor, ...]:
            found: tuple[Tensor, ...] = torch.func.vjp(plain, *at)[1](cotangent)
            return found

        def pull(cotangent: Tensor) -> Sequence[Tensor]:
            return [g[1] for g in torch.func.vmap(gradients)(*map(batch, (cotangent, *inputs)))]

        return function(*inputs), pull


class Batched(Mode):
    """Several cotangents through one graph."""

    name = "batched"
    writes = False
    does = "gradients for two cotangents at once, by is_grads_batched"

    def vjp(
        self, function: Function, *inputs: Tensor, create_graph: bool = False
    ) -> tuple[Tensor, Pullback]:
        leaves = [x if x.requires_grad else x.detach().requires_grad_() for x in inputs]
        value = function(*leaves)

        def pull(cotangent: Tensor) -> Sequence[Tensor | None]:
            if not value.requires_grad:
                return [None] * len(leaves)
            found = torch.autograd.grad(
                value,
                leaves,
                batch(cotangent),
                retain_graph=True,
                create_graph=create_graph,
                allow_unused=True,
                is_grads_batched=True,
            )
            return [g if g is None else g[1] for g in found]

        return value, pull


class Checkpointed(Mode):
    """Nothing is kept for backward but the inputs."""

    name = "checkpoint"
    does = "functions computed again in backward, by torch.utils.checkpoint"

    def wrap(self, function: Function, about: str) -> Function:
        return lambda *tensors: checkpoint(function, *tensors, use_reentrant=False)


MODES = (Func, Forward, Jacrev, Vmap, Batched, Checkpointed, Compiled, Inductor)
