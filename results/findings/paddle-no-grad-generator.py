"""While a generator that no_grad decorates waits, nothing outside of it is recorded either."""

import sys

import paddle


@paddle.no_grad()
def numbers():
    """Yield two numbers, computing nothing."""
    yield 1
    yield 2


for _ in numbers():
    got = paddle.is_grad_enabled()
    break
expected = True
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
