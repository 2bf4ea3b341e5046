"""In forward mode a view fails an internal assertion once what it was taken of was turned in place.

Reverse mode gives the derivatives: a view taken before keeps its shape, and so does its tangent.
"""

import sys

import torch

X = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


def turned(x):
    """Take a view, and another one of it, and turn the first."""
    first = (x * x)[...]
    second = first[...]
    first.t_()
    return second[0]


def longer(x):
    """Take a view, and another one of it, and give the first an axis more."""
    first = (x * x)[1]
    second = first[...]
    first.unsqueeze_(0)
    return second * 3


def tangent(function):
    """Return the derivative along ones, by forward mode."""
    try:
        return torch.func.jvp(function, (X,), (torch.ones_like(X),))[1].tolist()
    except RuntimeError as error:
        return str(error).split(",")[0].split(".")[0]


functions = [turned, longer]
expected = [torch.func.jacrev(each)(X).sum((1, 2)).tolist() for each in functions]
got = [tangent(each) for each in functions]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
