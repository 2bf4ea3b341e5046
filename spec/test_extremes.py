"""Extremes: far out, close to zero, and at ends of domains."""

from dataclasses import replace

import numpy as np

from gradspec.conformance import Total, claim, given
from gradspec.conformance.table import (
    BY_ENTRY,
    ENTRYWISE,
    EXACT,
    EXCHANGED,
    FACTORS,
    FAR_OUT,
    FLATTENED,
    ROUNDED_DOWN,
    UNCHECKED,
    filled,
    points,
    wide,
)
from gradspec.conformance.table.slopes import slopes_of

NO_WORKLOAD = "each operation is at work in the chapter it belongs to"

SPECIAL = np.array([np.nan, np.inf, -np.inf, 0, 1, -1, 0.5, -0.5, 3, -3, 6, 0.1, 0.25, 2])
"""Kinks and ends of domains among them."""

BLOCK = 293
"""More than vector registers take at once, and no multiple of what they take."""

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


# ---- slopes that are small -----------------------------------------------------------------------


@claim("EXT-540", needs="vjp", over=FLATTENED)
@given(grid=points("close"))
def test_small_slopes_keep_their_digits(be, grid):
    """Where a function comes to a limit, and next to zero where it turns, its slope is small, and
    right to the digits of its own size: it is no difference of numbers that are rounded.
    """
    asked, slope = slopes_of(grid, be.dtype, 1)
    _, pull = be.vjp(asked.on(be), *asked.tensors)
    be.check_gradient(*pull(asked.cotangent), slope, points=asked.tensors)


@claim("EXT-541", needs="vjp create_graph", over=FLATTENED)
@given(grid=points("close"))
def test_small_second_derivatives_keep_their_digits(be, grid):
    """A second derivative is right to the digits of its own size where a function comes to a limit,
    and close to zero where it turns or its slope does.
    """
    asked, slope = slopes_of(grid, be.dtype, 2)
    _, pull = be.vjp(asked.directional_derivative_on(be), asked.cotangent, *asked.tensors)
    _, second = pull(np.array(1.0))
    be.check_gradient(second, slope, "second derivative", points=asked.tensors)


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


# ---- wherever a formula may break ----------------------------------------------------------------


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
    where it goes by a quotient that is rounded to a whole number up to nothing. Of numbers just
    above the smallest ones of a dtype, float16 aside, the values may be lost.
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
    true = replace(
        Total.of(alone),
        magnitude=0 * size if grid.operation in ROUNDED_DOWN else size,
        # Units that flush subnormal numbers of float32, and bfloat16's with them, keep float16's.
        flushed=be.dtype != "float16",
    )
    be.check(be.tensor(value(*many)), true, points=many)


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
