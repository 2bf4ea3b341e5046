"""Rarer layers: many classes, channels that damp each other, samples that are nearly one-hot."""

import numpy as np

from gradspec.conformance import ErrorKind, Total, claim, example, given
from gradspec.conformance.strategies import (
    arrays,
    booleans,
    integers,
    lists,
    sampled_from,
    tuples,
)
from gradspec.conformance.strategies.arrays import COMPACT, transposed
from gradspec.conformance.strategies.distributions import around
from gradspec.conformance.strategies.fractional import check_fractional
from gradspec.conformance.strategies.random_numbers import coin, ks_ratio, seeds
from gradspec.conformance.strategies.rarer_layers import adaptive
from gradspec.conformance.truth.oracles.backpropagation import pulled_back
from gradspec.conformance.truth.oracles.jets import Jet
from gradspec.conformance.truth.oracles.layers import damped, softmax

NO_WORKLOAD = "layers have a workload of their own"

# ---- losses --------------------------------------------------------------------------------------


@claim("NNM-301", about="layer", needs="backward nn torch", level="contract")
@given(seed=integers(0, 2**32))
def test_classes_come_in_clusters(be, seed):
    """An adaptive softmax has the logarithms of shares of all classes: of the first by scores of
    their own, of others by that of their cluster and by those within it. The loss is minus their
    mean at the targets, the gradients are those of the formula, and the most likely is predicted.
    """
    adaptive(seed).check(be)


@claim("NNM-305", about="layer", needs="backward nn torch", level="contract")
@given(
    values=arrays("points", shape=(3, 2, 4)),
    p=sampled_from([2.0, 1.0, 3.0]),
    margin=sampled_from([1.0, 0.25, 4.0]),
    swap=booleans(),
    reduction=sampled_from(["mean", "sum", "none"]),
)
def test_triplets_are_compared_by_any_distance(be, values, p, margin, swap, reduction):
    """A loss of triplets that is given a distance is the one that has it built in: the gradients
    are the same.
    """
    options = {"margin": margin, "swap": swap, "reduction": reduction}
    distance = be.layer("PairwiseDistance", p=p)
    one = be.layer("TripletMarginLoss", p=p, **options)
    other = be.layer("TripletMarginWithDistanceLoss", distance_function=distance, **options)
    results = []
    for layer in (one, other):
        leaves = [be.leaf(x) for x in values]
        y = layer(*leaves)
        results.append((y, be.gradients(y, leaves, be.ones_like(y))))
    (want, wanted), (got, found) = results
    be.same(got, want)
    for gradient, right in zip(found, wanted, strict=True):
        true = be.numpy(right)
        be.check_gradient(gradient, around(true, np.abs(true).max()))


# ---- channels that damp each other ---------------------------------------------------------------


@claim("NNM-306", about="layer", needs="backward nn torch", level="contract")
@given(
    x=arrays("x", shape=(2, 5, 1, 2)),
    w=arrays("w", shape=(2, 5, 1, 2)),
    size=sampled_from([3, 1, 5]),
    beta=sampled_from([0.75, 0.5]),
)
def test_channels_are_damped_by_their_neighbours(be, x, w, size, beta):
    """LocalResponseNorm divides each channel by a power of k and alpha times the mean square of as
    many channels as its size says, itself in the middle.
    """
    leaf, seed = be.leaf(x), Jet.seeds([x])
    y = be.layer("LocalResponseNorm", size, alpha=0.5, beta=beta, k=2.0)(leaf)
    true = damped(seed[0], size, alpha=0.5, beta=beta, k=2.0)
    be.check(y, true)
    be.check_gradient(*be.gradients(y, [leaf], be.tensor(w)), *pulled_back(true, w, seed))


@claim("NNM-307", about="layer", needs="backward nn torch", level="contract")
@example(x=np.ones((1, 4, 1, 1)), w=np.ones((1, 4, 1, 1)), size=3, beta=0.5)
@given(
    x=arrays("x", shape=(2, 5, 1, 2)),
    w=arrays("w", shape=(2, 5, 1, 2)),
    size=sampled_from([3, 1, 5]),
    beta=sampled_from([0.75, 0.5]),
)
def test_channels_are_damped_across_maps(be, x, w, size, beta):
    """CrossMapLRN2d computes what LocalResponseNorm does, with its gradient."""
    leaf, seed = be.leaf(x), Jet.seeds([x])
    y = be.layer("CrossMapLRN2d", size, alpha=0.5, beta=beta, k=2.0)(leaf)
    true = damped(seed[0], size, alpha=0.5, beta=beta, k=2.0)
    be.check(y, true)
    be.check_gradient(*be.gradients(y, [leaf], be.tensor(w)), *pulled_back(true, w, seed))


# ---- samples that are nearly one-hot -------------------------------------------------------------


@claim("RND-290", about="lookup", needs="backward random torch", level="contract")
@given(
    x=arrays("x", shape=(2, 3)),
    w=arrays("w", shape=(2, 3)),
    tau=sampled_from([1.0, 0.5, 4.0]),
    axis=sampled_from([-1, 0]),
    seed=seeds(),
)
def test_a_hard_sample_has_the_gradient_of_a_soft_one(be, x, w, tau, axis, seed):
    """gumbel_softmax makes shares that sum to one along its axis, or, told to be hard, one where
    the share is largest and zero elsewhere, with the gradient of the shares.
    """
    sample, found = be.lookup("torch.nn.functional:gumbel_softmax"), []
    for hard in (False, True):
        leaf = be.leaf(x)
        with be.fork_random():
            be.manual_seed(seed)
            y = sample(leaf, tau=tau, hard=hard, dim=axis)
        found.append((be.numpy(y), *be.gradients(y, [leaf], be.tensor(w))))
    (soft, slope), (hard, other) = found
    be.check(be.tensor(soft.sum(axis)), around(np.ones(soft.shape[1 + axis]), 1.0))
    be.check(be.tensor(hard), around(soft == soft.max(axis, keepdims=True), 0.0))
    true = soft * (w - (w * soft).sum(axis, keepdims=True)) / tau
    for gradient in (slope, other):
        be.check_gradient(gradient, around(true, np.abs(w).max() / tau, times=16))


@claim("RND-293", about="lookup", needs="random torch", level="contract")
@given(seed=seeds(), tau=sampled_from([0.5, 1.0, 8.0]), odds=sampled_from([1.0, 3.0, 7.0]))
def test_hard_samples_have_the_odds_of_their_scores(be, seed, tau, odds):
    """At any temperature a hard sample of gumbel_softmax chooses a class as often as the softmax of
    the scores says.
    """
    weights = np.array([odds, 1.0, 2.0])
    scores = be.tensor(np.broadcast_to(np.log(weights), (65536, 3)).copy())
    with be.fork_random():
        be.manual_seed(seed)
        chosen = be.lookup("torch.nn.functional:gumbel_softmax")(scores, tau=tau, hard=True)
    # Of two classes alone noise that is subtracted gives the same odds.
    for found, share in zip(np.round(be.numpy(chosen)).T, weights / weights.sum(), strict=True):
        assert ks_ratio(found, coin(share)) <= 1


# ---- pools and shares ----------------------------------------------------------------------------


@claim("NNM-312", about="lookup", needs="torch", level="contract")
@given(axes=sampled_from([1, 2, 3]), size=integers(2, 4))
def test_every_window_holds_an_entry(be, axes, size):
    """The places that a max pool names are entries of its image, though windows are spread by a
    dilation; where they would all lie in padding, they are refused.
    """
    pool = be.lookup(f"torch.nn.functional:max_pool{axes}d")
    shape, spread = (1, 1, *(2 for _ in range(axes - 1))), {"padding": 1, "dilation": 2}
    _, places = pool(be.tensor(np.ones((*shape, size))), 2, 1, **spread, return_indices=True)
    assert be.numpy(places).min() >= 0
    assert be.numpy(places).max() < size * 2 ** (axes - 1)
    with be.raises(ErrorKind.ARGUMENT):
        pool(be.tensor(np.ones((*shape, 1))), 2, 1, **spread)


@claim("NNM-335", about="layer", needs="backward create_graph nn torch", level="contract")
@given(axes=sampled_from([2, 3]), seed=integers(0, 2**32))
def test_windows_are_spread_by_a_fraction(be, axes, seed):
    """FractionalMaxPool takes the largest entries of windows that begin at whole parts of multiples
    of a fraction, of which the last ends the axis, and tells their places. Gradients go there, and
    derivatives of these come from there.
    """
    check_fractional(be, axes, seed)


@claim("NNM-336", about="layer", needs="backward nn torch", level="contract")
@given(
    x=arrays("x", shape=(2, 3, 1, 2)),
    w=arrays("w", shape=(2, 3, 1, 2)),
    alone=booleans(),
)
def test_channels_have_shares_at_each_place(be, x, w, alone):
    """Softmax2d makes shares of the channels at each place of an image, with or without a batch."""
    x, w = (x[0], w[0]) if alone else (x, w)
    leaf = be.leaf(x)
    y = be.layer("Softmax2d")(leaf)
    shares = np.moveaxis(softmax(np.moveaxis(x, -3, -1)), -1, -3)
    be.check(y, around(shares, 1.0))
    true = shares * (w - (w * shares).sum(-3, keepdims=True))
    be.check_gradient(
        *be.gradients(y, [leaf], be.tensor(w)), around(true, np.abs(w).max(), times=16)
    )


# ---- numbers that are rounded, sequences ---------------------------------------------------------


@claim("NNM-337", about="lookup", needs="backward torch", level="contract")
@example(
    x=np.arange(-12, 12).reshape(2, 3, 4) / 4,
    w=np.ones((2, 3, 4)),
    scales=[0.5, 0.5, 0.5],
    points=[0, 0, 0],
    bounds=(-3, 4),
    axis=1,
)
@given(
    x=arrays("x", shape=(2, 3, 4)),
    w=arrays("w", shape=(2, 3, 4)),
    scales=sampled_from([[0.5, 0.25, 2.0], [1.0, 1.0, 1.0], [4.0, 0.125, 0.5]]),
    points=sampled_from([[0, 0, 0], [1, -2, 3], [4, 4, -3]]),
    bounds=sampled_from([(-3, 4), (-8, 7), (-128, 127)]),
    axis=sampled_from([None, 1, -2]),
)
def test_numbers_are_rounded_to_a_grid(be, x, w, scales, points, bounds, axis):
    """What is quantized in appearance is x over the scale, rounded to the even one of two nearest
    integers, plus the zero point, within its bounds, and taken back; the gradient is that of x
    where nothing was brought within the bounds, and 0 elsewhere.
    """
    if axis is None:
        scale, point = np.array(scales[0]), np.array(points[0])
        name, told = "fake_quantize_per_tensor_affine", (scales[0], points[0])
    else:
        scale, point = (np.array(each).reshape(3, 1) for each in (scales, points))
        kinds = zip((scales, points), ("float32", "int32"), strict=True)
        made = (be.backend.tensor(np.array(each), kind, be.device) for each, kind in kinds)
        # Axes are counted from the front.
        name, told = "fake_quantize_per_channel_affine", (*made, axis % 3)
    leaf = be.leaf(x)
    y = be.lookup(f"torch:{name}")(leaf, *told, *bounds)
    whole = np.rint(x / scale) + point
    be.check(y, (np.clip(whole, *bounds) - point) * scale)
    inside = (bounds[0] <= whole) & (whole <= bounds[1])
    be.check_gradient(*be.gradients(y, [leaf], be.tensor(w)), w * inside)


@claim("NNM-600", about="layer lookup", needs="backward nn random torch", level="contract")
@example(axes=2, mode="circular", padding=(2, 0, 1), stride=1, dilation=1, same=False, seed=0)
@given(
    axes=integers(1, 3),
    mode=sampled_from(["reflect", "replicate", "circular"]),
    padding=tuples(*[integers(0, 2)] * 3),
    stride=integers(1, 2),
    dilation=integers(1, 2),
    same=booleans(),
    seed=integers(0, 2**32),
)
def test_a_convolution_pads_in_any_way(be, axes, mode, padding, stride, dilation, same, seed):
    """Told a way to pad, a convolution is one of what `pad` makes of its input in that way: along
    each axis, at both ends, by as many entries as it is told or as keep the size.
    """
    rng, place = np.random.default_rng(seed), "torch.nn.functional"
    x, steps = be.leaf(rng.normal(size=(2, 2, *(5, 6, 7)[:axes]))), 1 if same else stride
    told = (dilation,) * axes if same else padding[:axes]
    options = {"stride": steps, "dilation": dilation}
    with be.fork_random():
        be.manual_seed(seed)
        padded = "same" if same else told
        layer = be.layer(f"Conv{axes}d", 2, 4, 3, padding=padded, padding_mode=mode, **options)
    wide = be.lookup(f"{place}:pad")(x, [n for n in told[::-1] for _ in range(2)], mode=mode)
    leaves = [x, layer.weight, layer.bias]
    results = be.lookup(f"{place}:conv{axes}d")(wide, *leaves[1:], **options), layer(x)
    terms = be.numpy(results[0])
    be.check(results[1], around(terms, np.abs(terms).max()))
    w = be.tensor(rng.normal(size=be.shape(results[0])))
    for true, found in zip(*(be.gradients(y, leaves, w) for y in results), strict=True):
        terms = be.numpy(true)
        be.check_gradient(found, around(terms, np.abs(terms).max()))


@claim("NNM-338", about="layer", needs="backward nn random torch", level="contract")
@given(
    name=sampled_from(["RNN", "LSTM", "GRU"]),
    x=arrays("x", shape=(3, 2, 4)),
    both=booleans(),
    training=booleans(),
    seed=seeds(),
)
def test_recurrent_layers_drop_between_layers(be, name, x, both, training, seed):
    """Dropout of a recurrent layer is for the results of each layer but the last: if all are
    dropped in training, the next layer has its states and its bias alone; in evaluation none are.
    """
    options = {"num_layers": 2, "bidirectional": both}
    with be.fork_random(), be.full_precision():
        be.manual_seed(seed)
        dropping, whole = (be.layer(name, 4, 3, **options, dropout=p) for p in (1.0, 0.0))
        state = dropping.state_dict()
        for key in ("weight_ih_l1", "weight_ih_l1_reverse"):
            if training and key in state:
                state[key] = be.zeros_like(state[key])
        whole.load_state_dict(state)
        found, true = (layer.train(training)(be.tensor(x)) for layer in (dropping, whole))
    be.check(found[0], around(be.numpy(true[0]), 3.0))


@claim("NNM-339", about="lookup", needs="backward torch", level="contract")
@given(
    x=arrays("x", shape=(4, 2, 3), layouts=COMPACT),
    weight=arrays("weight", shape=(2, 3, 2)),
    bias=arrays("bias", shape=(2,)),
    w=arrays("w", shape=(5, 2, 2)),
    pad=sampled_from([0, 1, 2]),
)
def test_sequences_are_convolved_along_the_first_axis(be, x, weight, bias, w, pad):
    """conv_tbc adds up, at each time, products of channels at that time and at later ones with a
    weight for each, after as many times of zeros on both sides as it is told, and a bias.
    """
    times = 4 + 2 * pad - 1
    leaves = [be.leaf(each) for each in (x, weight, bias)]
    y = be.lookup("torch:conv_tbc")(*leaves, pad)
    padded, w = np.pad(x, ((pad, pad), (0, 0), (0, 0))), np.resize(w, (times, 2, 2))

    def result(a, k, b):
        return a[:-1] @ k[0] + a[1:] @ k[1] + b

    be.check(y, Total.products(result, padded, weight, bias))

    def for_x(k, c):
        whole = np.zeros((times + 1, 2, 3))
        whole[:-1] += c @ k[0].T
        whole[1:] += c @ k[1].T
        return whole[pad : pad + 4]

    def for_weight(a, c):
        return np.stack([np.einsum("tbi,tbo->io", a[n : n + times], c) for n in range(2)])

    trues = (
        Total.products(for_x, weight, w),
        Total.products(for_weight, padded, w),
        Total.along(w, (0, 1)),
    )
    for got, want in zip(be.gradients(y, leaves, be.tensor(w)), trues, strict=True):
        be.check_gradient(got, want)


@claim("NNM-332", about="lookup", needs="backward torch", level="contract")
@given(
    x=arrays("x", shape=(4, 2, 3), layouts=(transposed,)),
    weight=arrays("weight", shape=(2, 3, 2)),
    w=arrays("w", shape=(3, 2, 2), layouts=(transposed,)),
)
def test_convolved_sequences_may_lie_in_any_way(be, x, weight, w):
    """conv_tbc takes sequences, and its gradient cotangents, whose times are not contiguous in
    memory, too.
    """
    convolve, found = be.lookup("torch:conv_tbc"), []
    for start, cotangent in ((x, w), (x.copy("C"), w.copy("C"))):
        leaves = [be.leaf(start), be.leaf(weight)]
        y = convolve(*leaves, be.tensor(np.zeros(2)), 0)
        found.append((y, be.gradients(y, leaves, be.tensor(cotangent))))
    (got, slopes), (want, wanted) = found
    most = 8 * np.abs(weight).max() * max(np.abs(x).max(), np.abs(w).max())
    be.check(got, around(be.numpy(want), most))
    for slope, true in zip(slopes, wanted, strict=True):
        be.check_gradient(slope, around(be.numpy(true), 8 * np.abs(w).max() * 8))


# ---- tables --------------------------------------------------------------------------------------


@claim("NNM-350", about="lookup", needs="nn torch", level="contract")
@given(
    table=arrays("table", shape=(4, 2)),
    bags=lists(integers(0, 3), min_size=6, max_size=6),
    mode=sampled_from(["mean", "sum", "max"]),
    frozen=sampled_from([None, True, False]),
    padding=sampled_from([None, 0, 3]),
)
def test_bags_are_made_from_a_table(be, table, bags, mode, frozen, padding):
    """from_pretrained makes an EmbeddingBag of a table, frozen unless told otherwise, which takes
    bags as embedding_bag takes them by its mode and without its padding.
    """
    options = {"mode": mode, "padding_idx": padding}
    told = {} if frozen is None else {"freeze": frozen}
    rows, index = be.tensor(table), be.tensor(np.array(bags).reshape(2, 3))
    layer = be.lookup("torch.nn:EmbeddingBag").from_pretrained(rows, **told, **options)
    assert be.requires_grad(layer.weight) is (frozen is False)
    be.same(layer.weight, rows)
    be.same(layer(index), be.lookup("torch.nn.functional:embedding_bag")(index, rows, **options))


# ---- attention -----------------------------------------------------------------------------------


@claim(
    "EXT-320",
    about="scaled_dot_product_attention",
    needs="gradients scaled_dot_product_attention torch",
    level="contract",
)
@given(
    sizes=sampled_from([(1, 1), (2, 5), (5, 2), (3, 3)]),
    scale=sampled_from([None, 0.5, 2.0, 0.0, -1.0]),
    kernels=sampled_from([["MATH"], ["FLASH_ATTENTION", "EFFICIENT_ATTENTION", "MATH"]]),
    shared=booleans(),
    seed=integers(0, 2**32),
)
def test_later_keys_are_not_there(be, sizes, scale, kernels, shared, seed):
    """Whichever kernel computes it and whatever the scale, attention that is told to be causal has
    the results and gradients of attention with a mask that leaves out the later keys.
    """
    place, rng = "torch.nn.attention", np.random.default_rng(seed)
    chosen = be.lookup(f"{place}:sdpa_kernel"), be.lookup(f"{place}:SDPBackend")
    heads = (4, 2, 2) if shared else (2, 2, 2)
    shapes = [(2, n, length, 3) for n, length in zip(heads, (*sizes, sizes[1]), strict=True)]
    given = [rng.normal(size=shape) for shape in shapes]
    w, results = be.tensor(rng.normal(size=shapes[0])), []
    mask = be.tensor(np.tri(*sizes) > 0)
    for names, told in ((["MATH"], {"attn_mask": mask}), (kernels, {"is_causal": True})):
        leaves = [be.leaf(each) for each in given]
        with chosen[0]([getattr(chosen[1], name) for name in names]):
            y = be.scaled_dot_product_attention(*leaves, scale=scale, enable_gqa=shared, **told)
        results.append([be.numpy(each) for each in (y, *be.gradients(y, leaves, w))])
    for want, got in zip(*results, strict=True):
        be.check(be.tensor(got), around(want, np.abs(want).max() + 64, times=16))
