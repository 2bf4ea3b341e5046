"""var of NumPy's names, with a correction: several axes end in TypeError.

Searched in tensorflow/tensorflow on 2026-11-22: nothing.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from tensorflow.experimental import numpy as tnp

x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
expected = 1.6667
try:
    got = round(float(tnp.var(x, axis=(0, 1), dtype="float32", ddof=1)), 4)
except TypeError as error:
    got = f"TypeError: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
