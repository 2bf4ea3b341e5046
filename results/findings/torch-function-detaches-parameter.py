"""A custom function that returns a parameter it was not given takes requires_grad from it.

A call that is not recorded, be it under no_grad or of a constant, detaches in place what forward
returned. Searched for in the issues of the library on 2026-11-26: not found.
"""

import sys

import torch

parameter = torch.ones(2, requires_grad=True)


class Parameter(torch.autograd.Function):
    """A parameter, whatever it is given."""

    @staticmethod
    def forward(_ctx, _x):
        """Return the parameter."""
        return parameter

    @staticmethod
    def backward(_ctx, g):
        """Return the cotangent."""
        return g


Parameter.apply(torch.ones(2))
expected = True
got = parameter.requires_grad
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
