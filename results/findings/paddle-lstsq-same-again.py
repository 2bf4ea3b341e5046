"""lstsq of the same matrices gives other last bits from call to call: it depends on where they lie.

Searched in PaddlePaddle/Paddle on 2026-11-23: nothing.
"""

import sys

import paddle

x = [[0.5, -1.0], [2.0, 0.25], [1.5, 1.0]]
y = [[1.0, 2.0], [0.5, -1.0], [2.0, 0.25]]
others, found = [], set()
for number in range(1000):
    # What is kept in between moves what is made next.
    others.append(paddle.zeros([number % 7 + 1], dtype="float64"))
    matrices = paddle.to_tensor(x, "float64"), paddle.to_tensor(y, "float64")
    found.add(paddle.linalg.lstsq(*matrices)[0].numpy().tobytes())
expected, got = "one result", f"{len(found)} results"
print("expected", expected)
print("got     ", got)
sys.exit(len(found) > 1)
