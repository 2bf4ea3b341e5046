"""Backpropagation: of any function that ran on jets, and by hand through layers used repeatedly.

Rumelhart, Hinton & Williams, "Learning representations by back-propagating errors" (Nature 323,
1986): the error of a layer is that of the next one, through its weights, times the derivative of
tanh. A layer used again adds up what all its uses contribute. On jets this shows how far rounding
may carry it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..tolerance import Total
from .jets import Array, Jet, allowing

Matrix = Any
"""An array, or a jet."""


def squared_error(
    x: Matrix, y: Matrix, parameters: Sequence[Matrix], path: Sequence[int]
) -> tuple[Matrix, list[Matrix | None]]:
    """Return the sum of squared errors of a network on a batch, and its gradients.

    The gradients of a layer that is not used are None.

    `parameters` are a weight (outputs, inputs) and a bias (outputs,) for each layer; `path` names
    the layers as they follow each other, with tanh between one and the next. `x` is
    (samples, inputs), `y` (samples, outputs).
    """
    entries = [x]
    for place, layer in enumerate(path, start=1):
        z = entries[-1] @ parameters[2 * layer].T + parameters[2 * layer + 1]
        entries.append(np.tanh(z) if place < len(path) else z)
    error = entries[-1] - y
    gradients: list[Matrix | None] = [None] * len(parameters)
    back = 2.0 * error
    for layer, entry in zip(reversed(path), reversed(entries[:-1]), strict=True):
        for place, term in ((2 * layer, back.T @ entry), (2 * layer + 1, back.sum(0))):
            gradients[place] = term if gradients[place] is None else gradients[place] + term
        back = (back @ parameters[2 * layer]) * (1.0 - entry * entry)
    return (error * error).sum(), gradients


def pulled_back(result: Jet, w: Array, seeds: Sequence[Jet]) -> list[Total]:
    """Return what the gradient for each of the seeds is of a result of theirs, by a cotangent."""
    derivatives = (w.reshape(result.shape) * result).sum().numbers[:, 0, 1:]
    ends = np.cumsum([seed.size for seed in seeds])[:-1]
    return [
        allowing(*part.reshape(2, *seed.shape))
        for part, seed in zip(np.split(derivatives, ends, axis=1), seeds, strict=True)
    ]
