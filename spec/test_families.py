"""Families: mixtures, tails, figures, and what is told by logits."""

import numpy as np

from gradspec.conformance import claim, example, given
from gradspec.conformance.strategies import arrays, sampled_from
from gradspec.conformance.strategies.distributions import ABOVE, REAL, around, sampled
from gradspec.conformance.strategies.families import (
    BY_LOGITS,
    FAR,
    FIVE,
    WITHOUT_END,
    check_all,
    figure,
    figures,
    general_pareto,
    mixed,
    mixed_below,
    mixed_mean,
    mixed_variance,
)
from gradspec.conformance.strategies.random_numbers import seeds

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
