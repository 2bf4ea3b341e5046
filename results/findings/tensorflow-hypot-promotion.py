"""hypot of NumPy's names refuses integers beside floats, which its neighbours promote.

The guide to tf.experimental.numpy promises the type promotion of NumPy, and add, power and arctan2
keep it. Of logaddexp this was mended in https://github.com/tensorflow/tensorflow/pull/126543; of
hypot nothing was found in tensorflow/tensorflow on 2026-11-23.
"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf
from tensorflow.experimental import numpy as tnp

whole, real = tf.constant([3], tf.int64), tf.constant([4.0], tf.float64)
expected = [5.0]
try:
    got = tnp.hypot(whole, real).numpy().tolist()
except tf.errors.InvalidArgumentError as error:
    got = str(error).partition("[Op")[0]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
