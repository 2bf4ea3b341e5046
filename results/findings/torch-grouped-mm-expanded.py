"""The gradient of grouped_mm refuses a cotangent of which one number stands for all.

So it is where the result is added up: the sum of a result has such a cotangent. The same cotangent,
copied, is taken.
"""

import sys

import torch
from torch.nn.functional import grouped_mm

x = torch.ones(4, 8, dtype=torch.bfloat16, requires_grad=True)
weight = torch.ones(2, 8, 8, dtype=torch.bfloat16, requires_grad=True)
ends = torch.tensor([1, 4], dtype=torch.int32)
grouped_mm(x, weight, offs=ends).backward(torch.ones(4, 8, dtype=torch.bfloat16))
print("expected", x.grad[0])
try:
    grouped_mm(x, weight, offs=ends).sum().backward()
except RuntimeError as error:
    print("got     ", error)
    sys.exit(1)
