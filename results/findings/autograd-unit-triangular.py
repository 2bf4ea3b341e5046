"""solve_triangular with a diagonal that counts as ones: the gradient takes it as it is.

The rule passes on neither `unit_diagonal` nor what else is named, and nothing is said. The diagonal
receives a gradient too, on which the result does not depend. Searched for on 2026-12-03; nothing
was found.
"""

import sys

import numpy as np
from autograd import make_vjp
from autograd.scipy import linalg

matrix, side = np.array([[2.0, 0.0], [1.0, 4.0]]), np.array([1.0, 3.0])
pull, value = make_vjp(
    lambda a, b: linalg.solve_triangular(a, b, lower=True, unit_diagonal=True), (0, 1)
)(matrix, side)
assert value.tolist() == [1.0, 2.0]
expected = [[[0.0, 0.0], [-1.0, 0.0]], [-1.0, 1.0]]
got = [gradient.tolist() for gradient in pull(np.array([0.0, 1.0]))]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
