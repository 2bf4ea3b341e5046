"""Jacobians, and their comparison with central differences."""

# ruff: noqa: FBT001, FBT002  (signatures are PyTorch's)

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .engine import grad
from .errors import AutogradError
from .modes import no_grad
from .tensor import Array, Tensor, wrap


def jacobian(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """All partial derivatives of `function` at `x`; the output's dimensions come first."""
    inner = x.detach().requires_grad_()
    output = function(inner)
    rows = _rows(output, inner).astype(output.dtype)
    return wrap(rows.reshape(output.shape + inner.shape))


def gradcheck(
    function: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Whether every entry of every Jacobian agrees with central differences.

    `inputs` are passed to `function`; those that require a gradient are checked, and must be
    float64 for the default tolerances to make sense. An output that does not require a gradient
    is checked too: its Jacobian must then be zero. Raises wrong_gradient, or with
    `raise_exception=False` returns False; raises argument.
    """
    given = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    checked = [each for each in given if isinstance(each, Tensor) and each.requires_grad]
    if not checked:
        raise AutogradError("argument", "gradcheck wants at least one input that requires grad")
    if any(s == 0 and n > 1 for x in checked for s, n in zip(x.stride(), x.shape, strict=True)):
        raise AutogradError("argument", "gradcheck: an input has a dimension with stride 0")
    for number in range(len(_outputs(function, given))):
        for position, x in enumerate(checked):
            analytic = _rows(_outputs(function, given)[number], x)
            numeric = _numeric(function, given, number, x, eps)
            if not np.allclose(analytic, numeric, rtol, atol, equal_nan=True):
                if raise_exception:
                    raise AutogradError(
                        "wrong_gradient",
                        f"Jacobian mismatch for output {number} with respect to input {position}:\n"
                        f"numeric:\n{numeric}\nanalytic:\n{analytic}",
                    )
                return False
    return True


def _outputs(function: Callable[..., Any], given: tuple[Any, ...]) -> tuple[Tensor, ...]:
    result = function(*given)
    return tuple(result) if isinstance(result, tuple | list) else (result,)


def _rows(output: Tensor, x: Tensor) -> Array:
    """The Jacobian as a matrix: row i is the gradient of element i of `output`."""
    rows = np.zeros((output.numel(), x.numel()))
    if not output.requires_grad:
        return rows
    for row in range(output.numel()):
        cotangent = np.zeros(output.shape, output.dtype)
        cotangent.reshape(-1)[row] = 1
        (g,) = grad(output, x, Tensor(cotangent), retain_graph=True, allow_unused=True)
        if g is not None:
            rows[row] = g.array.reshape(-1)
    return rows


def _numeric(function: Any, given: tuple[Any, ...], number: int, x: Tensor, eps: float) -> Array:
    columns = []
    for index in np.ndindex(x.shape):
        kept = x.array[index]
        ends = []
        for step in (eps, -eps):
            # The memory is changed behind the version counter's back, and put back.
            x.array[index] = kept + step
            with no_grad():
                ends.append(np.array(_outputs(function, given)[number].array, dtype=float))
        x.array[index] = kept
        columns.append(((ends[0] - ends[1]) / (2 * eps)).reshape(-1))
    return np.array(columns).T if columns else np.zeros((0, 0))
