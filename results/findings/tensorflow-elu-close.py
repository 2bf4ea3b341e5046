"""elu and selu lose their digits close to 0, where they compute exp(x) - 1: in float32 they are 0.

Below zero elu is expm1, which TensorFlow has, and selu 1.7581 times as much.
https://github.com/tensorflow/tensorflow/issues/116943
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

x = tf.constant(-(2.0**-27))
exact = float(tf.math.expm1(x))
expected = {"elu": exact, "selu": 1.7580993408473768 * exact}
got = {"elu": float(tf.nn.elu(x)), "selu": float(tf.nn.selu(x))}
print("expected", expected)
print("got     ", got)
sys.exit(any(abs(got[name] / value - 1) > 1e-6 for name, value in expected.items()))
