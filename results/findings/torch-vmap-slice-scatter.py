"""vmap refuses slice_scatter with an end that is counted from the back.

Without vmap the same call is right, and with the end counted from the front it is under vmap too.
"""

import sys

import torch

x, y = torch.zeros(2, 4), torch.ones(2, 3)
expected = torch.stack([torch.slice_scatter(a, b, 0, 0, -1) for a, b in zip(x, y, strict=True)])
print("expected", expected.tolist())
try:
    got = torch.func.vmap(lambda a, b: torch.slice_scatter(a, b, 0, 0, -1))(x, y)
except RuntimeError as error:
    print("got     ", f"RuntimeError: {str(error).splitlines()[0]}")
    sys.exit(1)
print("got     ", got.tolist())
sys.exit(not torch.equal(expected, got))
