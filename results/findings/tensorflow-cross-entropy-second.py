"""softmax_cross_entropy_with_logits: labels are no part of what the gradient is differentiated by.

The gradient by the logits, differentiated by the labels, is 0, and without a word. The other way
round it is right, and a matrix of second derivatives is symmetric.
https://github.com/tensorflow/tensorflow/issues/26495
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

logits, labels = tf.constant([[0.0, 0.0]]), tf.constant([[0.5, 0.5]])
direction = tf.constant([[1.0, 0.0]])


def mixed(first, then):
    """Differentiate by one argument, along a direction, and then by the other."""
    with tf.GradientTape() as outer:
        outer.watch(then)
        with tf.GradientTape() as inner:
            inner.watch(first)
            loss = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
        slope = tf.reduce_sum(inner.gradient(loss, first) * direction)
    gradient = outer.gradient(slope, then)
    return [0.0, 0.0] if gradient is None else gradient.numpy()[0].tolist()


expected, got = mixed(labels, logits), mixed(logits, labels)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
