"""jacrev refuses rows of an embedding, and pixel_unshuffle, of something without entries.

The matrix has no entries. By vmap backward makes a gradient of another shape.
"""

import sys

import torch


def rows(table):
    """Look up no rows in a table of rows without entries."""
    return torch.nn.functional.embedding(torch.zeros(0, dtype=torch.int64), table)


def smaller(image):
    """Shrink no images by 2."""
    return torch.nn.functional.pixel_unshuffle(image, 2)


cases = ((rows, torch.ones(0, 2)), (smaller, torch.ones(0, 1, 2, 2)))
expected = [(*function(x).shape, *x.shape) for function, x in cases]
print("expected", expected)
got = []
for function, x in cases:
    try:
        got.append(tuple(torch.func.jacrev(function)(x).shape))
    except RuntimeError as error:
        got.append(str(error))
print("got     ", got)
sys.exit(got != expected)
