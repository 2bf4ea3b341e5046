"""The gradient of one slice of an array without entries divides by zero, and ends the process.

Of a slice along the last axis it does not. Searched for in the issues of the library on 2026-11-30:
nothing was found.
"""

import subprocess
import sys

TRY = """
import numpy as np
from mlx import core as mx
mx.set_default_device(mx.cpu)
_, (gradient,) = mx.vjp(lambda x: x[1], [mx.zeros((2, 0))], [mx.zeros((0,))])
print(np.array(gradient).shape)
"""
expected = "(2, 0)"
done = subprocess.run(
    [sys.executable, "-c", TRY], capture_output=True, text=True, timeout=100, check=False
)
got = done.stdout.strip() or f"exit status {done.returncode}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
