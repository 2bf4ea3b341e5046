"""round and around of NumPy's names end in AttributeError where decimals are asked for.

https://github.com/tensorflow/tensorflow/pull/126231, merged after 2.21.0.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from tensorflow.experimental import numpy as tnp

expected = 1.2
try:
    got = round(float(tnp.round(tf.constant(1.23), 1)), 4)
except AttributeError as error:
    got = f"AttributeError: {error}"[:60]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
