"""Infinity and nan: where they are felt, and what functions come to there."""

from functools import partial

import numpy as np

from gradspec.conformance import Total, claim, example, given
from gradspec.conformance.strategies import NONZERO, arrays, booleans, integers, sampled_from
from gradspec.conformance.table import (
    LIMITED,
    MAXIMA,
    MINIMA,
    MOVED,
    OF_ONE,
    SCORED,
    SORTED,
    STEEP,
    SUMMED,
    UNCHECKED,
    calls,
    filled,
    points,
)
from gradspec.conformance.table.limits import LIMITS, POLES
from gradspec.conformance.table.points import followed

NO_WORKLOAD = "each operation is at work in the chapter it belongs to"

LAST = 2.0**30
"""Larger than all that is drawn."""


# ---- where they are felt -------------------------------------------------------------------------


@claim("EXT-09", needs="vjp", over=UNCHECKED, apart=True)
@given(grid=points("close"))
def test_an_entry_that_is_no_number_stays_alone(be, grid):
    """Beside an entry that is infinite or not a number, the others have the values and gradients
    that they have without it.
    """
    near = grid.within(be.dtype, 1)
    one_more = [np.append(x, y[:1]) for x, y in zip(near.tensors, grid.tensors, strict=True)]
    longer = grid.in_dtype(be.dtype).at(tuple(one_more))
    for intruder in (np.nan, np.inf, -np.inf):
        beside = [np.append(x, intruder) for x in near.tensors]
        value, pull = be.vjp(longer.on(be), *beside)
        be.check(value, followed(near.value(), be.numpy(value)), points=beside)
        cotangent = np.append(near.cotangent, 1.0)
        for gradient, true in zip(pull(cotangent), near.gradients(), strict=True):
            be.check(gradient, followed(true, be.numpy(gradient)), "gradient", points=beside)


@claim("EXT-190", needs="vjp", over=MOVED, level="contract", widest=True)
@given(call=filled())
def test_what_is_moved_may_be_anything(be, call):
    """What moves entries moves those that are infinite or nan like any others, and those of the
    cotangent back to where they came from: the rest has no part of them. A zero that is moved keeps
    its sign.
    """
    beside, moved = call.with_intruders()
    value, pull = be.vjp(beside.on(be), *beside.tensors)
    for cotangent in (call.cotangent, call.intruding):
        for gradient, true in zip(pull(cotangent), call.gradients(cotangent), strict=True):
            be.check_gradient(gradient, true)
    be.check(value, moved)
    zeros = moved == 0
    signs = np.signbit(be.numpy(value))[zeros], np.signbit(moved[zeros])
    assert np.array_equal(*signs), "zeros that are moved have other signs"


@claim("EXT-500", needs="vjp", over=SUMMED, level="contract", widest=True)
@given(call=filled())
def test_a_sum_is_told_of_its_own_terms_alone(be, call):
    """An entry that is infinite or nan is felt in what it is a term of, and nowhere else; an entry
    of the cotangent likewise.
    """
    whole = call.without_zeros()
    _, pull = be.vjp(whole.on(be), *whole.tensors)
    for far in (np.nan, np.inf, -np.inf):
        beside, summed = whole.with_one(far)
        be.check(call.on(be)(*map(be.tensor, beside.tensors)), summed)
        cotangent = whole.weighed_by_one(far)
        for gradient, true in zip(pull(cotangent), whole.gradients(cotangent), strict=True):
            be.check_gradient(gradient, true)


@claim("EXT-501", needs="vjp", over=SORTED, level="contract", widest=True)
@given(call=filled())
def test_nan_is_the_last_in_order(be, call):
    """Where entries are put in order a nan stands where the largest number would, and has the
    gradient that this would have.
    """
    (x,) = call.tensors
    far = np.where(np.arange(x.size).reshape(x.shape) == call.which % x.size, LAST, x)
    asked = call.with_tensors([far])
    value, pull = be.vjp(call.on(be), np.where(far == LAST, np.nan, far))
    be.check(value, np.where(asked.result == LAST, np.nan, asked.result))
    for gradient, true in zip(pull(asked.cotangent), asked.gradients(), strict=True):
        be.check_gradient(gradient, true)


@claim("EXT-18", over=(*MAXIMA, *MINIMA), level="contract")
@given(call=calls())
def test_what_is_no_number_is_every_extremum(be, call):
    """A nan is the result wherever an infinite entry would be: it counts as the largest and as the
    smallest of what it is compared with.
    """
    x, *others = call.tensors
    at = call.which % max(1, x.size)
    none, infinite = np.array(x), np.array(x)
    none.flat[at : at + 1] = np.nan
    infinite.flat[at : at + 1] = np.inf if call.operation in MAXIMA else -np.inf
    true = call.true(infinite, *others)
    found = call.on(be)(*map(be.tensor, (none, *others)))
    be.check(found, np.where(np.isinf(true), np.nan, true))


@claim("EXT-733", over=SCORED, level="contract")
@given(call=calls())
def test_a_loss_of_what_is_no_number_is_none(be, call):
    """A loss of scores one of which is nan is nan, for whichever of them it is."""
    scores, *others = call.tensors
    at = call.which % max(1, scores.size)
    x = np.array(scores)
    x.flat[at : at + 1] = np.nan
    found = be.numpy(call.on(be)(*map(be.tensor, (x, *others))))
    assert np.isnan(found).any() == (x.size > 0), f"a loss of nan is {found}"


@claim("EXT-23", about="where", needs="vjp where maximum minimum relu", level="contract")
@given(
    x=arrays("row", shape=(4,)),
    y=arrays("row", shape=(4,)),
    w=arrays("row", shape=(4,)),
    at=integers(0, 3),
    far=sampled_from((np.nan, np.inf, -np.inf)),
)
def test_what_was_not_chosen_hears_nothing(be, x, y, w, at, far):
    """A cotangent that is infinite or nan goes to the operand that was chosen; an operand that was
    not chosen, or an argument of relu below zero, has the gradient 0.
    """
    y, w = np.where(x == y, x + 1, y), w.copy()
    w[at] = far
    first = x > y
    chosen = (
        ("where", lambda a, b: be.where(be.tensor(first), a, b), first),
        ("maximum", be.maximum, first),
        ("minimum", be.minimum, ~first),
    )
    for name, choose, taken in chosen:
        _, pull = be.vjp(choose, x, y)
        for gradient, mine in zip(pull(w), (taken, ~taken), strict=True):
            be.check(gradient, np.where(mine, w, 0), name)
    _, pull = be.vjp(be.relu, -np.abs(x) - 1)
    be.check_gradient(pull(w)[0], Total.of(0 * x))


@claim("EXT-420", about="fmax fmin", needs="vjp fmax fmin", level="contract")
@given(
    x=arrays("row", shape=(4,)), w=arrays("row", shape=(4,)), at=integers(0, 3), first=booleans()
)
def test_the_larger_of_a_number_and_none_is_the_number(be, x, w, at, first):
    """Beside a nan fmax and fmin give the other operand, to which all of the cotangent goes."""
    none, beside = np.full(4, np.nan), x.copy()
    none[at], beside[at] = 1.0, np.nan
    for function in (be.fmax, be.fmin):
        value, pull = be.vjp(function, *((none, beside) if first else (beside, none)))
        be.check(value, np.fmax(none, beside))
        for_none, for_other = pull(w) if first else pull(w)[::-1]
        be.check(for_none, np.where(np.isnan(beside), w, 0))
        be.check(for_other, np.where(np.isnan(beside), 0, w))


@claim("EXT-221", about="mul exp sum cumsum", needs="vjp mul exp sum cumsum", level="contract")
@given(
    x=arrays("row", shape=(4,), values=NONZERO),
    w=arrays("row", shape=(4,)),
    at=integers(0, 3),
    far=sampled_from((np.nan, np.inf, -np.inf)),
)
def test_cotangents_may_be_anything(be, x, w, at, far):
    """A cotangent that is infinite or nan is multiplied and added up like any other: nothing is put
    in its place.
    """
    w = w.copy()
    w[at] = far
    for name, function, cotangent, gradient in (
        ("mul", lambda z: be.mul(z, be.tensor(x)), w, w * x),
        ("exp", lambda z: be.exp(be.mul(z, 0.0)), w, 0.0 * w),
        ("sum", be.sum, np.array(far), np.full(4, far)),
        ("cumsum", lambda z: be.cumsum(z, 0), w, w[::-1].cumsum()[::-1]),
    ):
        _, pull = be.vjp(function, x)
        be.check(*pull(cotangent), gradient, name)


# ---- what functions come to ----------------------------------------------------------------------


@claim("EXT-511", needs="vjp", over=LIMITED, level="contract", apart=True)
@given(grid=points("close"))
def test_at_infinity_are_limits(be, grid):
    """At infinity a function of one argument has the limit of its values, or is nan where there is
    none; where its slopes have a limit, that is its slope there.
    """
    low, high, *slopes = LIMITS[grid.operation.name]
    ends = np.resize([-np.inf, np.inf], grid.result.shape)
    value, pull = be.vjp(grid.on(be), ends)
    true = np.where(ends < 0, low, high)
    be.check(value, Total(true, np.abs(true), 2), points=[ends])
    (gradient,) = pull(np.ones(ends.shape))
    slope = np.where(ends < 0, *slopes)
    said = np.where(np.isnan(slope), be.numpy(gradient), slope)
    be.check(gradient, said, "gradient", points=[ends])


@claim("EXT-721", about="normalize_order", needs="vjp normalize_order cosine_similarity_eps")
@given(
    x=arrays("matrix", shape=(2, 3), values=NONZERO),
    w=arrays("matrix", shape=(2, 3)),
    p=sampled_from([1.0, 2.0, 3.0]),
    eps=sampled_from([0.125, 2.0**-20]),
)
def test_what_has_no_length_is_divided_by_the_least_one(be, x, w, p, eps):
    """A vector of zeros is divided by eps, which its length does not reach, and so is its gradient:
    in normalize and, beside the direction of the other vector, in cosine_similarity.
    """
    zeros, length = np.zeros((2, 3)), np.sqrt(np.sum(x * x, 1))
    value, pull = be.vjp(lambda z: be.normalize_order(z, p, 1, eps), zeros)
    be.check(value, zeros)
    be.check_gradient(*pull(w), Total.of(w / eps))
    value, pull = be.vjp(lambda z, y: be.cosine_similarity_eps(z, y, 1, eps), zeros, x)
    be.check(value, zeros[:, 0])
    for gradient, true in zip(
        pull(w[:, 0]), (w[:, :1] * x / (eps * length[:, None]), zeros), strict=True
    ):
        be.check_gradient(gradient, Total(true, np.abs(true), 8))


@claim("EXT-580", needs="vjp", over=STEEP, level="contract", apart=True)
@given(grid=points("close"))
def test_at_poles_are_limits(be, grid):
    """At a pole, and at an end of its domain where it is infinitely steep, a function of one
    argument has the limits of its values and slopes within the domain.
    """
    poles = np.resize(POLES[grid.operation.name], (*grid.result.shape, 3))
    places, true, slopes = np.moveaxis(poles, -1, 0)
    value, pull = be.vjp(grid.on(be), places)
    be.check(value, Total(true, np.abs(true), 2), points=[places])
    be.check(*pull(np.ones(places.shape)), slopes, "gradient", points=[places])


@claim("EXT-731", about="zeta polygamma", needs="zeta polygamma", level="contract", widest=True)
@given(order=integers(1, 4))
def test_zeta_functions_vanish_at_infinity(be, order):
    """Every zeta function of Hurwitz is zero at infinity, as is every derivative of digamma."""
    far = be.tensor(np.array([np.inf]))
    be.check(be.zeta(order + 1.0, far), np.zeros(1), "zeta function")
    be.check(be.polygamma(order, far), np.zeros(1), "derivative of digamma")


@claim("EXT-732", about="polygamma", needs="polygamma", level="contract", widest=True)
@example(order=1)
@given(order=sampled_from((1, 3)))
def test_derivatives_of_digamma_have_poles(be, order):
    """Every derivative of digamma of odd order is infinite at zero and at negative integers."""
    poles = np.array([0.0, -1.0, -2.0, -7.0])
    be.check(be.polygamma(order, be.tensor(poles)), np.full(4, np.inf))


@claim("EXT-22", over=OF_ONE, level="contract")
@given(grid=points("close"))
def test_no_number_is_made_of_none(be, grid):
    """The value of a function of one argument is nan where its argument is nan."""
    none = grid.at(tuple(np.full_like(x, np.nan) for x in grid.tensors))
    be.check(none.on(be)(*map(be.tensor, none.tensors)), np.full(none.result.shape, np.nan))


@claim("EXT-512", about="sign", needs="sign floor ceil trunc round", level="contract", widest=True)
@given(
    x=arrays("row", shape=(4,)),
    at=integers(0, 3),
    far=sampled_from((np.nan, np.inf, -np.inf)),
)
def test_what_jumps_is_no_number_where_its_argument_is_none(be, x, at, far):
    """Rounded in any way, infinities and nan are what they are; the sign of an infinity is 1 or -1,
    that of nan is nan.
    """
    x = x.copy()
    x[at] = far
    for name in ("floor", "ceil", "trunc", "round", "sign"):
        be.check(getattr(be, name)(be.tensor(x)), getattr(np, name)(x), name)


@claim("EXT-220", about="nan_to_num", needs="vjp nan_to_num", level="contract", widest=True)
@given(x=arrays("row", shape=(4,)), w=arrays("row", shape=(4,)), at=integers(0, 3))
def test_what_is_not_finite_has_a_number(be, x, w, at):
    """Told nothing else, nan_to_num puts 0 in the place of nan and the extremes of the dtype in
    that of infinities; what it puts there has no gradient, whatever it was told.
    """
    most, told = np.finfo(be.dtype).max, {"nan": 1.5, "posinf": 2.0, "neginf": -3.0}
    finite = np.arange(4) != at
    for named, numbers in (({}, (0.0, most, -most)), (told, told.values())):
        for far, number in zip((np.nan, np.inf, -np.inf), numbers, strict=True):
            value, pull = be.vjp(partial(be.nan_to_num, **named), np.where(finite, x, far))
            be.check(value, np.where(finite, x, number))
            be.check(*pull(w), np.where(finite, w, 0))


@claim(
    "EXT-490",
    about="mul sub div exp log",
    needs="vjp mul sub div exp log sqrt",
    modes=True,
    level="contract",
)
@given(x=arrays("row", shape=(4,)), w=arrays("row", shape=(10,)))
def test_what_cancels_of_numbers_may_not_cancel_of_others(be, x, w):
    """Infinity and nan are nan times zero, less themselves and over themselves, as is zero over
    itself: nothing is cancelled. No logarithm undoes an exponential that overflows, nor does an
    exponential undo a logarithm, or a square a root, of a negative number.
    """
    x = np.concatenate([x, [np.nan, np.inf, -np.inf, 0.0, -1000.0, 1000.0]])
    for name, function, true, gradient in (
        ("x * 0", lambda z: be.mul(z, 0), x * 0, 0 * w),
        ("x - x", lambda z: be.sub(z, z), x - x, 0 * w),
        ("x / x", lambda z: be.div(z, z), x / x, None),
        ("log(exp(x))", lambda z: be.log(be.exp(z)), np.log(np.exp(x)), None),
        ("exp(log(x))", lambda z: be.exp(be.log(z)), np.exp(np.log(x)), None),
        ("sqrt(x) * sqrt(x)", lambda z: be.mul(be.sqrt(z), be.sqrt(z)), np.sqrt(x) ** 2, None),
    ):
        value, pull = be.vjp(be.wrapped(function, name), x)
        be.check(value, true, name)
        if gradient is not None:
            be.check(*pull(w), gradient, f"gradient of {name}")
