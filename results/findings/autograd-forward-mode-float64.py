"""Forward mode of float32 comes out as float64 for some functions.

Reverse mode keeps to float32.
"""

import sys

import numpy as np
from autograd import make_jvp
from autograd import numpy as anp

functions = {
    "exp2": anp.exp2,
    "log2": anp.log2,
    "log10": anp.log10,
    "max": anp.max,
    "maximum": lambda x: anp.maximum(x, np.float32(1)),
}
x = np.array([2.0, 3.0], np.float32)
expected = dict.fromkeys(functions, "float32")
got = {name: str(make_jvp(f)(x)(np.ones_like(x))[1].dtype) for name, f in functions.items()}
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
