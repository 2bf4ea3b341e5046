"""The gradient of an operand that was broadcast to no entries is computed for ever, now and then.

It is a sum over an axis of size 0, in which a flag of the empty array seems never to be set: whether
the process hangs depends on what its memory held before, so this script tries it ten times.
Searched for in the issues of the library on 2026-11-23: nothing was found.
"""

import subprocess
import sys

TRY = """
import numpy as np
from mlx import core as mx
mx.set_default_device(mx.cpu)
np.array(mx.sum(mx.array(np.zeros((0, 3), np.float32)), axis=0))
np.array(mx.sum(mx.zeros((0, 3)), axis=0))
x, y = mx.array(np.zeros((0, 3), np.float32)), mx.ones((1, 3))
_, gradients = mx.vjp(lambda x, y: x + y, [x, y], [mx.array(np.zeros((0, 3), np.float32))])
print(np.array(gradients[1]).tolist())
"""
expected = got = "[[0.0, 0.0, 0.0]]"
for _ in range(10):
    try:
        done = subprocess.run(
            [sys.executable, "-X", "faulthandler", "-c", TRY],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except subprocess.TimeoutExpired:
        got = "no answer within ten seconds"
        break
    if done.stdout.strip() != expected:
        got = done.stdout.strip() or f"exit status {done.returncode}"
        break
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
