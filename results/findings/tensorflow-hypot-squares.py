"""experimental.numpy.hypot squares its arguments: far away it is infinite, close to 0 it is 0.

NumPy's, which it follows, is not. Searched in tensorflow/tensorflow on 2026-11-22: nothing.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from tensorflow.experimental import numpy as tnp

expected, sizes = [5e30, 5e-30], (1e30, 1e-30)
found = [float(tnp.hypot(tf.constant(3 * size), tf.constant(4 * size))) for size in sizes]
got = [float(f"{length:.4g}") for length in found]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
