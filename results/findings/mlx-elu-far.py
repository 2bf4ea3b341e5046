"""The gradient of elu is nan from where the exponential overflows that is not chosen.

Above zero elu is the identity, and its gradient 1. Searched for on 2026-11-23: nothing was found;
tinygrad had the same, https://github.com/tinygrad/tinygrad/pull/17852
"""

import sys

import mlx.core as mx
from mlx import nn

mx.set_default_device(mx.cpu)
expected = 1.0
got = mx.grad(nn.elu)(mx.array(1000.0)).item()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
