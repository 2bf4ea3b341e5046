"""rfft with norm="forward": the gradient lacks the factor, and nothing is said.

The rule knows of "ortho" alone. Of an odd number of entries it refuses to compute a gradient.
Searched for on 2026-11-22; nothing was found.
"""

import sys

import numpy as np
from autograd import make_vjp
from autograd import numpy as anp

pull, value = make_vjp(lambda x: anp.real(anp.fft.rfft(x, norm="forward")))(np.arange(4.0))
assert value.tolist() == [1.5, -0.5, -0.5]
expected = [0.25, 0.25, 0.25, 0.25]
got = pull(np.array([1.0, 0.0, 0.0])).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
