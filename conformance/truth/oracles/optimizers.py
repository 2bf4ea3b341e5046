"""How optimizers step: where a parameter goes, given its gradient and what is remembered of others.

A step takes a parameter, its gradient, a dict kept from step to step (empty at first) and options;
it returns the parameter afterwards. Parameters and gradients are numbers or arrays, or jets, which
show how far rounding may carry a right implementation.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

Memory = dict[str, Any]


def sgd(
    w: Any,
    gradient: Any,
    memory: Memory,
    *,
    lr: float,
    momentum: float = 0,
    dampening: float = 0,
    nesterov: bool = False,
    weight_decay: float = 0,
) -> Any:
    """Step by gradient descent with momentum.

    Polyak's heavy ball and Nesterov's look-ahead as Sutskever, Martens, Dahl & Hinton (ICML 2013)
    state them, with the learning rate outside of the velocity, which starts at the first gradient.
    Weight decay adds the gradient of weight_decay / 2 |w|^2 (Krogh & Hertz, NIPS 1991).
    """
    g = gradient + weight_decay * w
    velocity = momentum * memory["velocity"] + (1 - dampening) * g if memory else g
    memory["velocity"] = velocity
    return w - lr * (g + momentum * velocity if nesterov else velocity)


def rmsprop(
    w: Any, gradient: Any, memory: Memory, *, lr: float, alpha: float = 0.99, eps: float = 1e-8
) -> Any:
    """Step by the gradient over the root of the running mean of its square.

    Tieleman & Hinton, "Neural Networks for Machine Learning" (Coursera, 2012), lecture 6.5; eps is
    added to the root.
    """
    square = (1 - alpha) * (gradient * gradient)
    memory["square"] = alpha * memory["square"] + square if memory else square
    return w - lr * gradient / (np.sqrt(memory["square"]) + eps)


def adam(
    w: Any,
    gradient: Any,
    memory: Memory,
    *,
    lr: float,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
) -> Any:
    """Step by the running mean of gradients over the root of that of their squares, both unbiased.

    Kingma & Ba, "Adam" (ICLR 2015), algorithm 1.
    """
    first, second = betas
    if not memory:
        memory.update(steps=0, mean=0 * gradient, square=0 * gradient)
    memory["steps"] += 1
    memory["mean"] = first * memory["mean"] + (1 - first) * gradient
    memory["square"] = second * memory["square"] + (1 - second) * (gradient * gradient)
    mean = memory["mean"] / (1 - first ** memory["steps"])
    square = memory["square"] / (1 - second ** memory["steps"])
    return w - lr * mean / (np.sqrt(square) + eps)


STEPS: dict[str, Callable[..., Any]] = {"SGD": sgd, "RMSprop": rmsprop, "Adam": adam}
"""The steps by the names of the optimizers, whose options they take."""
