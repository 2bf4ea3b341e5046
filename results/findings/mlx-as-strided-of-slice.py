"""as_strided of every other entry of an array is refused, and so are pools, which are made of it.

It takes its input as if that were row-major, and makes it so where it is not; but what lies at equal
distances is made flat without being copied. Searched for in the issues of the library on
2026-12-01: nothing was found.
"""

import sys

from mlx import core as mx
from mlx import nn

mx.set_default_device(mx.cpu)
x = mx.arange(8.0)
CALLS = {
    "as_strided": lambda: mx.as_strided(x[::2], (2, 2), (1, 1)),
    "MaxPool1d": lambda: nn.MaxPool1d(2, 1)(x.reshape(1, 8, 1)[:, ::2]).reshape(-1),
    "AvgPool1d": lambda: nn.AvgPool1d(2, 1)(x.reshape(1, 4, 2)[..., :1]).reshape(-1),
}
expected = {
    "as_strided": [[0.0, 2.0], [2.0, 4.0]],
    "MaxPool1d": [2.0, 4.0, 6.0],
    "AvgPool1d": [1.0, 3.0, 5.0],
}
got = {}
for name, call in CALLS.items():
    try:
        got[name] = call().tolist()
    except RuntimeError as error:
        got[name] = str(error)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
