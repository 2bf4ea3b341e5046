"""experimental.numpy.hypot squares its arguments: far away it is infinite, close to 0 it is 0.

NumPy's, which it follows, is not. Searched in tensorflow/tensorflow on 2026-11-22: nothing.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from tensorflow.experimental import numpy as tnp

expected, got = [5e30, 5e-30], []
for size in (1e30, 1e-30):
    got.append(float(f"{float(tnp.hypot(tf.constant(3 * size), tf.constant(4 * size))):.4g}"))
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
