"""Extrema: the largest entries, their places, and who receives the gradient of a tie."""

from functools import partial

import numpy as np

from gradspec.conformance import ErrorKind, Total, claim, example, given, workload
from gradspec.conformance.strategies import (
    NONZERO,
    arrays,
    booleans,
    integers,
    lists,
    sampled_from,
)
from gradspec.conformance.strategies.shaping import axes
from gradspec.conformance.table import CHOSEN, calls
from gradspec.conformance.truth.oracles.jets import Jet

TIE = np.array([1.0, 3.0, 3.0])
AWKWARD_ROW = np.array([np.nan, 1.0, -np.inf, 2.0, np.inf, -1.0, 1.0])


@claim("OPS-341", about="sort_stable", needs="sort_stable")
@given(count=integers(1, 70), kinds=integers(1, 4), descending=booleans())
def test_equal_entries_keep_their_order(be, count, kinds, descending):
    """A stable sort leaves equal entries in the order in which they are, however many these are,
    from the largest down as well.
    """
    x = (np.arange(count) * 5 % kinds).astype(float)
    _, places = be.sort_stable(be.tensor(x), stable=True, dim=0, descending=descending)
    true = np.argsort(-x if descending else x, kind="stable")
    assert be.tolist(places) == true.tolist()


@workload
def largest(be, leaf):
    """The largest of every four entries, sent back as their own cotangent."""
    value, pull = be.vjp(lambda x: be.amax(be.reshape(x, (-1, 4)), 1), leaf)
    return pull(value)[0]


@claim("OPS-80", about="max", needs="backward max argmax")
@example(x=np.array([[1.0, 3.0, np.nan], [2.0, 0.0, 1.0]]), dim=1)
@given(x=arrays(min_dims=1, min_size=1), dim=axes(min_dims=1, min_size=1))
def test_max_gives_values_and_places(be, x, dim):
    """max is the largest entry, or nan if there is one; along an axis it gives the largest entries
    and, as int64 without gradient, a place where each stands: the place that argmax gives, unless
    several tie. Along an axis without entries it is refused.
    """
    leaf = be.leaf(x)
    be.check(be.max(leaf), np.max(x))
    values, places = be.max(leaf, dim)
    be.check(values, np.max(x, dim))
    assert be.dtype_of(places) == "int64"
    assert be.requires_grad(values)
    assert not be.requires_grad(places)
    at = be.numpy(places)
    found = np.take_along_axis(x, np.expand_dims(at, dim), dim).squeeze(dim)
    assert np.array_equal(found, np.max(x, dim), equal_nan=True)
    single = (x == np.max(x, dim, keepdims=True)).sum(dim) == 1
    assert np.array_equal(be.numpy(be.argmax(leaf, dim))[single], at[single])
    be.check(be.max(be.tensor(np.zeros((0, 2))), 1)[0], np.zeros(0))
    with be.raises(ErrorKind.SHAPE):
        be.max(be.tensor(np.zeros((2, 0))), 1)


@claim("OPS-81", about="max amax amin", needs="vjp max amax amin reshape", level="convention")
@example(x=TIE, w=np.array(1.0), v=TIE, dim=0)
@given(
    x=arrays(min_dims=1, min_size=1),
    w=arrays("scalar", shape=()),
    v=arrays("weights", shape=(12,)),
    dim=axes(min_dims=1, min_size=1),
)
def test_ties_share_or_the_place_named_takes_all(be, x, w, v, dim):
    """Equal largest entries share the gradient of max over all entries, and that of amax, in equal
    parts, as equal smallest ones do that of amin; along an axis the gradient of max goes to the
    place that it names alone.
    """
    all_ties = x == np.max(x)
    for function in (be.max, be.amax):
        _, pull = be.vjp(lambda z, function=function: function(z), x)
        be.check(pull(w)[0], Jet.exact(w * all_ties) / all_ties.sum())
    for axis in (*[(0, -1)] * (x.ndim > 1), dim):
        top = np.max(x, axis, keepdims=True)
        shared, ties = np.resize(v, top.shape), x == top
        for function, z in ((be.amax, x), (be.amin, -x)):
            _, pull = be.vjp(lambda z, f=function, axis=axis: f(z, axis, keepdim=True), z)
            shares = Jet.exact(shared * ties) / ties.sum(axis, keepdims=True)
            be.check(pull(shared)[0], shares)
    _, pull = be.vjp(lambda z: be.max(z, dim, keepdim=True)[0], x)
    named = np.zeros(x.shape)
    np.put_along_axis(named, be.numpy(be.max(be.tensor(x), dim, keepdim=True)[1]), shared, dim)
    be.check(pull(shared)[0], named)
    four = np.resize(x, 4)
    most = four == max(four)
    be.check(largest(be, be.tensor(four)), Jet.exact(four * most) / most.sum())


@claim("OPS-460", about="amax", needs="vjp amax", many=True)
@example(power=12)
@given(power=integers(0, 12))
def test_however_many_are_equal_share_one_cotangent(be, power):
    """What equal entries receive of the cotangent of their maximum adds up to it, in each dtype and
    however many they are.
    """
    for dtype in (*be.backend.dtypes, *be.backend.small_dtypes):
        # Ones that are added one by one get no further than 256 in bfloat16, 2048 in float16.
        count = 2 ** min(power, {"float16": 12, "bfloat16": 9}.get(dtype, 6))
        _, pull = be.vjp(be.amax, be.backend.tensor(np.ones(count), dtype, be.device))
        (gradient,) = pull(be.backend.tensor(np.ones(()), dtype, be.device))
        shares = be.numpy(gradient).astype(float)
        assert shares.min() >= 0, f"gradient of {dtype}"
        assert shares.sum() == 1, f"gradient of {dtype} adds up to {shares.sum()}"


# ---- in order ------------------------------------------------------------------------------------


@claim(
    "OPS-114",
    about="sort argsort topk min median",
    needs="backward sort argsort topk min median torch",
    level="contract",
)
@example(x=AWKWARD_ROW, dim=0, w=np.arange(36.0))
@given(
    x=arrays(min_dims=1, min_size=1),
    dim=axes(min_dims=1, min_size=1),
    w=arrays("weights", shape=(36,)),
)
def test_places_are_where_the_values_are(be, x, dim, w):
    """sort puts the entries of each line in order, nan last, or first if descending; topk gives the
    first of these, min the smallest, or nan if there is one. Each gives the places too, as int64
    without gradient, where those values stand, and the values hand their cotangents back there.
    """
    size, lines = x.shape[dim], np.sort(x, dim)
    down = np.flip(lines, dim)
    for read, want in (
        (lambda z: be.sort(z, dim), lines),
        (lambda z: be.sort(z, dim, descending=True), down),
        (lambda z: be.sort(z, dim=dim, stable=True), lines),
        (lambda z: be.topk(z, size, dim), down),
        (lambda z: be.topk(z, (size + 1) // 2, dim), down.take(np.arange((size + 1) // 2), dim)),
        (lambda z: be.min(z, dim, keepdim=True), x.min(dim, keepdims=True)),
    ):
        leaf, part = be.leaf(x), w[: want.size].reshape(want.shape)
        values, places = read(leaf)
        be.check(values, want)
        at, back = be.numpy(places), np.zeros(x.shape)
        assert at.dtype == np.int64
        assert not be.requires_grad(places)
        found = np.take_along_axis(x, at, dim)
        assert np.array_equal(found, want, equal_nan=True), "the places are of other values"
        back_at = np.sort(at, dim)
        assert (np.diff(back_at, axis=dim) > 0).all(), "a place is named twice"
        np.put_along_axis(back, at, part, dim)
        be.backward(be.sum(be.mul(part, values)))
        be.check(be.grad(leaf), back)
    order = be.numpy(be.argsort(be.tensor(x), dim))
    assert np.array_equal(np.take_along_axis(x, order, dim), lines, equal_nan=True)
    with be.raises(ErrorKind.INDEX_RANGE):
        be.topk(be.tensor(x), size + 1, dim)


@claim("OPS-115", about="sort argsort", needs="sort argsort torch", level="contract")
@given(keys=lists(integers(0, 2), min_size=1, max_size=40))
def test_a_stable_sort_keeps_the_order_of_equals(be, keys):
    """sort and argsort told to be stable leave equal entries in the order in which they stood, also
    if descending.
    """
    x = be.tensor(np.array(keys))
    for sign, down in ((1, False), (-1, True)):
        want = np.argsort(sign * np.array(keys), kind="stable")
        be.same(be.sort(x, stable=True, descending=down)[1], want)
        be.same(be.argsort(x, stable=True, descending=down), want)


@claim(
    "OPS-116",
    about="max min amax amin argmax argmin median",
    needs="max min amax amin argmax argmin median torch",
    level="contract",
)
@given(x=arrays("row", shape=(4,)), at=integers(0, 3))
def test_nan_is_every_extremum(be, x, at):
    """If an entry is nan, it is the largest, the smallest and the median, and argmax, argmin, max
    and min along an axis name its place.
    """
    x = x.copy()
    x[at] = np.nan
    source = be.tensor(x)
    for reduce in (be.max, be.min, be.amax, be.amin, be.median):
        be.check(reduce(source), np.nan)
    for place in (be.argmax(source), be.argmin(source), be.max(source, 0)[1], be.min(source, 0)[1]):
        be.same(place, np.array(at))


@claim("OPS-220", needs="vjp", over=CHOSEN, level="contract")
@given(call=calls(smooth=True))
def test_the_infinite_are_chosen_like_others(be, call):
    """What chooses entries by their order chooses the largest and the smallest of all where these
    are infinite as well, and they receive the gradients that they receive where they are finite.
    """
    ends = [f([f(x, initial=w) for x in call.tensors]) for f, w in ((np.max, -99), (np.min, 99))]
    far = [np.select([x == z for z in ends], [np.inf, -np.inf], x) for x in call.tensors]
    value, pull = be.vjp(call.on(be), *far)
    for gradient, true in zip(pull(call.cotangent), call.gradients(), strict=True):
        be.check_gradient(gradient, true)
    be.check(value, np.select([call.result == z for z in ends], [np.inf, -np.inf], call.result))


@claim(
    "OPS-244",
    about="max min median nanmedian mode kthvalue cummax cummin sort topk",
    needs="vjp max min median nanmedian mode kthvalue cummax cummin sort topk torch",
    level="contract",
)
@example(x=AWKWARD_ROW, far=(np.inf, np.nan), w=np.arange(1.0, 8.0))
@given(
    x=arrays("row", shape=(7,)),
    far=lists(sampled_from((np.inf, -np.inf, np.nan)), min_size=2, max_size=4),
    w=arrays("weights", shape=(7,), values=NONZERO),
)
def test_whatever_is_chosen_stands_where_it_is_said_to(be, x, far, w):
    """What chooses entries along an axis names the places of just these, where they are infinite or
    nan as well, and hands their cotangents back there and nowhere else.
    """
    x = x.copy()
    x[1 : 1 + len(far)] = far
    for read in (
        lambda z: be.max(z, 0, keepdim=True),
        lambda z: be.min(z, 0, keepdim=True),
        lambda z: be.median(z, 0, keepdim=True),
        lambda z: be.nanmedian(z, 0, keepdim=True),
        lambda z: be.mode(z, 0, keepdim=True),
        lambda z: be.kthvalue(z, 2, 0, keepdim=True),
        lambda z: be.kthvalue(z, 7, 0, keepdim=True),
        lambda z: be.cummax(z, 0),
        lambda z: be.cummin(z, 0),
        lambda z: be.sort(z, 0),
        lambda z: be.topk(z, 3, 0),
    ):
        places = be.numpy(read(be.tensor(x))[1])
        values, pull = be.vjp(lambda z, read=read: read(z)[0], x)
        be.check(values, x[places])
        part, back = w[: places.size], np.zeros(7)
        np.add.at(back, places, part)
        be.check_gradient(*pull(part), Total.of(back))


@claim(
    "OPS-241",
    about="sum mean amax amin nansum nanmean",
    needs="vjp sum mean amax amin nansum nanmean torch",
    level="contract",
)
@given(
    x=arrays("grid", shape=(2, 3)),
    w=arrays("weight", shape=()),
    name=sampled_from(("sum", "mean", "amax", "amin", "nansum", "nanmean")),
)
def test_no_axes_are_all_axes(be, x, w, name):
    """Given an empty tuple of axes, a reduction goes over all of them: result and gradient are
    those of all named one by one.
    """
    x = x + np.arange(6).reshape(2, 3) / 64
    reduce = getattr(be, name)
    value, pull = be.vjp(lambda z: reduce(z, ()), x)
    every, push = be.vjp(lambda z: reduce(z, (0, 1)), x)
    be.same(value, every)
    be.same(*pull(w), *push(w))


@claim("OPS-245", about="var std", needs="vjp var std torch", level="contract")
@given(x=arrays("grid", shape=(2, 3)), w=arrays("weight", shape=(), values=NONZERO))
def test_a_variance_along_no_axes_is_that_of_all(be, x, w):
    """Given an empty tuple of axes, var and std go over all of them, as their values say, and so
    do their gradients.
    """
    x = x + np.arange(6).reshape(2, 3) / 64
    for reduce in (be.var, be.std):
        value, pull = be.vjp(lambda z, reduce=reduce: reduce(z, dim=()), x)
        every, push = be.vjp(lambda z, reduce=reduce: reduce(z, dim=(0, 1)), x)
        be.same(value, every)
        be.same(*pull(w), *push(w))


@claim(
    "OPS-190",
    about="median quantile aminmax msort nanmedian nansum nanmean",
    needs="median quantile aminmax msort nanmedian nansum nanmean isnan torch",
    level="contract",
)
@given(x=arrays("grid", shape=(3, 4)), at=integers(0, 3))
def test_lines_with_nan(be, x, at):
    """A line with a nan has nan as its median, its quantile and both of its extremes, and msort
    puts nan last. Of a line of nothing else nanmedian and nanmean are nan, nansum is 0.
    """
    x = x.copy()
    x[1, at] = x[2] = np.nan
    source = be.tensor(x)
    for found in (be.median(source, 1)[0], be.quantile(source, 0.5, 1), *be.aminmax(source, dim=1)):
        be.same(be.isnan(found), np.arange(3) > 0)
    be.check(be.msort(source), np.sort(x, axis=0))
    be.same(be.isnan(be.nanmedian(source, 1)[0]), np.arange(3) == 2)
    be.same(be.isnan(be.nanmean(source, 1)), np.arange(3) == 2)
    be.check(be.nansum(source, 1), np.nansum(x, axis=1))


@claim(
    "OPS-191",
    about="max sum mean amax sort",
    needs="vjp sum mean amax amin max min median sort torch",
    level="contract",
)
@given(x=arrays("number", shape=()), w=arrays("weight", shape=()), dim=sampled_from([0, -1]))
def test_a_number_has_an_axis_to_go_along(be, x, w, dim):
    """Along axis 0 or -1 of a number, its sum, mean, extremes, median and order are the number
    itself, which receives the cotangent.
    """
    for name in ("sum", "mean", "amax", "amin"):
        value, pull = be.vjp(lambda z, name=name: getattr(be, name)(z, dim), x)
        be.check(value, x, name)
        be.check(*pull(w), w, name)
    for name in ("max", "min", "median", "sort"):
        value, pull = be.vjp(lambda z, name=name: getattr(be, name)(z, dim)[0], x)
        be.check(value, x, name)
        be.check(*pull(w), w, name)


@claim("OPS-225", about="kthvalue", needs="vjp kthvalue sort torch", level="contract")
@given(
    x=arrays("row", shape=(4,)),
    w=arrays("weight", shape=()),
    at=integers(0, 3),
    q=sampled_from([0.0, 0.25, 0.5, 1.0]),
)
def test_ranks_beside_nan(be, x, w, at, q):
    """nan has the last ranks of all, and nanquantile counts without it: the value at a rank and its
    gradient are those among the numbers.
    """
    x, numbers = x + np.arange(4) / 64, np.arange(4) != at
    beside = np.where(numbers, x, np.nan)
    order = np.argsort(beside)
    for k in (1, 2, 3, 4):
        value, pull = be.vjp(lambda z, k=k: be.kthvalue(z, k)[0], beside)
        be.check(value, beside[order[k - 1]])
        be.check(*pull(w), np.where(np.arange(4) == order[k - 1], w, 0))
    nanquantile, quantile = be.lookup("torch:nanquantile"), be.lookup("torch:quantile")
    value, pull = be.vjp(lambda z: nanquantile(z, q), beside)
    among, push = be.vjp(lambda z: quantile(z, q), x[numbers])
    be.check(value, be.numpy(among))
    gradient = np.zeros(4)
    gradient[numbers] = be.numpy(push(w)[0])
    be.check(pull(w)[0], gradient)


@claim(
    "OPS-420",
    about="segment_reduce_max segment_reduce_min",
    needs="vjp segment_reduce_max segment_reduce_min",
)
@example(kinds=[1, 1, 0, 2, 2], w=np.array([1.0, 2.0]))
@example(kinds=[1, 1, 0, 2, 2], w=np.array([1.0, -2.0]))
@given(
    kinds=lists(integers(0, 2), min_size=5, max_size=5),
    w=arrays("pair", shape=(2,), values=NONZERO),
)
def test_equal_entries_of_a_segment_share(be, kinds, w):
    """The entries of a segment that are largest, or smallest, share its cotangent: their shares are
    not below zero and add up to one, and others have none.
    """
    x, lengths = np.array(kinds, float), np.array([2, 3])
    for name, chosen in (("max", np.maximum), ("min", np.minimum)):
        function = partial(getattr(be, f"segment_reduce_{name}"), lengths=be.tensor(lengths))
        _, pull = be.vjp(function, x)
        shares = be.numpy(*pull(w)) / np.repeat(w, lengths)
        others = x != np.repeat(chosen.reduceat(x, [0, 2]), lengths)
        assert (shares >= 0).all(), (name, shares)
        assert not shares[others].any(), (name, shares)
        be.check(be.tensor(np.add.reduceat(shares, [0, 2])), np.ones(2), name)


@claim("OPS-741", about="argmax argmin", needs="argmax argmin amax amin", level="contract")
@example(x=np.array([3.0, 2.0, 1.0, 5.0]), at=1, far=np.nan)
@given(
    x=arrays("row", shape=(4,)),
    at=integers(0, 3),
    far=sampled_from((np.nan, np.inf, -np.inf)),
)
def test_an_extremum_stands_at_its_place(be, x, at, far):
    """argmax tells a place of what amax finds, and argmin of what amin finds, though that is
    infinite or nan.
    """
    x = x.copy()
    x[at] = far
    for place, value in ((be.argmax, be.amax), (be.argmin, be.amin)):
        found = int(be.numpy(place(be.tensor(x), 0)))
        be.check(value(be.tensor(x), 0), np.array(x[found]))
