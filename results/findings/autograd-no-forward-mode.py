"""Some functions have a reverse mode only: forward mode refuses them."""

import sys

import numpy as np
from autograd import make_jvp
from autograd import numpy as anp
from autograd.scipy.special import erf, expit

functions = {
    "cholesky": anp.linalg.cholesky,
    "det": anp.linalg.det,
    "erf": erf,
    "expit": expit,
    "hypot": lambda x: anp.hypot(x, 1.0),
    "inv": anp.linalg.inv,
    "solve": lambda x: anp.linalg.solve(x, np.ones(2)),
}
expected, got = dict.fromkeys(functions, "defined"), {}
for name, function in functions.items():
    try:
        make_jvp(function)(np.eye(2))(np.ones((2, 2)))
        got[name] = "defined"
    except NotImplementedError as error:
        got[name] = str(error)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
