"""Questions about other ways to call a function, none of which changes what it is."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..protocol.capabilities import Capability
from ..truth.tolerance import unit_roundoff
from . import cases
from .question import given, laid_out, pulled, question, smaller_dtypes, usual
from .trial import Broken, NotAsked, Trial, has_a_derivative

Array = npt.NDArray[Any]


@question(laid_out, draws=False)
def layouts(trial: Trial) -> None:
    """Results and gradients do not depend on how the inputs lie in memory."""
    _has_layouts(trial, trial.case.layout)
    plain = tuple(np.array(x, order="C") for x in trial.case.laid_out())
    result, gradients = trial.plainly(replace(trial.case, inputs=plain, layout=""))
    _same_as(trial, result, gradients)


@question(pulled)
def cotangent_layouts(trial: Trial) -> None:
    """Gradients do not depend on how the cotangent lies in memory."""
    _has_layouts(trial, trial.case.pulled)
    pull = trial.vjp(trial.inputs())
    weights = trial.weights(trial.look(pull.value).shape)
    if weights.ndim == 0 or not weights.size:
        raise NotAsked("the result has one layout only")
    _, want = trial.plainly(replace(trial.case, pulled=""))
    found = pull(trial.cotangent(pull.value))
    for n, (g, w) in enumerate(zip(found, want, strict=True)):
        name = f"the gradient for {trial.own.names[n]}, of a cotangent that is {trial.case.pulled},"
        trial.compare(name, g, pull.text(n), w, trial.close([w]))


def _has_layouts(trial: Trial, layout: str) -> None:
    """See that the library has such memory; raises NotAsked."""
    words = trial.notes.words
    if words is None or not words.laid:
        raise NotAsked(f"tensors of {trial.backend.name} have one layout")
    if layout == "reversed" and trial.backend.name == "torch":
        raise NotAsked("torch has no negative strides")


def _same_as(trial: Trial, result: Array, gradients: Sequence[Array]) -> None:
    """Expect a result and gradients that were computed in another way."""
    if not np.isfinite(result).all():
        raise NotAsked("the result is not finite")
    pull, found = trial.gradients()
    inputs = tuple(np.array(x, order="C") for x in trial.case.laid_out())
    nearby = Trial(trial.own, replace(trial.case, inputs=inputs, layout="", pulled=""))
    allowed = nearby.roundings([result], lambda case: [nearby.plainly(case)[0]])
    trial.compare("the result", pull.value, f"array({pull.names.y})", result, allowed)
    allowed = nearby.roundings(gradients, lambda case: nearby.plainly(case)[1])
    for n, (g, w) in enumerate(zip(found, gradients, strict=True)):
        trial.compare(f"the gradient for {trial.own.names[n]}", g, pull.text(n), w, allowed)


@question(smaller_dtypes, draws=False)
def dtypes(trial: Trial) -> None:
    """In smaller dtypes results and gradients have that dtype, and are those of float64."""
    case, backend = trial.case, trial.backend
    if case.dtype not in (*backend.dtypes, *backend.small_dtypes):
        raise NotAsked(f"{backend.name} is not asked in {case.dtype}")
    plain = replace(case, dtype="float64")
    result, gradients = trial.plainly(plain)
    if not np.isfinite(result).all():
        raise NotAsked("the result is not finite")
    pull, found = trial.gradients()
    trial.dtype("the result", pull.value, f"array({pull.names.y})")
    pull.arrays(found)
    ratio = unit_roundoff(case.dtype) / unit_roundoff("float64")
    near = trial.roundings([result], lambda case: [trial.plainly(case)[0]]) * ratio
    trial.compare("the result", pull.value, f"array({pull.names.y})", result, near)
    near = trial.roundings(gradients, lambda case: trial.plainly(case)[1]) * ratio
    for n, (g, w) in enumerate(zip(found, gradients, strict=True)):
        trial.compare(f"the gradient for {trial.own.names[n]}", g, pull.text(n), w, near)


@question(usual)
def forward_mode(trial: Trial) -> None:
    """The derivative along a direction in forward mode is that of the gradient."""
    backend = trial.backend
    if Capability.JVP not in backend.capabilities:
        raise NotAsked(f"{backend.name} has no forward mode")
    case = trial.case
    pull = Trial(trial.own, case).vjp(Trial(trial.own, case).inputs())
    weights = trial.weights(trial.look(pull.value).shape)
    value, gradients = trial.plainly(case)
    has_a_derivative(value, gradients)
    vs = [case.drawn(x.shape, 4) for x in case.inputs]
    xs = trial.inputs()
    tangents = [trial.tensor(v, f"v{n}") for n, v in enumerate(vs)]
    trial.notes.forward(len(xs), case.result)
    _, tangent = trial.attempt(backend.jvp, trial.own.one(case.result), xs, tangents)
    found = trial.look(tangent)
    if found.shape != weights.shape:
        raise Broken(
            f"the derivative along a direction has shape {found.shape}, expected {weights.shape}",
            "array(t0)",
            np.zeros(weights.shape),
            np.inf,
        )
    want = sum(float((g * v).sum()) for g, v in zip(gradients, vs, strict=True))
    terms = sum(float(np.abs(g * v).sum()) for g, v in zip(gradients, vs, strict=True))
    allowed = trial.roundings(gradients, lambda case: trial.plainly(case)[1])
    allowed = max(1, sum(v.size for v in vs)) * 4 * allowed + 2.0**-40 * terms
    got = float((weights * found).sum())
    trial.judged += 1
    if not abs(got - want) <= allowed:
        raise Broken(
            f"the derivative in forward mode, weighed by the cotangent, is {got:.10g}, expected "
            f"{want:.10g}, within {allowed:.1e}",
            f"(array(t0) * np.array({weights.tolist()})).sum()",
            np.array(want),
            allowed,
        )


@question(given)
def unrecorded(trial: Trial) -> None:
    """Where nothing is recorded the results are the same."""
    backend = trial.backend
    if Capability.NO_GRAD not in backend.capabilities:
        raise NotAsked(f"{backend.name} records nothing by itself")
    want = Trial(trial.own, trial.case).vjp(Trial(trial.own, trial.case).inputs()).value
    xs = trial.inputs()
    name = trial.notes.unrecorded(len(xs), trial.case.result)
    with backend.no_grad():
        y = trial.attempt(trial.function(), *xs)
    text = f"array({name})"
    trial.compare("the result, where nothing is recorded,", y, text, trial.look(want))


@question(given)
def modes_stay(trial: Trial) -> None:
    """Modes and settings of the library are as before after the call and the pullback."""
    before = _settings(trial)
    if not before:
        raise NotAsked(f"{trial.backend.name} has none that are known")
    trial.gradients()
    after = _settings(trial)
    trial.judged += 1
    changed = [name for name in before if before[name] != after.get(name)]
    if changed:
        raise Broken(f"{', '.join(changed)} changed: {after[changed[0]]}, was {before[changed[0]]}")


def _settings(trial: Trial) -> Mapping[str, object]:
    state = trial.backend.state()
    return {name: value for name, value in state.items() if "random" not in name}


@question(usual, mode="vmap", draws=False)
def vmap(trial: Trial) -> None:
    """Mapped over an axis, the function does to each slice what it does to that alone."""
    inputs = trial.case.inputs
    slices = [inputs, *(cases.near(inputs, salt) for salt in (1, 2))]
    each = [replace(trial.case, inputs=s) for s in slices]
    alone = [trial.plainly(case) for case in each]
    stacked = [np.stack(parts) for parts in zip(*slices, strict=True)]
    xs = trial.inputs(stacked)
    pull = trial.vjp(xs, through="vmap")
    c = np.stack([trial.weights(alone[0][0].shape)] * len(slices))
    found = pull(trial.tensor(c, "c0"))
    allowed = trial.roundings(alone[0][1], lambda case: trial.plainly(case)[1])
    nearby = trial.roundings([alone[0][0]], lambda case: [trial.plainly(case)[0]])
    want = np.stack([result for result, _ in alone])
    trial.compare("the result", pull.value, f"array({pull.names.y})", want, 16 * nearby)
    for n, g in enumerate(found):
        want = np.stack([gradients[n] for _, gradients in alone])
        trial.compare(f"the gradient for {trial.own.names[n]}", g, pull.text(n), want, 16 * allowed)


@question(given, mode="compile", draws=False)
def compiled(trial: Trial) -> None:
    """Compiled, the function has the same results and gradients."""
    result, gradients = trial.plainly(trial.case)
    pull = trial.vjp(trial.inputs(), through="compile")
    found = pull(trial.cotangent(pull.value))
    allowed = trial.roundings([result], lambda case: [trial.plainly(case)[0]])
    trial.compare("the result", pull.value, f"array({pull.names.y})", result, allowed)
    allowed = trial.roundings(gradients, lambda case: trial.plainly(case)[1])
    for n, (g, w) in enumerate(zip(found, gradients, strict=True)):
        trial.compare(f"the gradient for {trial.own.names[n]}", g, pull.text(n), w, allowed)


QUESTIONS = (
    layouts,
    cotangent_layouts,
    dtypes,
    forward_mode,
    unrecorded,
    modes_stay,
    vmap,
    compiled,
)
