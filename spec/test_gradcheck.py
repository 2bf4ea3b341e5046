"""Gradcheck: gradients against finite differences."""

from itertools import count, product

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, claim, every, example, given
from gradspec.conformance.strategies import (
    DENSE,
    NONZERO,
    arrays,
    booleans,
    integers,
    permutations,
    sampled_from,
)
from gradspec.conformance.strategies.custom import FAULTS, integral, misplaced, several, shifted

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


@claim("FUN-102", about="gradcheck", needs="backward custom gradcheck")
@every(fault=[None, *product(range(3), range(3))])
@given(
    x=arrays(min_size=1),
    y=arrays(min_size=1),
    form=sampled_from([tuple, list]),
)
def test_gradcheck_sees_every_output_and_every_input(be, x, y, fault, form):
    """Of a function with several inputs and outputs, in a tuple or a list, gradcheck compares every
    output with every input that requires grad, and with no other.
    """
    rule, constant = several(be, fault), be.tensor(y)
    leaves = [be.leaf(v.copy()) for v in (x, y, x)]
    for blind in (None, 0, 1):
        inputs = [constant if n == blind else leaf for n, leaf in enumerate(leaves)]
        accepted = be.gradcheck(
            lambda *given: form(rule.apply(*given)), inputs, eps=STEP, raise_exception=False
        )
        assert accepted is (fault is None or fault[1] == blind)


@claim("FUN-401", about="gradcheck", needs="jvp backward gradcheck torch", level="contract")
@given(
    x=arrays(min_size=1),
    y=arrays(min_size=1),
    fault=sampled_from([None, *product(range(2), range(2))]),
    both=booleans(),
    fast=booleans(),
)
def test_gradcheck_sees_every_tangent(be, x, y, fault, both, fast):
    """With check_forward_ad gradcheck compares the tangent of every output along every input,
    quickly or entry by entry, whether or not backward is checked as well.
    """
    slopes = np.array([[2.0, 3.0], [5.0, 7.0]])
    tangents = slopes.copy()
    if fault:
        tangents[fault] += 1

    def applied(rows, a, b):
        return tuple(a * float(s) + b * float(t) for s, t in rows)

    class Linear(be.lookup("torch.autograd:Function")):
        @staticmethod
        def forward(_, a, b):
            return applied(slopes, a, b)

        @staticmethod
        def backward(_, g, h):
            return applied(slopes.T, g, h)

        @staticmethod
        def jvp(_, s, t):
            return applied(tangents, s, t)

    options = {"check_forward_ad": True, "check_backward_ad": both, "check_undefined_grad": both}
    accepted = be.gradcheck(
        Linear.apply,
        [be.leaf(x.copy()), be.leaf(y.copy())],
        eps=STEP,
        raise_exception=False,
        fast_mode=fast,
        **options,
    )
    assert accepted is (fault is None)


@claim("FUN-520", about="lookup", needs="backward gradcheck random torch", level="contract")
@example(x=np.ones(3), w=np.ones(3), at=1, slip=0.125, told=True)
@given(
    x=arrays("row", shape=(3,), layouts=DENSE),
    w=arrays("row", shape=(3,), values=NONZERO),
    at=integers(0, 2),
    slip=sampled_from([0.0, 0.125, np.nan]),
    told=booleans(),
)
def test_gradgradcheck_sees_second_derivatives(be, x, w, at, slip, told):
    """gradgradcheck accepts a function exactly if every entry of the derivative of its gradient
    agrees with finite differences, for cotangents that it is told and for such as it draws.
    """
    wrong = np.zeros(3)
    wrong[at] = slip if told else 8 * slip
    square = shifted(be, wrong)

    class Cube(be.lookup("torch.autograd:Function")):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * a * a

        @staticmethod
        def backward(ctx, g):
            (a,) = ctx.saved_tensors
            return 3 * g * square.apply(a)

    cotangents = be.tensor(w) if told else None
    with be.fork_random():
        accepted = be.lookup("torch.autograd:gradgradcheck")(
            Cube.apply, [be.leaf(x.copy())], cotangents, eps=STEP, raise_exception=False
        )
    assert accepted is (slip == 0)


@claim("FUN-521", about="gradcheck", needs="backward gradcheck torch", level="contract")
@given(
    x=arrays(min_size=1), bad=booleans(), asked=sampled_from([None, True, False]), fast=booleans()
)
def test_gradcheck_sees_what_is_made_of_no_cotangents(be, x, bad, asked, fast):
    """Unless it is told not to, gradcheck refuses a backward that makes another gradient than zeros
    where no result has a cotangent.
    """

    class Both(be.lookup("torch.autograd:Function")):
        @staticmethod
        def forward(ctx, a):
            ctx.set_materialize_grads(False)
            ctx.save_for_backward(a)
            return 2 * a, 3 * a

        @staticmethod
        def backward(ctx, g, h):
            parts = [k * each for k, each in ((2, g), (3, h)) if each is not None]
            (a,) = ctx.saved_tensors
            return sum(parts) if parts else 0 * a + bad

    options = {} if asked is None else {"check_undefined_grad": asked}
    accepted = be.gradcheck(
        Both.apply,
        [be.leaf(x.copy())],
        eps=STEP,
        raise_exception=False,
        fast_mode=fast,
        **options,
    )
    assert accepted is not (bad and asked is not False)


@claim(
    "FUN-840", about="gradcheck", needs="backward custom gradcheck random torch", level="contract"
)
@given(
    x=arrays(shape=()),
    drift=sampled_from([0.0, 0.125, 0.5]),
    allowed=sampled_from([None, 0.0, 0.25, 1.0]),
    fast=booleans(),
)
def test_gradcheck_sees_what_changes_from_pass_to_pass(be, x, drift, allowed, fast):
    """gradcheck refuses a backward that gives another gradient for the same cotangent the second
    time, unless it is no further from the first one than nondet_tol, which is zero by default.
    """
    passes = count()
    rule = be.custom(lambda _, a: 2 * a, lambda _, g: (2 + drift * next(passes)) * g)
    with be.fork_random():
        accepted = be.gradcheck(
            rule.apply,
            [be.leaf(x.copy())],
            eps=STEP,
            atol=1000.0,
            raise_exception=False,
            fast_mode=fast,
            **({} if allowed is None else {"nondet_tol": allowed}),
        )
    assert accepted is (drift <= (allowed or 0))


@claim(
    "FUN-841", about="gradcheck lookup", needs="backward custom gradcheck torch", level="contract"
)
@every(case=list(product(("atol", "rtol"), (0.5, 2.0), (False, True))))
@given(x=arrays("row", shape=(2,)), slope=sampled_from([1.0, 8.0, -4.0]))
def test_gradcheck_accepts_what_is_near(be, case, x, slope):
    """An entry of a Jacobian is accepted exactly if it is no further from the difference than atol
    and rtol of the difference allow, whether gradcheck looks at a gradient or gradgradcheck at the
    derivative of one.
    """
    word, factor, second = case
    slip = factor / 16 * (1.0 if word == "atol" else abs(slope))
    line = be.custom(lambda _, a: slope * a, lambda _, g: (slope + slip) * g)
    allowed = {"atol": 0.0, "rtol": 0.0, word: 1 / 16, "eps": STEP, "raise_exception": False}
    leaf, cotangent = be.leaf(x.copy()), be.tensor(np.ones(2))
    if second:
        check = be.lookup("torch.autograd:gradgradcheck")
        accepted = check(integral(be, line, slope).apply, [leaf], cotangent, **allowed)
    else:
        accepted = be.gradcheck(line.apply, [leaf], **allowed)
    assert accepted is (factor < 1)


@claim(
    "FUN-842",
    about="gradcheck lookup",
    needs="backward custom gradcheck random torch",
    level="contract",
)
@every(case=list(product((False, True), (None, False, True), (False, True))))
@given(x=arrays("row", shape=(2,)))
def test_gradcheck_maps_cotangents_if_told(be, case, x):
    """Told to check batches of gradients, and only then, gradcheck refuses a backward that cannot
    be mapped over cotangents, and gradgradcheck one whose own backward cannot.
    """
    lonely, asked, second = case
    line = be.custom(lambda _, a: 2 * a, lambda _, g: 2 * (be.tensor(be.numpy(g)) if lonely else g))
    options = {} if asked is None else {"check_batched_grad": asked}
    options |= {"eps": STEP, "raise_exception": False}
    leaf, cotangent = be.leaf(x.copy()), be.tensor(np.ones(2))
    with be.fork_random():
        if second:
            check = be.lookup("torch.autograd:gradgradcheck")
            accepted = check(integral(be, line, 2.0).apply, [leaf], cotangent, **options)
        else:
            accepted = be.gradcheck(line.apply, [leaf], **options)
    assert accepted is not (lonely and asked is True)


@claim("FUN-730", about="gradcheck", needs="backward custom gradcheck torch", level="contract")
@example(x=np.ones(2), slip=0.0, constant="zeros", before=True, fast=True)
@given(
    x=arrays(min_size=1),
    slip=sampled_from([0.0, 0.125]),
    constant=sampled_from(("zeros", "integers")),
    before=booleans(),
    fast=booleans(),
)
def test_gradcheck_passes_over_what_is_constant(be, x, slip, constant, before, fast):
    """gradcheck compares those results of a function that have a gradient, and accepts it exactly
    if these agree, whether a result that is constant stands before them or after them.
    """
    rule = shifted(be, np.full(x.shape, slip))
    fixed = be.tensor(np.zeros(x.shape, int if constant == "integers" else float))
    accepted = be.gradcheck(
        lambda a: (fixed, rule.apply(a)) if before else (rule.apply(a), fixed),
        [be.leaf(x.copy())],
        eps=STEP,
        raise_exception=False,
        fast_mode=fast,
    )
    assert accepted is (slip == 0), f"accepted: {accepted}"


@claim("FUN-105", about="gradcheck", needs="backward custom gradcheck")
@given(x=arrays(shape=(3,)), places=permutations((0, 1, 2)))
def test_gradcheck_sees_the_place_of_an_entry(be, x, places):
    """gradcheck compares Jacobians entry by entry: right numbers in wrong places are found."""
    rule, leaf = misplaced(be, list(places)), be.leaf(x.copy())
    accepted = be.gradcheck(rule.apply, [leaf], eps=STEP, raise_exception=False)
    assert accepted is (list(places) == [0, 1, 2])


@claim("FUN-66", about="gradcheck", needs="backward custom gradcheck detach", level="contract")
@every(fault=list(FAULTS))
@given(
    x=arrays(min_size=1, values=NONZERO),
)
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


@claim("FUN-111", about="jacobian", needs="backward jacobian")
@given(x=arrays(min_size=1), tracked=booleans())
def test_a_jacobian_leaves_its_point_alone(be, x, tracked):
    """The point at which a Jacobian is taken keeps its requires_grad and its .grad."""
    point = be.leaf(x) if tracked else be.tensor(x)
    be.jacobian(lambda z: z * z, point)
    assert be.requires_grad(point) is tracked
    assert be.grad(point) is None
    be.check(point, x)
