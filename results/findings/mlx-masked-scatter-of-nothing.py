"""Writing where a mask is true divides by zero, and ends the process, if no values are given.

A mask that is true nowhere takes none. Searched for in the issues of the library on 2026-11-30:
nothing was found.
"""

import subprocess
import sys

TRY = """
import numpy as np
from mlx import core as mx
mx.set_default_device(mx.cpu)
x = mx.ones((3,))
x[mx.array([False, False, False])] = mx.zeros((0,))
print(np.array(x).tolist())
"""
expected = "[1.0, 1.0, 1.0]"
done = subprocess.run(
    [sys.executable, "-c", TRY], capture_output=True, text=True, timeout=100, check=False
)
got = done.stdout.strip() or f"exit status {done.returncode}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
