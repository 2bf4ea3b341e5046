"""xlogy: the derivative by x is lost where x is 0. It is log(y) there as everywhere.

Searched in tensorflow/tensorflow on 2026-11-22: nothing on first arguments of zero beside positive
second ones.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

x, y = tf.constant(0.0), tf.constant(8.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    value = tf.math.xlogy(x, y)
expected, got = 2.0794, round(float(tape.gradient(value, x)), 4)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
