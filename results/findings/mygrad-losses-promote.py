"""Losses of float32 are float64: of labels without weights, and of a pair with its side.

Weights that are not given are ones of float64, and a side of one entry is made a number of float64.
With weights of float32, and with sides of two entries, the losses are float32.
"""

import sys

import mygrad as mg
import numpy as np
from mygrad.nnet import margin_ranking_loss, negative_log_likelihood

x = mg.tensor(np.ones((1, 2), np.float32))
one = mg.tensor(np.ones(1, np.float32))
label, side = np.array([0]), np.ones(1, np.float32)
expected = {
    "nll": str(negative_log_likelihood(x, label, weights=np.ones(2, np.float32)).dtype),
    "ranking": str(margin_ranking_loss(mg.ones((2,), dtype="float32"), mg.ones((2,), dtype="float32"),
                                       np.ones(2, np.float32), 0.0).dtype),
}  # fmt: skip
got = {
    "nll": str(negative_log_likelihood(x, label).dtype),
    "ranking": str(margin_ranking_loss(one, one, side, 0.0).dtype),
}
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
