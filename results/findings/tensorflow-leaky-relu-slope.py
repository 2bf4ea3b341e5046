"""leaky_relu in float64 is right to eight digits only: its slope has been a float32 on the way.

Searched in tensorflow/tensorflow on 2026-11-23: nothing.
"""

import sys

import tensorflow as tf

expected, got = -0.01, tf.nn.leaky_relu(tf.constant(-1.0, tf.float64), 0.01).numpy().item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-12)
