"""How optimizers walk: each yields the parameter after every step, given the gradients in order.

What they walk on only has to know + - * / and **, so that `Rounded` numbers show how far rounding
may carry a right implementation away.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any


def sgd(
    w: Any,
    gradients: Iterable[Any],
    lr: float,
    momentum: float = 0,
    dampening: float = 0,
    nesterov: bool = False,  # noqa: FBT001, FBT002
    weight_decay: float = 0,
) -> Iterator[Any]:
    """Walk by gradient descent with momentum.

    Polyak's heavy ball and Nesterov's look-ahead as Sutskever, Martens, Dahl & Hinton (ICML 2013)
    state them, with the learning rate outside of the velocity, which starts at the first gradient.
    Weight decay adds the gradient of weight_decay / 2 |w|^2 (Krogh & Hertz, NIPS 1991).
    """
    velocity = None
    for gradient in gradients:
        g = gradient + weight_decay * w
        velocity = g if velocity is None else momentum * velocity + (1 - dampening) * g
        w = w - lr * (g + momentum * velocity if nesterov else velocity)
        yield w


def rmsprop(
    w: Any, gradients: Iterable[Any], lr: float, alpha: float = 0.99, eps: float = 1e-8
) -> Iterator[Any]:
    """Walk by gradients over the root of their running mean square.

    Tieleman & Hinton, "Neural Networks for Machine Learning" (Coursera, 2012), lecture 6.5; eps is
    added to the root.
    """
    mean_square = 0 * w
    for g in gradients:
        mean_square = alpha * mean_square + (1 - alpha) * (g * g)
        w = w - lr * g / (mean_square**0.5 + eps)
        yield w


def adam(
    w: Any,
    gradients: Iterable[Any],
    lr: float,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
) -> Iterator[Any]:
    """Walk by running means of gradients over the root of those of their squares, both unbiased.

    Kingma & Ba, "Adam" (ICLR 2015), algorithm 1.
    """
    first, second = 0 * w, 0 * w
    for step, g in enumerate(gradients, start=1):
        first = betas[0] * first + (1 - betas[0]) * g
        second = betas[1] * second + (1 - betas[1]) * (g * g)
        mean, mean_square = first / (1 - betas[0] ** step), second / (1 - betas[1] ** step)
        w = w - lr * mean / (mean_square**0.5 + eps)
        yield w


WALKS: dict[str, Callable[..., Iterator[Any]]] = {"SGD": sgd, "RMSprop": rmsprop, "Adam": adam}
"""The walks by the names of the optimizers, whose options they take."""
