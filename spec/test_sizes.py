"""Sizes: axes without entries beside others, and thousands of entries."""

from functools import partial

import numpy as np

from gradspec.conformance import Total, claim, example, given
from gradspec.conformance.strategies import arrays
from gradspec.conformance.table import (
    COUNTED,
    EMPTIED,
    OF_THOUSANDS,
    ROUNDED_ONCE,
    SHARED_OUT,
    TIED,
    calls,
    hollow,
    shared,
    vast,
)
from gradspec.conformance.table.counts import COUNT, ENTRY, WEIGHT, asked, together

NO_WORKLOAD = "each operation is at work in the chapter it belongs to"

MANY = 33_000
"""So many columns are shared out among threads, in any dtype."""


@claim("GEN-240", needs="vjp", over=EMPTIED, level="contract", widest=True)
@given(call=hollow())
def test_an_axis_may_be_empty(be, call):
    """Where an axis has no entries beside others that have some, result and gradients have the
    shapes that they would have otherwise, and what is computed of nothing has its value.
    """
    value, pull = be.vjp(call.on(be), *call.tensors)
    for gradient, true in zip(pull(call.cotangent), call.gradients(), strict=True):
        be.check_gradient(gradient, true)
    call.check(be, value)


@claim("GEN-280", needs="vjp", over=OF_THOUSANDS, level="contract", widest=True)
@given(call=vast(alone=True))
def test_entries_may_be_thousands(be, call):
    """Of thousands of entries, along one axis, first, last or between others, or along several, an
    operation has the values that it has of few, and its gradients, in the shapes of the tensors,
    pair with tangents as their derivative does with the cotangent.
    """
    call.check(be, call.on(be)(*map(be.tensor, call.tensors)))
    if call.operation.differentiable:
        call.check_pairing(be)


@claim("GEN-460", needs="torch", over=ROUNDED_ONCE, level="contract", device="cpu", small=True)
@given(call=vast())
def test_results_of_16_bits_are_rounded_once(be, call):
    """Of thousands of entries an operation has in every dtype the value that it has of few. Those
    of 16 bits are computed in float32 on the CPU and rounded at the end: neither many terms nor
    terms that cancel cost any of their digits.
    """
    full = call.in_full(be.dtype).in_dtype(be.dtype)
    full.check_rounded_once(be, full.on(be)(*map(be.tensor, full.tensors)))


@claim("GEN-285", needs="vjp", over=SHARED_OUT, level="contract", widest=True)
@given(call=shared())
def test_threads_may_share_entries(be, call):
    """That holds of tens of thousands of entries, which two threads may share, as well."""
    with be.backend.on_threads(2):
        call.check(be, call.on(be)(*map(be.tensor, call.tensors)))
        if call.operation.differentiable:
            call.check_pairing(be)


@claim("GEN-540", needs="vjp torch", over=COUNTED, level="contract", many=True, small=True)
@given(call=calls())
def test_entries_may_be_more_than_the_largest_number(be, call):
    """Equal entries, more of them than the largest number of float16, are all counted: in a mean,
    be it of losses or of a window, in their shares, in the logarithm of their sum, and in the
    gradients of these.
    """
    value, cotangent, slope = together(call.operation.name)
    found, pull = be.vjp(partial(asked, be, call.operation.name), np.full(COUNT, ENTRY))
    be.check(found, value)
    be.check_gradient(*pull(cotangent), slope)


@claim("GEN-580", needs="vjp torch", over=TIED, level="contract", many=True, small=True)
@given(call=calls())
def test_ties_may_be_more_than_the_largest_number(be, call):
    """However many entries tie, and more of them than the largest number of float16, their shares
    of the cotangent add up to it.
    """
    found, pull = be.vjp(partial(asked, be, call.operation.name), np.full(COUNT, ENTRY))
    be.check(found, np.array(ENTRY))
    (gradient,) = pull(np.array(WEIGHT))
    whole = np.array(be.numpy(gradient).astype(float).sum())
    be.check(be.tensor(whole), Total(np.array(WEIGHT), np.array(WEIGHT), 4))


@claim(
    "OPS-380",
    about="matmul",
    needs="vjp matmul permute mul sum",
    modes=True,
    many=True,
    level="contract",
)
@example(m=np.arange(9.0).reshape(3, 3) - 4)
def test_products_with_many_rows_are_added_up(be, m):
    """Squares of the entries of a matrix times each of tens of thousands of rows, which two threads
    may share, are added up as those of few are, and so are their gradients.
    """
    rows = np.sin(np.arange(3.0 * MANY)).reshape(MANY, 3)
    w, product, size = rows[:, 0], rows @ m.T, np.abs(rows) @ np.abs(m.T)

    def added(a, b):
        product = be.matmul(a, be.permute(b, (1, 0)))
        return be.sum(be.mul(product, product), 0)

    function, true = be.wrapped(added, "matmul"), Total((product**2).sum(1), (size**2).sum(1), 9)
    slope, bound = 2 * w[:, None] * product, 2 * np.abs(w)[:, None] * size
    with be.backend.on_threads(2):
        be.check(function(be.tensor(m), be.tensor(rows)), true)
        value, pull = be.vjp(function, m, rows)
        of_m, of_rows = pull(w)
    be.check(value, true)
    be.check(of_m, Total(slope.T @ rows, bound.T @ np.abs(rows), 3 * MANY))
    be.check(of_rows, Total(slope @ m, bound @ np.abs(m), 9))


@claim("OPS-461", about="linear", needs="vjp linear torch", level="contract", many=True)
@example(m=np.arange(6.0).reshape(2, 3) - 2, b=np.array([0.0, 3.0]))
@given(m=arrays("weights", shape=(2, 3)), b=arrays("bias", shape=(2,)))
def test_a_layer_maps_many_rows(be, m, b):
    """A linear layer maps each of tens of thousands of rows as one of a few, and its weights and
    bias have sums over all rows for gradients.
    """
    rows = np.sin(np.arange(3.0 * MANY)).reshape(MANY, 3)
    w = rows[:, :2]
    with be.backend.on_threads(2):
        value, pull = be.vjp(be.linear, rows, m, b)
        of_rows, of_weights, of_bias = pull(w)
    be.check(value, Total(rows @ m.T + b, np.abs(rows) @ np.abs(m.T) + np.abs(b), 4))
    be.check(of_rows, Total(w @ m, np.abs(w) @ np.abs(m), 2))
    be.check(of_weights, Total(w.T @ rows, np.abs(w).T @ np.abs(rows), MANY))
    be.check(of_bias, Total(w.sum(0), np.abs(w).sum(0), MANY))


@claim(
    "OPS-246",
    about="conv1d conv2d max_pool2d avg_pool2d layer_norm embedding linear",
    needs="vjp conv1d conv2d max_pool2d avg_pool2d layer_norm embedding linear torch",
    level="contract",
)
@given(kernel=arrays("kernel", shape=(2, 3, 2)), rows=arrays("rows", shape=(4, 3)))
def test_a_batch_may_have_no_samples(be, kernel, rows):
    """Of no samples a layer makes none, in the shape that each would have, and its weights receive
    zeros.
    """
    square = np.repeat(kernel[..., None], 2, -1)
    line, image, plain = np.zeros((0, 3, 5)), np.zeros((0, 3, 4, 5)), np.zeros((0, 3))
    whole = be.tensor(np.zeros((0, 2), int))
    for name, layer, tensors, shape in (
        ("conv1d", be.conv1d, (line, kernel), (0, 2, 4)),
        ("conv2d", be.conv2d, (image, square), (0, 2, 3, 4)),
        ("max_pool2d", lambda z: be.max_pool2d(z, 2), (image,), (0, 3, 2, 2)),
        ("avg_pool2d", lambda z: be.avg_pool2d(z, 2), (image,), (0, 3, 2, 2)),
        ("layer_norm", lambda z: be.layer_norm(z, (3,)), (plain,), (0, 3)),
        ("embedding", lambda z: be.embedding(whole, z), (rows,), (0, 2, 3)),
        ("linear", be.linear, (plain, rows), (0, 4)),
    ):
        value, pull = be.vjp(layer, *tensors)
        be.check(value, np.zeros(shape), name)
        for gradient, x in zip(pull(np.zeros(shape)), tensors, strict=True):
            be.check(gradient, np.zeros(x.shape), f"gradient of {name}")


@claim(
    "OPS-247",
    about="det slogdet inverse cholesky solve",
    needs="vjp det slogdet inverse cholesky solve torch",
    level="contract",
)
@given(w=arrays("weights", shape=(2,)))
def test_a_matrix_may_have_no_rows(be, w):
    """A matrix without rows has the determinant 1, whose logarithm is 0, and an inverse and factors
    like itself; of a batch of none there are none.
    """
    none = np.zeros((2, 0, 0))
    value, pull = be.vjp(be.det, none)
    be.check(value, np.ones(2))
    be.check(*pull(w), none)
    sign, logarithm = be.slogdet(be.tensor(none))
    be.check(sign, np.ones(2))
    be.check(logarithm, np.zeros(2))
    for matrices in (none, np.zeros((0, 3, 3))):
        for name in ("inverse", "cholesky"):
            value, pull = be.vjp(getattr(be, name), matrices)
            be.check(value, matrices, name)
            be.check(*pull(matrices), matrices, f"gradient of {name}")
        sides = matrices[..., :1]
        value, pull = be.vjp(be.solve, matrices, sides)
        be.check(value, sides, "solution")
        for gradient, x in zip(pull(sides), (matrices, sides), strict=True):
            be.check(gradient, x, "gradient of a solution")


@claim(
    "OPS-248",
    about="mse_loss l1_loss cross_entropy nll_loss",
    needs="vjp mse_loss l1_loss huber_loss cross_entropy_labels nll_loss torch",
    level="contract",
)
@example()
def test_losses_of_nothing(be):
    """Of no samples the sum of losses is 0 and their mean is not a number, with gradients that have
    no entries.
    """
    labels = be.tensor(np.zeros(0, int))
    target = be.tensor(np.zeros((0, 3)))
    for name, rest in (
        ("mse_loss", target),
        ("l1_loss", target),
        ("huber_loss", target),
        ("cross_entropy_labels", labels),
        ("nll_loss", labels),
    ):
        for reduction, want in (("sum", 0.0), ("mean", np.nan)):
            value, pull = be.vjp(
                lambda z, name=name, rest=rest, how=reduction: getattr(be, name)(
                    z, rest, reduction=how
                ),
                np.zeros((0, 3)),
            )
            be.check(value, want, f"{reduction} of {name}")
            be.check(*pull(np.array(1.0)), np.zeros((0, 3)), f"gradient of {name}")


@claim("OPS-430", about="bmm", needs="vjp bmm matmul einsum torch", level="contract")
@given(w=arrays("products", shape=(2, 3, 4)))
def test_a_sum_of_no_products_is_zero(be, w):
    """Products of matrices whose inner axis has no entries are zero, alone and in batches, and so
    are their products with gradients.
    """
    for name, function in (
        ("matmul", be.matmul),
        ("bmm", be.bmm),
        ("einsum", lambda x, y: be.einsum("bij,bjk->bik", x, y)),
        ("baddbmm", lambda x, y: be.lookup("torch:baddbmm")(be.tensor(w), x, y, beta=2)),
    ):
        value, pull = be.vjp(function, np.zeros((2, 3, 0)), np.zeros((2, 0, 4)))
        be.check(value, 2 * w if name == "baddbmm" else 0 * w, name)
        for gradient, shape in zip(pull(w), ((2, 3, 0), (2, 0, 4)), strict=True):
            be.check_gradient(gradient, np.zeros(shape), name)


@claim("OPS-249", about="pinv", needs="vjp pinv torch", level="contract")
@given(w=arrays("weights", shape=(3, 3)), at=arrays("signs", shape=(3,)))
def test_what_is_small_is_cut_off(be, w, at):
    """pinv takes singular values for zero that are not above atol nor above rtol times the largest:
    the others it inverts.
    """
    values = np.array([4.0, 1.0, 0.25]) * np.where(at < 0, -1, 1)
    for bounds in (
        {},
        {"atol": 0.5},
        {"rtol": 0.125},
        {"rtol": 0.5},
        {"atol": 2.0, "rtol": 0.125},
        {"atol": 0.125, "rtol": 0.5},
    ):
        cut = max(bounds.get("atol", 0.0), 4 * bounds.get("rtol", 0.0))
        kept = np.abs(values) > cut
        inverse = np.where(kept, 1 / values, 0.0)
        value, pull = be.vjp(lambda z, bounds=bounds: be.pinv(z, **bounds), np.diag(values))
        be.check(value, Total(np.diag(inverse), np.full((3, 3), np.abs(inverse).max()), 9))
        # A value that is cut off counts as zero for the slopes as well.
        slope = -np.outer(inverse, inverse) * w
        if kept.all():
            scale = np.full((3, 3), 16 * np.abs(w).max())
            be.check(*pull(w), Total(slope, scale, 9), f"gradient with {bounds}")
