"""The gradient of cumulative_logsumexp is nan where an entry is -inf: its share is 0.

https://github.com/tensorflow/tensorflow/pull/127551 is about the second derivative of the same rule.
"""

import math
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

x = tf.constant([-math.inf, 8.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    value = tf.math.cumulative_logsumexp(x)[-1]
expected, got = [0.0, 1.0], tape.gradient(value, x).numpy().tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
