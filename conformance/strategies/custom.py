"""Operations made of a forward and a backward written by hand, and gradients that are wrong.

Each of the first takes a subject and returns the class that its library makes of the two functions.
"""

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..protocol.backend import Native
from ..protocol.subject import Subject
from ..truth.tolerance import Total
from .arrays import Array

Program = Callable[[Subject, Native], Native]

# ---- right ones ----------------------------------------------------------------------------------


def exponential(be: Subject) -> Any:
    """E ** x, which saves its output."""

    def forward(ctx: Any, x: Native) -> Native:
        y = be.exp(x)
        ctx.save_for_backward(y)
        return y

    def backward(ctx: Any, g: Native) -> Native:
        (y,) = ctx.saved_tensors
        return g * y

    return be.custom(forward, backward)


def cube(be: Subject) -> Any:
    """X ** 3, which saves its input."""

    def forward(ctx: Any, x: Native) -> Native:
        ctx.save_for_backward(x)
        return x * x * x

    def backward(ctx: Any, g: Native) -> Native:
        (x,) = ctx.saved_tensors
        return g * 3 * x * x

    return be.custom(forward, backward)


def passing(be: Subject) -> Any:
    """X itself, which it saves, with the gradient of x ** 2."""

    def forward(ctx: Any, x: Native) -> Native:
        ctx.save_for_backward(x)
        return x

    def backward(ctx: Any, g: Native) -> Native:
        (x,) = ctx.saved_tensors
        return g * 2 * x

    return be.custom(forward, backward)


def steep(be: Subject) -> Any:
    """X ** 2 with five times x for its derivative, in the form that transforms take."""

    def setup_context(ctx: Any, inputs: tuple[Native], _: Native) -> None:
        ctx.save_for_backward(*inputs)

    def backward(ctx: Any, g: Native) -> Native:
        (x,) = ctx.saved_tensors
        return g * 5 * x

    rule: Mapping[str, Callable[..., Any]] = {
        "forward": lambda x: x * x,
        "setup_context": setup_context,
        "backward": backward,
    }
    made = {name: staticmethod(function) for name, function in rule.items()}
    return type("Steep", (be.lookup("torch.autograd:Function"),), made)


SLOPES = (2, 3, 5)


def multiples(be: Subject) -> Any:
    """2 x, 3 x and 5 x: an operation of several outputs."""
    return be.custom(
        lambda _, x: tuple(x * k for k in SLOPES),
        lambda _, *given: sum(g * k for g, k in zip(given, SLOPES, strict=True)),
    )


def legendre(be: Subject) -> Any:
    """The Legendre polynomial P3(x) = (5 x ** 3 - 3 x) / 2; also of a number."""

    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return (5 * x * x * x - 3 * x) * 0.5

    def backward(ctx: Any, g: Native) -> Native:
        (x,) = ctx.saved_tensors
        return g * 1.5 * (5 * x * x - 1)

    return be.custom(forward, backward)


def scaling(be: Subject) -> Any:
    """X itself, whose gradient is multiplied by a number given as second input."""

    def forward(ctx: Any, x: Native, factor: float) -> Native:
        ctx.factor = factor
        return x

    def backward(ctx: Any, g: Native) -> tuple[Native, None]:
        return g * ctx.factor, None

    return be.custom(forward, backward)


def shifted(be: Subject, slip: Array) -> Any:
    """X * x, whose gradient has `slip` added to it."""

    def forward(ctx: Any, x: Native) -> Native:
        ctx.save_for_backward(x)
        return x * x

    def backward(ctx: Any, g: Native) -> Native:
        (x,) = ctx.saved_tensors
        return g * (2 * x + be.tensor(slip))

    return be.custom(forward, backward)


def integral(be: Subject, line: Any, slope: float) -> Any:
    """Half of a slope times x * x, of which the gradient is computed by a rule for slope * x."""

    def forward(ctx: Any, x: Native) -> Native:
        ctx.save_for_backward(x)
        return slope / 2 * x * x

    def backward(ctx: Any, g: Native) -> Native:
        (x,) = ctx.saved_tensors
        return g * line.apply(x)

    return be.custom(forward, backward)


def misplaced(be: Subject, places: list[int]) -> Any:
    """X itself, whose gradient comes back with its entries in other places."""
    return be.custom(lambda _, x: x * 1, lambda _, g: g[places])


def several(be: Subject, fault: tuple[int, int] | None) -> Any:
    """X * y, y - z and z * x, with a slip in the derivative of one output by one input."""

    def forward(ctx: Any, *inputs: Native) -> tuple[Native, ...]:
        ctx.save_for_backward(*inputs)
        x, y, z = inputs
        return x * y, y - z, z * x

    def backward(ctx: Any, *gradients: Native) -> tuple[Native, ...]:
        x, y, z = ctx.saved_tensors
        one = x * 0 + 1
        derivatives = [[y, x, 0 * one], [0 * one, one, -1 * one], [z, 0 * one, x]]
        if fault is not None:
            output, argument = fault
            derivatives[output][argument] = derivatives[output][argument] + 0.125
        columns = zip(*derivatives, strict=True)
        return tuple(sum(map(operator.mul, gradients, column)) for column in columns)

    return be.custom(forward, backward)


def convolution(be: Subject) -> Any:
    """The two-dimensional convolution of images with kernels."""

    def forward(ctx: Any, x: Native, kernels: Native) -> Native:
        ctx.save_for_backward(x, kernels)
        return be.conv2d(x, kernels)

    def backward(ctx: Any, g: Native) -> tuple[Native, Native]:
        x, kernels = ctx.saved_tensors
        swapped = be.conv2d(be.transpose(x, 0, 1), be.transpose(g, 0, 1))
        return be.conv_transpose2d(g, kernels), be.transpose(swapped, 0, 1)

    return be.custom(forward, backward)


def convolved(x: Array, kernels: Array) -> Total:
    """Convolve images of shape (n, c, h, w) with kernels of shape (o, c, i, j), term by term."""
    windows = np.lib.stride_tricks.sliding_window_view(x, kernels.shape[2:], (2, 3))
    terms = np.einsum("nchwij,ocij->nohwcij", windows, kernels)
    return Total.along(terms, (4, 5, 6))


# ---- wrong ones ----------------------------------------------------------------------------------

FAULTS: Mapping[str, Program] = {
    "scaled": lambda be, x: scaling(be).apply(x, -0.1),
    "slightly scaled": lambda be, x: scaling(be).apply(x, 1.01),
    "doubled": lambda be, x: scaling(be).apply(x, 2.0),
    "zero": lambda be, x: scaling(be).apply(x, 0.0),
    "shifted": lambda be, x: shifted(be, np.array(0.5)).apply(x),
    "without one factor": lambda be, x: be.mul(x, be.detach(x)),
    "lost": lambda be, x: be.detach(be.mul(x, x)),
}
"""Programs on a tensor of nonzero numbers whose gradients differ from finite differences."""
