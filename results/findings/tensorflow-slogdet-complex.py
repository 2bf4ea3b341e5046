"""The gradient of the sign of slogdet of complex matrices is zero: the sign is taken for a constant.

The sign of a complex determinant is a number of absolute value 1 that turns with the matrix.
Searched in tensorflow/tensorflow on 2026-11-23 for slogdet, sign, complex gradient: nothing.
"""

import sys

import numpy as np
import tensorflow as tf

x = tf.constant([[2 + 1j]], tf.complex128)
with tf.GradientTape() as tape:
    tape.watch(x)
    sign, _ = tf.linalg.slogdet(x)
    turned = tf.math.imag(sign)
# Of z = a + bi the imaginary part of z / |z| is b / |z|: by a it changes as -ab / |z|^3, and by b
# as a^2 / |z|^3.
expected = np.array([[(-2 + 4j) / 5**1.5]])
got = tape.gradient(turned, x).numpy()
print("expected", expected.tolist())
print("got     ", got.tolist())
sys.exit(not np.allclose(got, expected))
