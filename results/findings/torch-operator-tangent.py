"""Forward mode takes a registered operator for a constant; a custom function refuses it."""

import sys

import torch

operator = torch.library.custom_op(
    "finding::square", lambda x: x * x, mutates_args=(), schema="(Tensor x) -> Tensor"
)
x = torch.tensor([1.0, 3.0])
print("expected", 2 * x, "or NotImplementedError")
try:
    _, tangent = torch.func.jvp(operator, (x,), (torch.ones(2),))
except NotImplementedError as error:
    print("got     ", error)
    sys.exit(0)
print("got     ", tangent)
sys.exit(not torch.equal(tangent, 2 * x))
