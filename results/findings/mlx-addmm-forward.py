"""Forward mode of addmm leaves out both factors, alpha and beta.

Reverse mode has them. Searched for in the issues of the library on 2026-11-23: that forward mode
was missing is https://github.com/ml-explore/mlx/issues/1771; of the factors nothing was found.
"""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)


def function(c, a):
    """Take one matrix three times, and add two of another."""
    return mx.addmm(c, a, mx.ones((1, 1)), alpha=2.0, beta=3.0)


zero, one = mx.zeros((1, 1)), mx.ones((1, 1))
expected = {"by c": 3.0, "by a": 2.0}
got = {
    "by c": mx.jvp(function, [zero, zero], [one, zero])[1][0].item(),
    "by a": mx.jvp(function, [zero, zero], [zero, one])[1][0].item(),
}
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
