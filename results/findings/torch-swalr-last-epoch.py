"""SWALR that is told the index of the last epoch begins to anneal anew.

It counts its own calls of step for how far it has come, and not last_epoch, which it takes and
documents as the others do: made for an optimizer that has come that far, it goes on otherwise.
"""

import sys

import torch
from torch.optim.swa_utils import SWALR


def sgd() -> torch.optim.Optimizer:
    """Make an optimizer of one parameter, of which a schedule can start late."""
    group = {"params": [torch.ones(1, requires_grad=True)], "lr": 1.0, "initial_lr": 1.0}
    return torch.optim.SGD([group])


def rates(optimizer: torch.optim.Optimizer, schedule: SWALR, steps: int) -> list[float]:
    """Take steps, and return the rate after each."""
    seen = []
    for _ in range(steps):
        optimizer.step()
        schedule.step()
        seen.append(round(optimizer.param_groups[0]["lr"], 6))
    return seen


options = {"swa_lr": 0.2, "anneal_epochs": 4, "anneal_strategy": "linear"}
one, other = sgd(), sgd()
schedule = SWALR(one, **options)
rates(one, schedule, 2)
follower = SWALR(other, **options, last_epoch=1)
other.load_state_dict(one.state_dict())
expected, got = rates(one, schedule, 3), rates(other, follower, 3)
print("expected", expected)
print("got     ", got)
sys.exit(expected != got)
