"""truncatemod and lu have no derivative; softsign and resizing to the nearest have no second one.

The registry of gradients has no entry for them. Searched in tensorflow/tensorflow on 2026-11-22.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf


def derivative(function, x, order):
    """Differentiate so often, or say that this is refused."""
    try:
        for _ in range(order):
            function = slope(function)
        function(x)
    except LookupError:
        return "refused"
    return "computed"


def slope(function):
    """The gradient of a sum of what a function gives."""

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = tf.reduce_sum(function(x) ** 2)
        return tape.gradient(value, x)

    return gradient


x, square, image = tf.constant([1.5]), 2 * tf.eye(2), tf.ones((1, 2, 2, 1))
got = {
    "truncatemod": derivative(lambda x: tf.truncatemod(x, 1.0), x, 1),
    "lu": derivative(lambda x: tf.linalg.lu(x)[0], square, 1),
    "softsign": derivative(tf.nn.softsign, x, 2),
    "resize": derivative(lambda x: tf.image.resize(x, (4, 4), "nearest"), image, 2),
}
expected = dict.fromkeys(got, "computed")
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
