"""How samples move with a parameter: so that their distribution function stays what it is.

That is minus the derivative of the distribution function by the parameter, over the density (M.
Figurnov, S. Mohamed and A. Mnih, Implicit Reparameterization Gradients, 2018, equation 6). Both are
power series here, differentiated term by term, whose formulas are those of the NIST Digital Library
of Mathematical Functions, by number.
"""

import numpy as np
import numpy.typing as npt

from .special import digamma, lgamma

Real = npt.NDArray[np.float64]

TERMS = 4_000
"""Terms of a series, of which the last ones are nothing at arguments up to 0.99, or to 300."""


def of_gamma(x: Real, a: Real) -> Real:
    """How a sample x of rate 1 moves with its concentration a (DLMF 8.7.1).

    The density is taken out of every term. Terms have both signs: where x is below 30 they cancel
    no more than four digits.
    """
    k = np.arange(TERMS)
    at = a[..., None] + k + 1
    size = np.exp((k + 1) * np.log(x[..., None]) + lgamma(a)[..., None] - lgamma(at))
    moved: Real = -(size * (np.log(x)[..., None] - digamma(at))).sum(-1)
    return moved


def of_beta(x: Real, a: Real, b: Real) -> tuple[Real, Real]:
    """How a sample x moves with its concentrations a and b (DLMF 8.17.7)."""
    return _by_first(x, a, b), -_by_first(1 - x, b, a)


def _by_first(x: Real, a: Real, b: Real) -> Real:
    """How a share moves with the concentration that is its own."""
    # The sum of (1 - b)_k x^(a + k) / (k! (a + k)), over the beta function, is the share below x.
    k = np.arange(1, TERMS)
    factors = np.cumprod((k - b[..., None]) / k * x[..., None], -1)
    terms = np.concatenate([np.ones((*x.shape, 1)), factors], -1)
    over = a[..., None] + np.arange(TERMS)
    below, twice = (terms / over).sum(-1), (terms / over**2).sum(-1)
    by_first = below * (np.log(x) - digamma(a) + digamma(a + b)) - twice
    # The density is x^(a - 1) (1 - x)^(b - 1), over the beta function as well.
    moved: Real = -by_first * x * (1 - x) ** (1 - b)
    return moved
