"""NAdam keeps the product of its momenta in float32, also for parameters of float64.

A second step is off in the eighth digit. With a default dtype of float64, which has nothing to do
with the parameter, it is right.
"""

import sys

import torch


def second_step():
    """Return where two steps along the same gradient lead."""
    x = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.NAdam([x], lr=1.0)
    for _ in range(2):
        x.grad = torch.ones_like(x)
        optimizer.step()
    return x.item()


got = second_step()
torch.set_default_dtype(torch.float64)
expected = second_step()
print("expected", expected)
print("got     ", got)
sys.exit(abs(got - expected) > 1e-14)
