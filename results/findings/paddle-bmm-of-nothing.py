"""bmm: a sum of no products is what memory holds; matmul gives zeros."""

import sys

import paddle

x, y = paddle.zeros([2, 2, 0]), paddle.zeros([2, 0, 3])
expected, got = 0.0, 0.0
for _ in range(20):
    marked = paddle.full([2, 2, 3], 7.5)
    del marked
    got = max(got, paddle.bmm(x, y).abs().max().item())
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
