"""exp of float32 is 0 below -87.34, where its values are smaller than normal numbers but not 0.

Float32 has numbers down to 1.4e-45. Searched for in the issues of the library on 2026-12-01: nothing
was found of float32; https://github.com/ml-explore/mlx/pull/4182 says so of float64, in which exp is
computed as it is in float32, and https://github.com/ml-explore/mlx/issues/1341 speaks of other digits.
"""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)
expected = float.fromhex("0x1.07b712p-127")  # exp(-88)
got = mx.exp(mx.array(-88.0)).item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-44)
