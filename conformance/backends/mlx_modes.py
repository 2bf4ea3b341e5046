"""Other ways in which MLX runs a function."""

import shutil
from collections.abc import Callable

from mlx import core as mx

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


MODES = (Compiled, Vmap)
