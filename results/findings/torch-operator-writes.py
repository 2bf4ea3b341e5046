"""An operator that doubles a tensor in place passes its gradient on as if it had done nothing."""

import sys

import torch


def double(x: torch.Tensor) -> None:
    """Write over `x`."""
    x.mul_(2)


operator = torch.library.custom_op("finding::double", double, mutates_args={"x"})
leaf = torch.ones(2, requires_grad=True)
computed = leaf * 1
print("expected", torch.full((2,), 2.0), "or RuntimeError, and a leaf that is not written")
try:
    operator(computed)
    computed.sum().backward()
    operator(leaf)
except RuntimeError as error:
    print("got     ", error)
    sys.exit(0)
print("got     ", leaf.grad, "and", leaf)
sys.exit(1)
