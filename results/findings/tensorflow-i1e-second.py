"""The second derivative of bessel_i1e at 0 is nan, where those on its sides are -1 and 1.

The first of bessel_i1 is https://github.com/tensorflow/tensorflow/issues/120578; of this searched on
2026-11-23: nothing.
"""

import math
import sys

import tensorflow as tf

x = tf.constant(0.0, tf.float64)
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = tf.math.bessel_i1e(x)
    first = inner.gradient(y, x)
got = float(outer.gradient(first, x))
print("expected", "a number between -1 and 1")
print("got     ", got)
sys.exit(math.isnan(got))
