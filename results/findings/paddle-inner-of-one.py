"""inner: of two vectors of one entry the result is a vector; of longer ones it is a number."""

import sys

import paddle

expected = [[], []]
got = [list(paddle.inner(paddle.ones([n]), paddle.ones([n])).shape) for n in (3, 1)]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
