"""Functions for tinygrad as people write them, wrong in a common way and right."""

import os

import numpy as np

os.environ.setdefault("DEV", "PYTHON")

from tinygrad import dtypes

X = np.array([0.5, -1.25])


def detached_factor(x):
    return x / (x * x).sum().sqrt().detach()


def right_factor(x):
    return x / (x * x).sum().sqrt()


def single_inside(x):
    return x.cast(dtypes.float32).sigmoid().cast(x.dtype)


def right_inside(x):
    return x.sigmoid()


PAIRS = {
    "detached factor": (detached_factor, right_factor, X),
    "float32 inside": (single_inside, right_inside, X),
}
OTHERS = {}
