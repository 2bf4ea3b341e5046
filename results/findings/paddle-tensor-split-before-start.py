"""tensor_split: a place that lies before the start cuts entries off."""

import sys

import numpy as np
import paddle

x = np.arange(3.0)
expected = [piece.tolist() for piece in np.array_split(x, [-4])]
got = [piece.tolist() for piece in paddle.tensor_split(paddle.to_tensor(x), [-4])]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
