"""The error model: what it must see, and what it must never refuse."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as numpy_arrays

from gradspec.conformance import Subject
from gradspec.conformance.run.loading import load
from gradspec.conformance.truth.floats import FLOATS, rounded
from gradspec.conformance.truth.oracles.jets import Jet
from gradspec.conformance.truth.tolerance import (
    Total,
    allowed_error,
    as_total,
    unit_roundoff,
    worst_ratio,
)

SEEN = {"float32": 1e-4, "float64": 1e-7}
"""The relative errors that have to be seen."""

SETTINGS = settings(deadline=None, database=None, max_examples=200)
dtypes = pytest.mark.parametrize("dtype", SEEN)


def vectors(low=-8.0, high=8.0, sizes=(1, 12), width=32):
    return st.integers(*sizes).flatmap(
        lambda n: numpy_arrays(f"float{width}", n, elements=st.floats(low, high, width=width))
    )


# ---- sensitivity ---------------------------------------------------------------------------------


@dtypes
@SETTINGS
@given(data=st.data(), sign=st.sampled_from([-1, 1]))
def test_a_small_relative_error_is_seen_in_any_single_entry(dtype, data, sign):
    scale = data.draw(st.sampled_from([1.0, 1e-30, 1e30]))
    value = scale * data.draw(vectors(0.125, 8.0, width=64)).astype("float64")
    at = data.draw(st.integers(0, value.size - 1))
    got = value.astype(dtype)
    assert worst_ratio(got, as_total(value), dtype).max() < 1
    got[at] *= 1 + sign * SEEN[dtype]
    assert worst_ratio(got, as_total(value), dtype)[at] > 1


@dtypes
@SETTINGS
@given(terms=vectors(0.125, 8.0, sizes=(1, 1000), width=64), sign=st.sampled_from([-1, 1]))
def test_a_small_relative_error_is_seen_in_sums_of_a_thousand_terms(dtype, terms, sign):
    total = Total.along(terms)
    wrong = np.array(float(total.value) * (1 + sign * SEEN[dtype])).astype(dtype)
    assert worst_ratio(wrong, total, dtype) > 1


@dtypes
def test_a_missing_term_of_a_cancelling_sum_is_seen(dtype):
    total = Total.of([1000.0], [-1000.0], [0.25])
    assert worst_ratio(np.array([0.25], dtype), total, dtype) == 0
    assert worst_ratio(np.array([0.0], dtype), total, dtype) > 1


def test_float32_arithmetic_inside_a_float64_rule_is_seen():
    x = np.linspace(0.1, 3, 50)
    rounded = np.exp(x.astype("float32")).astype("float64")
    assert worst_ratio(rounded, as_total(np.exp(x)), "float64").min() > 1


# ---- no false alarm ------------------------------------------------------------------------------


@dtypes
@SETTINGS
@given(terms=vectors(sizes=(1, 40)), order=st.randoms(use_true_random=False))
def test_a_sum_in_any_order_is_never_refused(dtype, terms, order):
    shuffled = [*terms.astype(dtype)]
    order.shuffle(shuffled)
    while len(shuffled) > 1:
        # Any two partial sums may be added next: recursive, pairwise or blocked.
        x, y = (shuffled.pop(order.randrange(len(shuffled))) for _ in range(2))
        shuffled.append(x + y)
    assert worst_ratio(np.array(shuffled[0]), Total.along(terms), dtype) <= 1


FACTORS = {
    "itself": lambda x: x,
    "square": lambda x: x * x,
    "exp": np.exp,
    "sin": np.sin,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "log": lambda x: np.log(np.abs(x) + 2),
    "sqrt": lambda x: np.sqrt(np.abs(x)),
    "inverse": lambda x: 1 / (np.abs(x) + 1),
}


@SETTINGS
@given(
    x=vectors(sizes=(6, 6)),
    names=st.lists(st.sampled_from(sorted(FACTORS)), min_size=1, max_size=3),
    order=st.permutations(range(6)),
)
def test_products_and_functions_in_float32_are_never_refused(x, names, order):
    def product(values):
        return np.prod([FACTORS[name](values) for name in names], axis=0)

    exact, got = product(x.astype("float64")), product(x)
    assert worst_ratio(got, as_total(exact), "float32").max() <= 1
    total = np.float32(0)
    for i in order:
        total += got[i]
    assert worst_ratio(np.array(total), Total.along(exact), "float32") <= 1


@SETTINGS
@given(x=vectors(sizes=(12, 12)), y=vectors(sizes=(12, 12)))
def test_matrix_products_in_float32_are_never_refused(x, y):
    a, b = x.reshape(3, 4), y.reshape(4, 3)
    assert worst_ratio(a @ b, Total.matmul(a, b), "float32").max() <= 1


@pytest.mark.parametrize("count", [100, 1000, 100_000])
def test_rounding_always_the_same_way_is_never_refused(count):
    terms = np.full(count, 0.1, "float32")
    one_by_one = np.cumsum(terms)[-1:]
    assert worst_ratio(one_by_one, Total.along(terms[None], 1), "float32") <= 1


@dtypes
def test_rounding_below_the_smallest_normal_number_is_never_refused(dtype):
    tiny = np.finfo(dtype).smallest_normal
    x = tiny * np.linspace(1e-6, 1e-3, 1000).astype(dtype)
    third = np.array(1 / 3, dtype)
    exact = x.astype("float64") * float(third) * 5
    assert worst_ratio(x * third * 5, as_total(exact), dtype).max() <= 1


@SETTINGS
@given(x=vectors(-120.0, 120.0))
def test_underflow_and_overflow_are_never_refused(x):
    with np.errstate(over="ignore", under="ignore"):
        got = np.exp(x)
        exact = np.exp(x.astype("float64"))
        assert worst_ratio(got, as_total(exact), "float32").max() <= 1
        square = worst_ratio(got * got, as_total(exact * exact), "float32")
    # A factor that has overflowed is beyond any model of rounding.
    assert square[np.isfinite(got)].max(initial=0) <= 1


# ---- the corners of floating point ---------------------------------------------------------------


@dtypes
@pytest.mark.parametrize(
    ("got", "want", "allowed"),
    [
        (np.nan, np.nan, True),
        (np.nan, 1.0, False),
        (1.0, np.nan, False),
        (np.inf, np.inf, True),
        (np.inf, -np.inf, False),
        (np.inf, 1.0, False),
        (1.0, np.inf, False),
        (np.nan, np.inf, False),
        (0.0, 0.0, True),
        (-0.0, 0.0, True),
        (1e-37, 0.0, False),
        (1e-45, 0.0, False),
        (0.0, 1e-30, False),
    ],
)
def test_corner(dtype, got, want, allowed):
    (ratio,) = worst_ratio(np.array([got], dtype), as_total([want]), dtype)
    assert (ratio <= 1) == allowed


@dtypes
def test_a_zero_among_the_terms_allows_nothing_of_its_own(dtype):
    assert allowed_error(as_total([0.0]), dtype) == 0
    assert allowed_error(Total.of([1.0], [-1.0]), dtype) > 0


# ---- sixteen bits --------------------------------------------------------------------------------


def test_bfloat16_is_rounded_as_pytorch_rounds_it():
    torch = pytest.importorskip("torch")
    ties = np.array([1 + 2.0**-8, 1 + 3 * 2.0**-8, -1 - 2.0**-8, 1 + 2.0**-8 + 2.0**-20, 3.4e38])
    drawn = np.random.default_rng(0).normal(size=10_000) * 10.0 ** np.arange(-50, 50).repeat(100)
    values = np.concatenate([ties, drawn, [0.0, -0.0, np.inf, -np.inf, np.nan]]).astype("float32")
    theirs = torch.tensor(values).to(torch.bfloat16).float().numpy()
    assert np.array_equal(rounded(values.astype("float64"), "bfloat16"), theirs, equal_nan=True)


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_bound_grows_with_the_terms_in_every_dtype(dtype):
    """Also where as many roundings as a sum may meet amount to more than the sum itself."""
    bounds = [allowed_error(Total(np.ones(1), np.ones(1), n), dtype)[0] for n in range(1, 4000)]
    assert bounds[0] > 0
    assert all(low < high for low, high in itertools.pairwise(bounds))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_an_error_of_a_fifth_is_seen_in_sixteen_bits(dtype):
    assert worst_ratio(np.array([1.2], "float32"), as_total([1.0]), dtype) > 1


# ---- totals --------------------------------------------------------------------------------------


def brute(terms):
    """Add lists of terms, entry by entry, in Python."""
    return [(sum(entry), sum(map(abs, entry)), len(entry)) for entry in terms]


def entries(total):
    triples = zip(total.value.flat, total.magnitude.flat, itertools.repeat(total.count))
    return [(float(v), float(m), n) for v, m, n in triples]


SMALL = numpy_arrays("float64", (2, 3), elements=st.integers(-8, 8).map(lambda n: n / 4))


@SETTINGS
@given(x=SMALL, y=SMALL)
def test_totals_agree_with_brute_force(x, y):
    rows, columns = x.tolist(), x.T.tolist()
    assert entries(Total.of(x, y, 2.0)) == brute(
        [a, b, 2.0] for a, b in zip(x.flat, y.flat, strict=True)
    )
    assert entries(Total.along(x, 0)) == brute(columns)
    assert entries(Total.along(x, 1)) == brute(rows)
    assert entries(Total.along(x, (0, 1))) == entries(Total.along(x)) == brute([x.ravel().tolist()])
    assert entries(Total.matmul(x, y.T)) == brute(
        [a * b for a, b in zip(r, s, strict=True)] for r in rows for s in y.tolist()
    )
    assert entries(Total.onto(x, (3,))) == brute(columns)
    assert entries(Total.onto(x, (2, 1))) == brute(rows)
    assert entries(Total.onto(x, (2, 3))) == brute([e] for e in x.ravel().tolist())
    assert entries(Total.onto(x, ())) == brute([x.ravel().tolist()])


@pytest.mark.parametrize("shape", [(), (2,), (3, 1), (1, 3), (0, 3)])
def test_totals_have_the_shape_of_the_result(shape):
    ones = np.ones(shape)
    assert Total.of(ones, ones).value.shape == shape
    assert Total.along(np.stack([ones, ones]), 0).magnitude.shape == shape
    assert Total.onto(np.broadcast_to(ones, (2, *shape)), shape).value.shape == shape
    assert as_total(ones).count == 1


def test_empty_sums_are_zero_and_allow_nothing():
    for total in (Total.along(np.zeros((0, 3)), 0), Total.matmul(np.ones((2, 0)), np.ones((0, 2)))):
        assert not total.value.any()
        assert not allowed_error(total, "float32").any()


# ---- what is called true is computed itself ------------------------------------------------------


def test_a_sum_says_how_far_it_may_be_off_by_itself():
    """As exact sums tell: of many terms, along axes, onto shapes and of products."""
    random = np.random.default_rng(0)
    x, y = random.normal(size=(2, 300, 4)) * 10.0 ** random.integers(-6, 6, (2, 300, 4))
    products = [[list(map(float.__mul__, x[:, i], y[:, j])) for j in range(4)] for i in range(4)]
    for total, exact in (
        (Total.along(x, 0), [math.fsum(column) for column in x.T]),
        (Total.along(x), math.fsum(x.ravel())),
        (Total.onto(x, (4,)), [math.fsum(column) for column in x.T]),
        (Total.of(*x), [math.fsum(column) for column in x.T]),
        (Total.matmul(x.T, y), [[math.fsum(terms) for terms in row] for row in products]),
        (Total.products(np.matmul, x.T, y), [[math.fsum(t) for t in row] for row in products]),
    ):
        assert np.all(np.abs(total.value - exact) <= total.error_bound)
        assert np.all(total.error_bound <= 1e-12 * total.magnitude)
        assert np.all(np.broadcast_to(total.error_bound, total.value.shape) > 0)


def test_sums_of_short_fractions_are_exact():
    x = np.arange(-32, 33) / 4
    for total in (Total.along(x), Total.of(x, x), Total.onto(x, ()), Total.matmul(x, x)):
        assert not np.any(total.error_bound)


def test_a_number_that_is_not_short_may_be_off_by_a_rounding():
    assert as_total(0.5).error_bound == as_total(np.float32(0.1)).error_bound == 0
    assert as_total(0.1).error_bound == 0.1 * 2.0**-53
    assert as_total([0.0, np.inf]).error_bound.tolist() == [0, 0]


def test_what_knows_its_error_is_judged_by_it():
    jet = np.exp(Jet.exact(1.0))
    assert as_total(jet) == jet.total
    assert jet.around(Jet.exact(3.0)).value == 3


def test_a_red_verdict_shows_what_is_allowed_and_what_is_doubtful():
    be = Subject(load("reference"), "cpu", "float64")
    true = Total(np.array([1.0, 2.75]), np.array([0.25, 0.25]), 1, error_bound=2.0**-51)
    with pytest.raises(AssertionError) as refused:
        be.check(be.tensor([1.0, 2.7500000000007]), true, "second derivative")
    # An installed instrument's assertions are told in full by pytest, after our line.
    assert str(refused.value).splitlines()[0] == (
        "second derivative[1] is 2.7500000000007, expected 2.75 (itself within 4.4e-16): "
        "off by 7e-13, allowed 8.9e-16 in float64"
    )
    with pytest.raises(
        AssertionError, match=r"is 1\.5, expected 1\.0: off by 0\.5, allowed 1.8e-15"
    ):
        be.check(be.tensor(1.5), 1.0)
    be.check(be.tensor([1.0, 2.75 + 2.0**-51]), true)


def test_what_is_computed_once_more_may_be_off_by_as_much_again():
    """Either may have erred to one side, so they may lie twice as far apart, and no further."""
    found, true = np.array([1.0, -2.0]), Total.of([1.0, -1.0], [0.25, -1.25])
    again = Total.again([found, found], [true, true])
    assert again.value.tolist() == [2.0, -4.0]
    once = allowed_error(true, "float32")
    assert np.all(allowed_error(again, "float32") >= 4 * once)
    assert np.all(allowed_error(Total.again([found], [true]), "float32") <= 2.001 * once)
    doubtful = Total(true.value, true.magnitude, 2, error_bound=0.5)
    assert Total.again([found], [doubtful]).error_bound.tolist() == [1.0, 1.0]
    assert Total.again([found, found], [doubtful, doubtful]).error_bound.tolist() == [2.0, 2.0]


def test_what_is_rounded_once_may_be_off_by_two_roundings_of_the_result():
    """A hundred thousand terms that cancel cost digits in 16 bits, but for who adds in float32."""
    total = Total(np.array([1.0]), np.array([100.0]), 100_000, 1)
    for dtype in ("float32", "float64"):
        assert total.rounded_once(dtype) is total
    for dtype in ("float16", "bfloat16"):
        allowed = allowed_error(total.rounded_once(dtype), dtype).item()
        computed = allowed_error(total, "float32").item()
        assert 2 * unit_roundoff(dtype) < allowed - computed < 2.1 * unit_roundoff(dtype)
        assert allowed < 1
        assert allowed_error(total, dtype).item() > 100
