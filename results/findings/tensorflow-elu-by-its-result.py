"""The gradient of elu is the result plus 1, which is 0 where the result is -1 but for rounding.

At -40 it is e ** -40, a normal number. Searched in tensorflow/tensorflow on 2026-11-29 for the
gradients of elu and selu far below zero: nothing.
"""

import math
import sys

import tensorflow as tf

x = tf.Variable(tf.constant([-40.0], tf.float64))
with tf.GradientTape() as tape:
    y = tf.nn.elu(x)
got = tape.gradient(y, x)[0].numpy()
print("expected", math.exp(-40))
print("got     ", got)
sys.exit(not math.isclose(got, math.exp(-40), rel_tol=1e-9))
