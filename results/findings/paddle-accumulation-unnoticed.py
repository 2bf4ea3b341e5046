"""backward adds to .grad in place and counts no write: what was saved of it gives a wrong gradient.

The gradient of y * x.grad by y is the x.grad that was multiplied. A pass over x in between changes
that number, and the next backward of the product uses the changed one; any other write in place
is refused there, as inplace_version promises. Searched in PaddlePaddle/Paddle on 2026-11-23: nothing.
"""

import sys

import paddle

x, y = (paddle.to_tensor([1.0], stop_gradient=False) for _ in range(2))
(x * 2).backward()
product = y * x.grad
(x * 3).backward()
expected = "2.0, or a refusal"
try:
    product.backward()
    got = y.grad.item()
except RuntimeError:
    got = "a refusal"
print("expected", expected)
print("got     ", got)
sys.exit(got not in (2.0, "a refusal"))
