"""affine_grid with aligned corners is nan where an image has one row or one column.

Its step, 2 / (1 - 1), is infinite, and is multiplied by 0. Searched in PaddlePaddle/Paddle on
2026-11-23: nothing.
"""

import math
import sys

import paddle

theta = paddle.to_tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
grid = paddle.nn.functional.affine_grid(theta, [1, 1, 1, 2], align_corners=True)
expected, got = "finite", grid.flatten().tolist()
print("expected", expected)
print("got     ", got)
sys.exit(any(math.isnan(place) for place in got))
