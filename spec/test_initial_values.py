"""Initial values: what fills parameters before they learn."""

from math import ceil, prod

import numpy as np
import pytest

from gradspec.conformance import claim, every, example, given
from gradspec.conformance.strategies import DENSE, arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.arrays import transposed
from gradspec.conformance.strategies.distributions import around
from gradspec.conformance.strategies.initial_values import (
    BETWEEN,
    DRAWN,
    FILLS,
    GAINS,
    MADE,
    PLACE,
    REFUSED,
    check_made,
    check_truncated,
    initial,
)
from gradspec.conformance.strategies.random_numbers import SIGMAS, ks_ratio, normal, seeds

NO_WORKLOAD = "parameters are filled once"

# ---- numbers that are drawn ----------------------------------------------------------------------


@claim("RND-300", about="lookup", needs="random torch", level="contract")
@given(case=integers(0, 2**32), seed=seeds())
def test_initial_values_are_uniform_up_to_a_bound(be, case, seed):
    """uniform_ draws between two bounds, xavier_uniform_ up to the gain times the root of six over
    the sum of both fans, and kaiming_uniform_ up to the gain of its activation times the root of
    three over one fan: a fan is a number of channels times that of places of a kernel.
    """
    filling = initial("uniform", case)
    mean, reach = filling.distribution.mean, filling.distribution.deviation * np.sqrt(3)
    off = np.abs(filling.check(be, seed) - mean).max()
    assert reach * (1 - 5e-3) < off <= reach * (1 + 1e-6)


@claim("RND-301", about="lookup", needs="random torch", level="contract")
@given(case=integers(0, 2**32), seed=seeds())
def test_initial_values_are_normal(be, case, seed):
    """normal_ draws with the mean and the deviation that it is told, xavier_normal_ and
    kaiming_normal_ with mean 0 and the variance of what is uniform by the same options.
    """
    initial("normal", case).check(be, seed)


@claim("RND-302", about="lookup", needs="random torch", level="contract")
@every(options=BETWEEN)
@given(seed=seeds())
def test_initial_values_are_normal_between_bounds(be, options, seed):
    """trunc_normal_ draws normal numbers of which those outside of the bounds are left out, however
    far the mean is from these.
    """
    check_truncated(be, options, seed)


@claim("RND-850", about="lookup", needs="random torch", level="contract")
@every(name=list(DRAWN))
@given(seed=seeds(), other=seeds())
def test_initial_values_come_from_the_generator_that_is_told(be, name, seed, other):
    """What fills with random numbers and is told a generator takes them from there, goes on from
    one parameter to the next, and leaves the global stream where it was.
    """
    fill, filled = be.lookup(f"{PLACE}:{name.split()[0]}"), []
    with be.fork_random():
        for start in (other, other ^ 1):
            be.manual_seed(start)
            before, generator = be.random_state(be.device), be.generator(seed, be.device)
            for _ in range(2):
                weight = be.tensor(np.zeros((8, 9)))
                fill(weight, **DRAWN[name], generator=generator)
                filled.append(be.numpy(weight).tobytes())
            be.same(be.random_state(be.device), before, f"{name}: the global stream")
    first, second, *again = filled
    assert again == [first, second], f"{name}: the numbers come from elsewhere"
    assert first != second, f"{name}: the numbers do not go on"


@claim("RND-303", about="layer", needs="nn random torch", level="contract")
@every(name=sorted(MADE))
@given(seed=seeds())
def test_layers_begin_with_what_is_documented(be, name, seed):
    """A new layer that adds up products has parameters up to one over the root of how many it adds,
    a recurrent one of how many states it has, and a table of rows normal ones, but for zeros in the
    row for padding; normalizations begin with weights of one and no bias, and PReLU with a quarter.
    """
    check_made(be, name, seed)


@claim("RND-304", about="lookup", needs="random torch", level="contract")
@given(rows=sampled_from([8, 4, 5]), eighths=integers(0, 8), seed=seeds())
def test_initial_values_among_zeros(be, rows, eighths, seed):
    """sparse_ puts as many zeros into each column as its share of the rows, rounded up, into any
    row as often as into another; all other entries are normal with the deviation that it is told.
    """
    columns, share = 2000, eighths / 8
    with be.fork_random():
        be.manual_seed(seed)
        weight = be.lookup(f"{PLACE}:sparse_")(be.tensor(np.zeros((rows, columns))), share, std=2.0)
    found = be.numpy(weight)
    zeros = found == 0
    assert (zeros.sum(0) == ceil(share * rows)).all()
    odds = ceil(share * rows) / rows
    spread = np.sqrt(odds * (1 - odds) / columns)
    assert np.abs(zeros.mean(1) - odds).max() <= SIGMAS * spread
    assert zeros.all() or ks_ratio(found[~zeros], normal(0.0, 2.0)) <= 1


@claim("RND-305", about="lookup", needs="nn random rand torch", level="contract")
@given(
    name=sampled_from(["Linear", "Conv2d", "BatchNorm1d", "GRUCell"]),
    x=arrays("x", shape=(3, 4)),
    seed=seeds(),
)
def test_layers_are_made_without_initial_values(be, name, x, seed):
    """skip_init makes a layer of the sizes that it is told, and draws nothing: with the state of
    another one it computes the same.
    """
    sizes = {"Conv2d": (3, 2, 1), "BatchNorm1d": (4,)}.get(name, (4, 2))
    shaped = be.tensor(x[..., None] if name == "Conv2d" else x)
    with be.fork_random(), be.defaults(dtype=be.dtype):
        be.manual_seed(seed)
        true = be.numpy(be.rand((4,)))
        be.manual_seed(seed)
        skip, kind = be.lookup("torch.nn.utils:skip_init"), be.lookup(f"torch.nn:{name}")
        layer = skip(kind, *sizes, device=be.device)
        be.same(be.rand((4,)), true)
        other = be.layer(name, *sizes)
    names = [(n, be.shape(p), be.requires_grad(p)) for n, p in layer.named_parameters()]
    assert names == [(n, be.shape(p), be.requires_grad(p)) for n, p in other.named_parameters()]
    assert repr(layer) == repr(other)
    layer.load_state_dict(other.state_dict())
    be.same(layer(shaped), other(shaped))


# ---- numbers that are known ----------------------------------------------------------------------


@claim("NNM-320", about="lookup", needs="nn torch", level="contract")
@example(unknown=["softplus", "", "Conv2d"], slopes=[True, "0.5"])
def test_activations_have_gains(be, unknown, slopes):
    """calculate_gain is 1 for what is linear and for sigmoid, 5/3 for tanh, 3/4 for selu, and the
    root of 2 / (1 + slope^2) for a relu that leaks by a slope, 0.01 if nothing is said, or not at
    all. Other names are refused, and slopes that are no numbers.
    """
    gain = be.lookup(f"{PLACE}:calculate_gain")
    for (name, slope), true in GAINS.items():
        found = gain(name) if slope is None else gain(name, slope)
        assert abs(found - true) <= 1e-15 * true, name
    for name in unknown:
        with pytest.raises(ValueError, match="nonlinearity"):
            gain(name)
    for slope in slopes:
        with pytest.raises(ValueError, match="slope"):
            gain("leaky_relu", slope)


@claim("NNM-321", about="lookup", needs="nn torch", level="contract")
@given(
    x=arrays("matrix", shape=(3, 4), layouts=DENSE),
    turned=booleans(),
    value=sampled_from([0.5, -2.0, 0.0]),
)
def test_initial_values_are_constant(be, x, turned, value):
    """constant_ fills with a number, zeros_ with 0 and ones_ with 1, and eye_ a matrix with ones on
    its diagonal and zeros elsewhere, however the tensor lies in memory.
    """
    given, leaf = (x.T if turned else x), None
    for name, told, true in (
        ("constant_", (value,), np.full(given.shape, value)),
        ("zeros_", (), np.zeros(given.shape)),
        ("ones_", (), np.ones(given.shape)),
        ("eye_", (), np.eye(*given.shape)),
    ):
        leaf = be.leaf(given)
        be.lookup(f"{PLACE}:{name}")(leaf, *told)
        be.check(leaf, true, name)


@claim("NNM-322", about="layer", needs="nn torch", level="contract")
@example(axes=2, groups=2, into=3, out=2, size=2, seed=0)
@given(
    axes=integers(0, 3),
    groups=integers(1, 3),
    into=integers(1, 3),
    out=integers(1, 3),
    size=integers(1, 4),
    seed=integers(0, 2**32),
)
def test_initial_values_leave_channels_as_they_are(be, axes, groups, into, out, size, seed):
    """A convolution whose weight is filled by dirac_, told its groups, returns the channels of each
    group as they are, as many as it has results of, and zeros if it has more. A linear map whose
    weight is filled by eye_ does so too.
    """
    if not axes:
        groups = 1
    x = np.random.default_rng(seed).integers(-8, 9, size=(2, groups * into, *[3] * axes)) / 4
    options = {"groups": groups, "padding": size // 2} if axes else {}
    kind = f"Conv{axes}d" if axes else "Linear"
    sizes = (groups * into, groups * out, *[size] * bool(axes))
    layer = be.layer(kind, *sizes, bias=False, **options)
    be.lookup(f"{PLACE}:{'dirac_' if axes else 'eye_'}")(layer.weight, *[groups] * bool(axes))
    true, same = np.zeros((2, groups, out, *[3] * axes)), min(into, out)
    true[:, :, :same] = x.reshape(2, groups, into, *[3] * axes)[:, :, :same]
    # A kernel of even size has a place more.
    y = layer(be.tensor(x))[(..., *[slice(3)] * axes)]
    be.check(y, around(true.reshape(2, groups * out, *[3] * axes), np.abs(x).max()))


@claim("NNM-323", about="lookup", needs="nn random torch", level="contract")
@every(shape=[(3, 3), (2, 4), (4, 2), (1, 3), (3, 1), (4, 2, 3), (6, 2, 2), (3, 1, 2, 2)])
@given(
    gain=sampled_from([None, 2.0, 0.5, -1.5]),
    seed=seeds(),
)
def test_initial_values_are_orthogonal(be, shape, gain, seed):
    """orthogonal_ fills a matrix, or a tensor whose axes but the first are taken for one, so that
    its rows, or its columns if these are fewer, are orthogonal and as long as the gain.
    """
    with be.fork_random():
        be.manual_seed(seed)
        options = {} if gain is None else {"gain": gain}
        weight = be.lookup(f"{PLACE}:orthogonal_")(be.tensor(np.zeros(shape)), **options)
    matrix = be.numpy(weight).astype(np.float64).reshape(shape[0], prod(shape[1:]))
    rows = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
    square = (gain or 1.0) ** 2
    be.check(be.tensor(rows @ rows.T), around(square * np.eye(len(rows)), square, times=8))


# ---- where they are written ----------------------------------------------------------------------


@claim(
    "NNM-324",
    about="lookup",
    needs="grad_assign data version_counter views nn random torch",
    level="contract",
)
@given(
    x=arrays("matrix", shape=(4, 3), layouts=DENSE),
    g=arrays("gradient", shape=(4, 3)),
    seed=seeds(),
)
def test_initial_values_are_written_in_place(be, x, g, seed):
    """What fills a parameter writes into its memory and returns it: it stays a leaf that requires
    grad, has a new version, and keeps its .grad. What it lies beside in memory stays as it was.
    """
    for name, options in FILLS.items():
        start, slope = (x[..., None], g[..., None]) if name == "dirac_" else (x, g)
        # Between the columns of the parameter lie others.
        whole = be.tensor(np.stack([start, start], 2).reshape(4, 6, *start.shape[2:]))
        leaf, gradient = be.data(whole[:, ::2]), be.tensor(slope)
        be.set_requires_grad(leaf)
        be.set_grad(leaf, gradient)
        version = be.version_of(leaf)
        with be.fork_random():
            be.manual_seed(seed)
            filled = be.lookup(f"{PLACE}:{name}")(leaf, **options)
        assert filled is leaf, name
        assert be.is_leaf(leaf), name
        assert be.requires_grad(leaf), name
        assert be.version_of(leaf) > version, name
        assert be.grad(leaf) is gradient, name
        be.same(gradient, be.numpy(be.tensor(slope)), f"gradient after {name}")
        be.same(whole[:, ::2], leaf, f"memory filled by {name}")
        be.same(whole[:, 1::2], be.numpy(be.tensor(start)), f"memory beside {name}")


@claim("NNM-325", about="lookup", needs="nn random torch", level="contract")
@given(x=arrays("weight", shape=(2, 3, 4), layouts=(transposed,)), seed=seeds())
def test_orthogonal_initial_values_may_lie_in_any_way(be, x, seed):
    """orthogonal_ fills a tensor of several axes that lie in memory in another order, too."""
    plain, turned = be.tensor(np.zeros(x.shape)), be.tensor(x)
    with be.fork_random():
        for weight in (plain, turned):
            be.manual_seed(seed)
            be.lookup(f"{PLACE}:orthogonal_")(weight)
    be.same(turned, plain)


@claim("NNM-326", about="lookup", needs="nn torch", level="contract")
@example(cases=REFUSED)
def test_initial_values_without_a_meaning_are_refused(be, cases):
    """What has no fans, is no matrix or no kernel, has channels that do not come in so many groups,
    or is told a fan or an activation that nobody knows, is not filled, and stays as it was.
    """
    for name, shape, options in cases:
        leaf = be.leaf(np.ones(shape))
        with pytest.raises(ValueError):
            be.lookup(f"{PLACE}:{name}")(leaf, **options)
        be.check(leaf, np.ones(shape))
