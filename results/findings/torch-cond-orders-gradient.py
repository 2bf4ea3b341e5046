"""cond of the orders 1, -1, inf and "fro" has no backward pass: it writes over what it saved."""

import sys

import torch

lost = []
for order in (1, -1, float("inf"), "fro"):
    x = torch.tensor([[2.0, 0.5], [0.25, 6.0]], dtype=torch.float64, requires_grad=True)
    made = torch.linalg.cond(x, order)
    norms = (torch.linalg.matrix_norm(each, order) for each in (x, torch.linalg.inv(x)))
    expected, *_ = torch.autograd.grad(next(norms) * next(norms), x)
    print("expected", expected.tolist())
    try:
        print("got     ", torch.autograd.grad(made, x)[0].tolist())
    except RuntimeError as error:
        print("got     ", str(error).partition(":")[0])
        lost.append(order)
sys.exit(bool(lost))
