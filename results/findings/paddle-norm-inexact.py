"""norm: 1e-12 is added to what the gradient is divided by, so in float64 it is off by that."""

import sys

import numpy as np
import paddle

x = paddle.to_tensor([0.0, 0.5], dtype="float64", stop_gradient=False)
paddle.norm(x).backward()
expected, got = [0.0, 1.0], x.grad.tolist()
print("expected", expected, "within", np.finfo(float).eps)
print("got     ", got)
sys.exit(not np.allclose(got, expected, rtol=0, atol=4 * np.finfo(float).eps))
