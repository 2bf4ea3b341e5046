"""The gradient of atan2 squares its arguments: far away it is 0, close to 0 it is infinite.

Searched in tensorflow/tensorflow on 2026-11-22: nothing.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

expected, got = [5e-31, 5e29], []
for size in (1e30, 1e-30):
    y, x = tf.constant(size), tf.constant(size)
    with tf.GradientTape() as tape:
        tape.watch(y)
        value = tf.atan2(y, x)
    got.append(float(f"{float(tape.gradient(value, y)):.4g}"))
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
