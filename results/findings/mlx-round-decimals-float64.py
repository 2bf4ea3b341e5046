"""round of float64 to decimals: what it is divided by is a number of float32.

Searched for on 2026-11-22; nothing was found.
"""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)

expected = 1.5
got = mx.round(mx.array(1.5, dtype=mx.float64), 1).item()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
