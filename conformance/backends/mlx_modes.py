"""Other ways in which MLX runs a function."""

import shutil
from collections.abc import Callable
from typing import Any

from mlx import core as mx

from ..protocol.capabilities import Capability
from ..protocol.mode import Mode

Function = Callable[..., mx.array]


class Compiled(Mode):
    """Functions captured as graphs, in fused kernels."""

    name = "compile"
    does = "functions by mx.compile, which needs a C++ compiler on the CPU"

    def absent(self) -> str | None:
        if not any(map(shutil.which, ("g++", "clang++", "c++", "cl"))):
            return "needs a C++ compiler here; install one"
        return None

    def wrap(self, function: Function, about: str) -> Function:
        compiled: Function = mx.compile(function)
        return compiled


def batch(x: mx.array) -> mx.array:
    """Put other values beside those of `x`, which come second: its own, backwards."""
    other = x[tuple(slice(None, None, -1) for _ in range(x.ndim))] if x.ndim else x
    return mx.stack([mx.stop_gradient(other), x])


class Vmap(Mode):
    """A function as one slice of a batch."""

    name = "vmap"
    does = "functions mapped by mx.vmap, differentiated from outside"

    def wrap(self, function: Function, about: str) -> Function:
        def mapped(*tensors: mx.array) -> mx.array:
            # The axis that is mapped over is the first one and the last one by turns, and which of
            # them comes first depends on how many axes there are.
            turn = tensors[0].ndim % 2
            axes = [((n + turn) % 2) * x.ndim for n, x in enumerate(tensors)]
            batches = [
                mx.moveaxis(batch(x), 0, axis) for x, axis in zip(tensors, axes, strict=True)
            ]
            return mx.vmap(function, tuple(axes))(*batches)[1]

        return mapped


class ByHand(Mode):
    """A function whose rule is its own pullback, written by hand."""

    name = "custom_function"
    does = "functions that are given their own pullback as a rule, by mx.custom_function"
    # Of what has a rule for backward alone, forward mode is another function's.
    lost = frozenset({Capability.JVP})

    def wrap(self, function: Function, about: str) -> Function:
        custom: Any = mx.custom_function(function)

        def rule(primals: Any, cotangent: mx.array, _: mx.array) -> Any:
            given = [primals] if isinstance(primals, mx.array) else list(primals)
            found = mx.vjp(function, given, [cotangent])[1]
            return found[0] if isinstance(primals, mx.array) else tuple(found)

        custom.vjp(rule)
        made: Function = custom
        return made


class Checkpointed(Mode):
    """Nothing is kept for backward but the inputs."""

    name = "checkpoint"
    does = "functions computed again in backward, by mx.checkpoint"

    def wrap(self, function: Function, about: str) -> Function:
        made: Function = mx.checkpoint(function)
        return made


MODES = (Compiled, Vmap, Checkpointed, ByHand)
