"""The gradient of det of complex matrices is wrong: a conjugate is missing.

TensorFlow writes a gradient as the conjugate of the derivative, which is that of the cofactors here.
Searched in tensorflow/tensorflow on 2026-11-23: nothing.
"""

import sys

import numpy as np
import tensorflow as tf

x = tf.constant(np.array([[1 + 2j, 0.5], [-1j, 3.0]]))
with tf.GradientTape() as tape:
    tape.watch(x)
    det = tf.linalg.det(x)
expected = np.conj([[3.0, 1j], [-0.5, 1 + 2j]])
got = tape.gradient(det, x).numpy()
print("expected", expected.tolist())
print("got     ", got.tolist())
sys.exit(not np.allclose(got, expected))
