"""Inductor cannot compile the gradient of a row that is read twice, if there is one row.

An assertion fails in its code for the CPU: the gradient adds entries up in one place, and the size
of that place is one. With two rows, by one thread, or without the compiler, the gradient is there.
"""

import sys

import torch

torch.set_num_threads(2)


def twice(x):
    """Read the only entry of a vector twice."""
    return x[torch.tensor([0, 0])].square().sum()


x = torch.tensor([3.0], requires_grad=True)
twice(x).backward()
print("expected", x.grad.tolist())
x.grad = None
try:
    torch.compile(twice)(x).backward()
except Exception as error:
    print("got     ", type(error).__name__)
    sys.exit(1)
print("got     ", x.grad.tolist())
