"""narrow: of a tensor that begins later in its memory, entries before it are taken.

It counts from the start of the memory and not of the tensor, and may so read and, in backward,
write outside of both.
"""

import sys

import paddle

x = paddle.arange(6, dtype="float32")[2:]
expected, got = x[1:3].tolist(), paddle.narrow(x, 0, 1, 2).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
