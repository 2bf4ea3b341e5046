"""Operations: what holds for every one of them."""

from gradspec.conformance import claim, given
from gradspec.conformance.table import (
    DIFFERENTIABLE,
    TABLE,
    calls,
)

NO_WORKLOAD = "each operation is at work in the chapter it belongs to"


# ---- values --------------------------------------------------------------------------------------


@claim("GEN-01", over=TABLE)
@given(call=calls())
def test_value(be, call):
    """An operation computes what it is defined to, for numbers, for nothing, and for tensors of any
    shape and layout in memory.
    """
    be.check(call.on(be)(*map(be.tensor, call.tensors)), call.value())


# ---- first derivatives ---------------------------------------------------------------------------


@claim("GEN-02", needs="vjp", over=DIFFERENTIABLE)
@given(call=calls(smooth=True))
def test_gradient(be, call):
    """The pullback multiplies a cotangent by the transposed derivative: each tensor receives a
    gradient of its own shape and dtype.
    """
    value, pull = be.vjp(call.on(be), *call.tensors)
    be.check(value, call.value())
    for gradient, true in zip(pull(call.cotangent), call.gradients(), strict=True):
        be.check(gradient, true, "gradient")
