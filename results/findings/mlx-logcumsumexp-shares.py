"""The gradient of logcumsumexp does not add up to 1 far out: of four equal entries each has it all.

What is added to all entries is added to each result, whose gradient therefore adds up to 1. The
rule takes e to what an entry is below the result, and beside a large entry the logarithm of 4 is
lost. Searched for in the issues of the library on 2026-11-23: of this function nothing was found;
nn.log_softmax lost the same logarithm, https://github.com/ml-explore/mlx/pull/4169
"""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)

expected = [0.25] * 4
got = mx.grad(lambda x: mx.logcumsumexp(x)[3])(mx.full((4,), 2.0**60)).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
