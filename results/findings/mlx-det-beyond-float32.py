"""The determinant in float64 overflows where float32 does, from four rows on."""

import sys

import mlx.core as mx

with mx.stream(mx.cpu):
    matrix = mx.eye(5, dtype=mx.float64) * 1e10
    expected, got = 1e50, mx.linalg.det(matrix).item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e40)
