"""einsum: of a repeated name beside another one that is summed over, nothing is computed."""

import sys

import paddle

try:
    got = paddle.einsum("bbi->", paddle.ones([2, 2, 3])).item()
except Exception as error:
    got = f"{type(error).__name__}: {str(error).splitlines()[0]}"
expected = 6.0
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
