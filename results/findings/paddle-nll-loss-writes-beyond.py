"""nll_loss of images: for each label that is ignored a zero is written beyond a result of one entry.

The process ends of it, or never does. Searched in PaddlePaddle/Paddle on 2026-11-23: nothing.
"""

import subprocess
import sys

PROGRAM = """
import os
import paddle
x, labels = paddle.ones([1, 2, 1000, 1000]), paddle.zeros([1, 1000, 1000], "int64")
loss = paddle.nn.functional.nll_loss(x, labels, ignore_index=0, reduction="sum")
print(loss.item(), flush=True)
os._exit(0)
"""

try:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120, check=False
    )
    got = done.stdout.strip() if done.returncode == 0 else "the process ended"
except subprocess.TimeoutExpired:
    got = "the process never ended"
expected = "0.0"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
