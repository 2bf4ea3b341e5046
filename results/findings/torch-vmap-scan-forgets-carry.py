"""vmap of a scan whose next carry does not depend on the carry raises an exception.

The first carry is mapped, the next one is not, and the results cannot be put together. Searched in
pytorch/pytorch on 2026-11-25: mapping of scans (#165580, #195324), and nothing of this.
"""

import sys
import warnings

import torch
from torch._higher_order_ops import scan

warnings.simplefilter("ignore")
rows, carries = torch.ones(2, 3), torch.ones(4, 3)
try:
    got = torch.vmap(lambda c: scan(lambda c, x: (x * x, c * 2), c, rows)[1])(2 * carries)
except (IndexError, RuntimeError) as error:
    got = error
print("expected a tensor of shape", (4, 2, 3))
print("got     ", got if isinstance(got, Exception) else tuple(got.shape))
sys.exit(isinstance(got, Exception))
