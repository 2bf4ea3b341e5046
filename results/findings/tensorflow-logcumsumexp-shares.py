"""The gradient of cumulative_logsumexp does not add up to 1 far out: of four equal entries each has 1.

What is added to all entries is added to the result, whose gradient therefore adds up to 1, as that
of reduce_logsumexp does. Searched in tensorflow/tensorflow on 2026-11-23: nothing.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

x = tf.fill([4], tf.constant(2.0**60, tf.float64))
with tf.GradientTape() as tape:
    tape.watch(x)
    value = tf.math.cumulative_logsumexp(x)[-1]
expected, got = 1.0, float(tf.reduce_sum(tape.gradient(value, x)))
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
