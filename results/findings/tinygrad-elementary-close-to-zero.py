"""Close to zero sinh, tanh, asinh, atanh and elu are zero: they are formulas whose parts cancel.

sinh is the difference of e ** x and e ** -x, tanh 2 sigmoid(2 x) - 1, atanh and asinh logarithms of
something close to 1.
"""

import os
import sys

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import Tensor

expected = 2.0**-27
got = Tensor([expected]).sinh().item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6 * expected)
