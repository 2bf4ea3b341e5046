"""sort: the gradient of sorting rows of no entries ends in an error of Range.

Searched in tensorflow/tensorflow on 2026-11-22: nothing.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

x = tf.zeros((0, 2))
expected = [0, 2]
try:
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = tf.sort(x, 0)
    got = tape.gradient(value, x).shape.as_list()
except Exception as error:
    got = type(error).__name__
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
