"""sqrt and rsqrt of negative complex numbers with -0 above the real axis are those of the other side.

log of TensorFlow knows the sides by the sign of zero, so that exp of half of it is another root. The
gradients of asin and acos take the root of 1 - z * z, and so are those of the other side as well.
Searched in tensorflow/tensorflow on 2026-11-23: nothing.
"""

import sys

import numpy as np
import tensorflow as tf

below, cut = (tf.constant(np.array(complex(*z))) for z in ((-4.0, -0.0), (-2.0, 0.0)))
step = 2.0**-20
expected = {
    "sqrt": tf.exp(tf.math.log(below) / 2).numpy(),
    "rsqrt": tf.exp(-tf.math.log(below) / 2).numpy(),
}
got = {name: getattr(tf.math, name)(below).numpy() for name in expected}
for name in ("asin", "acos"):
    function = getattr(tf.math, name)
    # Only the real part moves: the imaginary one keeps its zero.
    ahead, behind = (function(tf.constant(np.array(complex(s - 2, 0)))) for s in (step, -step))
    # TensorFlow writes a gradient as the conjugate of the derivative.
    expected[name] = np.conj((ahead - behind).numpy() / (2 * step))
    with tf.GradientTape() as tape:
        tape.watch(cut)
        value = function(cut)
    got[name] = tape.gradient(value, cut).numpy()
for name, value in expected.items():
    print(f"{name}: expected {value:.6f}, got {got[name]:.6f}")
sys.exit(any(abs(got[name] - value) > 1e-6 for name, value in expected.items()))
