"""The gradient of take, of slices that have no entries, ends the process.

So does that of x[1], which takes one of them. Without rows to take from it is refused: the updates
are said to be too large. Searched for in the issues of the library on 2026-11-30: nothing was
found.
"""

import subprocess
import sys

TRY = """
from mlx import core as mx
mx.set_default_device(mx.cpu)
places = mx.array({}, dtype=mx.int32)
gradient = mx.grad(lambda x: {}.sum())(mx.zeros({}))
mx.eval(gradient)
print(tuple(gradient.shape))
"""
TAKEN = "mx.take(x, places, axis=0)"
CASES = {
    "of empty slices": ([0, 0], TAKEN, (2, 0)),
    "of one empty slice": ([], "x[1]", (2, 0)),
    "of no slices": ([], TAKEN, (0, 3)),
}
expected = {name: str(shape) for name, (*_, shape) in CASES.items()}
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
