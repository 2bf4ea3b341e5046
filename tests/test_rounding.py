"""Numbers that know their error: right walks stay within it, and small mistakes do not."""

import numpy as np
import pytest

from gradspec.conformance.oracles.optimizers import STEPS
from gradspec.conformance.rounding import Rounded
from gradspec.conformance.strategies.descents import OPTIONS, RATES
from gradspec.conformance.tolerance import Total, worst_ratio

WALKS = [
    pytest.param(
        "SGD" if kind == "nesterov" else kind, {"lr": rate, **options}, id=f"{kind}-{n}-{rate}"
    )
    for kind, choices in OPTIONS.items()
    for n, options in enumerate(choices)
    for rate in RATES
]
LONG = 200


def drawn(seed):
    """Starts, and gradients for as many steps as there are; zeros among both."""
    random = np.random.default_rng(seed)
    return np.array([0, 0, 0.25, 1, -2, 8]), random.choice(np.arange(-32, 33) / 4, (LONG, 6))


def walked(name, options, start, gradients, *, back=False):
    """Every place of a walk; or, going `back` to 0 each time, every step by itself."""
    memory, w = {}, start
    for g in gradients:
        w = STEPS[name](0 * start if back else w, g, memory, **options)
        yield w


def exact(start, gradients):
    return Rounded.exact(start), map(Rounded.exact, gradients)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "options"), WALKS)
def test_a_walk_in_narrow_numbers_stays_within_its_error(name, options, dtype):
    """It takes about a quarter of what is allowed, even after hundreds of steps."""
    start, gradients = drawn(0)
    narrow = walked(name, options, start.astype(dtype), gradients.astype(dtype))
    for w, want in zip(narrow, walked(name, options, *exact(start, gradients)), strict=True):
        assert w.dtype == dtype
        assert worst_ratio(w, want.total, dtype).max() < 0.5


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("dtype", "slip"), [("float32", 1e-4), ("float64", 1e-7)])
@pytest.mark.parametrize(("name", "options"), WALKS)
def test_a_small_slip_in_any_step_is_seen(name, options, dtype, slip, seed):
    """A step by itself shows that it is off by a small part, whatever went before it."""
    start, gradients = drawn(seed)
    for step in walked(name, options, *exact(start, gradients[:12]), back=True):
        right, wrong = ((step.value * f).astype(dtype) for f in (1, 1 + slip))
        assert worst_ratio(right, step.total, dtype).max() < 1
        assert worst_ratio(wrong, step.total, dtype).max() > 1


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "root", "tanh", "sum", "matmul"])
def test_an_error_covers_that_of_every_operation(name):
    """Operands that are off by what they say give a result that is off by no more than it says."""
    random = np.random.default_rng(1)
    x, y = (
        Rounded(random.uniform(0.5, 2, (30, 30)), random.uniform(0, 4, (30, 30))) for _ in range(2)
    )
    function = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "root": lambda a, _: a**0.5,
        "tanh": lambda a, _: a.tanh() if isinstance(a, Rounded) else np.tanh(a),
        "sum": lambda a, b: (a - b).sum(0),
        "matmul": lambda a, b: (a - 1) @ b.T,
    }[name]
    unit = 1e-8
    result = function(x, y)
    for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        moved = [r.value + unit * s * r.error for r, s in zip((x, y), signs, strict=True)]
        apart = np.abs(function(*moved) - result.value) / unit
        assert np.all(apart <= result.error)
    assert np.array_equal(result.value, function(x.value, y.value))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_and_products_in_narrow_numbers_stay_within_their_error(dtype):
    random = np.random.default_rng(2)
    x, y = (random.normal(size=shape).astype(dtype) for shape in ((9, 400), (400, 7)))
    for got, want in (
        (x @ y, Rounded.exact(x) @ Rounded.exact(y)),
        (x @ y, x.astype(float) @ Rounded.exact(y)),
        (x[:, ::-1].sum(1), Rounded.exact(x).sum(1)),
        (x.sum(), Rounded.exact(x).sum()),
        (np.tanh(x), Rounded.exact(x).tanh()),
    ):
        assert got.dtype == dtype
        assert worst_ratio(got, want.total, dtype).max() < 1


def test_exact_numbers_mix_with_rounded_ones():
    x = Rounded.exact([1.0, 2.0])
    array = np.array([3.0, 4.0])
    for mixed in (array + x, x + array, 2 * x + (array - x.value)):
        assert isinstance(mixed, Rounded)
        assert np.array_equal(mixed.value, [4, 6])
    assert isinstance(x.total, Total)
    with pytest.raises(ValueError, match=r"takes the power 0\.5, not 2"):
        x**2


def test_the_root_of_an_exact_zero_is_exact():
    assert Rounded.exact(0.0).total.magnitude == 0
    assert (Rounded.exact(0.0) ** 0.5).error == 0
