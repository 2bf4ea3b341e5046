"""Numbers: operands that Python holds, whole exponents, zeros that have a sign."""

import numpy as np
import pytest

from gradspec.conformance import Total, claim, every, example, given
from gradspec.conformance.strategies import NONZERO, arrays, integers, sampled_from
from gradspec.conformance.strategies.arrays import table_of
from gradspec.conformance.strategies.distributions import around
from gradspec.conformance.strategies.numbers import INTEGERS, WHOLE_FUNCTIONS
from gradspec.conformance.truth.oracles.jets import Jet
from gradspec.conformance.truth.oracles.special import digamma, lgamma, polygamma

NO_WORKLOAD = "operands of every kind are at work in other chapters"

BELOW_ZERO = table_of(-0.125, -0.25, -0.375, -0.5, -0.75, -1.25, -1.5, -1.875, -2.75, -5.375)
"""Numbers between those at which the gamma function has no value."""


@claim(
    "OPS-240",
    about="add mul pow rsub xlogy",
    needs="vjp add mul pow rsub xlogy torch",
    level="contract",
)
@example(x=np.array([0.5, 2.0, 3.0]), w=np.ones(3), c=2)
@given(
    x=arrays("row", shape=(3,), values=NONZERO),
    w=arrays("weights", shape=(3,)),
    c=sampled_from((2, 0.5, 3, 1.25)),
)
def test_operands_may_be_numbers_of_python(be, x, w, c):
    """A number of Python as a base, an exponent or a divisor, or given by the name of its
    parameter, is a constant beside the tensor, which receives its gradient. One that is divided by
    a tensor has a whole quotient and a remainder.
    """
    x = np.abs(x)
    one, n = np.ones(3), float(c)
    log = np.log(Jet.exact(n))
    power, raised = Jet.exact(x) ** n, np.exp(Jet.exact(x) * log)
    cases = [
        ("x ** c", lambda z: z**c, power, n * Jet.exact(x) ** (n - 1)),
        ("c ** x", lambda z: c**z, raised, raised * log),
        ("x % c", lambda z: z % c, x % n, one),
        ("add by name", lambda z: be.add(z, other=c), x + n, one),
        ("rsub", lambda z: be.rsub(z, c), n - x, -one),
        ("mul by name", lambda z: be.mul(z, other=c), x * n, n * one),
        ("pow by name", lambda z: be.pow(z, exponent=c), power, n * Jet.exact(x) ** (n - 1)),
        ("xlogy", lambda z: be.xlogy(z, c), x * log, log * one),
    ]  # fmt: skip
    be.check(be.tensor(x) // c, x // n)
    be.check(c // be.tensor(x), n // x)
    be.check(c % be.tensor(x), n % x)
    for name, function, value, slope in cases:
        found, pull = be.vjp(function, x)
        be.check(found, value, name)
        true = Jet.exact(w) * slope
        be.check_gradient(*pull(w), true.total, f"gradient of {name}")


@claim("OPS-243", about="pow", needs="vjp pow", widest=True)
@given(x=arrays("row", shape=(4,), values=NONZERO), w=arrays("weights", shape=(4,)))
def test_whole_powers_are_products(be, x, w):
    """A whole power is the product of so many factors, also of a number below zero, and its slope
    is the exponent times the power before: whether the exponent is an int, a float or a tensor.
    """
    for n in (-3, -2, -1, 1, 2, 3, 4, 5, 6):
        factors = np.prod([x] * abs(n), axis=0)
        less = np.prod([x] * abs(n - 1), axis=0)
        value = factors if n > 0 else 1 / factors
        slope = n * w * (less if n > 1 else 1 / less)
        for exponent in (n, float(n), be.tensor(np.array(float(n)))):
            found, pull = be.vjp(lambda z, exponent=exponent: be.pow(z, exponent), x)
            be.check(found, Total(value, np.abs(value), 1), f"power {n}")
            be.check(*pull(w), Total(slope, np.abs(slope), 2), f"slope of power {n}")


@claim(
    "OPS-340",
    about="hypot atan2 fmod pow logaddexp xlogy",
    needs="hypot atan2 fmod pow logaddexp logaddexp2 copysign maximum fmax fmin xlogy torch",
    level="contract",
)
@every(shift=[0.5, 1.0, 3.0])
def test_functions_of_two_numbers_that_are_infinite(be, shift):
    """Functions of two numbers have the values of IEEE 754 and C where one or both are infinite, no
    numbers, or zeros of either sign; the xlogy of 0 and no number is none.
    """
    far = np.array([0.0, -0.0, shift, -shift, np.inf, -np.inf, np.nan])
    x, y = (grid.ravel() for grid in np.meshgrid(far, far))
    twins = {
        "hypot": np.hypot, "atan2": np.arctan2, "fmod": np.fmod, "pow": np.power,
        "logaddexp": np.logaddexp, "logaddexp2": np.logaddexp2, "copysign": np.copysign,
        "maximum": np.maximum, "fmax": np.fmax, "fmin": np.fmin,
        "xlogy": lambda a, b: np.where((a == 0) & ~np.isnan(b), 0.0, a * np.log(b)),
    }  # fmt: skip
    for name, twin in twins.items():
        with np.errstate(all="ignore"):
            true = twin(x, y)
        size = np.where(np.isfinite(true), 4 + np.abs(true), 0)
        be.check(getattr(be, name)(be.tensor(x), be.tensor(y)), around(true, size), name)


@claim(
    "OPS-242",
    about="neg abs",
    needs="neg abs sqrt round floor ceil trunc atan2 copysign relu sum mean signbit torch",
    level="contract",
)
@given(sign=sampled_from((1.0, -1.0)), x=integers(1, 4))
def test_zeros_keep_their_signs(be, sign, x):
    """A zero has the sign that IEEE 754 gives to it: roots and what rounds keep that of the
    argument, absolute values lose it, copysign copies it, and atan2 turns by it.
    """
    zero = be.tensor(np.array([sign * 0.0]))
    small = be.tensor(np.array([sign * 0.25]))
    down = sign < 0
    for name, found, negative in (
        ("neg", be.neg(zero), not down),
        ("abs", be.abs(zero), False),
        ("sqrt", be.sqrt(zero), down),
        ("round", be.round(small), down),
        ("trunc", be.trunc(small), down),
        ("rounded zero", be.round(zero), down),
        ("floor", be.floor(zero), down),
        ("ceil", be.ceil(zero), down),
        ("ceil of a fraction", be.ceil(be.tensor(np.array([-0.25]))), True),
        ("product", be.mul(zero, float(x)), down),
        ("product with -1", be.mul(zero, -float(x)), not down),
        ("quotient", be.div(zero, -float(x)), not down),
        ("clone", be.clone(zero), down),
        ("copysign", be.copysign(be.tensor(np.array([float(x)])), zero), down),
        ("reciprocal", be.div(1.0, zero), down),
        ("difference", be.sub(small, small), False),
    ):
        assert np.signbit(be.numpy(found))[0] == negative, name
        assert be.numpy(be.signbit(found))[0] == negative, name
    turned = be.atan2(zero, be.tensor(np.array([-float(x)])))
    assert np.sign(be.numpy(turned))[0] == sign
    behind = be.atan2(zero, be.tensor(np.array([-0.0])))
    assert np.sign(be.numpy(behind))[0] == sign


@claim("OPS-345", about="cdist_options", needs="gradients cdist_options", level="contract")
@example(rows=(26, 30), columns=3, seed=0)
@given(
    rows=sampled_from([(26, 30), (26, 4), (3, 27), (25, 26), (25, 25)]),
    columns=sampled_from([1, 2, 5]),
    seed=integers(0, 2**32),
)
def test_distances_of_many_rows(be, rows, columns, seed):
    """However distances are computed, those of few rows or many are the lengths of differences, and
    the gradients are sums of unit vectors.
    """
    rng = np.random.default_rng(seed)
    x, y = (rng.integers(-8, 9, size=(2, n, columns)) / 4 for n in rows)
    x = x + 6
    off = x[:, :, None] - y[:, None]
    true, w = np.sqrt((off * off).sum(-1)), rng.integers(1, 9, size=(2, *rows)) / 4
    terms = (w / true)[..., None] * off
    slopes = terms.sum(2), -terms.sum(1)
    most = 64 * np.abs(w).sum()
    for mode in ("", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"):
        name = mode or "use_mm_for_euclid_dist_if_necessary"
        leaves = [be.leaf(x), be.leaf(y)]
        found = be.cdist_options(*leaves, p=2.0, compute_mode=name)
        be.check(found, around(true, 64 * columns), name)
        gradients = be.gradients(found, leaves, be.tensor(w))
        for gradient, slope in zip(gradients, slopes, strict=True):
            be.check_gradient(gradient, around(slope, most / rows[0]), name)


@claim("OPS-346", about="digamma lgamma", needs="vjp digamma lgamma")
@example(x=np.array([-0.125, -0.25, -0.375, -1.5]), w=np.ones(4))
@given(x=arrays("row", shape=(4,), values=BELOW_ZERO), w=arrays("weights", shape=(4,)))
def test_the_gamma_function_is_reflected(be, x, w):
    """Of a number x below zero, between whole ones, lgamma, digamma and their derivatives follow by
    reflection from those of 1 - x.
    """
    sine, cotangent = np.abs(np.sin(np.pi * x)), np.pi / np.tan(np.pi * x)
    lines = (
        np.log(np.pi / sine) - lgamma(1 - x),
        digamma(1 - x) - cotangent,
        (np.pi / sine) ** 2 - polygamma(1)(1 - x),
    )
    size = (1 + np.abs(x)) * (np.pi / sine) ** 3
    for name, true, slope in zip(("lgamma", "digamma"), lines, lines[1:], strict=False):
        found, pull = be.vjp(getattr(be, name), x)
        be.check(found, around(true, size), name)
        be.check_gradient(*pull(w), around(w * slope, np.abs(w) * size), name)


# ---- whole numbers -------------------------------------------------------------------------------


@claim("OPS-854", about="lookup", needs="from_data clone torch", level="contract")
@every(name=list(WHOLE_FUNCTIONS))
@given(seed=integers(0, 2**32), dtype=sampled_from([*INTEGERS, "uint8"]))
def test_functions_of_whole_numbers_are_exact(be, name, seed, dtype):
    """A function of bits, or of divisors, has the values that it has of numbers of Python, in the
    dtype of its operands, also if it writes over the first; a floating operand is refused.
    """
    rng, count = np.random.default_rng(seed), 1 if name == "bitwise_not" else 2
    x = rng.integers(0 if dtype == "uint8" else -9, 10, size=(2, 4)).astype(dtype)
    y = rng.integers(0, 4, size=4).astype(dtype)
    function, true = (
        be.lookup(f"torch:{name}"),
        WHOLE_FUNCTIONS[name](*(x, y)[:count]).astype(dtype),
    )
    operands = [be.from_data(each.tolist(), dtype=dtype) for each in (x, y)[:count]]
    be.same(function(*operands), true)
    written = be.clone(operands[0])
    be.same(be.lookup(f"torch:Tensor.{name}_")(written, *operands[1:]), true)
    be.same(written, true)
    with pytest.raises(RuntimeError, match="not implemented"):
        function(*map(be.tensor, (x / 2, y / 2)[:count]))
