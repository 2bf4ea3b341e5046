"""What is called true far out and close to zero, against fifty digits."""

import mpmath
import numpy as np
import pytest

from gradspec.conformance.table import ENTRYWISE, FAR_OUT
from gradspec.conformance.table.activations import SELU_ALPHA, SELU_SCALE
from gradspec.conformance.table.domains import DOMAINS, FARTHEST, Domain
from gradspec.conformance.table.points import Points, grid_of
from gradspec.conformance.truth.floats import FLOATS
from gradspec.conformance.truth.tolerance import LOST, Total, allowed_error

M = mpmath.mp


def _angle(y, x):
    return M.atan2(y, x)


def _rooted(x):
    return 1 / M.sqrt(x)


def _softened(x):
    return M.log1p(M.exp(x)) if x < 0 else x + M.log1p(M.exp(-x))


def _cut(x, low, high):
    return min(max(x, M.mpf(low)), M.mpf(high))


BEYOND = M.mpf(2) ** 200
"""Where mpmath takes the functions of errors no further, and their first terms are exact."""


def erfc(x):
    return M.erfc(x) if abs(x) < BEYOND else M.mpf(0 if x > 0 else 2)


def erfcx(x):
    if abs(x) < BEYOND:
        return M.exp(x * x) * M.erfc(x)
    return 1 / (x * M.sqrt(M.pi)) if x > 0 else M.inf


def log_ndtr(x):
    if abs(x) < BEYOND:
        return M.log(M.erfc(-x / M.sqrt(2)) / 2)
    return -x * x / 2 - M.log(-x * M.sqrt(2 * M.pi)) if x < 0 else M.mpf(0)


MEANINGS = {
    "exp": M.exp,
    "exp2": lambda x: M.mpf(2) ** x,
    "expm1": M.expm1,
    "square": lambda x: x * x,
    "sin": M.sin,
    "cos": M.cos,
    "tan": M.tan,
    "asin": M.asin,
    "acos": M.acos,
    "atan": M.atan,
    "sinh": M.sinh,
    "cosh": M.cosh,
    "tanh": M.tanh,
    "asinh": M.asinh,
    "acosh": M.acosh,
    "atanh": M.atanh,
    "erf": M.erf,
    "sigmoid": lambda x: 1 / (1 + M.exp(-x)),
    "logsigmoid": lambda x: -M.log1p(M.exp(-x)),
    "softplus": lambda x: M.log1p(M.exp(x)),
    "silu": lambda x: x / (1 + M.exp(-x)),
    "gelu": lambda x: x * (1 + M.erf(x / M.sqrt(2))) / 2,
    "log": M.log,
    "log2": lambda x: M.log(x) / M.log(2),
    "log10": M.log10,
    "log1p": M.log1p,
    "sqrt": M.sqrt,
    "rsqrt": _rooted,
    "reciprocal": lambda x: 1 / x,
    "abs": abs,
    "relu": lambda x: max(x, M.mpf(0)),
    "relu6": lambda x: min(max(x, M.mpf(0)), M.mpf(6)),
    "leaky_relu": lambda x: x if x > 0 else x / 8,
    "elu": lambda x: x if x > 0 else M.expm1(x),
    "clamp": lambda x: min(max(x, M.mpf(-1)), M.mpf(1)),
    "hardtanh": lambda x: min(max(x, M.mpf(-1)), M.mpf(1)),
    "neg": lambda x: -x,
    "deg2rad": lambda x: x * M.pi / 180,
    "rad2deg": lambda x: x * 180 / M.pi,
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "maximum": max,
    "minimum": min,
    "logaddexp": lambda x, y: max(x, y) + M.log1p(M.exp(-abs(x - y))),
    "atan2": _angle,
    "hypot": M.hypot,
    "xlogy": lambda x, y: x * M.log(y),
    "pow": M.power,
    "lerp": lambda x, y, w: x + w * (y - x),
    "addcmul": lambda x, y, z: x + y * z,
    "addcdiv": lambda x, y, z: x + y / z,
    "erfc": erfc,
    "erfcx": erfcx,
    "erfinv": M.erfinv,
    "ndtr": lambda x: erfc(-x / M.sqrt(2)) / 2,
    "log_ndtr": log_ndtr,
    "ndtri": lambda p: M.sqrt(2) * M.erfinv(2 * p - 1),
    "lgamma": M.loggamma,
    "mvlgamma": lambda x: M.loggamma(x) + M.loggamma(x - M.mpf(1) / 2) + M.log(M.pi) / 2,
    "digamma": lambda x: M.digamma(x),
    "polygamma": lambda x: M.polygamma(1, x),
    "zeta": lambda x: M.polygamma(1, x),
    "i0": lambda x: M.besseli(0, x),
    "i1": lambda x: M.besseli(1, x),
    "i0e": lambda x: M.besseli(0, x) * M.exp(-abs(x)),
    "i1e": lambda x: M.besseli(1, x) * M.exp(-abs(x)),
    "sinc": M.sincpi,
    "entr": lambda x: -x * M.log(x),
    "xlog1py": lambda x, y: x * M.log1p(y),
    "mish": lambda x: x * M.tanh(_softened(x)),
    "tanhshrink": lambda x: x - M.tanh(x),
    "softplus_beta": lambda x: x if x > 10 else _softened(2 * x) / 2,
    "gelu_tanh": lambda x: x * (1 + M.tanh(M.sqrt(2 / M.pi) * (x + M.mpf("0.044715") * x**3))) / 2,
    "positive": lambda x: x,
    "selu": lambda x: M.mpf(SELU_SCALE) * (x if x > 0 else M.mpf(SELU_ALPHA) * M.expm1(x)),
    "celu": lambda x: x if x > 0 else M.expm1(x),
    "elu_alpha": lambda x: x if x > 0 else 2 * M.expm1(x),
    "hardswish": lambda x: x * _cut((x + 3) / 6, 0, 1),
    "hardsigmoid": lambda x: _cut((x + 3) / 6, 0, 1),
    "softsign": lambda x: x / (1 + abs(x)),
    "softshrink": lambda x: x - _cut(x, -0.5, 0.5),
    "hardshrink": lambda x: x if abs(x) > 0.5 else M.mpf(0),
    "threshold": lambda x: x if x > 0 else M.mpf(1.5),
    "rrelu": lambda x: x if x > 0 else x / 4,
    "clamp_min": lambda x: max(x, M.mpf(-0.5)),
    "clamp_max": lambda x: min(x, M.mpf(0.5)),
    "nan_to_num": lambda x: x,
    "number_pow": lambda x: M.mpf(2) ** x,
    "pow_number": lambda x: x * x,
    "logit": lambda p: M.log(p / (1 - p)),
    "logit_clamped": lambda p: M.log(_cut(p, 0.25, 0.75) / (1 - _cut(p, 0.25, 0.75))),
    "add_alpha": lambda x, y: x + 2 * y,
    "sub_alpha": lambda x, y: x - 2 * y,
    "rsub": lambda x, y: y - 2 * x,
    "fmax": max,
    "fmin": min,
    "copysign": lambda x, y: abs(x) if y > 0 else -abs(x),
    "logaddexp2": lambda x, y: max(x, y) + M.log1p(M.mpf(2) ** -abs(x - y)) / M.log(2),
    "ldexp": lambda x, y: x * M.mpf(2) ** y,
    "lerp_number": lambda x, y: x + (y - x) / 4,
    "mse_loss": lambda x, y: (x - y) ** 2,
    "l1_loss": lambda x, y: abs(x - y),
    **dict.fromkeys(
        ("smooth_l1_loss", "huber_loss"),
        lambda x, y: (x - y) ** 2 / 2 if abs(x - y) < 1 else abs(x - y) - M.mpf(1) / 2,
    ),
    "huber_loss_delta": lambda x, y: (
        (x - y) ** 2 / 2 if abs(x - y) < 0.5 else abs(x - y) / 2 - M.mpf(1) / 8
    ),
    "smooth_l1_loss_beta": lambda x, y: (
        (x - y) ** 2 if abs(x - y) < 0.5 else abs(x - y) - M.mpf(1) / 4
    ),
    "margin_ranking_loss": lambda x, y: max(x - y, M.mpf(0)),
    "hinge_embedding_loss": lambda x: max(1 - x, M.mpf(0)),
    "soft_margin_loss": lambda x: _softened(x),
    "poisson_nll_loss": M.exp,
    "binary_cross_entropy": lambda p, y: -y * M.log(p) - (1 - y) * M.log1p(-p),
    "binary_cross_entropy_with_logits": lambda x, y: y * _softened(-x) + (1 - y) * _softened(x),
    "kl_div": lambda x, y: y * (M.log(y) - x),
    "kl_div_log_target": lambda x, y: M.exp(y) * (y - x),
}
"""What each operation computes, in the words of mpmath, with the simplest options."""

FEW = 40
"""So many points of a large grid are looked at, spread over all of it."""


LEAST = {"float64": 3, "float32": 3, "bfloat16": 1, "float16": 1}
"""So many points are left of every grid: 16 bits have few of them."""


def agree(total: Total, every: list, dtype: str) -> None:
    """See that what is called true is, as far as it says."""
    want = np.array([float(each) for each in every])
    off = np.abs(total.value - want)
    room = np.broadcast_to(total.error_bound, want.shape) + LOST * np.finfo(dtype).smallest_normal
    worst = np.argmax(off - room)
    assert (off <= room).all(), f"{total.value[worst]} is called true, {want[worst]} is"
    assert np.isfinite(allowed_error(total, dtype)).all()


DIGITS = 600
"""Two steps of 1e-60 on both sides of -1 leave 1e-308 of exp its digits: it wants 308 + 4 * 60."""


PLACES = [("far", operation) for operation in FAR_OUT] + [("close", o) for o in ENTRYWISE]
places = pytest.mark.parametrize(("kind", "operation"), PLACES, ids=str)


@places
def test_there_are_points_to_ask_in_every_dtype(operation, kind):
    """No claim over points holds because all of them were left out."""
    for dtype in FLOATS:
        for order in range(3):
            left = grid_of(operation, kind).within(dtype, order).tensors[0].size
            assert left >= LEAST[dtype], f"{left} points in {dtype} up to derivative {order}"


@pytest.mark.sampled(3)
@places
def test_truth_at_points(operation, kind):
    """Values, first and second derivatives are as exact as they say, and none is unknown."""
    function = MEANINGS[operation.name]
    with M.workdps(DIGITS):
        for order in (0, 1, 2):
            grid = grid_of(operation, kind).within("float64", order)
            chosen = np.unique(np.linspace(0, grid.tensors[0].size - 1, FEW).astype(int))
            rows = [[M.mpf(float(x[n])) for x in grid.tensors] for n in chosen]
            if order == 0:
                totals = [grid.value()]
                found = [[function(*row) for row in rows]]
            else:
                totals = grid.gradients() if order == 1 else grid.second()
                found = [
                    [
                        M.mpf(float(grid.cotangent[n])) * derivative(function, row, place, tangents)
                        for n, row in zip(chosen, rows, strict=True)
                        for tangents in [
                            None if order == 1 else [M.mpf(float(t[n])) for t in grid.tangents]
                        ]
                    ]
                    for place in range(len(grid.tensors))
                ]
            for total, every in zip(totals, found, strict=True):
                finite = np.isfinite(total.value[chosen])
                part = Total(
                    total.value[chosen][finite],
                    total.magnitude[chosen][finite],
                    total.count,
                    error_bound=np.broadcast_to(total.error_bound, total.value.shape)[chosen][
                        finite
                    ],
                    flushed=True,
                )
                agree(part, [e for e, f in zip(every, finite, strict=True) if f], "float64")


def derivative(function, row, place, tangents):
    """Differentiate by one argument, and then along tangents, by differences in `DIGITS`."""

    def first(point):
        step = (abs(point[place]) or M.mpf(1)) * M.mpf(10) ** -60
        sides = [[*point] for _ in range(2)]
        sides[0][place] += step
        sides[1][place] -= step
        return (function(*sides[0]) - function(*sides[1])) / (2 * step)

    if tangents is None:
        return first(row)
    total = M.mpf(0)
    for k, tangent in enumerate(tangents):
        step = (abs(row[k]) or M.mpf(1)) * M.mpf(10) ** -60
        above, below = [*row], [*row]
        above[k] += step
        below[k] -= step
        total += tangent * (first(above) - first(below)) / (2 * step)
    return total


def test_every_domain_is_that_of_an_operation():
    assert {operation.name for operation in ENTRYWISE} == set(DOMAINS) == set(MEANINGS)


def test_points_lie_in_their_domain_and_cross_unchanged():
    for domains in DOMAINS.values():
        for domain in domains:
            for kind in ("far", "close"):
                found = domain.points(kind, kinked=False)
                assert ((found >= domain.low) & (found <= domain.high)).all()
                # Two are for float64, and as good as infinite or zero in float32.
                extreme = np.isin(abs(found), (FARTHEST, 1 / FARTHEST))
                assert extreme.sum() <= 2
                assert np.array_equal(found.astype(np.float32)[~extreme], found[~extreme])
    assert 1.0 in Domain(-1.0, 1.0).points("close", kinked=False)
    assert 0.0 not in Domain().points("close", kinked=True)


def test_a_witness_is_read_again():
    (operation,) = (o for o in ENTRYWISE if o.name == "atan2")
    for word in ("far:", "far:" + bytes(range(26)).hex()):
        grid = Points("far").named(operation, word)
        assert grid.name == word
        again = Points("far").named(operation, grid.name)
        assert all(map(np.array_equal, grid.tensors, again.tensors))
    with pytest.raises(ValueError, match="has no points called 'close:'"):
        Points("far").named(operation, "close:")


@pytest.mark.parametrize("kind", ["far", "close"])
def test_an_array_among_the_options_goes_with_each_point(kind):
    """However many points are left: a library need not spread it."""
    (operation,) = [each for each in ENTRYWISE if each.name == "margin_ranking_loss"]
    grid = grid_of(operation, kind)
    few = grid.at(tuple(x[:3] for x in grid.tensors))
    for asked in (grid, grid.within("float16", 2), few):
        (side,) = asked.arguments.options
        assert side.shape == asked.tensors[0].shape
        assert (side == side[0]).all()
