"""erfinv loses its digits close to 0: in float32 it is 0 at 2 ** -27, where it is 6.6e-9.

It is half the square root of pi times its argument there, and is computed by ndtri, of which the
argument is a half. Searched in tensorflow/tensorflow on 2026-11-23: nothing.
"""

import math
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

expected = math.sqrt(math.pi) / 2 * 2.0**-27
got = float(tf.math.erfinv(tf.constant(2.0**-27)))
print("expected", expected)
print("got     ", got)
sys.exit(not math.isclose(got, expected, rel_tol=1e-6))
