"""Gradcheck: gradients against finite differences."""

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, claim, example, given
from gradspec.conformance.strategies import NONZERO, arrays, integers, sampled_from
from gradspec.conformance.strategies.custom import FAULTS, shifted

pytestmark = pytest.mark.filterwarnings("ignore:.*not a double precision")

STEP = 1 / 64
"""A step that leaves differences of short binary fractions exact in float32 too."""


NO_WORKLOAD = "finite differences of every entry are for tensors of a few"


@claim("FUN-65", about="gradcheck", needs="backward custom gradcheck")
@example(x=np.ones(1000), w=np.ones(1000), at=777, slip=0.01)
@given(
    x=arrays(min_size=1),
    w=arrays(min_size=1, values=NONZERO),
    at=integers(0, 11),
    slip=sampled_from([0.0, 0.0, 0.125, -1.0, np.nan]),
)
def test_gradcheck_sees_every_entry(be, x, w, at, slip):
    """gradcheck accepts a function exactly if every entry of its Jacobian agrees with finite
    differences, and leaves .grad alone: one wrong entry among a thousand is found.
    """
    wrong = np.zeros(x.shape)
    wrong.flat[at % x.size] = slip
    leaf, rule = be.leaf(x.copy()), shifted(be, wrong)
    accepted = be.gradcheck(
        lambda a: be.sum(be.mul(rule.apply(a), w)), [leaf], eps=STEP, raise_exception=False
    )
    assert accepted is (slip == 0)
    assert be.grad(leaf) is None
    be.check(leaf, x)


@claim("FUN-66", about="gradcheck", needs="backward custom gradcheck detach", level="contract")
@given(x=arrays(min_size=1, values=NONZERO), fault=sampled_from(list(FAULTS)))
def test_gradcheck_raises_by_default(be, x, fault):
    """On a wrong gradient, and on a result that has lost its history, gradcheck raises; it returns
    False only when told not to raise.
    """
    leaf = be.leaf(x.copy())
    with be.raises(ErrorKind.WRONG_GRADIENT):
        be.gradcheck(lambda a: FAULTS[fault](be, a), [leaf], eps=STEP)
    assert (
        be.gradcheck(lambda a: FAULTS[fault](be, a), [leaf], eps=STEP, raise_exception=False)
        is False
    )


@claim("FUN-67", about="gradcheck", needs="backward gradcheck expand", level="contract")
@example(x=np.array([0.5, 1.0, 2.0, 3.0]))
def test_gradcheck_needs_double_precision(be, x):
    """The default step and tolerances fit float64 alone: in float32 even an exponential is refused.
    Inputs none of which requires grad, and one that overlaps itself, are refused in any dtype.
    """
    accepted = be.gradcheck(be.exp, [be.leaf(x)], raise_exception=False)
    assert accepted is (be.dtype == "float64")
    overlapping = be.leaf(np.broadcast_to(x, (2, 4)))
    for unfit in (be.tensor(x), overlapping):
        with be.raises(ErrorKind.ARGUMENT):
            be.gradcheck(be.exp, [unfit])
