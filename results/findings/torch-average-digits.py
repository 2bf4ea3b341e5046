"""get_swa_multi_avg_fn makes a mean of float64 with the digits of float32; get_swa_avg_fn does not.

The mean of 1, 2 and 4 is 7 / 3.
"""

import sys

import torch
from torch.optim.swa_utils import AveragedModel, get_swa_multi_avg_fn

model = torch.nn.Linear(1, 1, bias=False, dtype=torch.float64)
average = AveragedModel(model, multi_avg_fn=get_swa_multi_avg_fn())
for value in (1.0, 2.0, 4.0):
    model.weight.data.fill_(value)
    average.update_parameters(model)
expected, got = 7 / 3, average.module.weight.item()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-14)
