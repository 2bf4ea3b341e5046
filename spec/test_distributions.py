"""Distributions: how samples move with parameters."""

import numpy as np

from gradspec.conformance import ErrorKind, claim, every, example, given, workload
from gradspec.conformance.strategies import arrays, sampled_from
from gradspec.conformance.strategies.distributions import (
    ABOVE,
    CONCENTRATED,
    LARGE,
    MOVED,
    MOVES,
    NOT_MOVED,
    SAMPLED,
    concentrated,
    moved,
    parameters,
    sampled,
)
from gradspec.conformance.strategies.random_numbers import seeds
from gradspec.conformance.truth.oracles.pathwise import of_gamma
from gradspec.conformance.truth.tolerance import Total

# ---- samples -------------------------------------------------------------------------------------


@workload(needs="distributions random backward")
def moving(be, leaves, name="Normal", seed=0):
    """Reparameterized samples."""
    return sampled(be, seed, lambda: be.distribution(name, *leaves).rsample((2,)))


@claim("DST-01", about="distribution", needs="distributions random backward gradients")
@example(made=("Normal", [np.array([0.0, 1.0, -2.0]), np.array([1.0, 2.0, 0.5])]), seed=0,
         w=np.ones((2, 3)))  # fmt: skip
@every(made=parameters({name: tables for name, (tables, _) in MOVES.items()}))
@given(
    seed=seeds(),
    w=arrays(shape=(2, 3)),
)
def test_samples_move_with_parameters(be, made, seed, w):
    """A reparameterized sample moves with each parameter so that its distribution function stays
    what it is: with a location as far as that does, with a scale by its own distance from the
    location over the scale.
    """
    name, values = made
    leaves = [be.leaf(v) for v in values]
    x = moving(be, leaves, name, seed)
    found = be.gradients(x, leaves, be.tensor(w))
    for gradient, true in zip(found, moved(name, be.numpy(x), w, values), strict=True):
        be.check_gradient(gradient, true.total, f"gradient of {name}")


@claim("DST-02", about="distribution", needs="distributions random backward gradients")
@given(
    name=sampled_from(["Gamma", "InverseGamma"]),
    shape=arrays(values=ABOVE, shape=(3,)),
    rate=arrays(values=ABOVE, shape=(3,)),
    seed=seeds(),
    w=arrays(shape=(2, 3)),
)
def test_samples_of_gamma_scale_with_their_rate(be, name, shape, rate, seed, w):
    """A sample of a gamma distribution moves with the rate by minus itself over the rate, one of an
    inverse gamma distribution by itself over the rate.
    """
    leaf = be.leaf(rate)
    x = moving(be, [be.tensor(shape), leaf], name, seed)
    (gradient,) = be.gradients(x, [leaf], be.tensor(w))
    terms = w * be.numpy(x).astype(float) / rate * (1 if name == "InverseGamma" else -1)
    be.check_gradient(gradient, Total.along(terms, 0))


@claim("DST-03", about="distribution", needs="distributions random backward gradients")
@every(made=parameters(CONCENTRATED))
@given(seed=seeds())
def test_samples_move_with_concentrations(be, made, seed):
    """A sample of a gamma, chi-squared or beta distribution moves with its concentrations by minus
    the derivative of the distribution function over the density: within one part in 200.
    """
    name, values = made
    leaves = [be.leaf(v) for v in values]
    x = moving(be, leaves, name, seed)
    found = be.gradients(x, leaves, be.tensor(np.ones((2, 3))))
    true, inside = concentrated(name, be.numpy(x).astype(float), values)
    for gradient, each in zip(found, true, strict=False):
        terms = each.sum(0)
        off = np.abs(be.numpy(gradient) - terms)[inside]
        assert np.all(off <= 0.005 * np.abs(terms)[inside]), (
            f"{be.numpy(gradient)}, expected {terms}"
        )


@claim("DST-04", about="distribution", needs="distributions random backward gradients")
@example(made=("Gamma", [np.array([2.0, 1.0, 3.0]), np.ones(3)]), seed=0)
@example(made=("Beta", [np.array([2.0, 2.5, 3.0]), np.array([3.0, 2.0, 2.5])]), seed=0)
@every(made=parameters(CONCENTRATED))
@given(seed=seeds())
def test_samples_move_with_concentrations_to_all_digits(be, made, seed):
    """A sample of a gamma, chi-squared or beta distribution moves with its concentrations by minus
    the derivative of the distribution function over the density, to the digits of its dtype.
    """
    name, values = made
    leaves = [be.leaf(v) for v in values]
    x = moving(be, leaves, name, seed)
    found = be.gradients(x, leaves, be.tensor(np.ones((2, 3))))
    true, inside = concentrated(name, be.numpy(x).astype(float), values)
    for gradient, each in zip(found, true, strict=False):
        terms = np.where(inside, each.sum(0), be.numpy(gradient))
        be.check_gradient(
            gradient, Total(terms, 8 * np.abs(terms), 2, error_bound=1e-8 * np.abs(terms))
        )


@claim("RND-345", about="distribution", needs="distributions random backward gradients")
@given(a=arrays(values=LARGE, shape=(3,)), seed=seeds())
def test_samples_move_with_large_concentrations(be, a, seed):
    """A sample of a gamma distribution whose concentration is above 50 moves with it by minus the
    derivative of the distribution function over the density: within one part in 200.
    """
    leaf = be.leaf(a)
    x = moving(be, [leaf, be.tensor(np.ones(3))], "Gamma", seed)
    (gradient,) = be.gradients(x, [leaf], be.tensor(np.ones((2, 3))))
    at, wide = be.numpy(x).astype(float), np.broadcast_to(a, (2, 3))
    terms = of_gamma(at, wide).sum(0)
    near = np.all(np.abs(at - a) < 3 * np.sqrt(a), 0)
    off = np.abs(be.numpy(gradient) - terms)
    assert np.all((off <= 0.005 * np.abs(terms))[near]), f"{be.numpy(gradient)}, expected {terms}"


@claim("DST-05", about="distribution", needs="distributions random backward gradients")
@given(a=arrays(values=ABOVE, shape=(2, 3)), seed=seeds())
def test_shares_add_up_to_one(be, a, seed):
    """The sum of the shares in a sample of a Dirichlet distribution moves with no concentration,
    and each share grows with its own.
    """
    leaf = be.leaf(a)
    x = moving(be, [leaf], "Dirichlet", seed)
    (whole,) = be.gradients(x, [leaf], be.tensor(np.ones(x.shape)), retain_graph=True)
    be.check_gradient(whole, Total(np.zeros(a.shape), np.full(a.shape, 16.0), 6))
    for n in range(3):
        alone = np.zeros((2, 2, 3))
        alone[..., n] = 1
        (own,) = be.gradients(x, [leaf], be.tensor(alone), retain_graph=True)
        assert np.all(be.numpy(own)[:, n] >= 0)


@claim("DST-06", about="distribution", needs="distributions random backward")
@example(name="Bernoulli", seed=0)
@every(name=sorted(SAMPLED))
@given(seed=seeds())
def test_has_rsample_tells_the_truth(be, name, seed):
    """Where has_rsample holds, rsample draws what sample draws from the same state of the generator
    and its gradient reaches every parameter; elsewhere rsample refuses. What sample draws requires
    no gradient.
    """
    words = SAMPLED[name]
    leaves = {w: be.leaf(np.array(v)) for w, v in words.items() if w != "total_count"}
    plain = {w: v for w, v in words.items() if w == "total_count" and isinstance(v, int)}
    counts = {w: be.tensor(np.array(v)) for w, v in words.items() if w not in leaves | plain}
    made = be.distribution(name, **leaves, **plain, **counts)
    drawn = sampled(be, seed, lambda: made.sample((2,)))
    assert not be.requires_grad(drawn)
    if not made.has_rsample:
        assert name in NOT_MOVED
        with be.raises(ErrorKind.NOT_DIFFERENTIABLE):
            made.rsample((2,))
        return
    assert name in MOVED
    moves = sampled(be, seed, lambda: made.rsample((2,)))
    be.same(moves, drawn)
    be.backward(be.sum(be.mul(moves, moves)))
    for word, leaf in leaves.items():
        assert be.grad(leaf) is not None, f"{word} of {name} has no gradient"
        assert np.any(be.numpy(be.grad(leaf)) != 0)
