"""Divergences: how far one kind of distribution is from another."""

import numpy as np

from gradspec.conformance import claim, every, example, given
from gradspec.conformance.strategies import arrays, integers, lists, sampled_from
from gradspec.conformance.strategies.distributions import around
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
from gradspec.conformance.strategies.families import FAR, PARTED, subclasses
from gradspec.conformance.truth.oracles.jets import Jet

NO_WORKLOAD = "what a density computes is what its operations do"

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


# ---- by logits -----------------------------------------------------------------------------------


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
