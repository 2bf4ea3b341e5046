"""Functions that refuse arrays without entries, where numpy and mathematics have an answer."""

import sys

from mlx import core as mx
from mlx import nn

mx.set_default_device(mx.cpu)
CALLS = {
    "kron": ((0, 4), lambda: mx.kron(mx.zeros((0, 2)), mx.zeros((2, 2)))),
    "logsumexp": ((0,), lambda: mx.logsumexp(mx.zeros((0, 3)), axis=1)),
    "GroupNorm": ((2, 0), lambda: nn.GroupNorm(1, 0, affine=False)(mx.zeros((2, 0)))),
    "Linear": ((2, 3), lambda: nn.Linear(0, 3)(mx.zeros((2, 0)))),
    "Bilinear": ((2, 3), lambda: nn.Bilinear(0, 2, 3)(mx.zeros((2, 0)), mx.zeros((2, 2)))),
}
expected, got = {}, {}
for name, (shape, call) in CALLS.items():
    expected[name] = shape
    try:
        got[name] = call().shape
    except Exception as error:
        got[name] = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
