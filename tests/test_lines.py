"""Derivatives along a line: what is true of them, and how near it has to be met."""

import numpy as np
import pytest

from gradspec.conformance.table import CURVED, calls
from gradspec.conformance.table.lines import second, third

NAMED = {operation.name: operation for operation in CURVED}


@pytest.mark.parametrize(("order", "bounds"), [(2, second), (3, third)])
def test_an_exponential_is_its_own_derivative(order, bounds):
    for call in calls(smooth=True).corners(NAMED["exp"]):
        (x,), (tangent,) = call.tensors, call.tangents
        true = (call.cotangent * np.exp(x) * tangent**order).sum()
        low, high = bounds(call, "float64")
        assert (low <= true).all()
        assert (true <= high).all()


@pytest.mark.parametrize("operation", CURVED, ids=repr)
def test_third_derivatives_are_known_to_three_digits(operation):
    """What differences doubt hides nothing, beside the sizes of all derivatives."""
    for call in calls(smooth=True).corners(operation):
        low, high = third(call, "float64")
        sizes = np.abs([*second(call, "float64"), low, high]).max(0)
        assert (high - low < 1e-3 * (1 + np.abs(call.result * call.cotangent).sum() + sizes)).all()
