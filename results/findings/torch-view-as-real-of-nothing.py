"""view_as_real of no numbers refuses a cotangent of no numbers whose strides are not those of rows.

The rule makes the cotangent contiguous, which one without entries always is, whatever its strides;
view_as_complex then looks at them. Of one entry or more every cotangent is taken. Nothing was found
of it among the issues (searched on 2026-11-22).
"""

import sys

import torch

z = torch.zeros(0, 3, dtype=torch.complex128, requires_grad=True)
parts = torch.view_as_real(z)
cotangent = torch.zeros(3, 2, 0, dtype=torch.float64).permute(2, 0, 1)
print("expected", torch.zeros(0, 3, dtype=torch.complex128).shape)
try:
    print("got     ", torch.autograd.grad(parts, z, cotangent)[0].shape)
    refused = False
except RuntimeError as error:
    print("got     ", error)
    refused = True
sys.exit(refused)
