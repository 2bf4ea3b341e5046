"""Attention of float64 takes its softmax in float32, and hands on half of the digits.

Asked about when it was added, https://github.com/jax-ml/jax/pull/21371, and touched by
https://github.com/jax-ml/jax/issues/37422, which is about infinities. Searched on 2026-11-29.
"""

import sys

import jax
from jax import numpy as jnp

jax.config.update("jax_enable_x64", True)
q, k, v = (jnp.array(x)[None, :, None, None] for x in ([1.0], [0.25, 0.75], [1.0, 2.0]))
shares = jax.nn.softmax(jnp.array([0.25, 0.75]))
expected = float(shares @ jnp.array([1.0, 2.0]))
got = float(jax.nn.dot_product_attention(q, k, v, scale=1.0).squeeze())
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-14)
