"""masked_scatter takes too few entries without a word, though it is documented to ask for enough.

"The value should have at least as many elements as the number of ones in mask." Searched in
PaddlePaddle/Paddle on 2026-11-22: nothing.
"""

import sys

import paddle

mask = paddle.to_tensor([True, True])
try:
    paddle.masked_scatter(paddle.zeros([2]), mask, paddle.ones([1]))
    got = "computed"
except Exception:
    got = "refused"
expected = "refused"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
