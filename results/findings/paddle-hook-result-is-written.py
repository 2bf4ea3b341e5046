"""A tensor that a hook of a leaf returned becomes .grad itself, and the next pass adds to it.

The documentation lets a hook return a new gradient; whoever keeps it, as a constant to return each
time, finds it changed. Searched in PaddlePaddle/Paddle on 2026-11-23: nothing.
"""

import sys

import paddle

x = paddle.to_tensor([1.0], stop_gradient=False)
held = paddle.to_tensor([5.0])
x.register_hook(lambda _: held)
for _ in range(2):
    (x * 2).backward()
expected, got = 5.0, held.item()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
