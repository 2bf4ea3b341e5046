"""Stability: functions whose simplest formula breaks where they do not."""

from functools import partial

import numpy as np

from gradspec.conformance import Total, claim, example, given
from gradspec.conformance.strategies import (
    NONZERO,
    POSITIVE,
    arrays,
    booleans,
    integers,
    lists,
    sampled_from,
)
from gradspec.conformance.truth.floats import FLOATS
from gradspec.conformance.truth.oracles.special import digamma, polygamma

NO_WORKLOAD = "each operation is at work in the chapter it belongs to"

FAR = {"float64": 2.0**34, "float32": 2.0**16}
"""A number whose square has too few digits for small numbers beside it."""

STEPS = 16.0 * np.arange(5)

# ---- wherever a formula may break ----------------------------------------------------------------


@claim("EXT-543", about="prod", needs="vjp prod")
@example(factors=np.array([1.0, -3.0, 2.0]), w=np.array(2.0))
@given(factors=arrays("three", shape=(3,), values=NONZERO), w=arrays("one", shape=()))
def test_factors_count_where_their_product_is_lost(be, factors, w):
    """The gradient of a product is the product of the other factors, though that of all is so small
    that it is lost in the dtype.
    """
    x = factors * np.exp2(np.round(0.43 * np.log2(FLOATS[be.dtype].normal)))
    others = w * np.array([x[1] * x[2], x[0] * x[2], x[0] * x[1]])
    _, pull = be.vjp(lambda z: be.prod(z, 0), x)
    be.check_gradient(*pull(w), Total(others, np.abs(others), 3))


@claim("EXT-544", about="cumprod", needs="vjp cumprod")
@example(factors=np.array([1.0, -3.0, 2.0]), w=np.array(2.0))
@given(factors=arrays("three", shape=(3,), values=NONZERO), w=arrays("one", shape=()))
def test_factors_count_where_a_running_product_is_lost(be, factors, w):
    """The last of running products has the product of the other factors for a gradient, though that
    of all is so small that it is lost in the dtype.
    """
    x = factors * np.exp2(np.round(0.43 * np.log2(FLOATS[be.dtype].normal)))
    others = w * np.array([x[1] * x[2], x[0] * x[2], x[0] * x[1]])
    _, pull = be.vjp(lambda z: be.cumprod(z, 0), x)
    be.check_gradient(*pull(np.array([0.0, 0.0, w])), Total(others, np.abs(others), 3))


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


@claim(
    "EXT-740", about="lgamma digamma polygamma", needs="vjp lgamma digamma polygamma", widest=True
)
@example(n=16, part=0.5, w=np.array([1.0]))
@given(
    n=integers(0, 40),
    part=sampled_from((0.5, 0.25, 0.75, 0.375)),
    w=arrays("one", shape=(1,), values=NONZERO),
)
def test_below_zero_digamma_is_told_by_its_recurrence(be, n, part, w):
    """Between whole numbers below zero digamma is what it is above, less the reciprocals of all
    numbers on the way, one apart; its slope, which is polygamma of order 1, is the sum of their
    squares more, in half of the digits; and the slope of lgamma is digamma.
    """
    way = np.arange(-n, 1) - part
    x, above = way[:1], np.array([1 - part])
    first = digamma(above) - (1 / way).sum()
    second = polygamma(1)(above) + (1 / way**2).sum()
    third = polygamma(2)(above) - (2 / way**3).sum()
    size = (n + 1) * (9 + second + np.abs(2 / way**3).sum() + (6 / way**4).sum())
    trigamma = partial(be.polygamma, 1)
    known = ((be.lgamma, None, first), (be.digamma, first, second), (trigamma, second, third))
    for function, true, slope in known:
        value, pull = be.vjp(function, x)
        if true is not None:
            be.check(value, Total(true, size, 2**20))
        be.check_gradient(*pull(w), Total(w * slope, np.abs(w) * size, 2**20))


@claim("EXT-741", about="igamma igammac", needs="igamma igammac")
@example(pair=(np.inf, 2.0))
@given(pair=sampled_from([p for n in (0.5, 1.0, 30.0) for p in ((n, np.inf), (np.inf, n))]))
def test_an_incomplete_gamma_function_ends_at_infinity(be, pair):
    """At infinity the incomplete gamma functions are 1 and 0, and of an infinite order 0 and 1 at
    every number.
    """
    for name, true in (("igamma", pair[1] == np.inf), ("igammac", pair[0] == np.inf)):
        value = getattr(be, name)(*(be.tensor(np.array(number)) for number in pair))
        be.check(value, np.array(float(true)))


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


@claim("EXT-750", about="det slogdet", needs="vjp det slogdet")
@given(
    ends=arrays("ends", shape=(2,), values=POSITIVE),
    x=arrays("beside", shape=()),
    w=arrays("one", shape=(), values=NONZERO),
    at=integers(0, 2),
)
def test_a_matrix_of_a_batch_has_a_determinant_of_its_own(be, ends, x, w, at):
    """Beside a singular matrix and one whose determinant is negative, another one in the batch has
    the determinant, the logarithm of its size, and the gradients that it has alone.
    """
    p, q = ends
    a = np.array([[p, x], [0, q]])
    cofactors = np.array([[q, 0], [-x, p]])
    others = np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])
    batch = np.insert(np.stack(others), at, a, axis=0)
    for name, function, rest, true, slope in (
        ("det", be.det, [0.0, -1.0], p * q, cofactors),
        ("slogdet", lambda z: be.slogdet(z)[1], [-np.inf, 0.0], np.log(p * q), cofactors / (p * q)),
    ):
        value, pull = be.vjp(function, batch)
        size = np.abs(np.log(ends)).sum() + p * q + 1
        be.check(value, Total(np.insert(rest, at, true), np.full(3, size), 4), name)
        (gradient,) = pull(np.full(3, w))
        bound = Total(w * slope, np.full((2, 2), np.abs(w * slope).max() * (1 + np.abs(x))), 6)
        be.check(be.tensor(be.numpy(gradient)[at].copy()), bound, f"gradient of {name}")


@claim("EXT-751", about="logdet", needs="vjp logdet", level="contract")
@given(ends=arrays("ends", shape=(2,), values=POSITIVE), w=arrays("one", shape=()))
def test_determinants_that_are_not_positive_have_no_real_logarithm(be, ends, w):
    """The logarithm of a determinant is nan where that is negative and -inf where it is zero; what
    stands beside such matrices in a batch has a logarithm and a gradient like any other.
    """
    batch = np.stack([np.diag(ends), np.diag([1.0, -1.0]), np.ones((2, 2))])
    value, pull = be.vjp(be.logdet, batch)
    size = np.abs(np.log(ends)).sum() + 1
    true = np.array([np.log(ends).sum(), np.nan, -np.inf])
    be.check(value, Total(true, np.full(3, size), 4))
    gradient = be.numpy(pull(np.array([w, 0.0, 0.0]))[0])[0].copy()
    slope = np.diag(w / ends)
    be.check(be.tensor(gradient), Total(slope, np.abs(slope), 4))


@claim(
    "EXT-752", about="lp_pool1d lp_pool2d", needs="vjp lp_pool1d lp_pool2d torch", level="contract"
)
@given(
    x=arrays("pair", shape=(2,), values=POSITIVE),
    w=arrays("two", shape=(2,), values=NONZERO),
    order=sampled_from((2.0, 1.5, 3.0)),
    first=booleans(),
)
def test_a_window_of_zeros_has_no_gradient(be, x, w, order, first):
    """A window that holds zeros alone has the norm zero and the gradient zero, beside one that has
    those of any other norm.
    """
    size = (x**order).sum() ** (1 / order)
    turn = 1 if first else -1
    zeros, slope = np.zeros(2), w[::turn][-1] * (x / size) ** (order - 1)
    rows, true = (np.concatenate([zeros, each][::turn]) for each in (x, slope))
    sizes = np.array([0.0, size])[::turn]
    for pool, shape, window in ((be.lp_pool1d, (1, 1), 2), (be.lp_pool2d, (1, 1, 1), (1, 2))):
        value, pull = be.vjp(lambda z, f=pool, n=window: f(z, order, n), rows.reshape(*shape, 4))
        want = sizes.reshape(*shape, 2)
        be.check(value, Total(want, want, 8, error_bound=1e-15 * want))
        bound = Total(true, np.abs(true), 16, error_bound=1e-15 * np.abs(true))
        (gradient,) = pull(w.reshape(*shape, 2))
        be.check_gradient(be.reshape(gradient, (4,)), bound)


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


@claim("EXT-513", about="pow pow_number", needs="vjp create_graph pow pow_number", widest=True)
@example(x=np.array([0.0, -2.0, 0.0, -1.0]), powers=[1, 0, 0, 3], w=np.ones(4))
@given(
    x=arrays("row", shape=(4,)),
    powers=lists(integers(0, 4), min_size=4, max_size=4),
    w=arrays("row", shape=(4,)),
)
def test_slopes_of_powers_are_powers(be, x, powers, w):
    """Under an integer n any number x has n (n - 1) x ** (n - 2) as the second derivative of its
    power: zero too, where that of x ** 0 and of x ** 1 is zero.
    """
    for n in (np.array(powers), *powers[:2]):
        power = be.pow_number if isinstance(n, int) else be.pow
        exponent = n if isinstance(n, int) else be.tensor(n)
        bent = w * n * (n - 1) * x ** np.maximum(n - 2, 0)

        def slope(z, f=power, e=exponent):
            _, pull = be.vjp(lambda y: f(y, e), z, create_graph=True)
            (gradient,) = pull(w)
            return gradient

        _, pull = be.vjp(slope, x)
        be.check_gradient(*pull(np.ones(4)), Total(bent, np.abs(bent), 16), "second derivative")


@claim("EXT-581", about="pow number_pow", needs="vjp pow number_pow", widest=True)
@given(powers=arrays("row", shape=(4,), values=POSITIVE), w=arrays("row", shape=(4,)))
def test_zero_has_powers_that_are_zero(be, powers, w):
    """Every positive power of zero is zero: by the exponent it has no slope, be the zero an entry
    or a number.
    """
    for power in (partial(be.pow, be.tensor(np.zeros(4))), partial(be.number_pow, 0.0)):
        value, pull = be.vjp(power, powers)
        be.check(value, np.zeros(4))
        be.check_gradient(*pull(w), np.zeros(4))


# ---- close together, and far from zero -----------------------------------------------------------


@claim("EXT-600", about="var std", needs="vjp var std")
@given(x=arrays("rows", shape=(2, 5)), w=arrays("cotangent", shape=(2,)), correction=integers(0, 1))
def test_numbers_vary_alike_wherever_they_lie(be, x, w, correction):
    """Variance and standard deviation are computed of deviations from the mean: of numbers far from
    zero they are off by roundings of these, not of their squares, and so are the gradients.
    """
    far, x = FAR[be.dtype], x + STEPS
    off = x - x.mean(1, keepdims=True)
    variance, size = (off * off).sum(1) / (5 - correction), far * np.abs(off).max()
    slopes, deviation = 2 * off / (5 - correction), np.sqrt(variance)
    for function, true, slope in (
        (be.var, variance, slopes),
        (be.std, deviation, slopes / 2 / deviation[:, None]),
    ):
        value, pull = be.vjp(lambda z, f=function: f(z, 1, correction=correction), x + far)
        be.check(value, Total(true, np.full(2, size), 8))
        terms = np.broadcast_to(far * np.abs(w[:, None]), x.shape)
        be.check_gradient(*pull(w), Total(w[:, None] * slope, terms, 8))


@claim(
    "EXT-601",
    about="layer_norm batch_norm group_norm instance_norm",
    needs="layer_norm batch_norm group_norm instance_norm",
)
@given(x=arrays("layers", shape=(2, 4, 5)))
def test_numbers_are_normalized_alike_wherever_they_lie(be, x):
    """Normalizations divide deviations from the mean by the root of the mean of their squares: of
    numbers far from zero they are off by roundings of these, not of their squares.
    """
    far, x, ones, zeros = FAR[be.dtype], x + STEPS, np.ones(4), np.zeros(4)
    places = (None, None, ones, zeros, True, 0.5, 0.25)
    for name, shape, axes, options in (
        ("layer_norm", (2, 4, 5), (2,), ((5,), np.ones(5), np.zeros(5), 0.25)),
        ("batch_norm", (2, 4, 5), (0, 2), places),
        ("group_norm", (2, 2, 10), (2,), (2, ones, zeros, 0.25)),
        ("instance_norm", (2, 4, 5), (2,), places),
    ):
        parts = x.reshape(shape)
        off = parts - parts.mean(axes, keepdims=True)
        true = off / np.sqrt((off * off).mean(axes, keepdims=True) + 0.25)
        given = [be.tensor(o) if isinstance(o, np.ndarray) else o for o in options]
        value = getattr(be, name)(be.tensor(x + far), *given)
        be.check(value, Total(true.reshape(x.shape), np.full(x.shape, far / 4), 8), name)


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
