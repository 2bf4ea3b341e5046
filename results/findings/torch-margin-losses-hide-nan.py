"""multi_margin_loss and multilabel_margin_loss are finite where a score is nan.

Their documentation adds up max(0, margin - x[y] + x[i]), and PyTorch's own maximum of 0 and nan is
nan. The kernels, for the host and for CUDA, add a term where it is greater than 0, and pass over
nan.
"""

import math
import sys

import torch

x, y = torch.tensor([[0.5, float("nan"), 1.0]]), torch.tensor([2])
terms = torch.maximum(1 - x[0, 2] + x[0, :2], torch.tensor(0.0)) / 3
expected = terms.sum().item()
one = torch.nn.functional.multi_margin_loss(x, y).item()
other = torch.nn.functional.multilabel_margin_loss(x, torch.tensor([[2, -1, -1]])).item()
print("expected", [expected, expected])
print("got     ", [one, other])
sys.exit(not (math.isnan(one) and math.isnan(other)))
