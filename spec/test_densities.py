"""Densities: how they and divergences move with parameters, and what both agree on."""

import math

import numpy as np

from gradspec.conformance import claim, every, example, given
from gradspec.conformance.strategies import DENSE, POSITIVE, arrays, integers, sampled_from
from gradspec.conformance.strategies.distributions import (
    ABOVE,
    BELOW,
    BEYOND,
    BIJECTIONS,
    FINITE,
    INSIDE,
    MEDIANS,
    MOMENTS,
    MOVED,
    REAL,
    SAMPLED,
    SELF,
    SHARES,
    WITH_ENTROPY,
    around,
    distribution,
    parameters,
    sampled,
)
from gradspec.conformance.strategies.random_numbers import seeds
from gradspec.conformance.truth.oracles.jets import Jet
from gradspec.conformance.truth.tolerance import Total

NO_WORKLOAD = "what a density computes is what its operations do"


# ---- densities -----------------------------------------------------------------------------------


@claim("DST-07", about="distribution divergence", needs="distributions backward gradients")
@given(
    x=arrays(values=REAL, shape=(2, 2, 3)),
    loc=arrays(values=REAL, shape=(2, 3)),
    scale=arrays(values=ABOVE, shape=(2, 1)),
    axes=integers(0, 2),
    w=arrays(shape=(2, 2, 3)),
)
def test_independent_axes_add_up(be, x, loc, scale, axes, w):
    """The density of independent axes is the product of those along them, and the entropy and the
    divergence are their sums; gradients are those of the sums.
    """
    leaves = [be.leaf(loc), be.leaf(scale)]
    normal = be.distribution("Normal", *leaves)
    joint = be.distribution("Independent", normal, axes)
    weights = w[(..., *(0,) * axes)]
    each, found = normal.log_prob(be.tensor(x)), joint.log_prob(be.tensor(x))
    last = tuple(range(-axes, 0))
    be.check(found, Total.along(be.numpy(each), last) if axes else be.numpy(each))
    whole = be.numpy(normal.entropy())
    entropy = joint.entropy()
    be.check(entropy, Total.along(whole, last) if axes else whole)
    one = be.distribution("Normal", be.tensor(np.zeros((2, 3))), 1.0)
    apart = be.numpy(be.divergence(normal, one))
    found_apart = be.divergence(joint, be.distribution("Independent", one, axes))
    be.check(found_apart, Total.along(apart, last) if axes else apart)
    repeated = np.broadcast_to(weights[(..., *(None,) * axes)], x.shape)
    gradients = be.gradients(found, leaves, be.tensor(weights.copy()))
    off, t = Jet.exact(x) - loc, Jet.exact(scale)
    rules = off / (t * t), off * off / (t * t * t) - 1 / t
    for gradient, rule, leaf in zip(gradients, rules, leaves, strict=True):
        be.check_gradient(gradient, (repeated * rule).onto(be.numpy(leaf).shape).total)
    (gradient,) = be.gradients(entropy, leaves[1:], be.tensor(weights[0].copy()))
    be.check_gradient(gradient, (repeated[0] / t).onto(be.numpy(leaves[1]).shape).total)


@claim("DST-346", about="distribution", needs="distributions backward gradients")
@given(
    x=arrays(values=REAL, shape=(4, 2, 3)),
    loc=arrays(values=REAL, shape=(2, 3)),
    scale=arrays(values=ABOVE, shape=(2, 3)),
    axes=integers(0, 2),
)
def test_independent_axes_stay_so_when_expanded(be, x, loc, scale, axes):
    """What is expanded of a distribution of independent axes keeps them in an event: the batch is
    the wide one, and densities, entropies and gradients are repeated.
    """
    leaves = [be.leaf(loc), be.leaf(scale)]
    once = be.distribution("Independent", be.distribution("Normal", *leaves), axes)
    shape = (4, *once.batch_shape)
    wide = once.expand(shape)
    assert (wide.batch_shape, wide.event_shape) == (shape, once.event_shape)
    found, true = wide.log_prob(be.tensor(x)), once.log_prob(be.tensor(x))
    be.same(found, true)
    entropy = np.broadcast_to(be.numpy(once.entropy()), shape)
    be.check(wide.entropy(), around(entropy, entropy))
    ones, off = be.tensor(np.ones(shape)), (x - loc) / scale
    parts = (be.gradients(y, leaves, ones) for y in (found, true))
    sizes = (np.abs(off) / scale).sum(0), ((1 + off * off) / scale).sum(0)
    for gradient, right, size in zip(*parts, sizes, strict=True):
        be.check_gradient(gradient, around(be.numpy(right), size))


@claim("DST-08", about="distribution", needs="distributions backward gradients")
@every(made=parameters(SELF))
@given(w=arrays(shape=(2, 3)))
def test_expanded_distributions_repeat_parameters(be, made, w):
    """A distribution that is expanded has the density and the entropy of one whose parameters are
    repeated, and the gradient of a parameter is the sum over its copies. What is drawn for one of
    them is not drawn for the other as well.
    """
    name, values = made
    leaves = [be.leaf(v) for v in values]
    copies = [be.leaf(np.stack([v, v])) for v in values]
    once, twice = (be.distribution(name, *each) for each in (leaves, copies))
    wide = once.expand((2,) if name in ("Dirichlet", "Categorical") else (2, 3))
    assert wide.batch_shape == twice.batch_shape
    x = sampled(be, 0, twice.sample)
    if wide.has_rsample:
        first, second = be.numpy(sampled(be, 0, wide.sample))
        assert np.any(first != second), f"{name} is drawn once for all of a batch"
    found, true = wide.log_prob(x), twice.log_prob(x)
    be.check(found, around(be.numpy(true), be.numpy(true)))
    weights = w if found.shape == (2, 3) else w[:, 0].copy()
    parts = be.gradients(true, copies, be.tensor(weights))
    for gradient, part in zip(be.gradients(found, leaves, be.tensor(weights)), parts, strict=True):
        terms = be.numpy(part).astype(float)
        be.check_gradient(gradient, around(terms.sum(0), np.abs(terms).sum(0)))


@claim("DST-348", about="distribution", needs="distributions vjp")
@given(low=arrays(values=BELOW, shape=(3,)), high=arrays(values=BEYOND, shape=(3,)))
def test_uniform_intervals_are_half_open(be, low, high):
    """The density of a uniform distribution is one over the length of its interval, the lower end
    included, with the gradients of that, and zero at the upper end.
    """
    long = high - low
    for at in (low, (low + high) / 2):

        def density(*ends, at=at):
            return be.distribution("Uniform", *ends).log_prob(be.tensor(at))

        found, pull = be.vjp(density, low, high)
        be.check(found, around(-np.log(long), np.log(long)))
        for gradient, slope in zip(pull(np.ones(3)), (1 / long, -1 / long), strict=True):
            be.check_gradient(gradient, around(slope, slope))
    made = be.distribution("Uniform", be.tensor(low), be.tensor(high))
    assert np.all(be.numpy(made.log_prob(be.tensor(high))) == -np.inf)


@claim("DST-09", about="distribution", needs="distributions vjp log abs")
@given(
    name=sampled_from(sorted(BIJECTIONS)),
    x=arrays(values=REAL, shape=(3,)),
    shift=arrays(values=REAL, shape=(3,)),
    factor=arrays(values=ABOVE, shape=(3,)),
)
def test_transformed_densities_lose_what_is_stretched(be, name, x, shift, factor):
    """The density of a transformed number is that of the number, less the logarithm of how much the
    transform stretches there: of its derivative, as reverse mode finds it.
    """
    given_to = {0: [], 1: [factor], 2: [shift, factor]}[BIJECTIONS[name]]
    transform = be.bijection(name, *map(be.tensor, given_to))
    start = np.abs(x) + 0.25 if name == "PowerTransform" else x
    kind = "Exponential" if name == "PowerTransform" else "Normal"
    base = be.distribution(kind, *map(be.tensor, [np.ones(3)] if kind != "Normal" else [x, factor]))
    y = transform(be.tensor(start))
    back = transform.inv(y)
    _, pull = be.vjp(transform, back)
    (slope,) = pull(be.tensor(np.ones(3)))
    stretched, own = be.log(be.abs(slope)), base.log_prob(back)
    found = be.distribution("TransformedDistribution", base, [transform]).log_prob(y)
    # One over the slope is by how much rounding is multiplied when y is taken back.
    sizes = np.abs(be.numpy(own)) + np.abs(be.numpy(stretched)) + 1 / np.abs(be.numpy(slope))
    be.check(found, around(be.numpy(be.sub(own, stretched)), sizes * (1 + np.abs(start))))


@claim("DST-10", about="distribution", needs="distributions vjp exp")
@every(made=parameters(SHARES))
@given(seed=seeds())
def test_shares_grow_by_the_density(be, made, seed):
    """The derivative of a distribution function is the density, and that of its inverse is one over
    the density; the inverse leads back.
    """
    name, values = made
    made = be.distribution(name, *map(be.tensor, values))
    x = sampled(be, seed, made.sample)
    share, pull = be.vjp(made.cdf, x)
    (slope,) = pull(be.tensor(np.ones(3)))
    density = be.numpy(be.exp(made.log_prob(x)))
    be.check_gradient(slope, around(density, density))
    p = be.tensor(np.array([0.25, 0.625, 0.875]))
    if name != "Gamma":
        at, pull = be.vjp(made.icdf, p)
        (slope,) = pull(be.tensor(np.ones(3)))
        over = 1 / be.numpy(be.exp(made.log_prob(at)))
        be.check_gradient(slope, around(over, over * (1 + np.abs(be.numpy(at))), times=16))
        be.check(made.cdf(at), around(be.numpy(p), be.numpy(at) / over))
    assert np.all((be.numpy(share) >= 0) & (be.numpy(share) <= 1))


@claim("DST-560", about="distribution", needs="distributions torch", level="contract")
@given(
    loc=arrays("row", shape=(3,), layouts=DENSE),
    scale=sampled_from([1.0, 0.5, 2.0]),
    far=integers(4, 40),
)
def test_far_out_shares_are_none_or_all(be, loc, scale, far):
    """Far out the share of Normal below a value is none or all to the digits of one, and what has a
    small power of two for its share has it to the digits of that. A Poisson of rate zero gives
    zero.
    """
    made = be.distribution("Normal", be.tensor(loc), be.tensor(np.full(3, scale)))
    for sign in (-1, 1):
        share = math.erfc(-sign * far / math.sqrt(2)) / 2
        be.check(made.cdf(be.tensor(loc + sign * far * scale)), around([share] * 3, far))
    for n in (10, 20, 40)[: 3 if be.dtype == "float64" else 2]:
        at = be.numpy(made.icdf(be.tensor(np.full(3, 2.0**-n)))).astype(np.float64)
        below = [math.erfc(each) / 2 for each in (loc - at) / scale / math.sqrt(2)]
        be.check(be.tensor(np.array(below) * 2.0**n), around([1.0] * 3, (n + np.abs(loc)) ** 2))
    none = be.distribution("Poisson", be.tensor(np.zeros(2)))
    be.check(none.log_prob(be.tensor(np.arange(2.0))), np.array([0.0, -np.inf]))


@claim("DST-13", about="distribution", needs="distributions vjp exp")
@example(made=("Laplace", [np.zeros(3), np.array([1.0, 2.0, 0.5])]))
@every(made=parameters(MEDIANS))
def test_medians_move_by_the_density(be, made):
    """At the median too, the derivative of the inverse of a distribution function is one over the
    density.
    """
    name, values = made
    made = be.distribution(name, *map(be.tensor, values))
    at, pull = be.vjp(made.icdf, be.tensor(np.full(3, 0.5)))
    (slope,) = pull(be.tensor(np.ones(3)))
    over = 1 / be.numpy(be.exp(made.log_prob(at)))
    be.check_gradient(slope, around(over, over * (1 + np.abs(be.numpy(at)))), name)


@claim("DST-280", about="distribution", needs="distributions random torch", level="contract")
@given(
    lead=sampled_from([(), (2,), (3, 2)]),
    wide=sampled_from([(), (1,), (4,), (4, 2)]),
    seed=seeds(),
)
def test_a_sample_is_of_its_shape_and_support(be, lead, wide, seed):
    """A sample has the shape that is asked for, before those of the batch and of an event, lies in
    the support, requires no gradient, and has a density for each event, the same if expanded.
    """
    for made in (distribution(be, name) for name in SAMPLED):
        wider = made.expand((*wide, *made.batch_shape))
        assert wider.batch_shape == (*wide, *made.batch_shape)
        assert wider.event_shape == made.event_shape
        x = sampled(be, seed, lambda wider=wider: wider.sample(lead))
        assert not be.requires_grad(x), made
        assert x.shape == (*lead, *wider.batch_shape, *made.event_shape), made
        assert np.all(be.numpy(wider.support.check(x))), made
        density = be.numpy(wider.log_prob(x))
        assert density.shape == (*lead, *wider.batch_shape), made
        be.check(made.log_prob(x), around(density, density), f"density of {made}")
        if made.has_enumerate_support:
            each = wider.enumerate_support()
            assert each.shape[1:] == (*wider.batch_shape, *made.event_shape), made
            once = wider.enumerate_support(expand=False)
            assert once.shape[1:] == (*(1 for _ in wider.batch_shape), *made.event_shape), made
            be.same(once.expand(each.shape), each)


@claim("DST-281", about="distribution", needs="distributions random torch", level="contract")
@given(seed=seeds())
def test_samples_have_mean_and_variance(be, seed):
    """The mean and the variance of a distribution are those of its samples, within eight standard
    errors; those of von Mises are circular, by the mean sine and cosine.
    """
    for name, made in ((name, distribution(be, name)) for name in sorted(MOMENTS)):
        x = be.numpy(sampled(be, seed, lambda made=made: made.sample((4000,)))).astype(float)
        mean, variance = (be.numpy(each).astype(float) for each in (made.mean, made.variance))
        apart = (x - mean) ** 2
        if name == "VonMises":
            x, apart = mean + np.sin(x - mean), 1 - np.cos(x - mean)
        for values, true in ((x, mean), (apart, variance)):
            error = 8 * values.std(0) / np.sqrt(4000) + 1e-6
            assert np.all(np.abs(values.mean(0) - true) <= error), (name, true, values.mean(0))


@claim(
    "DST-600",
    about="distribution",
    needs="distributions random backward gradients torch",
    level="contract",
)
@every(name=sorted(MOVED.keys() - {"Laplace", "Pareto", "Uniform"}))
@given(seed=seeds())
def test_densities_move_as_their_gradients_say(be, name, seed):
    """Where a density has no edge, the gradient of its logarithm by a parameter tells how much that
    changes at samples when the parameter is moved a little, either way.
    """
    values = {word: np.array(value) for word, value in MOVED[name].items()}
    told = {word: be.tensor(value) for word, value in values.items()}
    x = sampled(be, seed, lambda: be.distribution(name, **told).sample((3,)))
    for word, value in values.items():
        # Zeros of a factor stay zeros.
        along = value / 2 + (value.ndim < 2) * np.resize([0.25, -0.125, 0.5], value.shape)
        leaf = be.leaf(value)
        y = be.distribution(name, **told | {word: leaf}).log_prob(x)
        (gradient,) = be.gradients(be.sum(y), [leaf])
        slope = (be.numpy(gradient).astype(np.float64) * along).sum()
        slopes = []
        for step in (1 / 16, 1 / 32):
            ends = (be.tensor(value + way * along) for way in (step, -step))
            made = (be.distribution(name, **told | {word: end}).log_prob(x) for end in ends)
            more, less = (be.numpy(each).astype(np.float64) for each in made)
            slopes.append((more - less).sum() / step / 2)
        wide, near = slopes
        size = 1 + abs(slope) + np.abs(be.numpy(y)).max()
        assert abs(near - slope) <= 2 * abs(wide - near) + size / 4096, (word, near, slope)


@claim(
    "DST-430",
    about="distribution",
    needs="distributions random backward gradients torch",
    level="contract",
    widest=True,
)
@given(seed=seeds())
def test_samples_move_as_the_entropy_does(be, seed):
    """The gradient of an entropy by a parameter is that of minus the logarithm of the density at
    samples, which move with the parameter too, in the mean and within eight standard errors.
    """
    for name in sorted(WITH_ENTROPY):
        values = {word: np.array(value) for word, value in MOVED[name].items()}
        once = {word: be.leaf(value) for word, value in values.items()}
        often = {word: be.leaf(np.stack([value] * 4000)) for word, value in values.items()}
        entropy, made = be.distribution(name, **once).entropy(), be.distribution(name, **often)
        surprise = be.neg(made.log_prob(sampled(be, seed, made.rsample)))
        slopes, each = (
            be.gradients(be.sum(y), [*leaves.values()], materialize_grads=True)
            for y, leaves in ((entropy, once), (surprise, often))
        )
        for word, slope, moved_by in zip(values, slopes, each, strict=True):
            found, true = (be.numpy(g).astype(float) for g in (moved_by, slope))
            if word == "scale_tril":
                found = np.tril(found)
            mean, size = found.mean(0), 1 + np.abs(found).mean(0)
            error = 8 * found.std(0) / np.sqrt(4000) + 1024 * np.finfo(be.dtype).eps * size
            assert np.all(np.abs(mean - true) <= error), (name, word, mean, true)


# ---- divergences ---------------------------------------------------------------------------------


@claim("DST-11", about="divergence", needs="distributions backward gradients")
@every(made=parameters(SELF))
@given(moves=arrays(values=ABOVE, shape=(3,)))
def test_nothing_diverges_from_itself(be, made, moves):
    """The divergence of a distribution from itself is zero, and so are its gradients by the
    parameters of both; from any other one it is not negative.
    """
    name, values = made
    both = [[be.leaf(v) for v in values] for _ in range(2)]
    p, q = (be.distribution(name, *each) for each in both)
    found = be.divergence(p, q)
    zeros = np.zeros(be.numpy(found).shape)
    be.check(found, around(zeros, zeros, times=16))
    leaves = both[0] + both[1]
    for gradient in be.gradients(found, leaves, be.tensor(np.ones(zeros.shape))):
        be.check_gradient(gradient, around(np.zeros(3), np.zeros(3), times=16))
    others = [be.tensor(v * moves / 4 if v.min() > 0 else v + moves) for v in values]
    other = be.divergence(p, be.distribution(name, *others))
    assert np.all(be.numpy(other) >= -64 * np.finfo(be.dtype).eps)


@claim("DST-12", about="distribution divergence", needs="distributions backward gradients exp")
@given(
    kind=sampled_from(sorted(FINITE)),
    first=arrays(values=INSIDE, shape=(2,)),
    second=arrays(values=INSIDE, shape=(2,)),
)
def test_densities_on_few_values_add_up(be, kind, first, second):
    """Of a distribution on few values the densities add up to 1, whatever its parameters are; the
    entropy and the divergence are the means of logarithms that they stand for, and so are their
    gradients.
    """
    word, table, named = FINITE[kind]
    name = kind.partition(",")[0]
    leaves = [be.leaf(v if table is INSIDE else 4 * v - 2) for v in (first, second)]
    p, q = (be.distribution(name, **{word: leaf}, **named) for leaf in leaves)
    values = p.enumerate_support()
    log_p, log_q = p.log_prob(values), q.log_prob(values)
    chances = be.exp(log_p)
    pairs = [
        (be.sum(chances, 0), None),
        (p.entropy(), be.sum(be.mul(chances, be.neg(log_p)), 0)),
        (be.divergence(p, q), be.sum(be.mul(chances, be.sub(log_p, log_q)), 0)),
    ]
    for found, mean in pairs:
        ones = np.ones(be.numpy(found).shape)
        true = ones if mean is None else be.numpy(mean)
        be.check(found, around(true, 2 * ones))
        gradients, means = (
            be.gradients(y, leaves, be.tensor(ones), retain_graph=True, allow_unused=True)
            if y is not None else [None, None]
            for y in (found, mean)
        )  # fmt: skip
        for gradient, wanted in zip(gradients, means, strict=True):
            want = np.zeros(2) if wanted is None else be.numpy(wanted)
            be.check_gradient(gradient, around(want, 8 * np.ones(2)))


@claim("DST-347", about="distribution", needs="distributions vjp")
@given(
    kind=sampled_from(["Categorical", "OneHotCategorical"]),
    logits=arrays(values=REAL, shape=(2, 3)),
    place=integers(0, 3),
    size=sampled_from([1.0, 2.0]),
)
def test_impossible_choices_add_no_entropy(be, kind, logits, place, size):
    """A choice whose logit is -inf leaves the entropy and its gradients what they are without it;
    its own gradient is zero.
    """

    def entropy(z):
        return be.distribution(kind, logits=z).entropy()

    w = size * np.array([1.0, -0.5])
    true, pull = be.vjp(entropy, logits)
    found, back = be.vjp(entropy, np.insert(logits, place, -np.inf, -1))
    be.check(found, around(be.numpy(true), 4))
    slopes = np.insert(be.numpy(*pull(w)).astype(float), place, 0.0, -1)
    be.check_gradient(*back(w), around(slopes, 16 * (slopes != 0)))


@claim("DST-722", about="distribution", needs="distributions torch", level="contract")
@given(logits=arrays(values=REAL, shape=(3,)), place=integers(0, 3))
def test_impossible_choices_that_are_not_made_cost_nothing(be, logits, place):
    """Counts of choices have the chances that they have without a choice whose logit is -inf, if it
    is not among them; with it they have none.
    """
    counts = np.array([2.0, 0.0, 1.0])
    true = be.distribution("Multinomial", total_count=3, logits=be.tensor(logits))
    wider = be.tensor(np.insert(logits, place, -np.inf))
    made = be.distribution("Multinomial", total_count=3, logits=wider)
    without = be.numpy(true.log_prob(be.tensor(counts)))
    be.check(made.log_prob(be.tensor(np.insert(counts, place, 0.0))), around(without, 8))
    with_it = np.insert(np.array([1.0, 0.0, 1.0]), place, 1.0)
    assert be.numpy(made.log_prob(be.tensor(with_it))) == -np.inf


@claim("DST-750", about="distribution", needs="distributions torch", level="contract")
@given(scale=arrays("scale", shape=(), values=POSITIVE))
def test_what_is_certain_costs_nothing(be, scale):
    """What a distribution always gives has a chance whose logarithm is 0; what it never gives has
    one, or a density, whose logarithm is -inf.
    """
    for kind, told, value, true in (
        ("Geometric", {"probs": 1.0}, 0.0, 0.0),
        ("Geometric", {"probs": 1.0}, 1.0, -np.inf),
        ("Binomial", {"total_count": 3.0, "logits": 800.0}, 3.0, 0.0),
        ("Binomial", {"total_count": 3.0, "logits": -800.0}, 0.0, 0.0),
        ("Poisson", {"rate": 0.0}, 0.0, 0.0),
        ("Poisson", {"rate": 0.0}, 2.0, -np.inf),
        ("HalfNormal", {"scale": scale}, -1.0, -np.inf),
        ("HalfCauchy", {"scale": scale}, -1.0, -np.inf),
    ):
        numbers = {word: be.tensor(np.array(number)) for word, number in told.items()}
        made = be.distribution(kind, **numbers, validate_args=False)
        be.check(made.log_prob(be.tensor(np.array(value))), np.array(true), f"{kind} at {value}")
