"""What backward leaves in .grad requires a gradient itself, so that .grad.zero_() is refused."""

import sys

import paddle

x = paddle.to_tensor([2.0], stop_gradient=False)
(x * x).backward()
try:
    got = x.grad.zero_().tolist()
except Exception as error:
    got = str(error).splitlines()[0]
expected = [0.0]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
