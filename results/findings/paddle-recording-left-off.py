"""A pass that fails in the middle leaves recording switched off from then on."""

import sys

import paddle

x, source, start = (paddle.to_tensor([[n]], stop_gradient=False) for n in (1.0, 2.0, 3.0))
y = paddle.put_along_axis(x, paddle.to_tensor([[0]]), source, 1)
(slope,) = paddle.grad(y, [source], start, create_graph=True)
try:
    paddle.grad(slope, [start])
except Exception as error:
    print("raised  ", str(error).splitlines()[0])
expected, got = True, paddle.is_grad_enabled()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
