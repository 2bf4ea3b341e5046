"""var along several axes: forward mode uses a name that is not defined.

Searched for on 2026-11-22; nothing was found.
"""

import sys

import numpy as np
from autograd import make_jvp
from autograd import numpy as anp

x = np.array([[1.0, 2.0], [3.0, 6.0]])
expected = 1.5
try:
    got = float(make_jvp(lambda x: anp.var(x, axis=(0, 1)))(x)(np.array([[0, 0], [1, 1.0]]))[1])
except NameError as error:
    got = str(error)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
