"""Questions that are answered by derivatives, or by a twin: are values and derivatives right?"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..protocol.backend import Native
from ..protocol.capabilities import Capability
from .cases import Case
from .question import (
    far,
    longer,
    question,
    repeated,
    special,
    usual,
    without_axes,
    without_entries,
)
from .trial import Broken, NotAsked, Refused, Trial

Array = npt.NDArray[Any]

HALF = 2.0**-26
"""Half the digits of float64: more are not asked of what adds up or cancels many entries."""

LARGEST = 2.0**100
"""Derivatives beyond may leave float32 on the way."""

STEEP = 2.0**-10
"""A derivative that is larger, relative to what is differentiated, is none of a flat function."""

ENTRIES = 24
"""Entries of an input that are differenced one by one; of more, some are drawn."""


@question(usual)
def twin(trial: Trial) -> None:
    """Every result is that of the twin in numpy."""
    if trial.twin is None:
        raise NotAsked("no twin is given")
    own, twin, result = trial.own, trial.twin, trial.case.result

    def theirs(case: Case) -> list[Array]:
        found = own.on_arrays(twin, *case.inputs)
        if result >= len(found):
            raise Broken(f"the twin has {len(found)} results, the function has more")
        return [found[result]]

    xs = trial.inputs()
    y = trial.value(xs)
    (want,) = theirs(trial.case)
    if not np.isfinite(want).all():
        raise NotAsked("the twin is not finite")
    allowed = trial.roundings([want], theirs)
    trial.compare("the result", y, f"array({trial.notes.recorded.y})", want, allowed)


@question(usual)
def precision(trial: Trial) -> None:
    """Results of float64 inputs are computed in float64."""
    xs = trial.inputs()
    y = trial.value(xs)
    trial.dtype("the result", y, f"array({trial.notes.recorded.y})")
    step, weights = 2.0**-30, trial.weights(trial.look(y).shape)
    value = trial.weighted(weights)
    for salt in range(3):
        along = _direction(trial, salt)
        derivative = trial.derivative(along, value, trial.case.inputs)
        if (
            not (derivative.known and derivative.smooth)
            or abs(derivative.low) < 2.0**-8 * derivative.scale
        ):
            trial.open += 1
            continue
        arrays = [
            [x + s * d for x, d in zip(trial.case.inputs, along, strict=True)]
            for s in (step, -step)
        ]
        (right, first), (left, last) = (
            (trial.value(trial.inputs(each)), trial.notes.recorded.y) for each in arrays
        )
        trial.judged += 1
        change = float((weights * (trial.look(right) - trial.look(left))).sum())
        largest = max(float(np.abs(x).max(initial=1)) for x in trial.case.inputs)
        want = 2 * step * derivative.low
        allowed = 2.0**-40 * (derivative.scale + largest * abs(derivative.low))
        if not abs(change - want) <= allowed:
            raise Broken(
                f"the result changes by {change:.3g} where {want:.3g} is expected of a step of "
                f"{2 * step:.3g}: it does not have the digits of float64",
                f"(np.array({weights.tolist()}) * (array({first}) - array({last}))).sum()",
                np.array(want),
                allowed,
            )


@question(usual)
def gradient(trial: Trial) -> None:
    """Every entry of every gradient is the derivative of the results along that entry."""
    _gradients_are_slopes(trial, entries=True)


@question(special)
def special_values(trial: Trial) -> None:
    """At zeros, ties and whole numbers the gradient lies between the derivatives of both sides."""
    _gradients_are_slopes(trial, entries=True)


@question(far)
def far_values(trial: Trial) -> None:
    """At tens and thousands gradients are finite where slopes are, and not zero on steep ones."""
    pull, found = trial.gradients()
    value = trial.look(pull.value)
    if not np.isfinite(value).all():
        raise NotAsked("the result is not finite")
    weighted = trial.weighted(trial.weights(value.shape))
    for n, (name, g) in enumerate(zip(trial.own.names, pull.arrays(found), strict=True)):
        suspect = [at for at in _places(trial, g) if not g[at] or not np.isfinite(g[at])]
        for at in suspect:
            along = [np.zeros(x.shape) for x in trial.case.inputs]
            along[n][at] = 1.0
            derivative = trial.derivative(along, weighted, trial.case.inputs)
            slopes = derivative.low, derivative.high
            clear = min(map(abs, slopes)) - derivative.error > STEEP * derivative.scale
            if not derivative.known or max(map(abs, slopes)) + derivative.scale > LARGEST:
                trial.open += 1
            elif not np.isfinite(g[at]) or (clear and slopes[0] * slopes[1] > 0):
                told = ", ".join(map(str, at))
                raise Broken(
                    f"the gradient for {name}[{told}] is {g[at]:g}, expected {slopes[0]:.10g} by "
                    "differences",
                    "None" if found[n] is None else f"{pull.text(n)}[{told or '()'}]",
                    np.array(sum(slopes) / 2),
                    abs(sum(slopes)) / 4 + derivative.error,
                )
        trial.judged += 1


@question(longer)
def longer_dimensions(trial: Trial) -> None:
    """Of inputs with many entries along a dimension the gradient is the derivative as well."""
    _gradients_are_slopes(trial, entries=True, slack=HALF)


@question(repeated)
def broadcasting(trial: Trial) -> None:
    """The gradient of an input that is repeated has its shape, and adds up all its uses."""
    trial.lenient = True
    _gradients_are_slopes(trial, entries=True)


@question(without_entries)
def empty(trial: Trial) -> None:
    """Inputs without entries have gradients of their shape."""
    _gradients_are_slopes(trial, entries=False)


@question(without_axes)
def scalar(trial: Trial) -> None:
    """Scalars, and dimensions of one entry, are like all others."""
    trial.lenient = not any(x.ndim for x in trial.case.inputs)
    _gradients_are_slopes(trial, entries=True)


def _gradients_are_slopes(trial: Trial, *, entries: bool, slack: float = 0.0) -> None:
    pull, found = trial.gradients()
    trial.dtype("the result", pull.value, f"array({pull.names.y})")
    weights = trial.weights(trial.look(pull.value).shape)
    if not np.isfinite(trial.look(pull.value)).all():
        raise NotAsked("the result is not finite")
    arrays = pull.arrays(found)
    value = trial.weighted(weights)
    for n, (name, g) in enumerate(zip(trial.own.names, arrays, strict=True)):
        for at in _places(trial, g) if entries else ():
            along = [np.zeros(x.shape) for x in trial.case.inputs]
            along[n][at] = 1.0
            where = f"[{', '.join(map(str, at))}]" if at else ""
            text = f"{pull.text(n)}[{', '.join(map(str, at)) or '()'}]"
            text = "None" if found[n] is None else text
            trial.agrees(f"the gradient for {name}{where}", text, float(g[at]), along, value, slack)
    for salt in range(3):
        along = _direction(trial, salt)
        if not any(d.any() for d in along):
            continue
        total = sum(float((g * d)[d != 0].sum()) for g, d in zip(arrays, along, strict=True))
        text = " + ".join(
            f"({pull.text(n)} * np.array({d.tolist()})).sum()"
            for n, d in enumerate(along)
            if d.size and found[n] is not None
        )
        trial.agrees("the derivative along a direction", text, total, along, value, slack)


def _places(trial: Trial, values: Array) -> list[tuple[int, ...]]:
    every = [tuple(map(int, at)) for at in np.ndindex(values.shape)]
    most = max(ENTRIES // trial.backend.example_divisor, 4)
    if len(every) <= most:
        return every
    chance = np.random.default_rng(trial.case.seed)
    return [every[n] for n in sorted(chance.choice(len(every), most, replace=False))]


def _direction(trial: Trial, salt: int) -> list[Array]:
    """Return a direction: along all entries, along one place in all inputs, or any."""
    chance = np.random.default_rng([trial.case.seed, salt, 7])
    if salt == 0:
        return [np.ones(x.shape) for x in trial.case.inputs]
    if salt == 1:
        along = [np.zeros(x.shape) for x in trial.case.inputs]
        for d in along:
            d.flat[:1] = 1.0
        return along
    return [chance.choice([-1.0, 1.0], x.shape) for x in trial.case.inputs]


@question(usual)
def second_order(trial: Trial) -> None:
    """The gradient's own derivatives, by the inputs and by the cotangent, are its derivatives."""
    if Capability.CREATE_GRAPH not in trial.backend.capabilities:
        raise NotAsked(f"{trial.backend.name} does not differentiate gradients")
    own, backend, case = trial.own, trial.backend, trial.case
    one = own.one(case.result)
    xs = trial.inputs()
    y = trial.value(xs)
    weights = trial.weights(trial.look(y).shape)
    mul, add = backend.functions["mul"], backend.functions["add"]
    factors = [case.drawn(x.shape, 3) for x in case.inputs]
    constants = [trial.tensor(v, f"v{n}") for n, v in enumerate(factors)]
    c = trial.tensor(weights, "c0")

    def total(*arguments: Native) -> Native:
        _, pull = backend.vjp(one, *arguments[:-1], create_graph=True)
        found = list(pull(arguments[-1]))
        terms = [
            backend.functions["sum"](mul(v, g))
            for v, g in zip(constants, found, strict=True)
            if g is not None
        ]
        if not terms:
            raise NotAsked("there is no gradient")
        while len(terms) > 1:
            terms[:2] = [add(*terms[:2])]
        return terms[0]

    trial.notes.second(len(xs), case.result)
    try:
        value, pull = backend.vjp(total, *xs, c)
        found = pull(trial.tensor(np.ones(trial.look(value).shape), "c1"))
    except NotAsked:
        raise
    except Exception as error:
        raise Refused(f"differentiated twice: {error}") from error
    trial.notes.pull(trial.notes.recorded, "c1")

    def gradients(arrays: Sequence[Array]) -> Array:
        tensors = [backend.tensor(np.array(a, order="C"), "float64", "cpu") for a in arrays]
        _, pull = backend.vjp(one, *tensors[:-1])
        terms = [
            (v * trial.look(g)).ravel()
            for v, g in zip(factors, pull(tensors[-1]), strict=True)
            if g is not None
        ]
        return np.concatenate(terms) if terms else np.zeros(1)

    at = [*case.inputs, weights]
    names = [*own.names, "the cotangent"]
    joint = Trial(own, replace(case, inputs=tuple(at)))
    for n, (name, x, g) in enumerate(zip(names, at, found, strict=True)):
        got = np.zeros(x.shape) if g is None else trial.look(g)
        for place in _places(trial, x)[: 8 if n < len(xs) else 2]:
            along = [np.zeros(a.shape) for a in at]
            along[n][place] = 1.0
            where = f"[{', '.join(map(str, place))}]" if place else ""
            text = f"array(g0[{n}])[{', '.join(map(str, place)) or '()'}]"
            text = "None" if g is None else text
            what = f"the second derivative by {name}{where}"
            joint.agrees(what, text, float(got[place]), along, gradients)
    trial.judged += joint.judged
    trial.open += joint.open


QUESTIONS = (
    twin,
    precision,
    gradient,
    special_values,
    far_values,
    longer_dimensions,
    broadcasting,
    empty,
    scalar,
    second_order,
)
