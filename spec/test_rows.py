"""Rows: their logarithms and shares far out, behind masks and beside what is no number."""

import numpy as np

from gradspec.conformance import Total, claim, example, given
from gradspec.conformance.strategies import (
    arrays,
    booleans,
    integers,
    lists,
    sampled_from,
)
from gradspec.conformance.table import (
    MASKED,
    ROWWISE,
    SUMS_OF_POWERS,
    rows,
)
from gradspec.conformance.table.points import followed
from gradspec.conformance.truth.oracles.jets import Jet

NO_WORKLOAD = "each operation is at work in the chapter it belongs to"


# ---- along rows ----------------------------------------------------------------------------------


@claim("EXT-10", over=ROWWISE)
@given(grid=rows())
def test_values_of_rows(be, grid):
    """For rows of large and small numbers, or of numbers far from their mean, the result is as
    accurate as rounding the entries once allows: no exponential overflows, and an offset that all
    entries share cancels.
    """
    far = grid.within(be.dtype, 0)
    be.check(far.on(be)(*map(be.tensor, far.tensors)), far.value(), points=far.tensors)


@claim("EXT-11", needs="vjp", over=ROWWISE)
@given(grid=rows())
def test_gradients_of_rows(be, grid):
    """For rows of large and small numbers, or of numbers far from their mean, the gradient is
    right: that of a share that underflows is zero, and nothing is divided by a factor of zero.
    """
    far = grid.within(be.dtype, 1)
    _, pull = be.vjp(far.on(be), *far.tensors)
    for gradient, true in zip(pull(far.cotangent), far.gradients(), strict=True):
        be.check_gradient(gradient, true, points=far.tensors)


@claim("EXT-12", needs="vjp create_graph", over=ROWWISE)
@given(grid=rows())
def test_second_derivatives_of_rows(be, grid):
    """For rows of large and small numbers, or of numbers far from their mean, gradients are
    differentiated as they are elsewhere.
    """
    far = grid.within(be.dtype, 2)
    _, pull = be.vjp(far.directional_derivative_on(be), far.cotangent, *far.tensors)
    first, *second = pull(np.array(1.0))
    be.check_gradient(first, far.pushed(), "derivative by the cotangent", points=far.tensors)
    for gradient, true in zip(second, far.second(), strict=True):
        be.check_gradient(gradient, true, "second derivative", points=far.tensors)


@claim("EXT-13", needs="jvp", over=ROWWISE)
@given(grid=rows())
def test_tangents_of_rows(be, grid):
    """For rows of large and small numbers, or of numbers far from their mean, forward mode gives
    the derivative along tangents.
    """
    far = grid.within(be.dtype, 1)
    _, tangent = be.jvp(far.on(be), far.tensors, far.tangents)
    be.check(tangent, far.pushed(), "tangent", points=far.tensors)


@claim("EXT-14", needs="vjp", over=MASKED)
@given(grid=rows())
def test_a_mask_has_no_share(be, grid):
    """Beside an entry whose exponential is zero, the other entries of its row have the values and
    gradients that they have without it, and its own gradient is zero.
    """
    far = grid.within(be.dtype, 1)
    for at in (0, 2):
        masked, (cotangent, true, gradients) = far.masked(at), far.beside_masks(at)
        value, pull = be.vjp(masked.on(be), *masked.tensors)
        be.check(value, true, points=masked.tensors)
        for gradient, each in zip(pull(cotangent), gradients, strict=True):
            be.check_gradient(gradient, each, points=masked.tensors)


@claim("EXT-15", over=SUMS_OF_POWERS)
@given(grid=rows())
def test_the_logarithm_of_nothing(be, grid):
    """Where the exponential of every entry of a row is zero, the logarithm of their sum is -inf."""
    nothing = grid.at(tuple(np.full_like(x, -np.inf) for x in grid.tensors))
    found = nothing.on(be)(*map(be.tensor, nothing.tensors))
    be.check(found, np.full(nothing.result.shape, -np.inf))


@claim("EXT-345", about="logsumexp_several", needs="logsumexp_several")
@given(
    axes=sampled_from([(0, 2), (0, 1), (-1, 0), (1, 2), (0, 1, 2)]),
    keep=booleans(),
    far=sampled_from([np.inf, -np.inf]),
)
def test_the_logarithm_over_several_axes_is_infinite(be, axes, keep, far):
    """Where all entries along several axes are infinite, with one sign, the logarithm of the sum of
    their exponentials is that infinity.
    """
    x = np.full((2, 3, 2), far)
    found = be.logsumexp_several(be.tensor(x), axes, keep)
    be.check(found, np.sum(x, axes, keepdims=keep))


@claim("EXT-16", needs="vjp", over=SUMS_OF_POWERS)
@given(grid=rows())
def test_shares_add_up_to_one(be, grid):
    """What is added to all entries of a row is added to their logsumexp: its gradient sums to one,
    wherever the row lies.
    """
    far = grid.within(be.dtype, 0)
    _, pull = be.vjp(far.on(be), *far.tensors)
    (gradient,) = pull(far.last)
    be.check(be.sum(gradient, 1), np.ones(len(far.last)), points=far.tensors)


@claim("EXT-17", needs="vjp", over=ROWWISE, apart=True)
@given(grid=rows())
def test_a_row_that_is_no_number_stays_alone(be, grid):
    """Beside a row with an entry that is infinite or not a number, the others have the values and
    gradients that they have without it.
    """
    far = grid.within(be.dtype, 1)
    for intruder in (np.nan, np.inf, -np.inf):
        beside = far.at(tuple(np.append(x, [[intruder, 1.0, -1.0, 2.0]], 0) for x in far.tensors))
        value, pull = be.vjp(beside.on(be), *beside.tensors)
        be.check(value, followed(far.value(), be.numpy(value)), points=beside.tensors)
        cotangent = np.append(far.cotangent, np.ones((1, *far.cotangent.shape[1:])), 0)
        for gradient, true in zip(pull(cotangent), far.gradients(), strict=True):
            be.check(gradient, followed(true, be.numpy(gradient)), points=beside.tensors)


# ---- of losses -----------------------------------------------------------------------------------


@claim("EXT-19", about="kl_div", needs="vjp kl_div", level="contract")
@example(x=np.array([-1.0, -2.0]), w=np.array([1.0, 2.0]), target=np.array([0.0, 1.0]))
@given(
    x=arrays("row", shape=(4,)),
    w=arrays("weights", shape=(4,)),
    target=sampled_from((np.array([0.0, 1.0, 0.0, 0.0]), np.array([0.5, 0.0, 0.25, 0.25]))),
)
def test_what_never_occurs_adds_nothing_to_a_divergence(be, x, w, target):
    """A target of zero adds nothing to kl_div, whose gradient with respect to the input is minus
    the target.
    """
    value, pull = be.vjp(lambda z: be.kl_div(z, be.tensor(target), reduction="none"), x)
    occurs = np.where(target, target, 1.0)
    be.check(value, Jet.exact(target) * (np.log(Jet.exact(occurs)) - Jet.exact(x)))
    be.check(pull(w)[0], -w * target)


@claim(
    "EXT-20",
    about="binary_cross_entropy",
    needs="vjp binary_cross_entropy torch",
    level="contract",
)
@example(labels=[0.0, 1.0])
@given(labels=lists(sampled_from([0.0, 0.25, 1.0]), min_size=2, max_size=2))
def test_the_logarithm_of_a_probability_is_bounded(be, labels):
    """Where a probability is exactly 0 or 1, binary_cross_entropy takes -100 for the logarithm of
    zero; its gradient is a number, of the sign of what is missed, and zero where nothing is.
    """
    certain, target = np.array([0.0, 1.0]), np.array(labels)
    value, pull = be.vjp(
        lambda p: be.binary_cross_entropy(p, be.tensor(target), reduction="none"), certain
    )
    be.check(value, 100 * np.abs(target - certain))
    gradient = be.numpy(pull(np.ones(2))[0])
    missed = np.sign(certain - target)
    assert (np.sign(gradient) == missed).all(), f"gradient {gradient}, of sign {missed}"
    assert np.isfinite(gradient).all(), f"gradient {gradient}"


@claim("EXT-21", about="cross_entropy_labels", needs="vjp cross_entropy_labels", level="contract")
@example(x=np.eye(3), at=1, smoothing=0.25, reduction="mean")
@given(
    x=arrays("scores", shape=(3, 3)),
    at=integers(0, 2),
    smoothing=sampled_from([0.25, 0.0]),
    reduction=sampled_from(["mean", "sum"]),
)
def test_a_label_that_is_ignored_is_not_there(be, x, at, smoothing, reduction):
    """A row whose label is ignored takes no part in cross entropy, nor in label smoothing: the mean
    is over the weights of the other labels, and its gradient is zero.
    """
    labels, weight = np.array([2, 0, 1]), np.array([0.5, 1.0, 2.0])
    rest = np.arange(3) != at
    named = {"weight": be.tensor(weight), "label_smoothing": smoothing}

    def loss(scores):
        return be.cross_entropy_labels(
            scores,
            be.tensor(labels),
            ignore_index=int(labels[at]),
            reduction=reduction,
            **named,
        )

    def alone(scores):
        return be.cross_entropy_labels(
            scores, be.tensor(labels[rest]), ignore_index=-100, reduction="sum", **named
        )

    (whole, pull), (part, push) = be.vjp(loss, x), be.vjp(alone, x[rest])
    count = weight[labels[rest]].sum() if reduction == "mean" else 1.0
    be.check(whole, Total.of(be.numpy(part) / count, 1.0, -1.0))
    gradient = np.zeros((3, 3))
    gradient[rest] = be.numpy(push(np.array(1.0))[0]) / count
    be.check(pull(np.array(1.0))[0], Total.of(gradient, 1.0, -1.0))


@claim(
    "EXT-240",
    about="scaled_dot_product_attention",
    needs="vjp scaled_dot_product_attention",
    widest=True,
)
@given(
    q=arrays("queries", shape=(2, 3)),
    k=arrays("keys", shape=(4, 3)),
    v=arrays("values", shape=(4, 2)),
    w=arrays("weights", shape=(2, 2)),
)
def test_a_key_behind_a_mask_is_not_there(be, q, k, v, w):
    """A key that a mask excludes has no part in attention, however well it fits a query and
    whatever stands at its place: result and gradients are those without it, its own are zero.
    """
    kept = np.array([True, False, False, True])
    keys, values = k.copy(), v.copy()
    keys[1], keys[2], values[1:3] = 2.0**14, -(2.0**14), 2.0**10
    mask = be.tensor(np.broadcast_to(kept, (2, 4)).copy())
    attend = be.scaled_dot_product_attention
    alone, push = be.vjp(attend, q, k[kept], v[kept])
    found, pull = be.vjp(lambda *z: attend(*z, mask), q, keys, values)
    be.check(found, Total.of(be.numpy(alone), 8.0, -8.0))
    few, *many = map(be.numpy, push(w))
    wanted = [few]
    for part, whole in zip(many, (keys, values), strict=True):
        wanted.append(np.zeros(whole.shape))
        wanted[-1][kept] = part
    for gradient, want in zip(pull(w), wanted, strict=True):
        be.check(gradient, Total.of(want, 64.0, -64.0), "gradient")
    be.check(pull(w)[1][1:3], np.zeros((2, 3)))
    be.check(pull(w)[2][1:3], np.zeros((2, 2)))


@claim(
    "EXT-730",
    about="scaled_dot_product_attention",
    needs="scaled_dot_product_attention",
    level="contract",
)
@example(keys=2, part="query", at=1, lead=(1, 1))
@given(
    keys=integers(1, 20),
    part=sampled_from(("query", "key", "value")),
    at=integers(0, 2),
    lead=sampled_from(((), (1, 1))),
)
def test_what_is_no_number_is_attended_to(be, keys, part, at, lead):
    """A query that is no number has no result, a key that is none leaves none to any query, and a
    value that is none is in its column of every result.
    """
    whole = {
        "query": np.sin(np.arange(12.0)).reshape(3, 4),
        "key": np.cos(np.arange(4.0 * keys)).reshape(keys, 4),
        "value": np.sin(np.arange(4.0 * keys)).reshape(keys, 4),
    }
    whole[part][at % len(whole[part]), at] = np.nan
    told = (be.tensor(each.reshape(*lead, *each.shape)) for each in whole.values())
    found = be.numpy(be.scaled_dot_product_attention(*told)).reshape(3, 4)
    none = np.zeros((3, 4), bool)
    none[{"query": at, "key": slice(None), "value": (slice(None), at)}[part]] = True
    assert np.array_equal(np.isnan(found), none), f"what is no number in a {part} is lost"
