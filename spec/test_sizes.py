"""Sizes: axes without entries beside others."""

from gradspec.conformance import claim, given
from gradspec.conformance.table import EMPTIED, hollow

NO_WORKLOAD = "each operation is at work in the chapter it belongs to"


@claim("GEN-240", needs="vjp", over=EMPTIED, level="contract", widest=True)
@given(call=hollow())
def test_an_axis_may_be_empty(be, call):
    """Where an axis has no entries beside others that have some, result and gradients have the
    shapes that they would have otherwise, and what is computed of nothing has its value.
    """
    value, pull = be.vjp(call.on(be), *call.tensors)
    for gradient, true in zip(pull(call.cotangent), call.gradients(), strict=True):
        be.check_gradient(gradient, true)
    call.check(be, value)
