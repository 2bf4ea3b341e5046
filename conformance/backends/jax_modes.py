"""Other ways in which JAX runs a function."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy.typing as npt
from jax import Array
from jax import numpy as jnp

from ..protocol.capabilities import Capability
from ..protocol.mode import Mode

Function = Callable[..., Array]
Pullback = Callable[[Array], Sequence[Array | None]]


class Jit(Mode):
    """Functions through XLA as one program."""

    name = "jit"
    does = "functions compiled as a whole by jax.jit"
    # How many entries a mask selects is not known then.
    lacking = frozenset({"masked_select"})
    example_divisor = 2

    def wrap(self, function: Function, about: str) -> Function:
        made: Function = jax.jit(function)
        return made


class Checkpointed(Mode):
    """Nothing is kept for backward but the inputs."""

    name = "checkpoint"
    does = "functions computed again in backward, by jax.checkpoint"
    lacking = Jit.lacking

    def wrap(self, function: Function, about: str) -> Function:
        made: Function = jax.checkpoint(function)
        return made


class ByHand(Mode):
    """A function whose rule is its own pullback, written by hand."""

    name = "custom_vjp"
    does = "functions that are given their own pullback as a rule, by jax.custom_vjp"
    # Such a function has no forward mode.
    lost = frozenset({Capability.JVP})

    def wrap(self, function: Function, about: str) -> Function:
        custom = jax.custom_vjp(function)
        custom.defvjp(lambda *given: jax.vjp(function, *given), lambda pull, w: pull(w))
        made: Function = custom
        return made


class Linearize(Mode):
    """The linear part of a function at a point, and its transpose."""

    name = "linearize"
    does = "tangents by jax.linearize, gradients by the transpose of that"
    # What is linear for real numbers alone has no transpose.
    lost = frozenset({Capability.COMPLEX})

    def vjp(
        self, function: Function, *inputs: Array, create_graph: bool = False
    ) -> tuple[Array, Pullback]:
        value, push = jax.linearize(function, *inputs)
        return value, jax.linear_transpose(push, *inputs)

    def jvp(
        self, function: Function, inputs: Sequence[Array], tangents: Sequence[Array]
    ) -> tuple[Array, Array]:
        value, push = jax.linearize(function, *inputs)
        return value, push(*tangents)


def batch(x: Array) -> Array:
    """Put other values beside those of `x`, which come second: its own, backwards."""
    return jnp.stack([jax.lax.stop_gradient(jnp.flip(x)), x])


def within(x: Array) -> Array:
    """Return the array that transforms have wrapped, with all slices of a batch."""
    inner: Array | None = x
    while inner is not None:
        x, inner = inner, getattr(inner, "primal", getattr(inner, "val", None))
    return x


class Vmap(Mode):
    """A function as one slice of a batch, differentiated within it."""

    name = "vmap"
    does = "functions mapped by jax.vmap, and their gradients slice by slice"

    def numpy(self, x: Array) -> npt.NDArray[Any]:
        # A pullback that is differentiated in turn is asked whether it changes its inputs.
        return super().numpy(within(x))

    def wrap(self, function: Function, about: str) -> Function:
        def mapped(*tensors: Array) -> Array:
            # The axis that is mapped over is the first one and the last one by turns.
            axes = [-(n % 2) for n in range(len(tensors))]
            batches = [
                jnp.moveaxis(batch(x), 0, axis) for x, axis in zip(tensors, axes, strict=True)
            ]
            return jax.vmap(function, tuple(axes))(*batches)[1]

        mapped.__dict__["plain"] = function
        return mapped

    def vjp(
        self, function: Function, *inputs: Array, create_graph: bool = False
    ) -> tuple[Array, Pullback]:
        plain: Function = getattr(function, "plain", function)

        def gradients(cotangent: Array, *at: Array) -> tuple[Array, ...]:
            found: tuple[Array, ...] = jax.vjp(plain, *at)[1](cotangent)
            return found

        def pull(cotangent: Array) -> Sequence[Array]:
            return [g[1] for g in jax.vmap(gradients)(*map(batch, (cotangent, *inputs)))]

        return function(*inputs), pull


MODES = (Jit, Vmap, Linearize, Checkpointed, ByHand)
