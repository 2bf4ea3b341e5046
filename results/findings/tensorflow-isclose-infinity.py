"""isclose of NumPy's names finds no infinity close to itself, and each number close to infinity.

NumPy, whose documentation it refers to, treats infinities of one sign as equal, and all else as far
from them. Searched in tensorflow/tensorflow on 2026-11-23: nothing.
"""

import sys

import tensorflow as tf
from tensorflow.experimental import numpy as tnp

far = float("inf")
x, y = tf.constant([far, 1.0, -far]), tf.constant([far, far, far])
expected, got = [True, False, False], tnp.isclose(x, y).numpy().tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
