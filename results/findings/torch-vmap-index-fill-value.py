"""Mapped over the value that it writes to a tensor that is not mapped, index_fill writes the last.

Every slice has the last value, and that receives the gradients of all.
"""

import sys

import torch
from torch.func import vjp, vmap

x = torch.zeros(3)
index = torch.tensor([0, 2])
values = torch.tensor([1.0, 2.0])


def filled(value):
    """Write a value to two places."""
    return torch.index_fill(x, 0, index, value)


cotangent = torch.arange(1.0, 7.0).reshape(2, 3)
expected = [
    torch.stack([filled(value) for value in values]),
    torch.stack([vjp(filled, v)[1](w)[0] for v, w in zip(values, cotangent, strict=True)]),
]
result, pull = vjp(vmap(filled), values)
got = [result, pull(cotangent)[0]]
print("expected", [x.tolist() for x in expected])
print("got     ", [x.tolist() for x in got])
sys.exit(not all(map(torch.equal, expected, got)))
