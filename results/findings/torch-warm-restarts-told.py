"""CosineAnnealingWarmRestarts that is told the epoch of a restart may stay in the period before.

How many periods have ended is a logarithm that is rounded down (torch/optim/lr_scheduler.py, step):
that of 243 to the base 3 is a little less than 5 in float64, and the rate is the last one of a
period instead of the first. Searched in pytorch/pytorch on 2026-11-27: no issue was found.
"""

import sys

import torch

optimizer = torch.optim.SGD([torch.zeros(1)], lr=1.0)
schedule = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=1, T_mult=3)
optimizer.step()
schedule.step(1 + 3 + 9 + 27 + 81)
print("expected", 1.0)
print("got     ", optimizer.param_groups[0]["lr"])
sys.exit(optimizer.param_groups[0]["lr"] != 1.0)
