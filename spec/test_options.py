"""Options: each operation by all that it can be told at once."""

from gradspec.conformance import claim, given
from gradspec.conformance.table import OPTIONED, calls

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
