"""softmax_cross_entropy_with_logits: labels are no part of what the gradient is differentiated by.

The gradient by the logits is their shares less the labels, so its derivative by a label is -1. The
gradient by the labels, differentiated by the logits, has it: a matrix of second derivatives is
symmetric. Searched in tensorflow/tensorflow on 2026-11-23: nothing.
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


shares = tf.nn.softmax(logits).numpy()[0]
print("by labels, then by logits", mixed(labels, logits))
expected, got = [-1.0, 0.0], mixed(logits, labels)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
