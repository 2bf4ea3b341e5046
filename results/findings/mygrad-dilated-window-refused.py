"""A convolution refuses a dilated kernel that fits: it asks for a gap beyond the last entry.

Its documentation places kernel entries at `i*s : i*s + w*d : d`, of which the last is
`i*s + (w - 1)*d`, and its own formula for the shape of the result says that there is one.
"""

import sys

import mygrad as mg
import numpy as np
from mygrad.nnet import conv_nd

x = mg.tensor(np.array([[[1.0, 2.0, 3.0]]]))
kernel = mg.tensor(np.array([[[1.0, 1.0]]]))
expected = "[[[4.0]]]"
try:
    got = str(conv_nd(x, kernel, stride=1, dilation=2).data.tolist())
except ValueError as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
