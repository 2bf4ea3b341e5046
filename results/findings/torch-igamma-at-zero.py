"""The derivatives of igamma and igammac of order 1 are nan at zero: the formula has 0 * log(0)."""

import sys

import torch

found = []
for function in (torch.special.gammainc, torch.special.gammaincc):
    x = torch.zeros((), dtype=torch.float64, requires_grad=True)
    function(torch.ones((), dtype=torch.float64), x).backward()
    found.append(x.grad.item())
print("expected", [1.0, -1.0])
print("got     ", found)
sys.exit(found != [1.0, -1.0])
