"""How optimizers step: where a parameter goes, given its gradient and what is remembered of others.

A step takes a parameter, its gradient, a dict kept from step to step (empty at first) and options;
it returns the parameter afterwards. Parameters and gradients are numbers or arrays, or jets, which
show how far rounding may carry a right implementation.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..tolerance import unit_roundoff
from .jets import Array, Jet

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
    maximize: bool = False,
) -> Any:
    """Step by gradient descent with momentum.

    Polyak's heavy ball and Nesterov's look-ahead as Sutskever, Martens, Dahl & Hinton (ICML 2013)
    state them, with the learning rate outside of the velocity, which starts at the first gradient.
    Weight decay adds the gradient of weight_decay / 2 |w|^2 (Krogh & Hertz, NIPS 1991). To maximize
    is to step by the gradient of the negative.
    """
    g = (-gradient if maximize else gradient) + weight_decay * w
    heavy = momentum and memory  # without momentum there is nothing to dampen
    velocity = momentum * memory["velocity"] + (1 - dampening) * g if heavy else g
    memory["velocity"] = velocity
    return w - lr * (g + momentum * velocity if nesterov else velocity)


def rmsprop(
    w: Any,
    gradient: Any,
    memory: Memory,
    *,
    lr: float,
    alpha: float = 0.99,
    eps: float = 1e-8,
    momentum: float = 0,
    weight_decay: float = 0,
    centered: bool = False,
    maximize: bool = False,
) -> Any:
    """Step by the gradient over the root of the running mean of its square.

    Tieleman & Hinton, "Neural Networks for Machine Learning" (Coursera, 2012), lecture 6.5; eps is
    added to the root. Momentum gathers these steps, from none at first. `centered` takes the square
    of the running mean off, which leaves the variance (Graves, arXiv 1308.0850).
    """
    g = (-gradient if maximize else gradient) + weight_decay * w
    memory["mean"] = alpha * memory.get("mean", 0 * g) + (1 - alpha) * g
    memory["square"] = alpha * memory.get("square", 0 * g) + (1 - alpha) * (g * g)
    spread = memory["square"] - memory["mean"] * memory["mean"] if centered else memory["square"]
    step = g / (np.sqrt(spread) + eps)
    memory["velocity"] = momentum * memory.get("velocity", 0) + step
    return w - lr * memory["velocity"]


def adam(
    w: Any,
    gradient: Any,
    memory: Memory,
    *,
    lr: float,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: float = 0,
    amsgrad: bool = False,
    decoupled_weight_decay: bool = False,
    maximize: bool = False,
) -> Any:
    """Step by the running mean of gradients over the root of that of their squares, both unbiased.

    Kingma & Ba, "Adam" (ICLR 2015), algorithm 1; with `amsgrad` over that of the largest mean of
    squares so far (Reddi, Kale & Kumar, ICLR 2018).
    """
    if decoupled_weight_decay:
        w, weight_decay = w * (1 - lr * weight_decay), 0
    first, second = betas
    g = (-gradient if maximize else gradient) + weight_decay * w
    if not memory:
        memory.update(steps=0, mean=0 * g, square=0 * g, top=0 * g)
    memory["steps"] += 1
    memory["mean"] = first * memory["mean"] + (1 - first) * g
    memory["square"] = second * memory["square"] + (1 - second) * (g * g)
    memory["top"] = np.maximum(memory["top"], memory["square"])
    mean = memory["mean"] / (1 - first ** memory["steps"])
    square = memory["top" if amsgrad else "square"] / (1 - second ** memory["steps"])
    return w - lr * mean / (np.sqrt(square) + eps)


def sparse_adam(w: Any, gradient: Any, met: Any, memory: Memory, **options: Any) -> Any:
    """Step as Adam does where the gradient is `met`; what is not keeps its place and its means.

    So does torch.optim.SparseAdam, "a masked version of the Adam algorithm". Steps are counted for
    all entries alike.
    """
    before = {name: memory.get(name, 0 * gradient) for name in ("mean", "square", "top")}
    moved = adam(w, gradient, memory, **options)
    for name, value in before.items():
        memory[name] = np.where(met, memory[name], value)
    return np.where(met, moved, w)


def adamw(w: Any, gradient: Any, memory: Memory, *, weight_decay: float = 0.01, **rest: Any) -> Any:
    """Step as Adam does from a parameter that has shrunk by the rate times the decay.

    Loshchilov & Hutter, "Decoupled Weight Decay Regularization" (ICLR 2019), algorithm 2.
    """
    rest |= {"weight_decay": weight_decay, "decoupled_weight_decay": True}
    return adam(w, gradient, memory, **rest)


def adagrad(
    w: Any,
    gradient: Any,
    memory: Memory,
    *,
    lr: float,
    lr_decay: float = 0,
    weight_decay: float = 0,
    initial_accumulator_value: float = 0,
    eps: float = 1e-10,
    maximize: bool = False,
) -> Any:
    """Step by the gradient over the root of the sum of all squares so far.

    Duchi, Hazan & Singer, "Adaptive Subgradient Methods" (JMLR 2011); the rate falls as
    1 / (1 + k decay) after k steps.
    """
    g = (-gradient if maximize else gradient) + weight_decay * w
    steps = memory["steps"] = memory.get("steps", -1) + 1
    memory["sum"] = memory.get("sum", initial_accumulator_value) + g * g
    return w - lr / (1 + steps * lr_decay) * g / (np.sqrt(memory["sum"]) + eps)


def adadelta(
    w: Any,
    gradient: Any,
    memory: Memory,
    *,
    lr: float,
    rho: float = 0.9,
    eps: float = 1e-6,
    weight_decay: float = 0,
    maximize: bool = False,
) -> Any:
    """Step by the gradient times the root of the mean of squared steps over that of its squares.

    Zeiler, "ADADELTA" (arXiv 1212.5701), algorithm 1; the rate is one there.
    """
    g = (-gradient if maximize else gradient) + weight_decay * w
    memory["square"] = rho * memory.get("square", 0 * g) + (1 - rho) * (g * g)
    step = np.sqrt((memory.get("steps", 0 * g) + eps) / (memory["square"] + eps)) * g
    memory["steps"] = rho * memory.get("steps", 0 * g) + (1 - rho) * (step * step)
    return w - lr * step


def adamax(
    w: Any,
    gradient: Any,
    memory: Memory,
    *,
    lr: float,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: float = 0,
    maximize: bool = False,
) -> Any:
    """Step by the running mean of gradients over the largest of them, older ones shrunk.

    Kingma & Ba, "Adam" (ICLR 2015), algorithm 2; eps is added to each magnitude.
    """
    first, second = betas
    g = (-gradient if maximize else gradient) + weight_decay * w
    steps = memory["steps"] = memory.get("steps", 0) + 1
    memory["mean"] = first * memory.get("mean", 0 * g) + (1 - first) * g
    memory["top"] = np.maximum(second * memory.get("top", 0 * g), np.abs(g) + eps)
    return w - lr / (1 - first**steps) * memory["mean"] / memory["top"]


def nadam(
    w: Any,
    gradient: Any,
    memory: Memory,
    *,
    lr: float,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: float = 0,
    momentum_decay: float = 4e-3,
    decoupled_weight_decay: bool = False,
    maximize: bool = False,
) -> Any:
    """Step as Adam does, one step of momentum ahead.

    Dozat, "Incorporating Nesterov Momentum into Adam" (ICLR workshop 2016), with the schedule of
    momentum that is recommended there.
    """
    first, second = betas
    g = -gradient if maximize else gradient
    if decoupled_weight_decay:
        w = w * (1 - lr * weight_decay)
    else:
        g = g + weight_decay * w
    steps = memory["steps"] = memory.get("steps", 0) + 1
    now, then = (first * (1 - 0.5 * 0.96 ** (k * momentum_decay)) for k in (steps, steps + 1))
    product = memory["product"] = memory.get("product", 1.0) * now
    memory["mean"] = first * memory.get("mean", 0 * g) + (1 - first) * g
    memory["square"] = second * memory.get("square", 0 * g) + (1 - second) * (g * g)
    root = np.sqrt(memory["square"] / (1 - second**steps)) + eps
    own = lr * (1 - now) / (1 - product) * g / root
    return w - own - lr * then / (1 - product * then) * memory["mean"] / root


def radam(
    w: Any,
    gradient: Any,
    memory: Memory,
    *,
    lr: float,
    betas: tuple[float, float] = (0.9, 0.999),
    eps: float = 1e-8,
    weight_decay: float = 0,
    decoupled_weight_decay: bool = False,
    maximize: bool = False,
) -> Any:
    """Step as Adam does, rectified, and by the mean of gradients alone while variances are open.

    Liu et al., "On the Variance of the Adaptive Learning Rate" (ICLR 2020), algorithm 2.
    """
    first, second = betas
    g = -gradient if maximize else gradient
    if decoupled_weight_decay:
        w = w * (1 - lr * weight_decay)
    else:
        g = g + weight_decay * w
    steps = memory["steps"] = memory.get("steps", 0) + 1
    memory["mean"] = first * memory.get("mean", 0 * g) + (1 - first) * g
    memory["square"] = second * memory.get("square", 0 * g) + (1 - second) * (g * g)
    mean = memory["mean"] / (1 - first**steps)
    most = 2 / (1 - second) - 1
    length = most - 2 * steps * second**steps / (1 - second**steps)
    if length <= 5:
        return w - lr * mean
    rectified = ((length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)) ** 0.5
    root = np.sqrt(memory["square"]) + eps
    return w - lr * rectified * (1 - second**steps) ** 0.5 * mean / root


def asgd(
    w: Any,
    gradient: Any,
    memory: Memory,
    *,
    lr: float,
    lambd: float = 1e-4,
    alpha: float = 0.75,
    weight_decay: float = 0,
    maximize: bool = False,
) -> Any:
    """Step along the gradient at a rate that falls; the mean of the places is beside the point.

    Polyak & Juditsky, "Acceleration of Stochastic Approximation by Averaging" (SIAM J. Control and
    Optimization, 1992), with the rate lr / (1 + lambd lr k)^alpha after k steps.
    """
    g = (-gradient if maximize else gradient) + weight_decay * w
    steps = memory["steps"] = memory.get("steps", -1) + 1
    rate = lr / (1 + lambd * lr * steps) ** alpha
    return w * (1 - lambd * rate) - rate * g


def rprop(
    w: Any,
    gradient: Any,
    memory: Memory,
    *,
    lr: float,
    etas: tuple[float, float] = (0.5, 1.2),
    step_sizes: tuple[float, float] = (1e-6, 50.0),
    maximize: bool = False,
) -> Any:
    """Step by a size that grows while the sign of the gradient stays, and shrinks where it turns.

    Riedmiller & Braun, "RPROP" (ICNN 1993), without taking a step back: where the sign turns, no
    step is taken, and the next one counts as if none had been before.
    """
    g = -gradient if maximize else gradient
    sign = np.sign(g.value)
    kept = sign * memory.get("sign", 0 * sign)
    size = memory.get("size", lr * (0 * g + 1))
    factor = np.where(kept > 0, etas[1], np.where(kept < 0, etas[0], 1.0))
    memory["size"] = size = np.minimum(np.maximum(size * factor, step_sizes[0]), step_sizes[1])
    memory["sign"] = sign = np.where(kept < 0, 0, sign)
    return w - sign * size


def adafactor(
    w: Any,
    gradient: Any,
    memory: Memory,
    *,
    lr: float,
    beta2_decay: float = -0.8,
    eps: tuple[float | None, float] = (None, 1e-3),
    d: float = 1.0,
    weight_decay: float = 0,
    maximize: bool = False,
) -> Any:
    """Step by the gradient over the root of a mean of squares that is kept by rows and columns.

    Shazeer & Stern, "Adafactor" (ICML 2018), algorithms 4 to 6, as the documentation of PyTorch
    changes them: the rate bounds the relative size of a step, and the first eps bounds what is
    divided by from below. Where none is given it is too small to be met here.
    """
    least = eps[0] or 1e-12
    g = -gradient if maximize else gradient
    steps = memory["steps"] = memory.get("steps", 0) + 1
    share, size = float(steps) ** beta2_decay, np.maximum(_root_mean_square(w), eps[1])
    w, square = w * (1 - lr * weight_decay), g * g
    axes = {"rows": -1, "columns": -2} if square.ndim > 1 else {"entries": None}
    for word, axis in axes.items():
        new = square if axis is None else square.mean(axis, keepdims=True)
        memory[word] = (1 - share) * memory.get(word, 0 * new) + share * new
    if square.ndim > 1:
        whole = np.maximum(memory["rows"].mean(-2, keepdims=True), least)
        spread = memory["rows"] * memory["columns"] / whole
    else:
        spread = memory["entries"]
    step = g / np.maximum(np.sqrt(spread), least)
    step = step / np.maximum(_root_mean_square(step) / d, 1.0)
    return w - size * min(lr, steps**-0.5) * step


def _root_mean_square(x: Any) -> Any:
    return np.sqrt((x * x).mean())


def muon(
    w: Any,
    gradient: Any,
    memory: Memory,
    *,
    lr: float,
    weight_decay: float = 0.1,
    momentum: float = 0.95,
    nesterov: bool = True,
    ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315),
    eps: float = 1e-7,
    ns_steps: int = 5,
    adjust_lr_fn: str | None = None,
) -> Any:
    """Step by what some iterations make of the mean gradient: a matrix close to an orthogonal one.

    Jordan et al., "Muon" (2024), and Liu et al., arXiv 2502.16982, for "match_rms_adamw". The mean
    starts at nothing; its size is of no account, unless it is below eps. Iterations are computed
    with 8 bits: how far that carries is seen where all that they compute is moved by as much, and
    is remembered as the error bound of the parameter.
    """
    memory["mean"] = mean = momentum * memory.get("mean", 0 * gradient) + (1 - momentum) * gradient
    mean = momentum * mean + (1 - momentum) * gradient if nesterov else mean
    rng, short = np.random.default_rng(0), unit_roundoff("bfloat16")

    def blurred(x: Array) -> Array:
        return x * (1 + short * rng.uniform(-1, 1, size=x.shape))

    def turning(x: Array, blur: Callable[[Array], Array]) -> Array:
        return _orthogonal(x, blur, ns_coefficients, ns_steps, eps)

    turned = turning(mean.value, np.asarray)
    moved = [turning(_within(rng, mean), blurred) for _ in range(BLURS)]
    high, wide = turned.shape
    match = adjust_lr_fn == "match_rms_adamw"
    rate = lr * (0.2 * max(high, wide) ** 0.5 if match else max(1.0, high / wide) ** 0.5)
    kept = 1 - lr * weight_decay
    error_bound = 4 * np.max(np.abs([turned - each for each in moved]), 0) + short * np.abs(turned)
    memory["error_bound"] = abs(kept) * memory.get("error_bound", 0.0) + rate * error_bound
    return w * kept - rate * Jet.exact(turned)


BLURS = 16
"""How often what is computed with 8 bits is computed again, off by as much."""


def _within(rng: np.random.Generator, x: Jet) -> Array:
    return x.value + unit_roundoff("float32") * x.error * rng.uniform(-1, 1, size=x.shape)


def _orthogonal(
    x: Array,
    blur: Callable[[Array], Array],
    factors: tuple[float, float, float],
    steps: int,
    eps: float,
) -> Array:
    """Iterate x -> a x + b x x' x + c x x' x x' x, from x over its length."""
    if x.shape[0] > x.shape[1]:
        return _orthogonal(x.T, blur, factors, steps, eps).T
    a, b, c = factors
    x = blur(x)
    x = blur(x / np.maximum(blur(np.sqrt((x * x).sum(keepdims=True))), eps))
    for _ in range(steps):
        square = blur(x @ x.T)
        x = blur(a * x + blur(b * square + c * (square @ square)) @ x)
    return x


FORGOTTEN = 1e-4
"""What move times change of gradient is at least, of what this remembers for certain."""


def lbfgs(gradients: Sequence[Any], *, lr: float, history_size: int) -> Iterator[Jet]:
    """Yield each move of a method that remembers how gradients changed, given the gradients.

    Nocedal & Wright, Numerical Optimization, 2nd ed., section 7.2: the inverse of the curvature
    begins as (7.20) says and is updated by (6.17) for each of the last pairs. At first there is
    none, and the move along the gradient is no longer than its own sum of absolute values allows.
    They end at a gradient of zero, and where one changed so little that a library may forget it.
    """
    pairs: list[tuple[Jet, Jet]] = []
    move = former = Jet.exact(0.0)
    for count, gradient in enumerate(map(Jet.exact, gradients)):
        if not gradient.value.any():
            return
        if count == 0:
            move = -lr * np.minimum(1.0, 1 / np.absolute(gradient).sum()) * gradient
        else:
            pairs = [*pairs, (move, gradient - former)][-history_size:]
            s, y = pairs[-1]
            if (s @ y).value < FORGOTTEN:
                return
            inverse = (s @ y) / (y @ y) * np.eye(len(gradient))
            for s, y in pairs:
                scale, one = 1 / (s @ y), np.eye(len(gradient))
                along = one - scale * (y[:, None] * s)
                inverse = along.T @ inverse @ along + scale * (s[:, None] * s)
            move = -lr * (inverse @ gradient)
        former = gradient
        yield move


STEPS: dict[str, Callable[..., Any]] = {
    "SGD": sgd,
    "RMSprop": rmsprop,
    "Adam": adam,
    "AdamW": adamw,
    "Adagrad": adagrad,
    "Adadelta": adadelta,
    "Adamax": adamax,
    "NAdam": nadam,
    "RAdam": radam,
    "ASGD": asgd,
    "Rprop": rprop,
}
"""The steps by the names of the optimizers, whose options they take."""

OF_MATRICES: dict[str, Callable[..., Any]] = {"Adafactor": adafactor, "Muon": muon}
"""The steps of optimizers that look at rows and columns."""

DEFAULT_RATES = {
    "SGD": 1e-3, "RMSprop": 1e-2, "Adam": 1e-3, "AdamW": 1e-3, "Adagrad": 1e-2, "Adadelta": 1.0,
    "Adamax": 2e-3, "RAdam": 1e-3, "Rprop": 1e-2, "NAdam": 2e-3, "ASGD": 1e-2, "Adafactor": 1e-2,
    "Muon": 1e-3,
}  # fmt: skip
"""The rates of those that have one of their own, as the documentation of PyTorch says."""
