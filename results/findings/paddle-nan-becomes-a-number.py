"""relu and hinge_embedding_loss of what is no number are zero, and sinc of it is one.

maximum(x, 0) of the same library keeps it. Searched in PaddlePaddle/Paddle on 2026-11-23 for relu
and nan: only the gradient is spoken of, in https://github.com/PaddlePaddle/Paddle/pull/65999
"""

import math
import sys

import paddle
from paddle.nn import functional

x = paddle.to_tensor([math.nan])
got = {
    "relu": functional.relu(x).item(),
    "hinge_embedding_loss": functional.hinge_embedding_loss(x, -paddle.ones([1])).item(),
    "sinc": paddle.sinc(x).item(),
}
print("expected", dict.fromkeys(got, paddle.maximum(x, paddle.zeros([1])).item()))
print("got     ", got)
sys.exit(not all(map(math.isnan, got.values())))
