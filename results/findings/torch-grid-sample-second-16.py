"""With reflection the gradient of grid_sample cannot be differentiated in 16 bits: a scatter fails.

In float32 the same program gives the second derivative. Nothing was found upstream, 2026-11.
"""

import sys

import torch
from torch.nn.functional import grid_sample

IMAGE = [[[[1.0, 3.0], [2.0, 5.0]]]]


def second(dtype):
    """Differentiate by the image what the grid receives."""
    image = torch.tensor(IMAGE, dtype=dtype, requires_grad=True)
    grid = torch.tensor([[[[0.25, 0.5]]]], dtype=dtype, requires_grad=True)
    result = grid_sample(image, grid, padding_mode="reflection", align_corners=True)
    (slope,) = torch.autograd.grad(result.sum(), grid, create_graph=True)
    return torch.autograd.grad(slope.sum(), image)[0].tolist()


print("expected", second(torch.float32))
try:
    print("got     ", second(torch.float16))
except RuntimeError as error:
    print("got     ", str(error).splitlines()[0])
    sys.exit(1)
