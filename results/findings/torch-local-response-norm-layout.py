"""local_response_norm refuses volumes whose axes are in another order in memory."""

import sys

import torch
from torch.nn import functional

x = torch.ones(4, 3, 2, 2, 2).permute(4, 3, 2, 1, 0)
try:
    y = functional.local_response_norm(x, 2)
except RuntimeError as error:
    print("expected the same as of a copy")
    print("got      RuntimeError:", str(error).splitlines()[0])
    sys.exit(1)
sys.exit(not torch.equal(y, functional.local_response_norm(x.contiguous(), 2)))
