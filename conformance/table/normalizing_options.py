"""Normalisation by all of its options at once, and what it does to running statistics."""

import math
from typing import Any

import numpy as np

from ..truth.oracles.jets import held
from .arguments import Arguments
from .distances import norm
from .drawing import HALVES, SMALL, SMALL_POSITIVE, Array, Draw, Shape
from .layer_forms import last_of, root_mean
from .networks import normalised
from .normalizing import aside, local_response
from .operation import Operation
from .optional import one_of
from .parts import floats, pick

EPS = ("usual", 0.25, 1.0)
CHANNELS: tuple[Shape, ...] = ((3, 2), (2, 3, 2), (2, 2, 1, 3), (1, 2, 2, 1, 2))
"""Batches of channels, each of which has several entries."""


def shifted(made: Array, weight: Array | None, bias: Array | None) -> Array:
    """Multiply by a weight and add a bias, where they are given."""
    made = made if weight is None else made * weight
    return made if bias is None else made + bias


def factors(d: Draw, x: Array, sizes: Shape, *, alone: bool = True) -> tuple[list[Array], str]:
    """Draw a weight or a bias or both or none for `x`, and say which; a bias `alone` if it may."""
    given = d.pick("weight bias", "", "weight", "bias" if alone else "weight bias")
    return [x, *(d.array(sizes, HALVES) for _ in given.split())], given


def parted(given: str, tensors: tuple[Any, ...]) -> tuple[Any, Any]:
    """Find the weight and the bias among tensors."""
    known = dict(zip(given.split(), tensors, strict=True))
    return known.get("weight"), known.get("bias")


def layer_norm(*tensors: Array, sizes: Shape, given: str, eps: float = 1e-5) -> Array:
    """Normalise along the last axes."""
    x, *rest = tensors
    return shifted(normalised(x, last_of(sizes), eps), *parted(given, tuple(rest)))


def rms_norm(*tensors: Array, sizes: Shape, given: str, eps: float = 0.0) -> Array:
    """Divide by the root of the mean square along the last axes."""
    x, *rest = tensors
    return shifted(root_mean(x, sizes, eps), *parted(given, tuple(rest)))


def rows(d: Draw) -> Arguments:
    """Draw an array, its last axes, and what each entry is multiplied by and increased by."""
    d.go_on()
    shape = d.pick((2, 4), (2, 2, 3), (2, 1, 3, 2))
    sizes = shape[-d.pick(*range(1, len(shape) + 1)) :]
    tensors, given = factors(d, d.array(shape, HALVES), sizes)
    return Arguments(tuple(tensors), (), {"sizes": sizes, "given": given, **one_of(d, eps=EPS)})


def long_rows(d: Draw) -> Arguments:
    """Draw the same without a bias; where eps is not said it is too small to count."""
    d.go_on()
    shape = d.pick((2, 4), (2, 2, 3), (2, 1, 3, 2))
    sizes = shape[-d.pick(*range(1, len(shape) + 1)) :]
    given, named = d.pick("weight", ""), one_of(d, eps=EPS)
    x = d.array(shape, SMALL) if named else d.array(shape, SMALL_POSITIVE) * 64
    weights = [d.array(sizes, HALVES) for _ in given.split()]
    return Arguments((x, *weights), (), {"sizes": sizes, "given": given, **named})


def along(name: str, *words: str) -> Any:
    """Call a function with the weight and the bias that are given, after one option or more."""

    def call(be: Any, x: Any, *tensors: Any, given: str, **named: Any) -> Any:
        options = [named.pop(word) for word in words]
        known = dict(zip(given.split(), tensors, strict=True))
        return getattr(be, name)(x, *options, **known, **named)

    return call


def group_norm(*tensors: Array, groups: int, given: str, eps: float = 1e-5) -> Array:
    """Normalise each group of channels of each sample."""
    x, *rest = tensors
    made = normalised(x.reshape((x.shape[0], groups, -1)), (2,), eps).reshape(x.shape)
    return shifted(made, *(y if y is None else aside(y, x.ndim)
                           for y in parted(given, tuple(rest))))  # fmt: skip


def grouped(d: Draw) -> Arguments:
    """Draw a batch, in how many groups its channels are, and a weight and a bias for these."""
    d.go_on()
    shape, groups = d.pick(((2, 6), 3), ((1, 4, 2), 2), ((2, 3, 2), 3), ((1, 2, 2, 1, 2), 1),
                           ((1, 4, 1, 2), 2))  # fmt: skip
    # Of a bias without a weight PyTorch has no derivative.
    tensors, given = factors(d, d.array(shape, HALVES), shape[1:2], alone=False)
    return Arguments(tuple(tensors), (), {"groups": groups, "given": given, **one_of(d, eps=EPS)})


# ---- with running statistics ---------------------------------------------------------------------


def with_statistics(first: int, *, at_once: bool = False) -> Any:
    """Normalise by statistics along axes, from the `first` one on and without that of channels.

    They are those of the batch or given ones, which move towards the former. With `at_once`, what
    is given makes one factor and one shift for each channel.
    """

    def forward(
        *tensors: Array, mean: Array | None, var: Array | None, own: bool, given: str,
        momentum: float = 0.1, eps: float = 1e-5,
    ) -> list[Array]:  # fmt: skip
        x, *rest = tensors
        axes = tuple(axis for axis in range(first, x.ndim) if axis != 1)
        weight, bias = parted(given, tuple(rest))
        if own or mean is None or var is None:
            by, up = (y if y is None else aside(y, x.ndim) for y in (weight, bias))
            made = shifted(normalised(x, axes, eps), by, up)
        else:
            factor = shifted(1 / np.sqrt(var + eps), weight, None)
            if at_once:
                return [x * aside(factor, x.ndim) + aside(shifted(-mean * factor, None, bias),
                                                          x.ndim), mean, var]  # fmt: skip
            made = (x - aside(mean, x.ndim)) / np.sqrt(aside(var, x.ndim) + eps)
            by, up = (y if y is None else aside(y, x.ndim) for y in (weight, bias))
            return [shifted(made, by, up), mean, var]
        if mean is None or var is None:
            return [made]
        plain, size = held(x), math.prod(x.shape[axis] for axis in axes)
        off = plain - plain.mean(axes, keepdims=True)
        here = plain.mean(axes), (off * off).sum(axes) / (size - 1)
        moved = [each.mean(0) if each.ndim > 1 else each for each in here]
        after = ((1 - momentum) * old + momentum * new
                 for old, new in zip((mean, var), moved, strict=True))  # fmt: skip
        return [made, *after]

    return forward


def statistics(*pool: Shape) -> Any:
    """Draw a batch, running statistics or none, whether the batch's count, and options."""

    def draw(d: Draw) -> Arguments:
        d.go_on()
        x = d.array(d.pick(*pool), HALVES)
        channels = x.shape[1:2]
        tensors, given = factors(d, x, channels)
        kept, own = d.pick(True, False), d.pick(False, True)
        mean, var = d.array(channels, SMALL), d.array(channels, SMALL_POSITIVE)
        moving = (mean, var) if kept or not own else (None, None)
        named = {"mean": moving[0], "var": moving[1], "own": own, "given": given}
        named |= one_of(d, eps=EPS, momentum=("usual", 0.5, 1.0))
        return Arguments(tuple(tensors), (), named)

    return draw


def moving(name: str, word: str) -> Any:
    """Call a layer on statistics of its own, and return these too."""

    def call(be: Any, x: Any, *tensors: Any, mean: Any, var: Any, own: bool, given: str,
             **named: Any) -> list[Any]:  # fmt: skip
        known = dict(zip(given.split(), tensors, strict=True)) | {word: own}
        kept = [] if mean is None else [be.clone(be.tensor(each)) for each in (mean, var)]
        return [getattr(be, name)(x, *(kept or (None, None)), **known, **named), *kept]

    return call


# ---- along axes ----------------------------------------------------------------------------------


def neighbours(d: Draw) -> Arguments:
    """Draw a batch of channels, how many neighbours count, and options."""
    d.go_on()
    x = d.array(d.pick((1, 5, 2), (2, 3, 1), (1, 4, 2, 1), (1, 3, 1, 2, 2)), SMALL)
    named = one_of(d, alpha=("usual", 0.5, 2.0), beta=("usual", 1.0, 0.5), k=("usual", 2.0, 0.5))
    return Arguments((x,), (d.pick(2, 3, 1, 4),), named)


def directions(d: Draw) -> Arguments:
    """Draw an array without zeros, a norm, an axis or several, and the least length."""
    d.go_on()
    shape = d.pick((2, 3), (2, 2, 2), (1, 3, 2))
    named = one_of(d, p=("usual", 1.0, 3.0, math.inf, 0.5), dim=("usual", 0, -1, (0, 1), (-1, 0)),
                   eps=("usual", 1024.0))  # fmt: skip
    return Arguments((d.distinct(shape) + 2.0**-6,), (), named)


def unit(x: Array, p: float = 2.0, dim: Any = 1, eps: float = 1e-12) -> Array:
    """Divide by a norm, or by eps where that is larger."""
    long = norm(x, p, dim, keepdims=True)
    return x / pick(floats(long) > eps, long, eps)


NORMALIZING_OPTIONS = (
    Operation("layer_norm_options", layer_norm, rows, call=along("layer_norm_options", "sizes")),
    Operation("rms_norm_options", rms_norm, long_rows, call=along("rms_norm_options", "sizes")),
    Operation("group_norm_options", group_norm, grouped,
              call=along("group_norm_options", "groups")),
    Operation("batch_norm_options", with_statistics(0),
              statistics(*CHANNELS), call=moving("batch_norm_options", "training"),
              formulas=(with_statistics(0, at_once=True),)),
    Operation("instance_norm_options", with_statistics(2),
              statistics((2, 3, 2), (2, 2, 1, 3), (1, 2, 2, 1, 2)),
              call=moving("instance_norm_options", "use_input_stats"),
              formulas=(with_statistics(2, at_once=True),)),
    Operation("local_response_norm_options", local_response, neighbours),
    Operation("normalize_options", unit, directions, kinks="0 and ties", ties=True),
)  # fmt: skip
"""Layers that normalise."""
