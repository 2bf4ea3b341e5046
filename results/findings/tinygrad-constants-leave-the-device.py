"""A gradient that is constant lies on no device: reading it asks for the CPU, and so for a compiler.

Where there is a compiler called clang, nothing is to be seen of it: this script hides it.
"""

import os
import sys

os.environ.update(DEV="PYTHON", CC="no-such-compiler")

from tinygrad import Tensor

x = Tensor([1.0, 2.0])
(gradient,) = x.floor().gradient(x, gradient=Tensor([1.0, 1.0]))
expected = [0.0, 0.0]
try:
    got = gradient.numpy().tolist()
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
