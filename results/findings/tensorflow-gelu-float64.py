"""nn.gelu in float64 is right to eight digits only: its 1 / sqrt(2) has been a float32 on the way.

That is what tf.cast does to a number of Python: https://github.com/tensorflow/tensorflow/issues/57779
"""

import math
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

x = -1.0
expected = x * math.erfc(-x / math.sqrt(2)) / 2
got = float(tf.nn.gelu(tf.constant(x, tf.float64)))
print("expected", expected)
print("got     ", got)
sys.exit(not math.isclose(got, expected, rel_tol=1e-14))
