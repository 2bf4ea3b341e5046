"""An image of which one column is left, and another number of rows, is wrong with antialias.

The rows are filtered in a pass of their own, which reads an image of one column as if it had been
laid out in another way: both results are the mean of rows at the top. Two columns are right, and so
is the gradient of one.
"""

import sys

import torch
from torch.nn.functional import interpolate

column = torch.arange(5.0).reshape(1, 1, 5, 1)
columns = column.expand(1, 1, 5, 2).contiguous()
expected = interpolate(columns, (2, 2), mode="bilinear", antialias=True)[..., 0].ravel()
got = interpolate(column, (2, 1), mode="bilinear", antialias=True).ravel()
print("expected", expected)
print("got     ", got)
sys.exit(int(not torch.allclose(got, expected)))
