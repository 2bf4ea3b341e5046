"""A Function whose backward is called vjp is differentiated by backward, and not by torch.func.

Its documentation says that to define vjp is the same as to define backward.
"""

import sys

import torch


class Cube(torch.autograd.Function):
    """The third power."""

    @staticmethod
    def forward(x):
        """Return the value."""
        return x * x * x

    @staticmethod
    def setup_context(ctx, inputs, _):
        """Keep the argument."""
        ctx.save_for_backward(*inputs)

    @staticmethod
    def vjp(ctx, cotangent):
        """Return the gradient."""
        (x,) = ctx.saved_tensors
        return 3 * x * x * cotangent


x = torch.tensor(2.0, requires_grad=True)
Cube.apply(x).backward()
expected = x.grad.item()
print("expected", expected)
try:
    got = torch.func.grad(Cube.apply)(torch.tensor(2.0)).item()
except NotImplementedError as error:
    got = f"NotImplementedError: {error}"
print("got     ", got)
sys.exit(got != expected)
