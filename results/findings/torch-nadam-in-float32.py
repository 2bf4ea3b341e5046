"""NAdam keeps the product of its momenta in float32, and ASGD its rate, beside float64 parameters.

Some steps lead to a place that is off in the eighth digit. With a default dtype of float64, which
has nothing to do with the parameter, it is right.
"""

import sys

import torch


def places():
    """Return where three steps along the same gradient lead."""
    found = []
    for make in (torch.optim.NAdam, torch.optim.ASGD):
        x = torch.zeros(1, dtype=torch.float64, requires_grad=True)
        optimizer = make([x], lr=0.3)
        for _ in range(3):
            x.grad = torch.ones_like(x)
            optimizer.step()
        found.append(x.item())
    return found


got = places()
torch.set_default_dtype(torch.float64)
expected = places()
print("expected", expected)
print("got     ", got)
sys.exit(any(abs(x - y) > 1e-12 for x, y in zip(got, expected, strict=True)))
