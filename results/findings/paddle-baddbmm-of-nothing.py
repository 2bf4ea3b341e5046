"""baddbmm: factors without entries are called uninitialized; addmm and bmm take them."""

import sys

import paddle

x, y, z = paddle.ones([1, 2, 2]), paddle.ones([1, 2, 0]), paddle.ones([1, 0, 2])
expected = [[[1.0, 1.0], [1.0, 1.0]]]
try:
    got = paddle.baddbmm(x, y, z).tolist()
except Exception as error:
    got = f"{type(error).__name__}: {str(error).splitlines()[0]}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
