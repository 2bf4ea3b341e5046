"""The gradient of affine_grid in three dimensions cannot be differentiated within a transform.

It can be in eager mode. Within torch.func backward asks for the memory of zeros that have none.
"""

import sys

import torch

affine = torch.eye(3, 4).unsqueeze(0)
cotangent = torch.ones(1, 1, 2, 3, 3)


def gradient(cotangent):
    """Return the gradient by the affine maps, which is linear in the cotangent."""

    def grid(maps):
        return torch.nn.functional.affine_grid(maps, (1, 1, 1, 2, 3), align_corners=True)

    return torch.func.vjp(grid, affine)[1](cotangent)[0]


expected = torch.nn.functional.affine_grid(affine, (1, 1, 1, 2, 3), align_corners=True).tolist()
print("expected", expected)
try:
    got = torch.func.vjp(gradient, cotangent)[1](affine)[0].tolist()
except RuntimeError as error:
    got = error
print("got     ", got)
sys.exit(got != expected)
