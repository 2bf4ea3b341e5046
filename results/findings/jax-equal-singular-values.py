"""Where singular values are equal, derivatives of smooth functions of them are nan.

At a multiple of the identity the sum of singular values has all derivatives, as have the factors
of the polar decomposition: the second ones of the former are nan, and the first ones of the latter
by the method that has a gradient. Nothing was found upstream (2026-11-28).
"""

import sys

import jax
import numpy as np

jax.config.update("jax_enable_x64", True)
x = 4 * jax.numpy.eye(2)


def entry(x: jax.Array) -> jax.Array:
    """An entry of the orthogonal factor."""
    return jax.scipy.linalg.polar(x, method="svd")[0][0, 1]


def total(x: jax.Array) -> jax.Array:
    """The sum of singular values."""
    return jax.numpy.linalg.norm(x, "nuc")


wrong = False
for name, expected, got in (
    ("orthogonal factor", [[0.0, 0.125], [-0.125, 0.0]], jax.grad(entry)(x)),
    ("sum", [[0.0, 0.125], [-0.125, 0.0]], jax.hessian(total)(x)[0, 1]),
):
    print(name)
    print("expected", expected)
    print("got     ", got.tolist())
    wrong = wrong or not np.allclose(got, expected)
sys.exit(wrong)
