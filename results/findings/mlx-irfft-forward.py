"""irfft to an odd number of entries: the tangent has one entry less than the result.

Searched for on 2026-11-22; https://github.com/ml-explore/mlx/pull/4138 is about axes.
"""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)

x = mx.array([1.0, 2.0, 3.0]).astype(mx.complex64)
(value,), (tangent,) = mx.jvp(lambda x: mx.fft.irfft(x, 5), [x], [x])
assert value.shape == (5,)
expected, got = (5,), tangent.shape
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
