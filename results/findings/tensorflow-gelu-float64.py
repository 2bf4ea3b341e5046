"""nn.gelu in float64 is right to eight digits only: its 1 / sqrt(2) has been a float32 on the way.

So have the constants of its approximation by a hyperbolic tangent.

That is what tf.cast does to a number of Python: https://github.com/tensorflow/tensorflow/issues/57779
"""

import math
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

x = -1.0
inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
expected = [x * math.erfc(-x / math.sqrt(2)) / 2, x / (1 + math.exp(-2 * inner))]
got = [float(tf.nn.gelu(tf.constant(x, tf.float64), approximate)) for approximate in (False, True)]
print("expected", expected)
print("got     ", got)
sys.exit(not all(math.isclose(*pair, rel_tol=1e-14) for pair in zip(got, expected, strict=True)))
