"""Images: several of them, with several channels, before their pixels in memory or behind them."""

from gradspec.conformance import claim, given
from gradspec.conformance.table import IMAGED, channels_last, lying, pictured

NO_WORKLOAD = "each operation is at work in the chapter it belongs to"


@claim("GEN-250", needs="vjp", over=IMAGED)
@given(call=pictured())
def test_channels_may_come_last(be, call):
    """Of several images with several channels, which come before their pixels in memory or behind
    them, an operation has its values and its gradients, however cotangents lie.
    """
    value, pull = be.vjp(call.on(be), *call.tensors)
    call.check(be, value)
    for cotangent in (call.cotangent, lying(call.cotangent, channels_last)):
        for gradient, true in zip(pull(cotangent), call.gradients(), strict=True):
            be.check_gradient(gradient, true)
