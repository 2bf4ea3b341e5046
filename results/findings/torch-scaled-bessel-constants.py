"""Scaled and spherical Bessel functions of torch.special are taken for constants, without a word.

The result for a tensor that requires grad does not require grad, and what it is added to loses its
part of the gradient; forward mode gives tangents of 0. Functions without a rule are refused by
backward elsewhere. Since 2.15 the other Bessel functions have their gradients (pull request
189872); of these three nothing was found among the issues on 2026-12-03.
"""

import sys

import torch

x = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
wrong = False
for name in ("scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "spherical_bessel_j0"):
    function = getattr(torch.special, name)
    (gradient,) = torch.autograd.grad((x + function(x)).sum(), [x])
    step = 1e-6
    with torch.no_grad():
        slope = (function(x + step) - function(x - step)) / (2 * step)
    print(name, "expected", (1 + slope).tolist(), "got", gradient.tolist())
    wrong |= not torch.allclose(gradient, 1 + slope, atol=1e-6)
sys.exit(int(wrong))
