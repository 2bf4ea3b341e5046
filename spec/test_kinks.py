"""Kinks: where mathematics leaves a choice, and what every choice has in common."""

import numpy as np

from gradspec.conformance import claim, given, workload
from gradspec.conformance.table import CLOSED, KINKED, kinks


@workload
def rectified(be, leaf):
    """Half of a vector cut off at zero, and its gradient."""
    value, pull = be.vjp(lambda x: be.relu(x - 1.5), leaf)
    return pull(value)[0]


@claim("CNV-01", needs="vjp conventions", level="convention", over=KINKED)
@given(kink=kinks())
def test_the_convention_is_the_one_on_record(be, kink):
    """At a kink a library gives the gradient that its table of conventions has on record."""
    _, pull = be.vjp(kink.on(be), *kink.tensors)
    be.check_convention(kink.name, pull(kink.cotangent))


@claim("CNV-02", needs="vjp", over=CLOSED)
@given(kink=kinks(closed=True))
def test_a_gradient_at_a_kink_is_a_mean_of_those_around(be, kink):
    """At a kink a gradient is a mean of the gradients around it: each entry lies between theirs,
    and the shares of a tie add up to one.
    """
    _, pull = be.vjp(kink.on(be), *kink.tensors)
    gradients = pull(kink.cotangent)
    lost = [n for n, g in enumerate(gradients) if g is None and not kink.is_flat(n)]
    assert not lost, f"gradients are None: {lost}"
    be.check_between(kink.filled(be, gradients), *kink.around())


@claim("CNV-03", needs="vjp create_graph", over=KINKED)
@given(kink=kinks())
def test_a_gradient_at_a_kink_is_the_same_if_it_is_recorded(be, kink):
    """The gradient at a kink does not depend on whether it is to be differentiated in turn."""
    _, pull = be.vjp(kink.on(be), *kink.tensors)
    for place, gradient in enumerate(pull(kink.cotangent)):
        if gradient is not None:
            recorded, _ = be.vjp(kink.gradient_on(be, place), *kink.tensors)
            be.check(recorded, be.numpy(gradient).astype(float), "recorded gradient")


@claim("CNV-04", needs="vjp create_graph", over=CLOSED)
@given(kink=kinks(closed=True))
def test_a_second_derivative_at_a_kink_is_a_number(be, kink):
    """A second derivative at a kink is a number: where the gradient is continuous, a mean of the
    second derivatives around.
    """
    _, pull = be.vjp(kink.directional_derivative_on(be), kink.cotangent, *kink.tensors)
    _, *second = pull(np.array(1.0))
    be.check_between(kink.filled(be, second), *kink.around_twice())


@claim("CNV-05", needs="jvp", over=CLOSED)
@given(kink=kinks(closed=True))
def test_a_tangent_at_a_kink_is_a_mean_of_those_around(be, kink):
    """At a kink a tangent is a mean of the tangents around it: along each entry it lies between
    theirs, and so does the sum of these.
    """
    be.check_between([be.tensor(kink.ahead(be))], *kink.around())


@claim("CNV-06", needs="vjp jvp", over=CLOSED, level="contract")
@given(kink=kinks(closed=True))
def test_both_modes_choose_one_derivative_at_a_kink(be, kink):
    """At a kink forward mode chooses the derivative that reverse mode chooses."""
    _, pull = be.vjp(kink.on(be), *kink.tensors)
    chosen = [be.numpy(gradient).ravel() for gradient in kink.filled(be, pull(kink.cotangent))]
    be.check(be.tensor(kink.ahead(be)), np.concatenate(chosen).astype(float), "tangents")
