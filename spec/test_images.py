"""Images: several of them, with several channels, before their pixels in memory or behind them."""

from gradspec.conformance import claim, given
from gradspec.conformance.strategies import NONZERO, arrays
from gradspec.conformance.strategies.resampling import OTHERS, SMOOTH, pair
from gradspec.conformance.table import IMAGED, channels_last, lying, pictured

NO_WORKLOAD = "each operation is at work in the chapter it belongs to"


@claim("GEN-250", needs="vjp", over=IMAGED)
@given(call=pictured())
def test_channels_may_come_last(be, call):
    """Of one image or several with several channels, which come before their pixels in memory or
    behind them, an operation has its values and its gradients, however cotangents lie.
    """
    value, pull = be.vjp(call.on(be), *call.tensors)
    call.check(be, value)
    for cotangent in (call.cotangent, lying(call.cotangent, channels_last)):
        for gradient, true in zip(pull(cotangent), call.gradients(), strict=True):
            be.check_gradient(gradient, true)


@claim(
    "GEN-251", about="interpolate_scaled", needs="vjp interpolate_scaled torch", level="contract"
)
@given(
    x=arrays("numbers", shape=(11,), values=NONZERO),
    w=arrays("weights", shape=(7,), values=NONZERO),
)
def test_resampling_is_linear(be, x, w):
    """Resampling by a factor is linear: the image paired with its gradient is the result paired
    with the cotangent, also where as many entries come of a factor that is not 1.
    """
    pair(be, SMOOTH, x, w)


@claim(
    "GEN-252", about="interpolate_scaled", needs="vjp interpolate_scaled torch", level="contract"
)
@given(
    x=arrays("numbers", shape=(11,), values=NONZERO),
    w=arrays("weights", shape=(7,), values=NONZERO),
)
def test_resampling_in_other_ways_is_linear(be, x, w):
    """Resampling by nearest entries, by cubic functions or with a filter is linear, too: the image
    paired with its gradient is the result paired with the cotangent, whatever the factor.
    """
    pair(be, OTHERS, x, w)
