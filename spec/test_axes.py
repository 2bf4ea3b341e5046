"""Axes: counted from either end, and named in any order."""

import numpy as np

from gradspec.conformance import Total, claim, given
from gradspec.conformance.table import ALONG, along, renamed

NO_WORKLOAD = "each operation is at work in the chapter it belongs to"


@claim("OPS-210", needs="vjp", over=ALONG, level="contract", widest=True)
@given(call=along())
def test_axes_have_several_names(be, call):
    """An axis is the same one from whichever end it is counted, and several may be named in any
    order where none is meant: results and gradients are the same.
    """
    value, pull = be.vjp(call.on(be), *call.tensors)
    found, true = [value, *pull(call.cotangent)], [call.value(), *call.gradients()]
    for other in renamed(call):
        same, push = be.vjp(other.on(be), *other.tensors)
        for again, one, each in zip([same, *push(call.cotangent)], found, true, strict=True):
            first = np.zeros(each.value.shape) if one is None else be.numpy(one)
            be.check_gradient(again, Total.again([first], [each]))
