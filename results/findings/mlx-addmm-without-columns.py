"""addmm of matrices without columns and a summand with gaps multiplies that by what memory holds.

The factor beta has no axes then, and the multiplication reads its strides along three of them, beyond
what there is (AddMM::eval_cpu in mlx/backend/cpu/matmul.cpp). A summand without gaps is multiplied
by beta. Searched for in the issues of the library on 2026-12-01: nothing was found.
"""

import subprocess
import sys

TRY = """
import numpy as np
from mlx import core as mx
mx.set_default_device(mx.cpu)

def gapped():
    made = mx.as_strided(mx.arange(24.0), (2, 2, 3), (12, 6, 2))
    mx.eval(made)
    return made

# What is done before leaves strides in memory.
np.array(gapped() * mx.swapaxes(mx.as_strided(mx.arange(24.0), (2, 3, 2), (12, 4, 2)), 1, 2))
nothing = mx.zeros((2, 2, 0)), mx.zeros((2, 0, 3))
print(np.array(mx.addmm(gapped(), *nothing, beta=0.5)).tolist())
"""
expected = "[[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], [[6.0, 7.0, 8.0], [9.0, 10.0, 11.0]]]"
done = subprocess.run(
    [sys.executable, "-c", TRY], capture_output=True, text=True, timeout=100, check=False
)
got = done.stdout.strip() or f"exit status {done.returncode}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
