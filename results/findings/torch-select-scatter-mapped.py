"""The gradient of a mapped select_scatter by its source is as many times too large as the axis long.

Under vmap it becomes a scatter that writes the source to one place again and again.
"""

import sys

import torch

x, source = torch.zeros(2, 3), torch.ones(2, requires_grad=True)
mapped = torch.func.vmap(lambda row, entry: torch.select_scatter(row, entry, 0, 1))
mapped(x, source).sum().backward()
print("expected", [1.0, 1.0])
print("got     ", source.grad.tolist())
sys.exit(source.grad.tolist() != [1.0, 1.0])
