"""Integrals: what densities add up to, where they are largest, and how far they are apart."""

import numpy as np

from gradspec.conformance import claim, every, given
from gradspec.conformance.strategies.distributions import around, sampled
from gradspec.conformance.strategies.integrals import (
    KINDS,
    beside,
    figures_of,
    made_of,
    of_kinds,
    points_of,
)
from gradspec.conformance.strategies.random_numbers import seeds
from gradspec.conformance.truth.quadrature import added

NO_WORKLOAD = "what a density computes is what its operations do"


@claim(
    "DST-820",
    about="distribution",
    needs="distributions exp torch",
    level="contract",
    widest=True,
)
@every(made=of_kinds())
def test_densities_add_up_to_one(be, made):
    """The integral of a density is 1, or the sum of chances, whatever the parameters are; the mean,
    the variance and the entropy are the integrals that they stand for.
    """
    name, rows = made
    made, (x, lengths) = made_of(be, name, rows), points_of(name, *rows)
    log_p = be.numpy(made.log_prob(be.tensor(x))).astype(np.float64)
    for figure, (true, off) in figures_of(name, x, lengths, log_p).items():
        if figure == "density":
            found = np.ones(true.shape)
        else:
            found = be.numpy(made.entropy() if figure == "entropy" else getattr(made, figure))
        assert np.all(np.abs(found - true) <= off), f"{figure} of {name}: {found}, {true}"


@claim("DST-821", about="distribution", needs="distributions torch", level="contract", widest=True)
@every(made=of_kinds(having="mode"))
def test_densities_are_largest_at_the_mode(be, made):
    """Nowhere is a density larger than at its mode, which is an end of the support, or no number,
    where it grows without end or is constant.
    """
    name, rows = made
    made, (x, _) = made_of(be, name, rows, validate_args=False), points_of(name, *rows)
    log_p = be.numpy(made.log_prob(be.tensor(x))).astype(np.float64)
    mode, top = (be.numpy(each) for each in (made.mode, made.log_prob(made.mode)))
    none = np.isnan(mode).reshape(2, -1).any(-1)
    ends = none & np.isin(log_p.argmax(0), (0, len(x) - 1))
    largest = log_p.max(0)
    assert np.all(ends | (top >= largest - 1e-9 * (1 + np.abs(largest)))), (
        f"mode of {name}: {mode}, {top}, {largest}"
    )


@claim(
    "DST-822",
    about="distribution",
    needs="distributions random torch",
    level="contract",
    widest=True,
)
@every(made=of_kinds(2))
@given(seed=seeds())
def test_samples_lie_where_the_density_is(be, made, seed):
    """In the mean over samples, the logarithm of a density, their own or that of another one of
    their kind, is its integral by the density that they are drawn from, within eight standard
    errors.
    """
    name, rows, others = made
    others = beside(name, rows, others)
    made, (x, lengths) = made_of(be, name, rows), points_of(name, *rows, *others)
    log_p = be.numpy(made.log_prob(be.tensor(x))).astype(np.float64)
    drawn = sampled(be, seed, lambda: made.sample((4000,)))
    for density in (made, made_of(be, name, others)):
        true, off = added(lengths, log_p, be.numpy(density.log_prob(be.tensor(x))))
        found = be.numpy(density.log_prob(drawn)).astype(np.float64)
        error = 8 * found.std(0) / np.sqrt(4000) + off
        assert np.all(np.abs(found.mean(0) - true) <= error), f"{name}: {found.mean(0)}, {true}"


@claim("DST-823", about="distribution", needs="distributions random torch", level="contract")
@every(made=of_kinds())
@given(seed=seeds())
def test_expanded_distributions_keep_all_they_have(be, made, seed):
    """What is expanded has the parameters, the figures, the densities and, from the same state of
    the generator, samples of the shape that the batch has then.
    """
    name, rows = made
    once = made_of(be, name, rows)
    wide = once.expand((3, 2))
    x = sampled(be, seed, lambda: wide.sample((4,)))
    assert x.shape == (4, 3, 2, *once.event_shape)
    be.same(wide.log_prob(x), once.log_prob(x))
    for word in (*once.arg_constraints, *KINDS[name].figures.split()):
        if word not in ("diverge", "total_count", "temperature"):
            true = getattr(once, word)
            true, found = (
                be.numpy(each() if word == "entropy" else each)
                for each in (true, getattr(wide, word))
            )
            assert found.shape == (3, *true.shape), f"{word} of {name} has {found.shape}"
            wanted = around(np.broadcast_to(true, found.shape), found)
            be.check(be.tensor(found.astype(np.float64)), wanted, f"{word} of {name}")


@claim(
    "DST-824",
    about="distribution divergence",
    needs="distributions torch",
    level="contract",
    widest=True,
)
@every(made=of_kinds(2, having="diverge"))
def test_divergences_are_integrals(be, made):
    """The divergence of a distribution from another one of its kind is the integral, by its
    density, of how far the logarithms of both are apart.
    """
    name, rows, others = made
    others = beside(name, rows, others)
    x, lengths = points_of(name, *rows, *others)
    p, q = (made_of(be, name, each) for each in (rows, others))
    log_p, log_q = (be.numpy(each.log_prob(be.tensor(x))).astype(np.float64) for each in (p, q))
    true, off = added(lengths, log_p, log_p - log_q)
    found = be.numpy(be.divergence(p, q))
    assert np.all(np.abs(found - true) <= off), f"divergence of {name}: {found}, {true}"
