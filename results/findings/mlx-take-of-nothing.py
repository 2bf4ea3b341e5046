"""The gradient of take, of slices that have no entries, ends the process.

Without rows to take from it is refused: the updates are said to be too large.
"""

import subprocess
import sys

TRY = """
from mlx import core as mx
mx.set_default_device(mx.cpu)
places = mx.array({}, dtype=mx.int32)
gradient = mx.grad(lambda x: mx.take(x, places, axis=0).sum())(mx.zeros({}))
mx.eval(gradient)
print(tuple(gradient.shape))
"""
CASES = {"of empty slices": ([0, 0], (2, 0)), "of no slices": ([], (0, 3))}
expected = {name: str(shape) for name, (_, shape) in CASES.items()}
got = {}
for name, case in CASES.items():
    done = subprocess.run(
        [sys.executable, "-c", TRY.format(*case)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    got[name] = done.stdout.strip() or f"exit status {done.returncode}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
