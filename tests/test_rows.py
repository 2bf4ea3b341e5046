"""What is called true of rows far out, of mixed sizes and far from their mean, by 400 digits."""

import mpmath
import numpy as np
import pytest

from gradspec.conformance.table import MASKED, ROWWISE, SUMS_OF_POWERS
from gradspec.conformance.table.rows import LINES, AllRows, rows_of
from gradspec.conformance.truth.floats import FLOATS
from gradspec.conformance.truth.tolerance import LOST, allowed_error

M = mpmath.mp


def _powers(row):
    return [M.exp(x) for x in row]


def _shares(row):
    powers = _powers(row)
    return [p / M.fsum(powers) for p in powers]


def _total(row):
    return M.log(M.fsum(_powers(row)))


def _variance(row):
    mean = M.fsum(row) / len(row)
    return M.fsum((x - mean) ** 2 for x in row) / (len(row) - 1)


def _norm(row, p):
    return M.fsum(abs(x) ** p for x in row) ** (M.mpf(1) / p)


def _normalized(row):
    mean = M.fsum(row) / len(row)
    scale = M.sqrt(M.fsum((x - mean) ** 2 for x in row) / len(row) + M.mpf(0.25))
    return [(x - mean) / scale for x in row]


def _by_mean_square(row):
    scale = M.sqrt(M.fsum(x * x for x in row) / len(row) + M.mpf(0.25))
    return [x / scale for x in row]


def _cosine(row):
    x, y = row[: len(row) // 2], row[len(row) // 2 :]
    return M.fsum(a * b for a, b in zip(x, y, strict=True)) / (_norm(x, 2) * _norm(y, 2))


MEANINGS = {
    "softmax": _shares,
    "log_softmax": lambda row: [x - _total(row) for x in row],
    "softmin": lambda row: _shares([-x for x in row]),
    "logsumexp": _total,
    "logsumexp_several": _total,
    "logcumsumexp": lambda row: [_total(row[:n]) for n in range(1, len(row) + 1)],
    "cross_entropy_labels": lambda row: _total(row) - row[-1],
    "glu": lambda row: [row[n] / (1 + M.exp(-row[n + 2])) for n in range(2)],
    "prod": M.fprod,
    "cumprod": lambda row: [M.fprod(row[:n]) for n in range(1, len(row) + 1)],
    "var": _variance,
    "std": lambda row: M.sqrt(_variance(row)),
    "norm_order": lambda row: _norm(row, 2),
    "vector_norm": lambda row: _norm(row, 3),
    "normalize_order": lambda row: [x / max(_norm(row, 2), M.mpf(1e-12)) for x in row],
    "layer_norm": _normalized,
    "rms_norm": _by_mean_square,
    "cosine_similarity": _cosine,
}
"""What each operation makes of a row, or of two that follow each other, in the words of mpmath."""


def listed(found):
    return found if isinstance(found, list) else [found]


def moved(row, n, step):
    return [x + step if k == n else x for k, x in enumerate(row)]


def differences(function, row, weights, tangents=None):
    """The gradient of weighted results; the gradient of its pairing with tangents if there are."""

    def value(at):
        return M.fsum(w * y for w, y in zip(weights, listed(function(at)), strict=True))

    def slope(at, n):
        step = (abs(at[n]) or M.mpf(1)) * M.mpf(10) ** -60
        return (value(moved(at, n, step)) - value(moved(at, n, -step))) / (2 * step)

    if tangents is None:
        return [slope(row, n) for n in range(len(row))]
    step = M.mpf(10) ** -90
    ahead, behind = (
        [x + sign * step * t for x, t in zip(row, tangents, strict=True)] for sign in (1, -1)
    )
    return [(slope(ahead, n) - slope(behind, n)) / (2 * step) for n in range(len(row))]


def agree(total, row, exact, dtype="float64"):
    """See that what is called true of a row is, as far as it says."""
    want = np.array([float(x) for x in exact])
    value = total.value[row].ravel()
    error_bound = np.broadcast_to(total.error_bound, total.value.shape)[row].ravel()
    room = error_bound + LOST * np.finfo(dtype).smallest_normal
    assert (np.abs(value - want) <= room).all(), f"{value} is called true, {want} is"
    assert np.isfinite(allowed_error(total, dtype)).all()


over = pytest.mark.parametrize("operation", ROWWISE, ids=str)


@over
def test_there_are_rows_to_ask_in_every_dtype(operation):
    for dtype in FLOATS:
        for order in range(3):
            left = len(rows_of(operation).within(dtype, order).tensors[0])
            assert left >= 3, f"{left} rows in {dtype} up to derivative {order}"


@over
def test_truth_of_rows(operation):
    """Values, gradients and second derivatives are as exact as they say."""
    function = MEANINGS[operation.name]
    with M.workdps(400):
        for order in range(3):
            grid = rows_of(operation).within("float64", order)
            for row in range(order, len(grid.tensors[0]), 1 + 3 * order):
                numbers = [M.mpf(float(x)) for tensor in grid.tensors for x in tensor[row]]
                weights = [M.mpf(float(v)) for v in np.atleast_1d(grid.cotangent[row])]
                if order == 0:
                    agree(grid.value(), row, listed(function(numbers)))
                    continue
                tangents = [M.mpf(float(t)) for each in grid.tangents for t in each[row]]
                exact = differences(function, numbers, weights, tangents if order == 2 else None)
                totals = grid.gradients() if order == 1 else grid.second()
                for place, total in enumerate(totals):
                    agree(total, row, exact[4 * place : 4 * place + 4])


@pytest.mark.parametrize("operation", MASKED, ids=str)
def test_masks_leave_the_others_as_they_were(operation):
    """What is true of masked rows is what numpy finds of them, where it finds a number."""
    grid = rows_of(operation).within("float64", 1)
    for at in (0, 2):
        _, value, gradients = grid.beside_masks(at)
        with np.errstate(all="ignore"):
            masked = grid.masked(at)
            found = masked.result
            kept = ~np.isnan(found)
            np.testing.assert_allclose(value.value[kept], found[kept], rtol=1e-13)
        for tensor, gradient in zip(masked.tensors, gradients, strict=True):
            assert gradient.value.shape == tensor.shape
            assert not gradient.value[~np.isfinite(tensor)].any()


def test_what_a_running_sum_repeats_beside_a_mask_is_rounded():
    """It is no more exact than the entry before it, which it repeats."""
    (operation,) = (o for o in MASKED if o.name == "logcumsumexp")
    _, value, _ = rows_of(operation).within("float32", 1).beside_masks(2)
    allowed = allowed_error(value, "float32")
    np.testing.assert_array_equal(allowed[:, 2], allowed[:, 1])
    assert (allowed[:, 2] > 0).any()


@pytest.mark.parametrize("operation", SUMS_OF_POWERS, ids=str)
def test_of_nothing_the_logarithm_is_infinite(operation):
    with np.errstate(divide="ignore"):
        nothing = operation.forward(np.full((2, 3), -np.inf), *rows_of(operation).arguments.options)
    assert (nothing == -np.inf).all()


def test_every_line_is_that_of_an_operation():
    assert {operation.name for operation in ROWWISE} == set(LINES) == set(MEANINGS)


def test_a_witness_is_read_again():
    (operation,) = (o for o in ROWWISE if o.name == "cosine_similarity")
    for word in ("rows:", "rows:" + bytes(range(26)).hex()):
        grid = AllRows().named(operation, word)
        assert grid.name == word
        again = AllRows().named(operation, grid.name)
        assert all(map(np.array_equal, grid.tensors, again.tensors))


@pytest.mark.parametrize("operation", SUMS_OF_POWERS, ids=str)
def test_of_no_rows_the_last_entries_are_none(operation):
    """A narrow dtype may have none of the rows that a seed draws."""
    none = rows_of(operation).at(tuple(x[:0] for x in rows_of(operation).tensors))
    assert none.last.shape == none.result.shape
    assert none.last.size == 0
