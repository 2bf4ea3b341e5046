"""Training and evaluation: layers that do one thing in the first mode and another in the second."""

from itertools import product

import numpy as np

from gradspec.conformance import ErrorKind, claim, every, example, given, workload
from gradspec.conformance.strategies import (
    NONZERO,
    arrays,
    integers,
    lists,
    sampled_from,
    tuples,
)
from gradspec.conformance.strategies.distributions import around
from gradspec.conformance.strategies.modules import fill
from gradspec.conformance.strategies.random_numbers import SIGMAS, coin, ks_ratio, seeds
from gradspec.conformance.truth.oracles.jets import Jet
from gradspec.conformance.truth.oracles.normalization import moments, normalized, updated

DROPPED = (
    ("dropout", (128, 256), 2), ("alpha_dropout", (128, 256), 2), ("dropout", (512,), 1),
    ("dropout1d", (128, 256, 2), 2), ("dropout1d", (512, 2), 1),
    ("dropout2d", (128, 256, 2, 1), 2),
    ("dropout3d", (128, 256, 1, 2, 1), 2), ("dropout3d", (512, 1, 1, 2), 1),
    ("feature_alpha_dropout", (128, 256, 2), 2),
)  # fmt: skip
"""Kinds of dropout, shapes, and how many axes number what is dropped by itself."""


@claim("TRN-62", about="layer", needs="nn data serialize", level="contract")
@example(program=[(0, False)], x=np.ones((2, 3)), w=np.ones((2, 3)))
@given(
    program=lists(
        tuples(integers(0, 4), sampled_from([True, False, None])), min_size=1, max_size=4
    ),
    x=arrays(shape=(2, 3)),
    w=arrays(shape=(2, 3)),
)
def test_a_mode_reaches_every_descendant(be, program, x, w):
    """train(flag) sets the mode of a module and of all modules below it, eval() is train(False),
    and both return the module; a layer that has no use for the mode computes the same in either,
    and the state of a module does not hold it.
    """
    linear = fill(be, be.layer("Linear", 3, 2, bias=False), w)
    drop, norm = be.layer("Dropout"), be.layer("BatchNorm1d", 2)
    inner = be.layer("Sequential", drop, norm)
    nodes = [be.layer("Sequential", linear, inner), linear, inner, drop, norm]
    below = {0: range(5), 1: [1], 2: [2, 3, 4], 3: [3], 4: [4]}
    expected, state = [True] * 5, list(nodes[0].state_dict())
    before = linear(be.tensor(x))
    for place, flag in program:
        node = nodes[place]
        assert (node.eval() if flag is None else node.train(flag)) is node
        for n in below[place]:
            expected[n] = bool(flag)
        assert [node.training for node in nodes] == expected
        be.same(linear(be.tensor(x)), before)
    assert list(nodes[0].state_dict()) == state
    assert not any("training" in name for name in state)


# ---- dropout -------------------------------------------------------------------------------------


@workload(needs="nn random")
def thin(be, leaf, p=0.5):
    """Dropout, and the gradient through it."""
    y = be.layer("Dropout", p)(leaf)
    be.backward(be.sum(be.mul(y, y)))
    return be.grad(leaf)


@claim("TRN-63", about="layer", needs="backward nn random")
@example(x=np.ones(4), w=np.ones(4), p=0.5, seed=0)
@given(
    x=arrays(values=NONZERO),
    w=arrays(values=NONZERO),
    p=sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]),
    seed=seeds(),
)
def test_dropout_keeps_expectations(be, x, w, p, seed):
    """In training dropout sets each entry to zero with probability p, whatever the others are, and
    scales the rest by 1 / (1 - p), as it does to the gradient; in evaluation it changes nothing,
    and p outside of [0, 1] is refused.
    """
    layer, leaf = be.layer("Dropout", p), be.leaf(x)

    def scaled(values):
        return Jet.exact(values) / (1 - p) if p < 1 else 0 * Jet.exact(values)

    with be.fork_random():
        be.manual_seed(seed)
        y = layer(leaf)
        many = be.numpy(layer(be.tensor(np.ones(20_000)))) != 0
        squares = thin(be, be.leaf(x), p)
    kept = be.numpy(y) != 0
    be.check(y, scaled(kept * x))
    be.backward(y, w)
    be.check(be.grad(leaf), scaled(kept * w))
    twice = scaled((be.numpy(squares) != 0) * 2 * x)
    be.check(squares, twice / (1 - p) if p < 1 else twice)
    assert ks_ratio(many.astype(float), coin(1 - p)) <= 1
    assert ks_ratio((many[::2] & many[1::2]).astype(float), coin((1 - p) ** 2)) <= 1
    be.same(layer.eval()(leaf), leaf)
    for wrong in (-0.5, 1.5):
        with be.raises(ErrorKind.ARGUMENT):
            be.layer("Dropout", wrong)


@claim("TRN-840", about="lookup", needs="random torch", level="contract", widest=True)
@every(case=DROPPED)
@given(p=sampled_from([0.25, 0.5, 0.75]), seed=seeds())
def test_each_channel_is_dropped_by_itself(be, case, p, seed):
    """Dropout drops its share of the entries or, where it is for features, of the channels, each as
    a whole: of every item of a batch others, and of one item too.
    """
    name, shape, whole = case
    with be.fork_random():
        be.manual_seed(seed)
        y = be.numpy(be.lookup(f"torch.nn.functional:{name}")(be.tensor(np.ones(shape)), p, True))
    dropped = y < (y.min() + y.max()) / 2
    rows = dropped.reshape(*shape[:whole], -1)
    assert (rows == rows[..., :1]).all() or whole == len(shape)
    rows = rows[..., 0]
    assert abs(rows.mean() - p) <= SIGMAS * np.sqrt(p * (1 - p) / rows.size)
    for axis in range(whole):
        assert np.ptp(rows.astype(int), axis=axis).all(), f"along axis {axis} all are alike"


@claim("TRN-841", about="layer", needs="nn data no_grad random torch", level="contract")
@every(case=list(product((0.25, 0.5), (False, True), (False, True))))
@given(seed=seeds())
def test_attention_drops_shares_in_training(be, case, seed):
    """In training attention drops its share of the weights that a query gives to keys, each by
    itself, and enlarges the others as much, whether it is asked for weights or not and recorded or
    not; in evaluation it drops none.
    """
    (p, asked, recorded), size, count = case, 16, 128
    layer, eye = be.layer("MultiheadAttention", size, 1, dropout=p, bias=False), np.eye(size)
    fill(be, layer, np.concatenate([eye] * 3), eye)
    query, key = np.zeros((size, count, size)), np.repeat(eye[:, None], count, 1)
    given = [be.tensor(x) for x in (query, key, key)]
    with be.fork_random(), be.set_grad_enabled(recorded):
        be.manual_seed(seed)
        result, weights = layer(*given, need_weights=asked)
        plain, _ = layer.eval()(*given, need_weights=asked)
    be.check(plain, around(np.full((size, count, size), 1 / size), 1.0))
    dropped = be.numpy(result) == 0
    be.check(result, around(~dropped / (1 - p) / size, 1.0))
    if asked:
        be.check(weights, around(be.numpy(result).swapaxes(0, 1), 1.0))
    for axes in ((), (0, 1), (1, 2)):
        share = dropped.mean(axes or None)
        assert np.all(abs(share - p) <= SIGMAS * np.sqrt(p * (1 - p) * share.size / dropped.size))
    assert np.ptp(dropped.astype(int), axis=1).all(), "the items are alike"


# ---- batch normalization -------------------------------------------------------------------------


@claim("TRN-64", about="layer", needs="backward nn data no_grad")
@given(
    first=arrays(shape=(4, 3)),
    second=arrays(shape=(5, 3)),
    weight=arrays(shape=(3,)),
    bias=arrays(shape=(3,)),
    momentum=sampled_from([0.1, 0.5]),
)
def test_batch_normalization_has_two_modes(be, first, second, weight, bias, momentum):
    """In training each channel is brought to mean 0 and variance 1, the biased one, of its batch,
    then stretched and shifted, and running statistics take in the mean and the unbiased variance;
    in evaluation the running statistics serve instead, and stay as they are.
    """
    layer = fill(be, be.layer("BatchNorm1d", 3, momentum=momentum), weight, bias)
    running = Jet.exact(np.zeros(3)), Jet.exact(np.ones(3))
    for batch in map(Jet.exact, (first, second)):
        with be.no_grad():
            y = layer(be.tensor(batch.value))
        be.check(y, normalized(batch, *moments(batch), weight, bias).total)
        running = updated(running, batch, momentum)
    layer.eval()
    for batch in (second, second[:1]):
        y = layer(be.tensor(batch))
        be.check(y, normalized(Jet.exact(batch), *running, weight, bias).total)
    be.check(layer.running_mean, running[0].total, "the running mean")
    be.check(layer.running_var, running[1].total, "the running variance")
    with be.raises(ErrorKind.SHAPE):
        layer.train()(be.tensor(second[:1]))


@claim("TRN-101", about="layer", needs="nn torch", level="contract")
@given(batches=lists(arrays(shape=(4, 3)), min_size=1, max_size=3))
def test_statistics_may_be_means_or_not_kept(be, batches):
    """With a momentum of None running statistics are the means of those of all batches so far; with
    track_running_stats=False there are none, and evaluation normalizes by the batch too.
    """
    layer = be.layer("BatchNorm1d", 3, momentum=None)
    without = be.layer("BatchNorm1d", 3, track_running_stats=False).eval()
    running = Jet.exact(np.zeros(3)), Jet.exact(np.ones(3))
    for n, batch in enumerate(map(Jet.exact, batches), start=1):
        running = updated(running, batch, 1 / n)
        for each in (layer, without):
            y = each(be.tensor(batch.value))
            be.check(y, normalized(batch, *moments(batch), np.ones(3), np.zeros(3)).total)
    be.check(layer.running_mean, running[0].total, "the running mean")
    be.check(layer.running_var, running[1].total, "the running variance")
    assert layer.num_batches_tracked.item() == len(batches)
    assert without.running_mean is without.running_var is None


@claim("TRN-65", about="layer", needs="backward nn data random")
@given(
    x=arrays(shape=(4, 3)),
    w=arrays(shape=(3, 3), values=NONZERO),
    mean=arrays(shape=(3,)),
    seed=seeds(),
)
def test_evaluation_takes_samples_one_by_one(be, x, w, mean, seed):
    """In evaluation the output for a sample is a function of that sample alone, the same in every
    batch and every time; in training it also depends on the other samples and on chance.
    """
    norm, drop = be.layer("BatchNorm1d", 3), be.layer("Dropout")
    be.set_data(norm.running_mean, be.tensor(mean))
    linear = fill(be, be.layer("Linear", 3, 3, bias=False), w)
    net = be.layer("Sequential", linear, be.layer("Sequential", norm, drop)).eval()
    whole = net(be.tensor(x))
    be.same(net(be.tensor(x)), whole)
    for rows in (x, x[1:3], x[3:]):
        z = Jet.exact(rows) @ w.T
        expected = normalized(z, mean, np.ones(3), np.ones(3), np.zeros(3))
        be.check(net(be.tensor(rows)), expected.total)
    net.train()
    with be.fork_random():
        be.manual_seed(seed)
        ones = be.tensor(np.ones((8, 16)))
        assert not np.array_equal(be.numpy(drop(ones)), be.numpy(drop(ones)))
    # Two samples are brought to -1 and 1; with a third one the first is nowhere but elsewhere.
    apart = x + 32.0 * np.arange(4)[:, None]
    two, three = (be.numpy(norm(be.tensor(apart[list(rows)])))[0] for rows in ((0, 1), (0, 1, 3)))
    assert np.all(two != three)
