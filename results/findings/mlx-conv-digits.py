"""Convolutions of float64 are computed in float32."""

import sys

import mlx.core as mx

with mx.stream(mx.cpu):
    x = mx.full((1, 1, 1), 1.0 + 2.0**-40, dtype=mx.float64)
    got = mx.conv1d(x, mx.ones((1, 1, 1), dtype=mx.float64)).item()
print("expected", 1.0 + 2.0**-40)
print("got     ", got)
sys.exit(got != 1.0 + 2.0**-40)
