"""A logical function that is written over its operand passes gradients on to what stood there.

What is written is 0 or 1, of slope 0, as after a comparison that is written there. The tangents of
forward mode stay what they were as well.
"""

import sys

import torch

found = []
for name in ("eq_", "logical_and_", "logical_or_", "logical_xor_", "logical_not_"):
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    y = x.clone()
    getattr(y, name)(*[torch.ones(2)][: name != "logical_not_"])
    (gradient,) = torch.autograd.grad(y.sum(), [x])
    print(name, "of", x.tolist(), "expected a gradient of [0.0, 0.0], got", gradient.tolist())
    found.append(bool(gradient.any()))
sys.exit(int(any(found)))
