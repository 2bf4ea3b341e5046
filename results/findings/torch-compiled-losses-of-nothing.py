"""Compiled, means of losses and group norms of nothing divide by zero while they are compiled.

Outside the compiler they have the values that are defined: nan for a mean of nothing, and nothing
for a norm of nothing. Formulas that the compiler takes for the gradients divide by a number of
entries, in Python.
Searched for in the issues of the library on 2026-11-29: nothing was found.
"""

import sys

import torch
from torch.nn import functional

FUNCTIONS = {
    "huber_loss": lambda x: functional.huber_loss(x, x.detach()),
    "smooth_l1_loss": lambda x: functional.smooth_l1_loss(x, x.detach()),
    "group_norm": lambda x: functional.group_norm(x, 2).sum(),
}


def shape(function):
    """The shape of the gradient at a tensor without entries."""
    x = torch.zeros(2, 0, requires_grad=True)
    function(x).backward()
    return tuple(x.grad.shape)


expected = {name: shape(function) for name, function in FUNCTIONS.items()}
got = {}
for name, function in FUNCTIONS.items():
    try:
        got[name] = shape(torch.compile(function, backend="aot_eager", fullgraph=True))
    except Exception as error:
        got[name] = str(error).splitlines()[1]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
