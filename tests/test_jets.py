"""Jets: their derivatives are right, their errors cover what rounding does, and are no larger."""

import math
from dataclasses import replace

import numpy as np
import pytest
from precise import Precise, apart, differences, exactly, results, weighed

from gradspec.conformance.strategies.optimizers import OPTIONS, RATES, optimizer
from gradspec.conformance.table import DIFFERENTIABLE, OPTIONED, TABLE, calls
from gradspec.conformance.table.arguments import Arguments
from gradspec.conformance.table.call import Call
from gradspec.conformance.table.joining import JOINING
from gradspec.conformance.table.operation import WEIGHTS
from gradspec.conformance.table.shaping import SHAPING
from gradspec.conformance.truth.oracles import elementary
from gradspec.conformance.truth.oracles.elementary import RULES, erf, sigmoid
from gradspec.conformance.truth.oracles.jets import FUNCTIONS, ROOM, UFUNCS, Jet
from gradspec.conformance.truth.oracles.optimizers import STEPS
from gradspec.conformance.truth.oracles.steps import gradients
from gradspec.conformance.truth.tolerance import Total, allowed_error, worst_ratio

UNIT = 2.0**-53
MASKED = {
    *("embedding_padded", "embedding_by_frequency", "embedding_shortened"),
    "gaussian_nll_loss_eps",
}
"""What PyTorch documents to have a gradient that is not the derivative: parts count as constant."""

CURVED = [o for o in DIFFERENTIABLE if not o.linear and o.name not in MASKED]
WALKS = [
    pytest.param(optimizer(kind), {"lr": rate, **options}, id=f"{kind}-{n}-{rate}")
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
    return Jet.exact(start), map(Jet.exact, gradients)


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


# ---- elementary functions ------------------------------------------------------------------------

NEAR_ONE = [1 - 2.0**-20, 1 + 2.0**-20]
HARDEST = {
    np.exp: [-40, -1.75, 2.0**-30, 8, 30],
    np.expm1: [-40, -3.5, -2, -(2.0**-30), 2.0**-30, 2],
    np.log: [2.0**-10, 0.25, *NEAR_ONE, 5],
    np.log2: [2.0**-10, 0.25, *NEAR_ONE, 5],
    np.log10: [2.0**-10, 0.25, *NEAR_ONE, 5],
    np.log1p: [-0.999, -0.875, -(2.0**-30), 2.0**-30, 7.5],
    np.sqrt: [2.0**-10, 0.25, 3, 5.75],
    np.square: [-3.3, 0.1],
    np.reciprocal: [-8, -0.3, 0.1],
    np.sin: [-8, 3.140625, math.pi, 2.0**-30, 1.5703125],
    np.cos: [-8, 3.140625, math.pi / 2, 2.0**-30, 4.71875],
    np.tan: [-1.5703125, -0.875, 0.1, 0.75],
    np.arcsin: [-0.9999, -0.875, 2.0**-30, 0.5],
    np.arccos: [-0.9999, -0.875, 2.0**-30, 0.9999],
    np.arctan: [-30, -1, 2.0**-30, 0.1],
    np.sinh: [-8, 2.0**-30, 2],
    np.cosh: [-8, 2.0**-30, 2],
    np.tanh: [-10, -2, 2.0**-30, 0.1, 5],
    np.arcsinh: [-100, -2, 2.0**-30, 0.1],
    np.arccosh: [1.0625, 1.5, 5],
    np.arctanh: [-0.9999, -0.875, 2.0**-30, 0.5],
    erf: [-4, -2, 2.0**-30, 0.1, 2, 5],
    sigmoid: [-30, -2, 2.0**-30, 2, 8, 20],
}
"""Where digits cancel in a derivative, or a function is near a pole, a zero or a bound."""


@pytest.mark.parametrize("function", HARDEST, ids=lambda f: f.__name__)
def test_an_elementary_function_is_as_exact_as_it_says(function):
    """Also its derivatives: values and slopes of arguments that are off already."""
    x = np.array(HARDEST[function], float)
    (jet,) = Jet.seeds([x], tangents=[np.ones(x.shape)])
    own = exactly(x)
    named = np.vectorize(getattr(Precise, function.__name__), otypes=[object])
    numbers = function(jet).numbers
    n = np.arange(x.size)
    columns = differences(named, [x])
    bends = differences(named, [x], [np.ones(x.shape)])
    for side, place, exact in (
        (0, 0 * n, named(own)),
        (0, 1 + n, [column[k] for k, column in enumerate(columns)]),
        (1, 1 + n, [column[k] for k, column in enumerate(bends)]),
    ):
        value, error = numbers[:, side, place, n]
        assert np.all(apart(value, exact) <= UNIT * error + 1e-30)


@pytest.mark.parametrize("function", HARDEST, ids=lambda f: f.__name__)
def test_an_elementary_function_is_granted_no_more_than_it_needs(function):
    """Where nothing is hard about it, a few roundings of its value and of its derivatives."""
    x = np.array([0.25, 0.5, 0.625]) + (function is np.arccosh)
    numbers = function(Jet.seeds([x], tangents=[np.ones(3)])[0]).numbers
    assert np.all(numbers[1, :, :1] < 16 * np.abs(numbers[0, :, :1]).max((0, 1, 2)))
    assert np.all(numbers[1, 1] < 32 * np.abs(numbers[0]).max((0, 1, 2)))


def test_every_rule_is_looked_at():
    assert RULES.keys() | {erf, sigmoid} == HARDEST.keys()


@pytest.mark.parametrize(
    ("base", "exponent"),
    [([0.5, 1.25, 3.0], [-2.0, 1.75, 2.0]), ([1.0, 0.75, 2.5], [0.0, 0.0, -0.25])],
)
def test_a_power_is_as_exact_as_it_says(base, exponent):
    arrays = [np.array(base), np.array(exponent)]
    tangents = [np.array([1.0, -2.0, 0.5]), np.array([0.25, 1.0, 3.0])]
    for along in (None, tangents):
        columns = np.array(differences(np.power, arrays, along))
        power = np.power(*Jet.seeds(arrays, tangents=along))
        value, error = power.numbers[:, 0 if along is None else 1, 1:]
        assert np.all(apart(value, columns) <= UNIT * error + 1e-30)
    assert np.all(apart(power.value, np.power(*map(exactly, arrays))) <= UNIT * power.error)


@pytest.mark.parametrize("n", [0, 1, 2, 3, -1, -2, 0.5, 1.5])
def test_a_constant_power_is_that_of_any_number(n):
    whole = n == int(n)
    x = np.array([-1.5, 0.3, 2.0]) if whole else np.array([0.3, 2.0, 5.0])
    (jet,) = Jet.seeds([x], tangents=[np.ones(3)])
    numbers = (jet**n).numbers
    for along, side in ((None, 0), ([np.ones(3)], 1)):
        columns = np.array(differences(lambda z: z**n, [x], along))
        value, error = numbers[:, side, 1:]
        assert np.all(apart(value, columns) <= UNIT * error + 1e-30)
    if n >= 0 and whole:
        assert np.all(np.isfinite((Jet.seeds([np.zeros(2)])[0] ** n).numbers))


@pytest.mark.parametrize("function", [np.prod, np.cumprod])
def test_a_product_over_a_factor_cancels_when_differentiated_by_it(function):
    """What is zero is allowed what libraries leave there that divide by factors."""
    for x in ([1.75], [1.75, 1.5, 0.5]):
        (jet,) = Jet.seeds([np.array(x)], tangents=[np.eye(len(x))[0]])
        value, error = function(jet, axis=0).numbers.reshape(2, 2, 1 + len(x), -1)[:, 1, 1, -1]
        assert value == 0
        assert error > 0
    (jet,) = Jet.seeds([np.zeros(2)], tangents=[np.ones(2)])
    assert np.all(np.isfinite(function(jet, axis=0).numbers))


# ---- operations of the table ---------------------------------------------------------------------


def parts(call):
    """What is stated of a call: value, gradients and second derivatives, with what is true."""
    function, v = results(call), call.cotangent
    yield [call.value()], function(*map(exactly, call.tensors))
    if call.operation.differentiable:
        yield call.gradients(), weighed(differences(function, call.tensors), v)
        yield call.second(), weighed(differences(function, call.tensors, call.tangents), v)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("operation", CURVED, ids=repr)
def test_what_is_true_of_a_call_is_known_as_exactly_as_it_says(operation):
    """In sixty digits, and by differences: neither the rules of jets nor their rounding is used."""
    for call in calls(smooth=True).corners(operation)[:2]:
        for totals, exact in parts(call):
            value = np.concatenate([t.value.ravel() for t in totals])
            error_bound = np.concatenate([np.ravel(t.error_bound) for t in totals])
            assert np.all(apart(value, np.ravel(exact)) <= error_bound + 1e-30)


@pytest.mark.parametrize("name", sorted(MASKED))
def test_what_is_masked_has_another_gradient_than_the_derivative(name):
    operation = next(o for o in TABLE if o.name == name)
    found = []
    for call in calls(smooth=True).corners(operation)[:2]:
        (value, _), (gradients, exact), _ = parts(call)
        del value
        flat = np.concatenate([t.value.ravel() for t in gradients])
        found.append(apart(flat, np.ravel(exact)).max() > 0.1)
    assert any(found)


def test_the_second_derivative_of_a_loss_with_logits_is_exact():
    """At logits of 0 it is a short fraction, which is met to the last digit."""
    operation = next(o for o in TABLE if o.name == "binary_cross_entropy_with_logits")
    call = calls(smooth=True).named(operation, "0000000088")
    for total, exact in zip(call.second(), parts_of_second(call), strict=True):
        assert np.all(apart(total.value, exact) <= total.error_bound + 1e-30)
        assert np.all(total.error_bound < 1e-14)


def parts_of_second(call):
    found = weighed(differences(results(call), call.tensors, call.tangents), call.cotangent)
    ends = np.cumsum([x.size for x in call.tensors])[:-1]
    rows = np.split(np.array(found, object), ends)
    return [row.reshape(x.shape) for row, x in zip(rows, call.tensors, strict=True)]


@pytest.mark.parametrize("operation", [*SHAPING, *JOINING], ids=repr)
def test_what_only_moves_entries_allows_no_error(operation):
    for call in calls().corners(operation):
        assert not allowed_error(call.value(), "float32").any()


@pytest.mark.parametrize("name", ["abs", "logaddexp"])
def test_another_formula_widens_what_is_allowed_and_changes_nothing_else(name):
    operation = next(o for o in TABLE if o.name == name)
    alone = replace(operation, formulas=())
    for n, call in enumerate(calls(smooth=True).corners(operation)[:3]):
        other = calls(smooth=True).corners(alone)[n]
        for wide, narrow in zip(call.second(), other.second(), strict=True):
            assert np.array_equal(wide.value, narrow.value)
            assert np.all(wide.magnitude >= narrow.magnitude)
            assert np.any(wide.magnitude > narrow.magnitude)


@pytest.mark.parametrize("name", ["batch_norm_plain", "instance_norm_given"])
def test_what_lies_at_its_mean_may_be_rounded(name):
    """Libraries multiply by a factor and add a shift: what cancels has been rounded by then."""
    operation = next(o for o in TABLE if o.name == name)
    training = {"training": False} if name == "batch_norm_plain" else {}
    options = (np.full(2, 0.5), np.full(2, 0.7))
    arguments = Arguments((np.full((2, 2, 2), 0.5),), options, {"eps": 0.25, **training})
    call = Call(operation, arguments, np.ones(WEIGHTS))
    assert not call.result.any()
    assert allowed_error(call.value(), "float64").min() >= 0.5 * UNIT


@pytest.mark.sampled(3)
@pytest.mark.parametrize("operation", [*DIFFERENTIABLE, *OPTIONED], ids=repr)
def test_jacobians_are_complex_steps(operation):
    for call in calls(smooth=True).corners(operation):
        value, error = call._once.numbers[:, 0, 1:]
        found = zip(gradients(call.true, *call.tensors), call.tensors, strict=True)
        steps = [step.reshape(x.size, *call.result.shape) for step, x in found]
        gap = np.abs(value - np.concatenate(steps))
        # A complex step rounds as often, though elsewhere.
        assert np.all(gap <= ROOM * UNIT * (error + np.abs(value)))


@pytest.mark.parametrize("operation", [o for o in TABLE if o.name not in {"erf", "gelu"}], ids=repr)
def test_a_formula_in_float32_stays_within_its_error(operation):
    """The forward function itself, on narrow numbers: it takes a part of what is allowed."""
    for call in calls().corners(operation):
        if call.result.dtype.kind == "f":
            with np.errstate(all="ignore"):
                narrow = call.true(*(x.astype("float32") for x in call.tensors))
            assert worst_ratio(narrow.astype("float32"), call.value(), "float32").max(initial=0) < 1


# ---- arithmetic ----------------------------------------------------------------------------------


def off(value, error):
    return Jet(np.stack([value, error])[:, None, None])


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "root", "tanh", "sum", "matmul"])
def test_an_error_covers_that_of_every_operation(name):
    """Operands that are off by what they say give a result that is off by no more than it says."""
    random = np.random.default_rng(1)
    x, y = (off(random.uniform(0.5, 2, (30, 30)), random.uniform(0, 4, (30, 30))) for _ in range(2))
    function = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "root": lambda a, _: np.sqrt(a),
        "tanh": lambda a, _: np.tanh(a),
        "sum": lambda a, b: (a - b).sum(0),
        "matmul": lambda a, b: (a - 1) @ b.T,
    }[name]
    unit = 1e-8
    result = function(x, y)
    for signs in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        moved = [r.value + unit * s * r.error for r, s in zip((x, y), signs, strict=True)]
        distance = np.abs(function(*moved) - result.value) / unit
        assert np.all(distance <= result.error)
    np.testing.assert_allclose(result.value, function(x.value, y.value), rtol=1e-14)


@pytest.mark.parametrize("name", ["largest", "smallest", "larger", "ordered"])
def test_what_is_chosen_may_be_the_wrong_one(name):
    """Of values that are nearly the same, the choice is off by as much as any of them."""
    x = off(np.array([1.0, 1.0 + 2.0**-50, 0.0]), np.array([9.0, 0.0, 0.0]))
    chosen = {
        "largest": lambda: x.max(),
        "smallest": lambda: (-x).min(),
        "larger": lambda: np.maximum(x[0], x[1]),
        "ordered": lambda: np.sort(x)[2],
    }[name]()
    assert chosen.error == 9


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_and_products_in_narrow_numbers_stay_within_their_error(dtype):
    random = np.random.default_rng(2)
    x, y = (random.normal(size=shape).astype(dtype) for shape in ((9, 100), (100, 7)))
    for got, want in (
        (x @ y, Jet.exact(x) @ Jet.exact(y)),
        (x @ y, x.astype(float) @ Jet.exact(y)),
        (x[:, ::-1].sum(1), Jet.exact(x).sum(1)),
        (x.sum(), Jet.exact(x).sum()),
        (np.tanh(x), np.tanh(Jet.exact(x))),
    ):
        assert got.dtype == dtype
        assert worst_ratio(got, want.total, dtype).max() < 1


def test_exact_numbers_mix_with_jets():
    x = Jet.exact([1.0, 2.0])
    array = np.array([3.0, 4.0])
    for mixed in (array + x, x + array, 2 * x + (array - x.value), np.add(array, x)):
        assert isinstance(mixed, Jet)
        assert np.array_equal(mixed.value, [4, 6])
    assert isinstance(x.total, Total)


def test_a_constant_that_is_no_short_number_is_rounded_itself():
    x = Jet.exact(1.0)
    assert (x * 0.5).error == 0.5
    assert (x * 0.1).error == pytest.approx(0.2)
    assert (x + 0.1).error == pytest.approx(1.2)


def test_the_root_of_an_exact_zero_is_exact():
    for root in (np.sqrt(Jet.exact(0.0)), Jet.exact(0.0) ** 0.5):
        assert root.error == root.total.magnitude == 0


def test_the_root_of_a_square_of_nothing_is_off_as_what_was_squared():
    x = Jet.exact(np.full(3, 0.75))
    away = x - x.mean()
    assert not away.value.any()
    assert np.sqrt(away * away).error == pytest.approx(away.error)


def test_what_jets_do_not_know_is_refused():
    for function in (np.fft.fft, np.linalg.svd, np.gradient):
        assert function not in FUNCTIONS
        with pytest.raises(TypeError):
            function(Jet.exact(np.eye(3)))
    assert np.spacing not in UFUNCS
    with pytest.raises(TypeError):
        np.spacing(Jet.exact(1.0))
    with pytest.raises(TypeError):
        np.exp(Jet.exact(1.0), out=np.zeros(()))


def test_writing_leaves_the_source_alone():
    x, y = Jet.seeds([np.arange(6.0).reshape(2, 3), np.ones(2)])
    made = x.copy()
    made[:, 1] = y
    np.add.at(made, (np.array([0, 0]), np.array([2, 2])), y)
    assert x.value[0, 1] == 1
    assert made.value.tolist() == [[0, 1, 4], [3, 1, 5]]
    assert made.numbers[0, 0, 7, 0].tolist() == [0, 1, 1]
    assert elementary.erf(x).shape == x.shape


@pytest.mark.parametrize("shape", [(600,), (257,), (300, 2)])
def test_products_of_many_factors_are_products_of_products(shape):
    x = Jet(np.random.default_rng(0).uniform(0.9, 1.1, (2, 2, 2, *shape)))
    few, rest = x[:200], x[200:]
    whole = np.cumprod(x, 0).numbers[0]
    assert np.array_equal(whole[:, :, :200], np.cumprod(few, 0).numbers[0])
    after = np.prod(few, axis=0) * np.cumprod(rest, 0)
    assert np.allclose(whole[:, :, 200:], after.numbers[0], rtol=1e-9)
