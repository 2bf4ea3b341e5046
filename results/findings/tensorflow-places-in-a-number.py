"""where: the places of a number that is not zero, one row of no entries, are refused.

As documented the result has the shape [tf.math.count_nonzero(condition), tf.rank(condition)].
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

expected = (1, 0)
try:
    got = tuple(tf.where(tf.constant(2.0)).shape)
except tf.errors.InvalidArgumentError as error:
    got = f"InvalidArgumentError: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
