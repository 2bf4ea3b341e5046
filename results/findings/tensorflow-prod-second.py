"""reduce_prod: the second derivative by two factors is zero if one of them is.

The derivative of x0 x1 by x0 and x1 is 1. https://github.com/tensorflow/tensorflow/issues/61117
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

x = tf.constant([0.0, 1.0])
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        product = tf.reduce_prod(x)
    slope = inner.gradient(product, x)[1]
expected = [1.0, 0.0]
got = outer.gradient(slope, x).numpy().tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
