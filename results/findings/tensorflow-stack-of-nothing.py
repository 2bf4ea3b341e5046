"""stack: no tensors are stacked along axis 0, as float32; along axis 1 they end in IndexError.

As documented np.stack is the equivalent, which says that it needs at least one array.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

got = []
for axis in (0, 1):
    try:
        got.append(tf.stack([], axis).dtype.name)
    except Exception as error:
        got.append(type(error).__name__)
expected = ["ValueError"] * 2
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
