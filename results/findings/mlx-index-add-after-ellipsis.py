"""Adding to rows that are named after an ellipsis has no gradient: it is refused by a reshape.

The same rows of the same array have one where the axes before them are written out. Searched in
ml-explore/mlx on 2026-11-29: nothing; nearest is https://github.com/ml-explore/mlx/issues/4321
"""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)
x, rows, more = mx.zeros((2, 2)), mx.array([1, 1, 1]), mx.ones((3, 2))


def gradient(key):
    """Differentiate by what is added to the rows of `key`."""
    return mx.grad(lambda src: x.at[key].add(src).sum())(more).tolist()


expected = gradient((rows,))
try:
    got = gradient((..., rows, slice(None)))
except Exception as error:
    got = f"{type(error).__name__}: {error}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
