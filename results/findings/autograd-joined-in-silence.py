"""concat, dstack and multi_dot: the gradient is zero, without a word.

What they return is an array of objects, each a piece of the recorded graph, so that nothing leads
back through them; concatenate is right.
"""

import sys

import numpy as np
from autograd import make_vjp
from autograd import numpy as anp

expected, got = {}, {}
for name, join in {"concat": anp.concat, "dstack": anp.dstack}.items():
    pull, value = make_vjp(lambda x, join=join: join((x, 2 * x)))(np.array([1.0]))
    expected[name] = ["float64", [3.0]]
    got[name] = [str(value.dtype), pull(np.ones(value.shape)).tolist()]
matrix = np.array([[1.0, 2.0], [3.0, 4.0]])
pull, value = make_vjp(lambda x: anp.linalg.multi_dot((x, matrix)))(np.eye(2))
expected["multi_dot"] = ["float64", [[3.0, 7.0], [3.0, 7.0]]]
got["multi_dot"] = [str(value.dtype), pull(np.ones((2, 2))).tolist()]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
