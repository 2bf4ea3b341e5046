"""clip of NumPy's names, where the lower bound is above the upper one: the lower one is returned.

NumPy documents the upper one, and so does tf.experimental.numpy, which follows it. Searched in
tensorflow/tensorflow on 2026-11-22: nothing.
"""

import os
import sys

import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

from tensorflow.experimental import numpy as tnp

bounds = np.array([1.0]), np.array([-1.0])
expected = np.clip(np.array([0.0]), *bounds).tolist()
got = tnp.clip(np.array([0.0]), *bounds).numpy().tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
