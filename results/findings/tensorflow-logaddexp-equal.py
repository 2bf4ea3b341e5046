"""experimental.numpy.logaddexp: of equal arguments the first receives all of the gradient.

So it does of logaddexp2. The function is smooth there, and both derivatives are 1/2.
https://github.com/tensorflow/tensorflow/pull/127741
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from tensorflow.experimental import numpy as tnp

x, y = tf.constant(1.0), tf.constant(1.0)
expected, got = [0.5, 0.5] * 2, []
for function in (tnp.logaddexp, tnp.logaddexp2):
    with tf.GradientTape() as tape:
        tape.watch((x, y))
        value = function(x, y)
    got += [float(gradient) for gradient in tape.gradient(value, (x, y))]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
