"""Families: mixtures, vectors and matrices, and divergences of one kind from another."""

import warnings

import numpy as np

from gradspec.conformance import claim, every, example, given
from gradspec.conformance.strategies import arrays, integers, lists, sampled_from
from gradspec.conformance.strategies.distributions import ABOVE, REAL, around, sampled
from gradspec.conformance.strategies.divergences import (
    BEYOND,
    CERTAIN,
    CHANCES,
    CONCENTRATED,
    COUNTED,
    COUNTS,
    EDGES,
    PAIRS,
    divergences,
    of_choices,
    pairs,
)
from gradspec.conformance.strategies.families import (
    BY_LOGITS,
    FAR,
    FIVE,
    PARTED,
    WITHOUT_END,
    bell,
    bells,
    check_all,
    correlations,
    figure,
    figures,
    general_pareto,
    mixed,
    mixed_below,
    mixed_mean,
    mixed_variance,
    normals,
    spread,
    squared,
    subclasses,
    wishart,
    wishart_entropy,
    wishart_mean,
    wishart_variance,
    wisharts,
)
from gradspec.conformance.strategies.random_numbers import seeds
from gradspec.conformance.strategies.transformed import correlated, softmax
from gradspec.conformance.truth.oracles.jets import Jet

NO_WORKLOAD = "what a density computes is what its operations do"

# ---- mixtures ------------------------------------------------------------------------------------


@claim(
    "DST-300",
    about="distribution",
    needs="distributions backward gradients torch",
    level="contract",
)
@given(
    x=arrays(values=REAL, shape=(2,)),
    logits=arrays(values=REAL, shape=(2, 3)),
    shared=sampled_from([False, True]),
    loc=arrays(values=REAL, shape=(2, 3)),
    scale=arrays(values=ABOVE, shape=(2, 3)),
)
def test_a_mixture_is_the_sum_of_its_parts(be, x, logits, shared, loc, scale):
    """The density and the share of a mixture are sums over its parts, weighted by their chances,
    which a batch may share; so is the mean, and the variance is that of all about it. Gradients
    reach the value, the chances and the parameters of the parts.
    """
    leaves = [be.leaf(v) for v in (x, logits[0].copy() if shared else logits, loc, scale)]
    chosen = be.distribution("Categorical", logits=leaves[1])
    parts = be.distribution("Normal", *leaves[2:])
    made = be.distribution("MixtureSameFamily", chosen, parts)
    check_all(be, made.log_prob(leaves[0]), mixed, leaves, "density")
    check_all(be, made.cdf(leaves[0]), mixed_below, leaves, "share")
    check_all(be, made.mean, mixed_mean, leaves[1:], "mean")
    check_all(be, made.variance, mixed_variance, leaves[1:], "variance")


@claim("DST-341", about="distribution", needs="distributions torch", level="contract")
@given(
    logits=arrays(values=REAL, shape=(3,)),
    loc=arrays(values=REAL, shape=(3, 2)),
    scale=arrays(values=ABOVE, shape=(3, 2)),
    x=arrays(values=REAL, shape=(2,)),
)
def test_a_mixture_of_vectors_varies_by_entries(be, logits, loc, scale, x):
    """The mean and the variance of a mixture of vectors are those of the mixture of each entry; its
    density is the sum of those of its parts, each the product over entries, weighted by chances.
    """
    vectors, numbers = (
        be.distribution("Normal", be.tensor(places), be.tensor(widths))
        for places, widths in ((loc, scale), (loc.T, scale.T))
    )
    chosen = be.distribution("Categorical", logits=be.tensor(logits))
    parts = (be.distribution("Independent", vectors, 1), numbers)
    shared = chosen.expand((2,))
    together, apart = (
        be.distribution("MixtureSameFamily", chances, part)
        for chances, part in zip((chosen, shared), parts, strict=True)
    )
    size = np.abs(loc).max() + scale.max()
    for name, power in (("mean", 1), ("variance", 2)):
        true = be.numpy(getattr(apart, name))
        be.check(getattr(together, name), around(true, size**power, times=16), name)
    each = -(((x - loc) / scale) ** 2) / 2 - np.log(scale * np.sqrt(2 * np.pi))
    whole = np.logaddexp.reduce(logits + each.sum(-1)) - np.logaddexp.reduce(logits)
    size = np.abs(each).sum() + np.abs(logits).max()
    be.check(together.log_prob(be.tensor(x)), around(whole, size, times=16), "density")


@claim("DST-301", about="distribution", needs="distributions random torch", level="contract")
@example(lead=(), shared=True, vectors=False, seed=0)
@given(
    lead=sampled_from([(), (2,), (3, 2)]),
    shared=sampled_from([False, True]),
    vectors=sampled_from([False, True]),
    seed=seeds(),
)
def test_mixtures_are_drawn_for_each_of_a_batch(be, lead, shared, vectors, seed):
    """A sample of a mixture has the shape that is asked for before that of the batch, each number
    or vector from one of the parts, though a batch shares the chances of these.
    """
    chances = be.tensor(np.ones(3 if shared or vectors else (2, 3)))
    places = np.array([[0.0, 64.0, 128.0], [256.0, 512.0, 1024.0]])
    ends = [end.T if vectors else end for end in (places, places + 1)]
    parts = be.distribution("Uniform", *map(be.tensor, ends))
    if vectors:
        parts = be.distribution("Independent", parts, 1)
    made = be.distribution("MixtureSameFamily", be.distribution("Categorical", chances), parts)
    drawn = be.numpy(sampled(be, seed, lambda: made.sample(lead)))
    assert drawn.shape == (*lead, 2)
    off = drawn[..., None] - places
    within = (off >= 0) & (off <= 1)
    assert np.all(within.sum(-1) == 1)
    assert not vectors or np.all(within.all(-2).any(-1))


# ---- vectors and matrices ------------------------------------------------------------------------


@claim(
    "DST-302",
    about="distribution divergence",
    needs="distributions backward gradients torch tril",
    level="contract",
)
@given(x=arrays(values=REAL, shape=(2, 3)), seeds=arrays(values=np.arange(256.0), shape=(2,)))
def test_vectors_have_covariances(be, x, seeds):
    """A normal distribution of vectors with few factors, or with a root of its covariances, is that
    of these covariances, and of their inverse: by its density, its entropy, its variance and its
    divergence from another, of either form, and by gradients of all parameters.
    """
    p, leaves, covariances, lead = normals(be, int(seeds[0]))
    q, others, further, _ = normals(be, int(seeds[1]))
    value, count = be.leaf(x if lead == (2,) else x[0].copy()), len(leaves)

    def density(v, loc, *form):
        return bell(v, loc, covariances(*form))

    def divergence(*both):
        first, second = covariances(*both[1:count]), further(*both[count + 1 :])
        return bells(both[0], first, both[count], second)

    def variance(*form):
        return np.sum(covariances(*form) * np.eye(3), -1)

    def distance(*form):
        return 3 - 2 * (bell(v, 0 * v, covariances(*form)) + spread(covariances(*form)))

    check_all(be, p.log_prob(value), density, [value, *leaves], f"density of {p}")
    check_all(be, p.entropy(), lambda *f: spread(covariances(*f)), leaves[1:], f"entropy of {p}")
    check_all(be, p.variance, variance, leaves[1:], f"variance of {p}")
    check_all(be, p.covariance_matrix, covariances, leaves[1:], f"covariances of {p}")
    v = be.numpy(value).astype(float)
    far = be.sum(be.mul(p.precision_matrix, be.tensor(v[..., None] * v[..., None, :])), (-2, -1))
    check_all(be, far, distance, leaves[1:], f"precision of {p}")
    found = be.divergence(p, q)
    check_all(be, found, divergence, [*leaves, *others], f"divergence of {p} from {q}")


@claim(
    "DST-345",
    about="distribution",
    needs="distributions backward gradients torch tril matmul transpose",
    level="contract",
)
@given(
    x=arrays(values=REAL, shape=(2, 3)),
    loc=arrays(values=REAL, shape=(2, 3)),
    root=arrays(values=REAL, shape=(2, 3, 3)),
)
def test_vectors_have_precisions(be, x, loc, root):
    """A batch of normal vectors by matrices of precisions has the inverse of each for covariances,
    and the densities of these, with gradients by places and by roots of the precisions.
    """
    start = np.tril(root, -1) / 2 + np.array([1.0, 2.0])[:, None, None] * np.eye(3)
    leaves = [be.leaf(v) for v in (x, loc, start)]
    low = be.tril(leaves[2])
    precisions = be.matmul(low, be.transpose(low, -1, -2))
    made = be.distribution("MultivariateNormal", leaves[1], precision_matrix=precisions)

    def covariances(r):
        return np.linalg.solve(squared(r), np.eye(3) + 0 * r)

    check_all(be, made.covariance_matrix, covariances, leaves[2:], "covariances")
    check_all(be, made.log_prob(leaves[0]), lambda v, m, r: bell(v, m, covariances(r)), leaves,
              "density")  # fmt: skip


@claim(
    "DST-303",
    about="distribution",
    needs="distributions backward gradients torch tril",
    level="contract",
)
@given(
    df=arrays(values=FIVE, shape=(2,)),
    root=arrays(values=REAL, shape=(2, 2, 2)),
    square=arrays(values=REAL, shape=(2, 2, 2)),
)
def test_wishart_densities_are_of_matrices(be, df, root, square):
    """The density, the mean and the variance of a Wishart distribution are those of sums of so many
    products of normal vectors, with gradients by the degrees of freedom and the root of scale.
    """
    root = np.tril(root) / 4 + np.eye(2)
    value = square @ square.swapaxes(-1, -2) / 4 + np.eye(2)
    leaves = [be.leaf(df), be.leaf(root)]
    made = be.distribution("Wishart", leaves[0], scale_tril=be.tril(leaves[1]))
    found = made.log_prob(be.tensor(value))
    check_all(be, found, lambda n, r: wishart(value + 0 * r, n, r), leaves, "density")
    check_all(be, made.mean, wishart_mean, leaves, "mean")
    check_all(be, made.variance, wishart_variance, leaves, "variance")
    true = wishart_entropy(df, root)
    be.check(made.entropy(), around(true, 16 * (1 + np.abs(true))))


@claim(
    "DST-304",
    about="divergence",
    needs="distributions backward gradients torch tril",
    level="contract",
)
@example(first=np.array([5.0, 6.5]), second=np.array([6.5, 5.0]), scale=np.array([1.0, 2.0]))
@given(
    first=arrays(values=FIVE, shape=(2,)),
    second=arrays(values=FIVE, shape=(2,)),
    scale=arrays(values=ABOVE, shape=(2,)),
)
def test_wishart_distributions_diverge(be, first, second, scale):
    """The divergence of Wishart distributions is that of each of a batch by itself, with gradients
    by the parameters of both.
    """
    roots = [np.stack([np.eye(2)] * 2), scale[:, None, None] * np.eye(2)]
    leaves = [be.leaf(v) for v in (first, roots[0], second, roots[1])]
    p, q = (
        be.distribution("Wishart", n, scale_tril=be.tril(r)) for n, r in (leaves[:2], leaves[2:])
    )
    check_all(be, be.divergence(p, q), wisharts, leaves, "divergence")


@claim("DST-305", about="distribution", needs="distributions random torch", level="contract")
@example(lead=(), seed=0)
@given(lead=sampled_from([(), (3,)]), seed=seeds())
def test_matrices_are_drawn_without_a_warning(be, lead, seed):
    """A sample of a Wishart distribution with many degrees of freedom is positive definite, and no
    warning says otherwise.
    """
    made = be.distribution("Wishart", be.tensor(np.array(64.0)), be.tensor(np.eye(2)))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        x = be.numpy(sampled(be, seed, lambda: made.sample(lead)))
    assert np.all(np.linalg.eigvalsh(x) > 0)
    assert not [str(each.message) for each in said]


@claim(
    "DST-306",
    about="distribution",
    needs="distributions backward gradients torch",
    level="contract",
)
@given(
    dim=sampled_from([2, 3, 4]),
    concentration=arrays(values=ABOVE, shape=(2,)),
    x=arrays(values=REAL, shape=(2, 6)),
)
def test_roots_of_correlations_have_a_density(be, dim, concentration, x):
    """The density of the roots of correlations is a product of powers of their diagonal, over its
    integral, with the gradient by the concentration.
    """
    value, leaf = correlated(x[:, : dim * (dim - 1) // 2] / 2), be.leaf(concentration)
    made = be.distribution("LKJCholesky", dim, leaf)
    found = made.log_prob(be.tensor(value))
    check_all(be, found, lambda c: correlations(c, value), [leaf], "density")


@claim(
    "DST-307",
    about="distribution",
    needs="distributions random backward gradients torch",
    level="contract",
)
@given(logits=arrays(values=REAL, shape=(2, 3)), w=arrays(shape=(4, 2, 3)), seed=seeds())
def test_choices_have_the_gradient_of_chances(be, logits, w, seed):
    """A sample of a choice that is passed straight through is one of the choices, as sample draws
    it, and has the gradient of their chances.
    """
    leaf = be.leaf(logits)
    made = be.distribution("OneHotCategoricalStraightThrough", logits=leaf)
    assert made.has_rsample
    x = sampled(be, seed, lambda: made.rsample((4,)))
    be.check(x, around(be.numpy(sampled(be, seed, lambda: made.sample((4,)))), 1.0))
    (gradient,) = be.gradients(x, [leaf], be.tensor(w))
    p, total = softmax(logits), w.sum(0)
    true = p * (total - (p * total).sum(-1, keepdims=True))
    be.check_gradient(gradient, around(true, np.abs(w).sum((0, -1))[:, None] + 0 * true))


# ---- divergences ---------------------------------------------------------------------------------


@claim(
    "DST-308",
    about="divergence",
    needs="distributions backward gradients torch",
    level="contract",
)
@every(made=pairs(PAIRS))
def test_kinds_diverge_by_the_mean_of_logarithms(be, made):
    """The divergence of one kind of distribution from another is the mean, under the first, of what
    the logarithms of their densities differ by, with gradients by all parameters but concentrations
    of the first.
    """
    first, second, *rows = made
    sides = [[be.leaf(v) for v in values] for values in rows]
    p, q = (be.distribution(n, *s) for n, s in zip((first, second), sides, strict=True))
    true, slopes = divergences(first, second, *rows)
    found = be.divergence(p, q)
    be.check(found, true, f"divergence of {first} from {second}")
    leaves = sides[0] + sides[1]
    gradients = be.gradients(found, leaves, be.tensor(np.ones(2)), allow_unused=True)
    for n in range(COUNTED.get(first, 0), len(leaves)):
        be.check_gradient(gradients[n], slopes[n], f"gradient {n} of {first} from {second}")


@claim(
    "DST-309",
    about="divergence",
    needs="distributions backward gradients torch",
    level="contract",
)
@every(made=pairs(CONCENTRATED))
def test_divergences_move_with_concentrations(be, made):
    """The divergence of a gamma or beta distribution from another kind moves with its
    concentrations as the mean of logarithms does.
    """
    first, second, *rows = made
    leaves = [be.leaf(v) for v in rows[0]]
    p = be.distribution(first, *leaves)
    found = be.divergence(p, be.distribution(second, *map(be.tensor, rows[1])))
    _, slopes = divergences(first, second, *rows)
    gradients = be.gradients(found, leaves, be.tensor(np.ones(2)))
    for n in range(COUNTED[first]):
        be.check_gradient(gradients[n], slopes[n], f"gradient {n} of {first} from {second}")


@claim("DST-310", about="divergence", needs="distributions torch", level="contract")
@example(
    made=("Uniform", "Beta", [np.zeros(2), np.ones(2)], [np.array([2.0, 3.0]), np.full(2, 1.5)])
)
@every(made=pairs(EDGES))
def test_what_ends_together_diverges_by_a_number(be, made):
    """The divergence of one kind from another that ends in the same place is a number: there is a
    density wherever the first has one.
    """
    first, second, *rows = made
    p, q = (
        be.distribution(n, *map(be.tensor, values))
        for n, values in zip((first, second), rows, strict=True)
    )
    true, _ = divergences(first, second, *rows)
    be.check(be.divergence(p, q), true, f"divergence of {first} from {second}")


@claim("DST-340", about="divergence", needs="distributions torch", level="contract")
@example(inner=[0, 1], outer=[0, 2])
@given(
    inner=lists(integers(-3, 3), min_size=2, max_size=2, unique=True),
    outer=lists(integers(-3, 3), min_size=2, max_size=2, unique=True),
)
def test_an_interval_diverges_from_those_around_it(be, inner, outer):
    """The divergence of a uniform distribution from one of an interval that holds its own, ends
    included, is the logarithm of how many times as long that is; from any other it is infinite.
    """
    (low, high), (least, most) = sorted(inner), sorted(outer)
    p = be.distribution("Uniform", *map(be.tensor, (np.array(1.0 * low), np.array(1.0 * high))))
    q = be.distribution("Uniform", *map(be.tensor, (np.array(1.0 * least), np.array(1.0 * most))))
    ratio = np.log(Jet.exact(np.array((most - least) / (high - low))))
    be.check(be.divergence(p, q), ratio if least <= low < high <= most else np.inf)


@claim("DST-780", about="divergence", needs="distributions torch", level="contract")
@every(made=pairs(BEYOND))
def test_what_has_no_density_there_is_infinitely_far(be, made):
    """The divergence of one kind from another is infinite where the first has a density and the
    second has none, or where the mean of logarithms that it is has no end.
    """
    first, second, *rows = made
    p, q = (
        be.distribution(n, *map(be.tensor, values))
        for n, values in zip((first, second), rows, strict=True)
    )
    be.check(be.divergence(p, q), np.full(2, np.inf), f"divergence of {first} from {second}")


@claim("DST-781", about="divergence", needs="distributions torch", level="contract")
@example(kind="Categorical", p=np.array([0.0, 0.5]), q=np.array([0.5, 1.0]))
@given(
    kind=sampled_from(list(CERTAIN)),
    p=arrays("first", values=CHANCES, shape=(2,)),
    q=arrays("second", values=CHANCES, shape=(2,)),
)
def test_choices_that_are_never_made_diverge_by_nothing(be, kind, p, q):
    """What one choice never gives adds nothing to its divergence from another one, and what only
    that one never gives makes it infinite.
    """
    one, other = (be.distribution(kind, probs=be.tensor(CERTAIN[kind](v))) for v in (p, q))
    found = be.divergence(one, other)
    be.check(found, around(of_choices(p, q), np.full(2, 16.0)), f"divergence of {kind}")


@claim("DST-782", about="divergence", needs="distributions torch", level="contract")
@example(kind="Binomial", p=np.array([1.0, 0.5]), q=np.array([0.5, 0.5]))
@example(kind="Geometric", p=np.array([0.0, 0.5]), q=np.array([0.0, 0.5]))
@example(kind="Poisson", p=np.array([0.0, 0.5]), q=np.array([0.5, 0.5]))
@given(
    kind=sampled_from(list(COUNTS)),
    p=arrays("first", values=CHANCES, shape=(2,)),
    q=arrays("second", values=CHANCES, shape=(2,)),
)
def test_counts_that_are_certain_diverge_by_a_number(be, kind, p, q):
    """A count that is certain diverges from another one by as much as that makes it unlikely."""
    word, options, made_of, diverging = COUNTS[kind]
    numbers = {name: be.tensor(np.array(number)) for name, number in options.items()}
    one, other = (be.distribution(kind, **numbers, **{word: be.tensor(made_of(v))}) for v in (p, q))
    found = be.divergence(one, other)
    be.check(found, around(diverging(p, q), np.full(2, 64.0)), f"divergence of {kind}")


@claim("DST-311", about="divergence", needs="distributions torch add", level="contract")
@given(
    registered=sampled_from([(1, 2), (1,), (2,)]),
    asked=integers(0, 2),
)
def test_divergences_are_registered_for_kinds(be, registered, asked):
    """What is registered for a pair of kinds is the divergence of these, and of those below them
    for which nothing closer is registered.
    """
    kinds = subclasses(be)
    for n in registered:
        register = be.lookup("torch.distributions:register_kl")(kinds[n], kinds[0])
        register(lambda p, _, n=n: be.add(p.loc, float(n)))
    zero, one = be.tensor(np.zeros(2)), be.tensor(np.ones(2))
    found = be.divergence(kinds[asked](zero, one), kinds[0](zero, one))
    nearest = max((n for n in registered if n <= asked), default=0)
    be.check(found, np.full(2, float(nearest)))


# ---- tails, and figures --------------------------------------------------------------------------


@claim(
    "DST-312",
    about="distribution",
    needs="distributions backward gradients torch",
    level="contract",
)
@given(
    z=arrays(values=ABOVE, shape=(3,)),
    loc=arrays(values=REAL, shape=(3,)),
    scale=arrays(values=ABOVE, shape=(3,)),
    tail=sampled_from([0.5, 0.25, -0.25, 1.0]),
)
def test_tails_are_powers(be, z, loc, scale, tail):
    """The density of a generalized Pareto distribution falls by a power, with gradients by the
    value and by all parameters.
    """
    values = [loc + z * scale, loc, scale, np.full(3, tail)]
    leaves = [be.leaf(v) for v in values]
    made = be.distribution("GeneralizedPareto", *leaves[1:])
    check_all(be, made.log_prob(leaves[0]), general_pareto, leaves, "density")


@claim(
    "DST-313",
    about="distribution",
    needs="distributions backward gradients torch",
    level="contract",
)
@example(z=np.array([1.0, 2.0, 0.5]))
@given(z=arrays(values=ABOVE, shape=(3,)))
def test_tails_become_exponential(be, z):
    """Where the tail of a generalized Pareto distribution is exponential, its density still moves
    with the concentration: by half of the squared value, less the value.
    """
    leaf, zero, one = (be.leaf(np.zeros(3)), be.tensor(np.zeros(3)), be.tensor(np.ones(3)))
    found = be.distribution("GeneralizedPareto", zero, one, leaf).log_prob(be.tensor(z))
    be.check(found, around(-z, z))
    (gradient,) = be.gradients(found, [leaf], be.tensor(np.ones(3)), allow_unused=True)
    be.check_gradient(gradient, around(z * z / 2 - z, z * z))


@claim(
    "DST-314",
    about="distribution",
    needs="distributions backward gradients torch",
    level="contract",
)
@given(made=figures())
def test_figures_are_functions_of_parameters(be, made):
    """Means, variances and modes are functions of the parameters, with gradients by these."""
    for name, word, values in made:
        leaves = [be.leaf(v) for v in values]
        true, slopes = figure(name, word, values)
        found = getattr(be.distribution(name, *leaves), word)
        be.check(found, true, f"{word} of {name}")
        gradients = be.gradients(found, leaves, be.tensor(np.ones(2)), allow_unused=True)
        for gradient, slope in zip(gradients, slopes, strict=True):
            be.check_gradient(gradient, slope, f"gradient of the {word} of {name}")


@claim("DST-720", about="distribution", needs="distributions torch", level="contract")
def test_figures_without_end_are_no_numbers(be):
    """A mean or a variance whose integral does not converge is infinite or nan, for all parameters
    for which this is so.
    """
    for word, name, values in WITHOUT_END:
        made = be.distribution(name, *(be.tensor(np.full(2, float(v))) for v in values))
        found = be.numpy(getattr(made, word))
        assert not np.isfinite(found).any(), f"{word} of {name}{values}"


@claim(
    "DST-315",
    about="distribution",
    needs="distributions backward gradients torch",
    level="contract",
)
@example(a=np.full(2, 2.0), b=np.full(2, 2.0))
@given(a=arrays(values=FIVE, shape=(2,)), b=arrays(values=FIVE, shape=(2,)))
def test_the_mode_is_where_the_density_is_largest(be, a, b):
    """The mode of a Kumaraswamy distribution lies where its density is largest, and moves with its
    parameters.
    """
    leaves = [be.leaf(a), be.leaf(b)]
    mode = be.distribution("Kumaraswamy", *leaves).mode
    check_all(be, mode, lambda a, b: ((a - 1) / (a * b - 1)) ** (1 / a), leaves, "mode")


# ---- by logits -----------------------------------------------------------------------------------


@claim(
    "DST-460",
    about="distribution",
    needs="distributions backward gradients torch",
    level="contract",
)
@example(kind="Geometric", logits=np.array([50.0, -50.0]))
@example(kind="ContinuousBernoulli", logits=np.array([50.0, -50.0]))
@given(kind=sampled_from(list(BY_LOGITS)), logits=arrays(values=FAR, shape=(2,)))
def test_logits_may_be_far_from_zero(be, kind, logits):
    """A distribution that is given logits has the density that they say, with its gradient, however
    far from zero they lie.
    """
    options, x, density = BY_LOGITS[kind]
    leaf, (true, slopes) = be.leaf(logits), density(logits)
    numbers = {word: be.tensor(np.full(2, number)) for word, number in options.items()}
    made = be.distribution(kind, **numbers, logits=leaf)
    found = made.log_prob(be.tensor(np.full(2, x)))
    be.check(found, around(true, 4 * np.abs(logits)), f"density of {kind}")
    (gradient,) = be.gradients(found, [leaf], be.tensor(np.ones(2)))
    be.check_gradient(gradient, around(slopes, 16 + 0 * slopes), f"gradient of {kind}")


@claim("DST-461", about="divergence", needs="distributions torch", level="contract")
@example(kind="Bernoulli", p=np.array([-2.0, 50.0]), q=np.array([50.0, -50.0]))
@given(
    kind=sampled_from(list(PARTED)),
    p=arrays("first", values=FAR, shape=(2,)),
    q=arrays("second", values=FAR, shape=(2,)),
)
def test_divergences_go_by_logits(be, kind, p, q):
    """Distributions that are given logits diverge as these say, however far from zero they lie."""
    options, diverging = PARTED[kind]
    numbers = {word: be.tensor(np.full(2, number)) for word, number in options.items()}
    one, other = (be.distribution(kind, **numbers, logits=be.tensor(z)) for z in (p, q))
    size = 16 * (1 + np.abs(p) + np.abs(q)) * (1 + np.exp(-p) * (kind == "Geometric"))
    be.check(be.divergence(one, other), around(diverging(p, q), size), f"divergence of {kind}")
