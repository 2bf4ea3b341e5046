"""squeeze along no axes removes every axis of size 1."""

import sys

import paddle

expected, got = [1], list(paddle.squeeze(paddle.ones([1]), ()).shape)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
