"""The gradient of rows of an array without entries ends the process."""

import subprocess
import sys

TRY = """
import numpy as np
from mlx import core as mx
mx.set_default_device(mx.cpu)
rows = lambda x: mx.sum(x[mx.array([0, 0])])
print(np.array(mx.grad(rows)(mx.zeros((1, 0)))).shape)
"""
expected = "(1, 0)"
done = subprocess.run(
    [sys.executable, "-c", TRY], capture_output=True, text=True, timeout=100, check=False
)
got = done.stdout.strip() or f"exit status {done.returncode}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
