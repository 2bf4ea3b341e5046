"""Orders: tangents, second derivatives and third ones, and maps, of every operation."""

from contextlib import suppress

import numpy as np

from gradspec.conformance import claim, given
from gradspec.conformance.strategies.transforms import stacked
from gradspec.conformance.table import (
    BESIDE,
    CURVED,
    DIFFERENTIABLE,
    MAPPED,
    SEVERAL,
    SHAPED,
    calls,
)
from gradspec.conformance.table.lines import line_on, pulled, pushed, recorded, second, third

NO_WORKLOAD = "each operation is at work in the chapter it belongs to"


@claim("GEN-10", needs="vjp jvp", over=DIFFERENTIABLE)
@given(call=calls(smooth=True, designed=True))
def test_the_pushforward_is_the_adjoint(be, call):
    """Forward mode gives the result and its derivative along tangents of the tensors, which pairs
    with a cotangent as the tangents pair with the gradients.
    """
    value, tangent = be.jvp(call.on(be), call.tensors, call.tangents)
    be.check(tangent, call.pushed(), "tangent")
    _, pull = be.vjp(call.on(be), *call.tensors)
    gradients = [0.0 if g is None else be.numpy(g) for g in pull(call.cotangent)]
    pairs = [(g * t).sum() for g, t in zip(gradients, call.tangents, strict=True)]
    be.check(be.sum(be.mul(tangent, call.cotangent)), call.paired(sum(pairs)), "pairing")
    call.check(be, value)


@claim("GEN-11", "HGH-58", needs="vjp create_graph", over=DIFFERENTIABLE)
@given(call=calls(smooth=True, designed=True))
def test_second_derivatives(be, call):
    """Gradients are differentiated like any other result: by the tensors they give the symmetric
    matrix of second derivatives, by the cotangent the first derivative.
    """
    _, pull = be.vjp(call.directional_derivative_on(be), call.cotangent, *call.tensors)
    first, *second = pull(np.array(1.0))
    be.check_gradient(first, call.pushed(), "derivative by the cotangent")
    for gradient, true in zip(second, call.second(), strict=True):
        be.check_gradient(gradient, true, "second derivative")


@claim("GEN-17", needs="jvp", over=SEVERAL)
@given(call=calls(smooth=True, small=True))
def test_no_tangent_is_lost(be, call):
    """Where an operation depends on a tensor forward mode carries its tangent on, whichever tensors
    are constants beside it.
    """
    for alone in call.alone:
        _, tangent = be.jvp(alone.on(be), alone.tensors, alone.tangents)
        be.check(tangent, alone.pushed(), "tangent")


@claim("GEN-810", needs="spellings jvp", over=DIFFERENTIABLE, level="contract", widest=True)
@given(call=calls(smooth=True, small=True))
def test_spellings_agree_in_forward_mode(be, call):
    """However an operation is written, forward mode carries the tangents on of all of its tensors,
    and of each alone; into a tensor made for it, it may be refused instead.
    """
    name, each = call.operation.name, call.alone if len(call.tensors) > 1 else []
    for word, function in be.way.spellings(name).items():
        refusal = NotImplementedError if word.endswith("out") else ()
        for one in (call, *each):
            with suppress(refusal), be.spelled(name, function):
                _, tangent = be.jvp(one.on(be), one.tensors, one.tangents)
                be.check(tangent, one.pushed(), f"tangent of {name} as {word}")


@claim("GEN-18", needs="vjp create_graph", over=SEVERAL, widest=True)
@given(call=calls(smooth=True, small=True))
def test_no_second_derivative_is_lost(be, call):
    """The gradient for one tensor alone, the others being constants beside it, is differentiated
    like any other, by the tensor and by the cotangent.
    """
    for alone in call.alone:
        _, pull = be.vjp(alone.directional_derivative_on(be), alone.cotangent, *alone.tensors)
        first, second = pull(np.array(1.0))
        be.check_gradient(first, alone.pushed(), "derivative by the cotangent")
        be.check_gradient(second, *alone.second(), "second derivative")


@claim("GEN-14", needs="vjp create_graph", over=CURVED, widest=True)
@given(call=calls(smooth=True, small=True))
def test_third_derivatives(be, call):
    """Second derivatives are differentiated like any other result: along a line the third
    derivative agrees with differences of second ones, in half of the digits.
    """
    slope = recorded(be, recorded(be, recorded(be, line_on(be, call))))
    be.check_between([slope(be.tensor(0.0))], *third(call, be.dtype))


@claim("GEN-15", needs="transforms", over=CURVED, widest=True)
@given(call=calls(smooth=True, small=True))
def test_modes_differentiate_each_other(be, call):
    """Forward mode of forward mode, of reverse mode, and reverse mode of forward mode give the same
    second derivative along a line, in half of the digits.
    """
    line = line_on(be, call)
    for outer, inner in ((pushed, pushed), (pushed, pulled), (pulled, pushed)):
        slope = outer(be, inner(be, line))
        be.check_between([slope(be.tensor(0.0))], *second(call, be.dtype))


@claim("GEN-170", needs="vmap vjp", over=MAPPED, widest=True)
@given(call=calls(small=True))
def test_operations_are_mapped(be, call):
    """Mapped over the last axis of its tensors, a linear operation computes of each slice what it
    computes of that slice alone, and each slice receives its own gradients.
    """
    slices = [call, call.with_tensors([-2 * x for x in call.tensors])]
    cotangents = [call.cotangent, 4 * call.cotangent]
    batches = [np.stack(pair, -1) for pair in zip(*(s.tensors for s in slices), strict=True)]
    value, pull = be.vjp(be.vmap(call.on(be), [-1] * len(batches)), *batches)
    be.check(value, stacked([each.value() for each in slices], 0))
    gradients = [each.gradients(w) for each, w in zip(slices, cotangents, strict=True)]
    for gradient, *pair in zip(pull(np.stack(cotangents)), *gradients, strict=True):
        be.check_gradient(gradient, stacked(pair, -1))


@claim("GEN-560", needs="vmap vjp torch", over=CURVED, level="contract", widest=True)
@given(call=calls(smooth=True, small=True, designed=True))
def test_operations_are_mapped_again(be, call):
    """An operation that is not linear, mapped over the last axis and then over the first, computes
    of equal slices equal results, and each slice receives the gradients by its own cotangent.
    """
    factors = [[1, 2], [4, -8]]
    batches = [np.stack([np.stack([x, x], -1)] * 2) for x in call.tensors]
    places = [len(batches) * [axis] for axis in (-1, 0)]
    value, pull = be.vjp(be.vmap(be.vmap(call.on(be), places[0]), places[1]), *batches)
    be.check(value, stacked([stacked([call.value()] * 2, 0)] * 2, 0))
    gradients = pull(np.stack([[n * call.cotangent for n in row] for row in factors]))
    each = [[call.gradients(n * call.cotangent) for n in row] for row in factors]
    for place, gradient in enumerate(gradients):
        rows = [stacked([own[place] for own in row], -1) for row in each]
        be.check_gradient(gradient, stacked(rows, 0))


@claim("GEN-760", needs="vmap vjp torch", over=BESIDE, level="contract", widest=True)
@given(call=calls(smooth=True, small=True, designed=True))
def test_tensors_are_mapped_beside_others(be, call):
    """Mapped over the last axis of one tensor and, within, over the first of another, an operation
    takes the others whole: it computes of each pair of slices what it computes of them alone, and
    each slice, and each tensor that is whole, receives its share of all pairs.
    """
    factors, count = np.array([[1, 2], [4, -8]]), len(call.tensors)
    for at in range(count if count > 1 else 0):
        axes, function, batches = {(at + 1) % count: 0, at: -1}, call.on(be), [*call.tensors]
        for place, axis in axes.items():
            batches[place] = np.stack([call.tensors[place]] * 2, axis)
            function = be.vmap(function, [axis if n == place else None for n in range(count)])
        value, pull = be.vjp(function, *batches)
        be.check(value, stacked([stacked([call.value()] * 2, 0)] * 2, 0))
        gradients = pull(np.stack([[n * call.cotangent for n in row] for row in factors]))
        for place, gradient in enumerate(gradients):
            axis = axes.get(place)
            sums = [factors.sum()] if axis is None else factors.sum(axis)
            own = [call.gradients(n * call.cotangent)[place] for n in sums]
            be.check_gradient(gradient, own[0] if axis is None else stacked(own, axis))


@claim("GEN-800", needs="vmap", over=SHAPED, level="contract", widest=True)
@given(call=calls(small=True, designed=True))
def test_predicates_and_places_are_mapped(be, call):
    """Mapped over the last axis of its tensors and then over the first, a comparison, a predicate
    or a place is for each slice what it is for that slice alone.
    """
    other = call.with_tensors([2 * x + 1 for x in call.tensors])
    squares = zip(call.tensors, other.tensors, strict=True)
    batches = [np.stack([np.stack([x, y], -1), np.stack([y, x], -1)]) for x, y in squares]
    inner, outer = (len(batches) * [axis] for axis in (-1, 0))
    found = be.vmap(be.vmap(call.on(be), inner), outer)(*map(be.tensor, batches))
    row = [call.result, other.result]
    true = np.stack([np.stack(row), np.stack(row[::-1])])
    (be.same if true.dtype == bool else be.check)(found, true)


@claim(
    "GEN-801",
    needs="vmap transforms torch",
    over=(*CURVED, *MAPPED),
    level="contract",
    widest=True,
)
@given(call=calls(smooth=True, small=True, designed=True))
def test_gradients_are_mapped(be, call):
    """Mapped over the last axis of the tensors and the first of the cotangents, what computes the
    gradients of an operation gives each slice those by its own cotangent.
    """
    function, count = call.on(be), len(call.tensors)
    mapped = be.vmap(lambda w, *at: be.pulled(function, [*at], w), [0, *[-1] * count])
    batches = [be.tensor(np.stack([x, x], -1)) for x in call.tensors]
    found = mapped(be.tensor(np.stack([call.cotangent, -call.cotangent / 2])), *batches)
    own = zip(call.gradients(), call.gradients(-call.cotangent / 2), strict=True)
    for gradient, pair in zip(found, own, strict=True):
        be.check_gradient(gradient, stacked([*pair], 0))
