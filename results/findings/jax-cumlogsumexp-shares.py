"""The gradient of the last entry of cumlogsumexp adds up to 4 where it has to add up to 1.

What is added to all entries is added to the result. The shares are powers of e of differences from
the result so far, beside which the logarithm of a count is lost where entries are large; those of
jax.nn.logsumexp of the same entries are right. Searched in jax-ml/jax on 2026-11-23: nothing.
"""

import sys

import jax
import jax.numpy as jnp
from jax.lax import cumlogsumexp

x = jnp.full(4, 2.0**60)
expected = float(jax.grad(jax.nn.logsumexp)(x).sum())
got = float(jax.grad(lambda x: cumlogsumexp(x)[-1])(x).sum())
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
