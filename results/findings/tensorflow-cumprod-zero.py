"""cumprod: where a factor is zero the gradient loses what the product without it is worth.

https://github.com/tensorflow/tensorflow/issues/119430
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

x = tf.constant([2.0, 0.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    total = tf.reduce_sum(tf.math.cumprod(x))
expected = [1.0, 8.0, 0.0]
got = tape.gradient(total, x).numpy().tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
