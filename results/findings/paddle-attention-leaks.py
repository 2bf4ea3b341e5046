"""scaled_dot_product_attention: what a causal mask hides is not quite hidden.

The first query sees the first key alone, so that the second value counts for nothing. Searched in
PaddlePaddle/Paddle on 2026-11-22: nothing.
"""

import sys

import paddle

query = paddle.to_tensor([[[[1.0], [2.0]]]], "float64")
key = paddle.to_tensor([[[[3.0], [-1.0]]]], "float64")
value = paddle.to_tensor([[[[0.0], [1e20]]]], "float64")
attend = paddle.compat.nn.functional.scaled_dot_product_attention
expected, got = 0.0, attend(query, key, value, is_causal=True).flatten()[0].item()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
