"""nn.softmax, nn.log_softmax and nn.softmin along a first axis of size 1 end the process.

So does log_softmax along a last axis of size 1. Both are compiled for any shape.
"""

import subprocess
import sys

TRY = """
import numpy as np
from mlx import core as mx
from mlx import nn
mx.set_default_device(mx.cpu)
print(np.array(nn.{}(mx.zeros((1, 3)), axis=0)).tolist())
"""
expected = {"log_softmax": "[[0.0, 0.0, 0.0]]", "softmin": "[[1.0, 1.0, 1.0]]"}
expected["softmax"] = expected["softmin"]
got = {}
for name in expected:
    done = subprocess.run(
        [sys.executable, "-c", TRY.format(name)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    got[name] = done.stdout.strip() or f"exit status {done.returncode}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
