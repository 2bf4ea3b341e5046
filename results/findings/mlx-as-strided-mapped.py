"""vmap refuses as_strided, and pools whose windows overlap, which are made of it.

Searched for in the issues of the library on 2026-12-01: nothing was found of as_strided. What was
refused of convolutions, https://github.com/ml-explore/mlx/issues/2085, is mapped now.
"""

import sys

from mlx import core as mx
from mlx import nn

mx.set_default_device(mx.cpu)
x = mx.arange(8.0).reshape(2, 1, 4, 1)
CALLS = {
    "as_strided": lambda x: mx.as_strided(x, (3, 2), (1, 1)),
    "MaxPool1d": nn.MaxPool1d(2, 1),
    "AvgPool1d": nn.AvgPool1d(2, 1),
}
expected, got = {}, {}
for name, call in CALLS.items():
    expected[name] = mx.stack([call(each) for each in x]).shape
    try:
        got[name] = mx.vmap(call)(x).shape
    except ValueError as error:
        got[name] = str(error)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
