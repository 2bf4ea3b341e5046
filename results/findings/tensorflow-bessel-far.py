"""bessel_i0 and bessel_i1 overflow in float32 at 89, where both are 1.9e37: e ** 89 is no float32.

Each is its exponentially scaled form times e ** 89, which TensorFlow has right.
https://github.com/tensorflow/tensorflow/issues/124772
"""

import math
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

FUNCTIONS = {
    "bessel_i0": (tf.math.bessel_i0, tf.math.bessel_i0e),
    "bessel_i1": (tf.math.bessel_i1, tf.math.bessel_i1e),
}
x, expected, got = tf.constant(89.0), {}, {}
for name, (function, scaled) in FUNCTIONS.items():
    expected[name] = float(f"{float(scaled(x)) * math.exp(89):.4g}")
    got[name] = float(f"{float(function(x)):.4g}")
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
