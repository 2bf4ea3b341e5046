"""jacrev refuses rows that are looked up in a table without entries.

The matrix has no entries. By vmap backward makes a gradient of another shape.
"""

import sys

import torch


def rows(table):
    """Look up no rows in a table of rows without entries."""
    return torch.nn.functional.embedding(torch.zeros(0, dtype=torch.int64), table)


table = torch.ones(0, 2)
expected = (*rows(table).shape, *table.shape)
print("expected", expected)
try:
    got = tuple(torch.func.jacrev(rows)(table).shape)
except RuntimeError as error:
    got = str(error)
print("got     ", got)
sys.exit(got != expected)
