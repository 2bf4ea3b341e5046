"""norm: the derivatives of the norm of no entries are nan, in forward mode and by the cotangent.

Nothing depends on no entries. tf.norm is the square root of a sum, which is 0 here.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

nothing = tf.zeros([0])
with tf.autodiff.ForwardAccumulator(nothing, nothing) as accumulator:
    value = tf.norm(nothing)
expected = 0.0
got = float(accumulator.jvp(value, tf.UnconnectedGradients.ZERO))
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
