"""What narrow_copy writes into a tensor of strides lands in other places.

A tensor given as `out` is filled as if its entries lay one after the other in memory, and what lies
between them is overwritten. The same part, copied, is what is expected.
"""

import sys

import torch

x = torch.arange(6.0).reshape(2, 3)
memory = torch.zeros(2, 2, 2)
out = memory[..., 0]
torch.narrow_copy(x, 1, 0, 2, out=out)
print("expected", x[:, :2])
print("got     ", out, "beside", memory[..., 1])
sys.exit(int(not torch.equal(out, x[:, :2])))
