"""l1_loss forgets its weight where anything overrides functions, such as a tensor subclass.

It hands over its arguments without the weight; mse_loss and huber_loss hand theirs over.
"""

import sys

import torch


class Plain(torch.Tensor):
    """A tensor subclass that changes nothing."""


x, y, weight = torch.tensor([1.0, 2.0]), torch.zeros(2), torch.tensor([1.0, 3.0])
expected = torch.nn.functional.l1_loss(x, y, weight=weight)
got = torch.nn.functional.l1_loss(x.as_subclass(Plain), y, weight=weight)
print("expected", expected.item())
print("got     ", got.item())
sys.exit(expected.item() != got.item())
