"""The gradient of pinv is wrong where singular values are equal, as those of a multiple of I.

The pseudoinverse is smooth there: of 3 I the sum of entries has the gradient -1/9 everywhere.
Searched in tensorflow/tensorflow on 2026-11-22: nothing.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

x = 3 * tf.eye(2, dtype="float64")
with tf.GradientTape() as tape:
    tape.watch(x)
    value = tf.reduce_sum(tf.linalg.pinv(x))
found = tape.gradient(value, x).numpy().ravel()
expected, got = [-0.1111] * 4, [round(float(slope), 4) for slope in found]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
