"""CyclicLR.load_state_dict takes an entry out of the state: it can be loaded once only.

Other schedules put back what they take out, since pytorch/pytorch#32756.
"""

import sys

import torch
from torch.optim.lr_scheduler import CyclicLR

optimizer = torch.optim.SGD([torch.ones(1)], lr=0.1)
schedule = CyclicLR(optimizer, base_lr=0.1, max_lr=1.0, step_size_up=2)
state = schedule.state_dict()
before = len(state)
schedule.load_state_dict(state)
print("expected", before, "entries")
print("got     ", len(state))
sys.exit(len(state) != before)
