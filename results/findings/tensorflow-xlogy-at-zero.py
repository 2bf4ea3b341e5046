"""xlogy and xlog1py: the derivative by x is lost where x is 0. It is log(y) there as everywhere.

Searched in tensorflow/tensorflow on 2026-11-22: nothing on first arguments of zero beside positive
second ones.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

FUNCTIONS = {"xlogy": (tf.math.xlogy, 8.0), "xlog1py": (tf.math.xlog1py, 7.0)}
x, got = tf.constant(0.0), {}
for name, (function, other) in FUNCTIONS.items():
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = function(x, tf.constant(other))
    got[name] = round(float(tape.gradient(value, x)), 4)
expected = dict.fromkeys(got, 2.0794)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
