"""The polynomials of torch.special are taken for constants: nothing says that a gradient is missing.

The result of a polynomial of a tensor that requires grad does not require grad, and what it is
added to loses its part of the gradient without a word; forward mode gives tangents of 0. Other
functions without a rule are refused by backward.
"""

import sys

import torch

x = torch.tensor([0.25, 0.5], dtype=torch.float64, requires_grad=True)
wrong = False
for name in (
    *(f"{s}chebyshev_polynomial_{k}" for s in ("", "shifted_") for k in "tuvw"),
    "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l",
    "legendre_polynomial_p",
):  # fmt: skip
    polynomial = getattr(torch.special, name)
    (gradient,) = torch.autograd.grad((x + polynomial(x, 3)).sum(), [x])
    step = 1e-6
    slope = (polynomial(x + step, 3) - polynomial(x - step, 3)) / (2 * step)
    print(name, "expected", (1 + slope).tolist(), "got", gradient.tolist())
    wrong |= not torch.allclose(gradient, 1 + slope, atol=1e-6)
sys.exit(int(wrong))
