"""Extremes: far out, close to zero, at ends of domains, and beside what is no number."""

from dataclasses import replace
from functools import partial

import numpy as np

from gradspec.conformance import Total, claim, example, given
from gradspec.conformance.strategies import (
    NONZERO,
    arrays,
    booleans,
    integers,
    lists,
    sampled_from,
)
from gradspec.conformance.table import (
    BY_ENTRY,
    ENTRYWISE,
    EXACT,
    EXCHANGED,
    FACTORS,
    FAR_OUT,
    MAXIMA,
    MINIMA,
    MOVED,
    OF_ONE,
    ROUNDED_DOWN,
    SORTED,
    SUMMED,
    UNCHECKED,
    calls,
    filled,
    points,
    wide,
)
from gradspec.conformance.table.points import followed

NO_WORKLOAD = "each operation is at work in the chapter it belongs to"

SPECIAL = np.array([np.nan, np.inf, -np.inf, 0, 1, -1, 0.5, -0.5, 3, -3, 6, 0.1, 0.25, 2])
"""Kinks and ends of domains among them."""

BLOCK = 293
"""More than vector registers take at once, and no multiple of what they take."""

LAST = 2.0**30
"""Larger than all that is drawn."""


# ---- far from zero -------------------------------------------------------------------------------


@claim("EXT-01", over=FAR_OUT)
@given(grid=points("far"))
def test_far_values(be, grid):
    """For arguments up to 2 ** 100 the result is as accurate as rounding the arguments once allows:
    nothing overflows on the way to a number that the dtype can hold, and a result beyond its range
    is infinite. A result just above the smallest numbers of the dtype may be lost.
    """
    far = grid.within(be.dtype, 0)
    be.check(far.on(be)(*map(be.tensor, far.tensors)), far.value(), points=far.tensors)


@claim("EXT-02", needs="vjp", over=FAR_OUT)
@given(grid=points("far"))
def test_far_gradients(be, grid):
    """Where result and derivative can be represented in the dtype, the gradient is right however
    large the arguments: no square of an argument overflows, and infinity is not multiplied by zero.
    """
    far = grid.within(be.dtype, 1)
    _, pull = be.vjp(far.on(be), *far.tensors)
    for gradient, true in zip(pull(far.cotangent), far.gradients(), strict=True):
        be.check_gradient(gradient, true, points=far.tensors)


@claim("EXT-03", needs="vjp create_graph", over=FAR_OUT)
@given(grid=points("far"))
def test_far_second_derivatives(be, grid):
    """At large arguments gradients are differentiated as they are elsewhere: where a function has
    become flat or straight its second derivatives are zero.
    """
    far = grid.within(be.dtype, 2)
    _, pull = be.vjp(far.directional_derivative_on(be), far.cotangent, *far.tensors)
    first, *second = pull(np.array(1.0))
    be.check_gradient(first, far.pushed(), "derivative by the cotangent", points=far.tensors)
    for gradient, true in zip(second, far.second(), strict=True):
        be.check_gradient(gradient, true, "second derivative", points=far.tensors)


# ---- close to zero, and at ends ------------------------------------------------------------------


@claim("EXT-04", over=ENTRYWISE)
@given(grid=points("close"))
def test_close_values(be, grid):
    """For arguments down to 2 ** -100, for those just inside the ends of the domain, and at ends
    where the function is not infinitely steep, the result is as accurate as rounding the arguments
    once allows.
    """
    near = grid.within(be.dtype, 0)
    be.check(near.on(be)(*map(be.tensor, near.tensors)), near.value(), points=near.tensors)


@claim("EXT-05", needs="vjp", over=ENTRYWISE)
@given(grid=points("close"))
def test_close_gradients(be, grid):
    """Close to zero and to the ends of a domain the gradient is right wherever result and
    derivative can be represented in the dtype.
    """
    near = grid.within(be.dtype, 1)
    _, pull = be.vjp(near.on(be), *near.tensors)
    for gradient, true in zip(pull(near.cotangent), near.gradients(), strict=True):
        be.check_gradient(gradient, true, points=near.tensors)


@claim("EXT-06", needs="vjp create_graph", over=ENTRYWISE)
@given(grid=points("close"))
def test_close_second_derivatives(be, grid):
    """Close to zero and to the ends of a domain gradients are differentiated as they are elsewhere;
    an exponent or a factor of zero is no exception.
    """
    near = grid.within(be.dtype, 2)
    _, pull = be.vjp(near.directional_derivative_on(be), near.cotangent, *near.tensors)
    first, *second = pull(np.array(1.0))
    be.check_gradient(first, near.pushed(), "derivative by the cotangent", points=near.tensors)
    for gradient, true in zip(second, near.second(), strict=True):
        be.check_gradient(gradient, true, "second derivative", points=near.tensors)


# ---- numbers that fill their dtype ---------------------------------------------------------------


@claim("EXT-140", needs="vjp", over=EXACT, widest=True)
@given(call=filled())
def test_all_digits_count(be, call):
    """Numbers keep all digits of their dtype in what only moves them, adds them up or multiplies
    them, and in its gradients: nothing is read, computed or passed back in a smaller one.
    """
    whole = call.in_full(be.dtype)
    value, pull = be.vjp(whole.on(be), *whole.tensors)
    for gradient, true in zip(pull(whole.cotangent), whole.gradients(), strict=True):
        be.check_gradient(gradient, true)
    whole.check(be, value)


# ---- forward mode --------------------------------------------------------------------------------


@claim("EXT-07", needs="jvp", over=FAR_OUT)
@given(grid=points("far"))
def test_far_tangents(be, grid):
    """Forward mode gives the derivative along tangents at large arguments."""
    far = grid.within(be.dtype, 1)
    _, tangent = be.jvp(far.on(be), far.tensors, far.tangents)
    be.check(tangent, far.pushed(), "tangent", points=far.tensors)


@claim("EXT-08", needs="jvp", over=ENTRYWISE)
@given(grid=points("close"))
def test_close_tangents(be, grid):
    """Forward mode gives the derivative along tangents close to zero and to the ends of domains."""
    near = grid.within(be.dtype, 1)
    _, tangent = be.jvp(near.on(be), near.tensors, near.tangents)
    be.check(tangent, near.pushed(), "tangent", points=near.tensors)


# ---- what is no number ---------------------------------------------------------------------------


@claim("EXT-09", needs="vjp", over=UNCHECKED, apart=True)
@given(grid=points("close"))
def test_an_entry_that_is_no_number_stays_alone(be, grid):
    """Beside an entry that is infinite or not a number, the others have the values and gradients
    that they have without it.
    """
    near = grid.within(be.dtype, 1)
    longer = near.at(tuple(np.append(x, x[:1]) for x in near.tensors))
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
    cotangent back to where they came from: the rest has no part of them.
    """
    beside, moved = call.with_intruders()
    value, pull = be.vjp(beside.on(be), *beside.tensors)
    for cotangent in (call.cotangent, call.intruding):
        for gradient, true in zip(pull(cotangent), call.gradients(cotangent), strict=True):
            be.check_gradient(gradient, true)
    be.check(value, moved)


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


@claim("EXT-260", needs="vjp", over=FACTORS, widest=True, apart=True)
@given(call=filled())
def test_a_factor_has_no_part_in_its_own_gradient(be, call):
    """The gradient of a factor is made of the other factors alone: it is what it was where that
    factor is infinite or nan.
    """
    for place, (x, true) in enumerate(zip(call.tensors, call.gradients(), strict=True)):
        at = call.which % x.size
        for far in (np.nan, np.inf, -np.inf):
            tensors = [*map(np.copy, call.tensors)]
            tensors[place].flat[at] = far
            _, pull = be.vjp(call.on(be), *tensors)
            gradient = be.numpy(pull(call.cotangent)[place])
            be.check(be.tensor(gradient.flat[at]), true.entry(at), "gradient")


@claim("EXT-191", needs="vjp", over=EXCHANGED, widest=True)
@given(call=filled())
def test_rows_stand_in_any_order(be, call):
    """The rows of a matrix may stand in any order: where all but the last begin with zero, that one
    is eliminated first.
    """
    matrix, *others = call.tensors
    matrix = np.flip(matrix, -2).copy()
    matrix[..., :-1, 0] = 0
    asked = call.with_tensors([matrix, *others])
    for turned in (replace(asked, which=n) for n in range(call.results)):
        value, pull = be.vjp(turned.on(be), *turned.tensors)
        for gradient, true in zip(pull(turned.cotangent), turned.gradients(), strict=True):
            be.check_gradient(gradient, true)
        turned.check(be, value)


@claim("EXT-160", needs="vjp", over=UNCHECKED, level="contract", apart=True)
@given(grid=points("close"))
def test_equal_entries_fare_alike(be, grid):
    """Equal entries have equal values and gradients, however many they are and wherever they stand:
    at kinks, and where they are infinite or not a number, as well.
    """

    def numbers(tensors):
        like = grid.at(tuple(np.resize(x, tensors[0].shape) for x in grid.tensors))
        value, pull = be.vjp(like.on(be), *tensors)
        gradients = pull(np.full(tensors[0].shape, 2.0))
        return [0 * be.numpy(value) if g is None else be.numpy(g) for g in (value, *gradients)]

    for place in range(len(grid.tensors)):
        few = [np.full(len(SPECIAL), 0.75) for _ in grid.tensors]
        few[place] = SPECIAL
        many = [np.repeat(x, BLOCK) for x in few]
        alone = [numbers(tuple(x[at : at + 2] for x in few)) for at in range(0, len(SPECIAL), 2)]
        for found, parts in zip(numbers(tuple(many)), zip(*alone, strict=True), strict=True):
            true = np.repeat(np.concatenate(parts).astype(np.float64), BLOCK)
            be.check(be.tensor(found), Total.of(true), points=many)


@claim("EXT-425", over=BY_ENTRY, level="contract", apart=True, small=True)
@given(grid=wide())
def test_entries_are_computed_as_alone(be, grid):
    """Of any numbers of its dtype, the largest and the smallest too, an operation that works entry
    by entry has among hundreds of entries the values that it has of one alone: up to rounding, and
    where it goes by a quotient that is rounded to a whole number up to nothing.
    """
    asked = grid.in_dtype(be.dtype)

    def value(*tensors):
        like = asked.at(tuple(np.full(len(x), 0.75) for x in tensors))
        return be.numpy(like.on(be)(*map(be.tensor, tensors))).astype(np.float64)

    each = (value(*(x[at : at + 1] for x in asked.tensors)) for at in range(len(asked.tensors[0])))
    alone, *many = (np.repeat(x, BLOCK) for x in (np.concatenate([*each]), *asked.tensors))
    with np.errstate(invalid="ignore"):
        # What ends in a factor close to zero is rounded like its argument.
        size = np.maximum(np.abs(alone), np.minimum(8, np.max(np.abs(many), 0)))
    true = replace(Total.of(alone), magnitude=0 * size if grid.operation in ROUNDED_DOWN else size)
    be.check(be.tensor(value(*many)), true, points=many)


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


@claim("EXT-22", over=OF_ONE, level="contract")
@given(grid=points("close"))
def test_no_number_is_made_of_none(be, grid):
    """The value of a function of one argument is nan where its argument is nan."""
    none = grid.at(tuple(np.full_like(x, np.nan) for x in grid.tensors))
    be.check(none.on(be)(*map(be.tensor, none.tensors)), np.full(none.result.shape, np.nan))


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


@claim("EXT-421", about="igamma igammac", needs="vjp igamma igammac", widest=True)
@example(order=1.0, w=np.array([1.0, 2.0]))
@given(order=sampled_from((1.0, 2.0, 3.0)), w=arrays("pair", shape=(2,), values=NONZERO))
def test_an_incomplete_gamma_function_has_a_slope_at_zero(be, order, w):
    """At zero, where they begin, the incomplete gamma functions of order 1 have the slopes 1 and
    -1, those of a higher order are flat.
    """
    slope = w * (order == 1)
    for name, true in (("igamma", slope), ("igammac", -slope)):
        function = partial(getattr(be, name), be.tensor(np.full(2, order)))
        _, pull = be.vjp(function, np.zeros(2))
        be.check_gradient(*pull(w), Total.of(true), f"slope of order {order:g} of {name}")


@claim("EXT-422", about="vector_norm dist cdist pdist", needs="vjp vector_norm dist cdist pdist")
@given(
    x=arrays("row", shape=(3,), values=NONZERO),
    w=arrays("one", shape=()),
    at=integers(0, 3),
    order=sampled_from((1.25, 1.5, 2.0, 3.0)),
)
def test_what_is_equal_has_no_share_in_a_distance(be, x, w, at, order):
    """Of an order above one a zero has no share in the gradient of a norm, nor has an entry in
    which two points are equal in that of their distance.
    """
    size = (np.abs(x) ** order).sum() ** (1 / order)
    slope = np.insert(w * np.sign(x) * (np.abs(x) / size) ** (order - 1), at, 0.0)
    far, ones = np.insert(x, at, 0.0), np.ones(4)
    pair = np.stack([slope, -slope])
    for name, function, tensors, cotangent, true in (
        ("vector_norm", be.vector_norm, (far,), w, slope),
        ("dist", be.dist, (far + 1, ones), w, pair),
        ("cdist", be.cdist, (far[None] + 1, ones[None]), np.reshape(w, (1, 1)), pair[:, None]),
        ("pdist", be.pdist, (np.stack([far + 1, ones]),), np.reshape(w, 1), pair),
    ):
        _, pull = be.vjp(lambda *z, f=function: f(*z, order), *tensors)
        gradients = pull(cotangent)
        for gradient, each in zip(gradients, true if len(tensors) > 1 else [true], strict=True):
            bound = Total(each, np.abs(each), 8, error_bound=1e-15 * np.abs(each))
            be.check_gradient(gradient, bound, f"gradient of {name}")


@claim("EXT-424", about="pow pow_number", needs="vjp pow pow_number", widest=True)
@example(x=np.array([0.0, -2.0, 0.0, -1.0]), powers=[0, 0, 1, 3], w=np.ones(4))
@given(
    x=arrays("row", shape=(4,)),
    powers=lists(integers(0, 3), min_size=4, max_size=4),
    w=arrays("row", shape=(4,)),
)
def test_any_number_has_integers_as_exponents(be, x, powers, w):
    """Under an integer n any number x has the power x ** n, with the derivative n x ** (n - 1): a
    negative one too, and zero, where that of x ** 0 is zero.
    """
    for n in (np.array(powers), *powers[:2]):
        power = be.pow_number if isinstance(n, int) else be.pow
        exponent = n if isinstance(n, int) else be.tensor(n)
        slope = w * n * x ** np.maximum(n - 1, 0)
        value, pull = be.vjp(lambda z, f=power, e=exponent: f(z, e), x)
        be.check(value, Total(x**n, np.abs(x**n), 8))
        be.check_gradient(*pull(w), Total(slope, np.abs(slope), 8))


@claim("EXT-423", about="det", needs="vjp det")
@example(x=np.array([[2.0, 3.0], [1.0, 5.0], [4.0, 1.0]]), m=np.array([1.0, -1.0]), w=np.array(1.0))
@given(x=arrays("columns", shape=(3, 2)), m=arrays("pair", shape=(2,)), w=arrays("one", shape=()))
def test_the_gradient_of_a_determinant_has_the_cofactors(be, x, m, w):
    """Where a column of a matrix is a sum of multiples of others its determinant is zero, and the
    gradient of that is the matrix of cofactors.
    """
    a = np.column_stack([x, x @ m])
    size = np.abs(np.column_stack([x, np.abs(x) @ np.abs(m)])).sum()
    first, second, third = a.T
    columns = np.cross(second, third), np.cross(third, first), np.cross(first, second)
    value, pull = be.vjp(be.det, a)
    be.check(value, Total(np.array(0.0), np.array(size**3), 6))
    (gradient,) = pull(w)
    bound = np.full((3, 3), np.abs(w) * size**2)
    be.check_gradient(gradient, Total(w * np.stack(columns, -1), bound, 6))
