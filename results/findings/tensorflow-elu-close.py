"""elu loses its digits close to 0, where it computes exp(x) - 1: in float32 it is 0 there.

Below zero elu is expm1, which TensorFlow has. Searched in tensorflow/tensorflow on 2026-11-22:
nothing.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

x = tf.constant(-(2.0**-27))
expected, got = float(tf.math.expm1(x)), float(tf.nn.elu(x))
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-6 * abs(expected))
