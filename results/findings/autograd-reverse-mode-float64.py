"""The gradient by one argument of float32 is of float64, for a mean of two entries, among others.

The rule divides by a number that numpy made, which is no number of Python. Gradients by several
arguments at once are added to zeros of float32, and do not show it. The same holds for amax, amin,
var, std, trace, diff, exp2, log2, log10, digamma, einsum, maximum with a number and the real
transforms.
"""

import sys

import autograd.numpy as np
from autograd import grad

x = np.array([1.0, 2.0], dtype=np.float32)
got = {
    "mean": grad(np.mean)(x).dtype,
    "exp2": grad(lambda a: np.sum(np.exp2(a)))(x).dtype,
    "log2": grad(lambda a: np.sum(np.log2(a)))(x).dtype,
    "var": grad(np.var)(x).dtype,
    "max": grad(np.max)(x).dtype,
    "rfft": grad(lambda a: np.sum(np.abs(np.fft.rfft(a, norm="ortho"))))(x).dtype,
}
print("expected", dict.fromkeys(got, "float32"))
print("got     ", {name: str(dtype) for name, dtype in got.items()})
sys.exit(any(dtype != np.float32 for dtype in got.values()))
