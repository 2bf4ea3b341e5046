"""Questions about the pullback: is it linear, exact, repeatable, and does it leave things alone?"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..protocol.backend import Native
from ..protocol.capabilities import Capability
from .question import question, usual
from .trial import Broken, NotAsked, Pull, Trial, has_a_derivative

Array = npt.NDArray[Any]


@question(usual)
def linear(trial: Trial) -> None:
    """The pullback is linear in the cotangent, however large or small that is."""
    pull = trial.vjp(trial.inputs())
    first, second = (trial.weights(trial.look(pull.value).shape, salt) for salt in (0, 1))
    parts = []
    for n, c in enumerate((first, second)):
        parts.append(pull.arrays(pull(trial.tensor(c, f"c{n}"), f"c{n}")))
    has_a_derivative(trial.look(pull.value), *parts)
    allowed = trial.roundings(parts[0], lambda case: trial.plainly(case)[1])
    factors = [(1.0, 1.0), (-1.0, 0.0), (1024.0, 0.0), (2.0**-10, 0.0), (0.0, -16.0)]
    for n, (a, b) in enumerate(factors, 2):
        found = pull(trial.tensor(a * first + b * second, f"c{n}"), f"c{n}")
        size = abs(a) + abs(b) * (1 + _ratio(parts[1], parts[0]))
        for place, (g, one, two) in enumerate(zip(found, *parts, strict=True)):
            name = f"the gradient for {trial.own.names[place]}, of {a:g} times a cotangent"
            name += f" and {b:g} times another," if b else ""
            trial.compare(name, g, pull.text(place), a * one + b * two, 4 * size * allowed)


def _ratio(numerators: Sequence[Array], denominators: Sequence[Array]) -> float:
    sizes = [
        max((float(np.abs(x).max(initial=0)) for x in each), default=0.0)
        for each in (numerators, denominators)
    ]
    return sizes[0] / sizes[1] if sizes[1] else 1.0


@question(usual)
def zero_cotangent(trial: Trial) -> None:
    """A cotangent of zeros gives zeros, exactly."""
    has_a_derivative(*trial.plainly(trial.case))
    pull = trial.vjp(trial.inputs())
    c = trial.tensor(np.zeros(trial.look(pull.value).shape), "c0")
    for n, g in enumerate(pull(c)):
        if g is not None:
            what = f"the gradient for {trial.own.names[n]}, of a cotangent of zeros,"
            trial.compare(what, g, pull.text(n), np.zeros(trial.case.inputs[n].shape), np.zeros(1))


@question(usual)
def missing(trial: Trial) -> None:
    """An input has the same gradient when the others are not differentiated."""
    if len(trial.case.inputs) < 2:
        raise NotAsked("there is one input")
    _, want = trial.plainly(trial.case)
    for n, name in enumerate(trial.own.names):
        other = Trial(trial.own, trial.case)
        trial.notes = other.notes
        pull = other.vjp(other.inputs(), [n])
        (g,) = pull(other.cotangent(pull.value))
        what = f"the gradient for {name}, differentiated alone,"
        trial.compare(what, g, pull.text(0), want[n], trial.close(want))


@question(usual)
def several_results(trial: Trial) -> None:
    """The gradients of a sum over several results are the sums of their gradients."""
    own, backend = trial.own, trial.backend
    if len(own.places) < 2 or trial.case.result:
        raise NotAsked("there is one result" if len(own.places) < 2 else "it was asked already")
    mul, add = backend.functions["mul"], backend.functions["add"]
    each = [replace(trial.case, result=n) for n in range(len(own.places))]
    parts = [Trial(own, case).plainly(case) for case in each]
    want = [sum(gradients) for gradients in zip(*[gs for _, gs in parts], strict=True)]

    def total(*tensors: Native) -> Native:
        results = [y for _, y in own(*tensors)]
        terms = []
        for case, y, (value, _) in zip(each, results, parts, strict=True):
            c = case.drawn(value.shape) if not case.ones else np.ones(value.shape)
            terms.append(backend.functions["sum"](mul(backend.tensor(c, "float64", "cpu"), y)))
        while len(terms) > 1:
            terms[:2] = [add(*terms[:2])]
        return terms[0]

    xs = trial.inputs()
    trial.notes.several(
        len(xs), [case.drawn(v.shape) for case, (v, _) in zip(each, parts, strict=True)]
    )
    value, pull = trial.attempt(backend.vjp, total, *xs)
    joint = Pull(trial, value, pull, range(len(xs)))
    found = joint(trial.tensor(np.ones(trial.look(value).shape), "c0"))
    for n, (g, w) in enumerate(zip(found, want, strict=True)):
        name = f"the gradient for {own.names[n]}, of all results together,"
        trial.compare(name, g, joint.text(n), np.asarray(w), trial.close([np.asarray(w)]))


@question(usual)
def repeated_pull(trial: Trial) -> None:
    """Pulled back again, the same cotangent gives the same gradients, and the first ones stay."""
    pull = trial.vjp(trial.inputs())
    first = pull(trial.cotangent(pull.value))
    before = [None if g is None else trial.look(g) for g in first]
    early = [pull.text(n) for n in range(len(first))]
    other = trial.cotangent(pull.value, "c1", salt=5)
    pull(other, "c1")
    for n, (name, was) in enumerate(zip(trial.own.names, before, strict=True)):
        if was is not None:
            what = f"the first gradient for {name}, after another cotangent was pulled back,"
            trial.compare(what, first[n], early[n], was)
    again = pull(trial.cotangent(pull.value, "c2"), "c2")
    for n, (name, was) in enumerate(zip(trial.own.names, before, strict=True)):
        if was is not None:
            what = f"the gradient for {name}, pulled back again,"
            trial.compare(what, again[n], pull.text(n), was)


@question(usual)
def unchanged(trial: Trial) -> None:
    """Neither the function nor its pullback changes an input or the cotangent."""
    xs = trial.inputs()
    before = [trial.look(x) for x in xs]
    fixed = [(f.tensor, f.values) for f in trial.own.fixed()]
    pull = trial.vjp(xs)
    c = trial.cotangent(pull.value)
    start, value = trial.look(c), trial.look(pull.value)
    pull(c)
    pairs = [*zip(trial.own.names, xs, before, [f"x{n}" for n in range(len(xs))], strict=True)]
    pairs += [("the cotangent", c, start, "c0"), ("the result", pull.value, value, pull.names.y)]
    for name, x, was, text in pairs:
        trial.compare(f"{name}, after the call and the pullback,", x, f"array({text})", was)
    for tensor, values in fixed:
        if not np.array_equal(trial.look(tensor), values):
            raise Broken("an input that is not differentiated was changed")


@question(usual)
def unshared(trial: Trial) -> None:
    """Accumulated gradients share no memory with each other, with inputs or with the cotangent."""
    backend = trial.backend
    if not {Capability.BACKWARD, Capability.VIEWS} <= backend.capabilities:
        raise NotAsked(f"{backend.name} keeps no gradients with its tensors")
    xs = trial.inputs()
    leaves = [backend.set_requires_grad(x) for x in xs]
    before = [trial.look(x) for x in xs]
    trial.notes.record(range(len(xs)), trial.case.result)
    y = trial.attempt(trial.function(), *leaves)
    if not backend.requires_grad(y):
        raise NotAsked("the result does not depend on the inputs")
    view = any(backend.shares_memory(y, x) for x in xs)
    c = trial.cotangent(y)
    start = trial.look(c)
    trial.notes.accumulate()
    trial.pulled(lambda: backend.backward(y, c))
    grads = [backend.grad(x) for x in xs]
    kept = [None if g is None else trial.look(g) for g in grads]
    # Gradients of views and of sums lie in their cotangent's memory by the library's own doing.
    alone = trial.own.by_hand and not view
    for n, g in enumerate(grads):
        if g is None or not kept[n].size:  # type: ignore[union-attr]
            continue
        trial.notes.overwrite(f"x{n}")
        with backend.no_grad():
            backend.setitem(g, ..., 9.0)
        name = trial.own.names[n]
        for m, x in enumerate(xs):
            what = f"{trial.own.names[m]}, after the gradient for {name} was overwritten,"
            trial.compare(what, x, f"array(x{m})", before[m])
            later = kept[m] if m > n else None
            if later is not None:
                what = (
                    f"the gradient for {trial.own.names[m]}, after that for {name} was overwritten,"
                )
                trial.compare(what, grads[m], f"array(x{m}.grad)", later)
        if alone:
            what = f"the cotangent, after the gradient for {name} was overwritten,"
            trial.compare(what, c, "array(c0)", start)


QUESTIONS = (
    linear,
    zero_cotangent,
    missing,
    several_results,
    repeated_pull,
    unchanged,
    unshared,
)
