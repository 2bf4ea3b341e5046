"""The gradients of asinh and acosh lose digits far away: they are made by cosh and sinh of results.

1 / cosh(asinh(x)) carries the rounding of asinh(x) as many times as it is large. Searched in
tensorflow/tensorflow on 2026-11-22: nothing.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

size = 2.0**60
expected, got = {"asinh": 1 / size, "acosh": 1 / size}, {}
for name in expected:
    x = tf.constant(size)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = getattr(tf.math, name)(x)
    got[name] = float(tape.gradient(value, x))
print("expected", expected)
print("got     ", got)
sys.exit(any(abs(got[name] - value) > 1e-6 * value for name, value in expected.items()))
