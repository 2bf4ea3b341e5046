"""An assignment into a tensor of integers makes it require grad.

"Only Tensors of floating point and complex dtype can require gradients", says PyTorch when it is
asked for that, and `copy_` of the same values leaves the flag as it is; but an assignment by a mask,
or of a scalar by a slice, records itself, and the next pass is refused: "Autograd not support dtype:
Long", or an internal assertion fails.

Searched for "integer tensor requires grad" with setitem, index_put_ and masks on 2026-11-22: issue
37680 is about results of functions, 76008 about .data; nothing about assignments was found.
"""

import sys

import torch

x = torch.tensor(1.0, requires_grad=True)
by_mask, by_slice, copied = (torch.tensor([1, 2]) for _ in range(3))
by_mask[torch.tensor([True, False])] = x
by_slice[1:] = x
copied.copy_(x)

expected = [False, False, False]
got = [each.requires_grad for each in (by_mask, by_slice, copied)]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
