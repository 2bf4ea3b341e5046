"""selu is right to six digits only: its two constants are given with so many.

They have sixteen in the paper that introduced it (Klambauer et al., 2017), and float32 has room for
nine. Searched in ml-explore/mlx on 2026-11-29: nothing; tinygrad has the same.
"""

import sys

from mlx import core as mx
from mlx import nn

mx.set_default_device(mx.cpu)
expected, got = 1.0507009873554805 / 2, nn.selu(mx.array(0.5)).item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 2e-7)
