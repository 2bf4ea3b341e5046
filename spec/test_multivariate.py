"""Multivariate distributions: vectors, matrices, and their covariances."""

import warnings

import numpy as np

from gradspec.conformance import claim, example, given
from gradspec.conformance.strategies import arrays, sampled_from
from gradspec.conformance.strategies.distributions import ABOVE, REAL, around, sampled
from gradspec.conformance.strategies.families import (
    FIVE,
    bell,
    bells,
    check_all,
    correlations,
    normals,
    spread,
    squared,
    wishart,
    wishart_entropy,
    wishart_mean,
    wishart_variance,
    wisharts,
)
from gradspec.conformance.strategies.random_numbers import seeds
from gradspec.conformance.strategies.transformed import correlated, softmax

NO_WORKLOAD = "what a density computes is what its operations do"

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
