"""Norms of order 3 are right to eight digits only, in float64: 1/3 has been a float32 on the way.

So are dist, cdist, pdist, pairwise_distance and normalize. Searched in PaddlePaddle/Paddle on
2026-11-22: nothing.
"""

import sys

import paddle

x, zero = paddle.to_tensor([0.1875], "float64"), paddle.zeros([1], "float64")
got = {
    "vector_norm": paddle.linalg.vector_norm(x, 3).item(),
    "dist": paddle.dist(x, zero, 3).item(),
    "cdist": paddle.cdist(x.unsqueeze(0), zero.unsqueeze(0), 3).item(),
}
expected = dict.fromkeys(got, 0.1875)
print("expected", expected)
print("got     ", got)
sys.exit(any(abs(value - 0.1875) > 1e-12 for value in got.values()))
