"""A number written to a row that is named twice receives the gradient of that row twice.

Whichever write comes last, the row is that number once. Searched for in the issues of the library
on 2026-12-01: nothing was found; https://github.com/ml-explore/mlx/issues/282 asked for the gradient.
"""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)


def filled(y, rows):
    """Write a number to rows of zeros."""
    x = mx.zeros((3, 2))
    x[mx.array(rows)] = y
    return x.sum()


assert filled(mx.array(1.0), [0, 0]).item() == filled(mx.array(1.0), [0]).item()
expected = mx.grad(filled)(mx.array(1.0), [0]).item()
got = mx.grad(filled)(mx.array(1.0), [0, 0]).item()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
