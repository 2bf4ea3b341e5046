"""experimental.numpy.var: with a correction, and without a dtype, the variance is refused.

https://github.com/tensorflow/tensorflow/pull/125955
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from tensorflow.experimental import numpy as tnp

expected = 7.0
try:
    got = float(tnp.var(tf.constant([1.0, 2.0, 6.0]), ddof=1))
except TypeError as error:
    got = f"TypeError: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
