"""nn.log_softmax of a matrix along an axis of size 1, the first or the last, ends the process."""

import subprocess
import sys

TRY = """
import numpy as np
from mlx import core as mx
from mlx import nn
mx.set_default_device(mx.cpu)
print(np.array(nn.log_softmax(mx.zeros((1, 3)), axis=0)).tolist())
"""
expected = "[[0.0, 0.0, 0.0]]"
done = subprocess.run(
    [sys.executable, "-c", TRY], capture_output=True, text=True, timeout=100, check=False
)
got = done.stdout.strip() or f"exit status {done.returncode}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
