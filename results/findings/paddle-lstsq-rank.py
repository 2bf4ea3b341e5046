"""lstsq by its default driver finds the rank 4 of a matrix, or 0, and another solution, by chance.

LAPACK's gelsy takes from an array which columns come first; what lies there nobody has written.
Its other drivers have one answer. PyTorch had the same fault:
https://github.com/pytorch/pytorch/issues/71222. Searched in PaddlePaddle/Paddle on 2026-11-23:
nothing.
"""

import sys

import paddle

x, y = paddle.eye(5), paddle.ones([5, 1])
x[0] = 0.0
others, found = [], set()
for number in range(3000):
    # What is made and forgotten in between is what lies in memory then.
    others.append(paddle.to_tensor([1, 2, 3, 4, 5][: number % 5 + 1], dtype="int32"))
    if number % 3 == 0:
        others.clear()
    found.add(int(paddle.linalg.lstsq(x, y, driver="gelsy")[2]))
expected, got = [4], sorted(found)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
