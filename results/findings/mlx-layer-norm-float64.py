"""fast.layer_norm of float64 is computed in float32.

Searched for on 2026-11-22; https://github.com/ml-explore/mlx/issues/3047 is about other functions.
"""

import sys

import numpy as np
from mlx import core as mx

mx.set_default_device(mx.cpu)

x = np.array([0.1, 0.7, 1.9])
expected = (x - x.mean()) / np.sqrt(x.var() + 0.25)
got = np.array(mx.fast.layer_norm(mx.array(x, dtype=mx.float64), None, None, 0.25))
print("expected", expected.tolist())
print("got     ", got.tolist())
sys.exit(bool(np.abs(got - expected).max() > 1e-14))
