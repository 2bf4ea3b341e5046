"""zeta and polygamma are 0 in float32 at 2 ** 100, where zeta(2, x) is 2 ** -100: x ** -2 underflows.

So is the derivative of digamma, which is polygamma(1, x). Searched in tensorflow/tensorflow on
2026-11-23: nothing.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

x = tf.constant(2.0**100)
with tf.GradientTape() as tape:
    tape.watch(x)
    value = tf.math.digamma(x)
got = {
    "zeta": float(tf.math.zeta(2.0, x)),
    "polygamma": float(tf.math.polygamma(1.0, x)),
    "the gradient of digamma": float(tape.gradient(value, x)),
}
expected = dict.fromkeys(got, 2.0**-100)
print("expected", expected)
print("got     ", got)
sys.exit(any(abs(value * 2.0**100 - 1) > 1e-5 for value in got.values()))
