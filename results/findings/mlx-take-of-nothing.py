"""The gradient of take, of slices that have no entries, ends the process.

So does that of x[1], which takes one of them. So does a write to a slice without entries.
Without rows to take from the gradient is refused, as is a write to no rows: the updates are said to
be too large. Searched for in the issues of the library on 2026-11-30: nothing was found.
"""

import subprocess
import sys

TRY = """
from mlx import core as mx
mx.set_default_device(mx.cpu)
places = mx.array({}, dtype=mx.int32)
made = ({})(mx.zeros({}))
mx.eval(made)
print(tuple(made.shape))
"""
TAKEN = "mx.grad(lambda x: mx.take(x, places, axis=0).sum())"
ONE = "mx.grad(lambda x: x[1].sum())"
WRITTEN = "lambda x: x.at[places].add(x)"
CASES = {
    "of empty slices": ([0, 0], TAKEN, (2, 0)),
    "of one empty slice": ([], ONE, (2, 0)),
    "of no slices": ([], TAKEN, (0, 3)),
    "of a write to no slices": ([], WRITTEN, (0, 3)),
    "of a write to an empty slice": ([0], WRITTEN, (1, 0)),
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
