"""Options: each operation by all that it can be told at once."""

import numpy as np

from gradspec.conformance import claim, given
from gradspec.conformance.table import OPTIONED, OPTIONED_TWICE, calls

NO_WORKLOAD = "each operation is at work in the chapter it belongs to"


@claim("GEN-210", needs="vjp", over=OPTIONED)
@given(call=calls(smooth=True, designed=True, times=2))
def test_options_meet(be, call):
    """Whatever options meet in a call, an operation computes what they are defined to mean, and
    each tensor receives its gradient.
    """
    value, pull = be.vjp(call.on(be), *call.tensors)
    for gradient, true in zip(pull(call.cotangent), call.gradients(), strict=True):
        be.check_gradient(gradient, true)
    call.check(be, value)


@claim("GEN-790", needs="vjp create_graph", over=OPTIONED_TWICE)
@given(call=calls(smooth=True, designed=True))
def test_options_meet_in_second_derivatives(be, call):
    """Whatever options meet in a call, its gradients are differentiated like any other result."""
    _, pull = be.vjp(call.directional_derivative_on(be), call.cotangent, *call.tensors)
    first, *second = pull(np.array(1.0))
    be.check_gradient(first, call.pushed(), "derivative by the cotangent")
    for gradient, true in zip(second, call.second(), strict=True):
        be.check_gradient(gradient, true, "second derivative")
