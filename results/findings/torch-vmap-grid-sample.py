"""vmap over the last axis of a grid ends in an internal assertion of grid_sample.

The same grid with that axis put first is right.
"""

import sys

import torch
from torch.nn.functional import grid_sample


def sample(image, grid):
    """Sample an image at the places of a grid."""
    return grid_sample(image, grid, align_corners=True)


image = torch.arange(18.0).reshape(2, 1, 1, 3, 3)
grid = torch.linspace(-1, 1, 16).reshape(2, 1, 2, 2, 2)
expected = torch.func.vmap(sample)(image, grid)
print("expected", expected.flatten().tolist())
try:
    got = torch.func.vmap(sample, (0, -1))(image, grid.movedim(0, -1))
except RuntimeError as error:
    print("got     ", f"RuntimeError: {str(error).splitlines()[0]}")
    sys.exit(1)
print("got     ", got.flatten().tolist())
sys.exit(not torch.equal(expected, got))
