"""grad keeps the graph that it is told to free: backward runs through it afterwards."""

import sys

import paddle

x = paddle.to_tensor([2.0], stop_gradient=False)
y = x * x
paddle.grad(y, [x], retain_graph=False)
try:
    y.backward()
    got = x.grad.tolist()
except Exception:
    got = "refused"
expected = "refused"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
