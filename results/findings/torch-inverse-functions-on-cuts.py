"""On their branch cuts asin, acos, asinh and acosh have the values of one side, and slopes of the other.

asin(2 + 0i) is pi / 2 + 1.317 i, the limit from above. Along the real axis, which does not leave the
cut, its derivative is i / sqrt(3): the slopes come from a root of 1 - x * x, where the sign of zero
in the imaginary part is lost. Nothing was found of it among the issues (searched on 2026-11-22);
issue 50692 is of acosh off its cut, and was repaired.
"""

import sys

import torch

h, worst = 2.0**-20, 0.0
for name, point, step in (
    ("asin", complex(2, 0.0), 1),
    ("acos", complex(2, 0.0), 1),
    ("asinh", complex(-0.0, 2), 1j),
    ("acosh", complex(0.5, -0.0), 1),
):
    function = getattr(torch, name)
    ends = []
    for sign in (1, -1):
        # Only the part that moves is touched: the other one keeps its zero.
        z = (
            complex(point.real + sign * h, point.imag)
            if step == 1
            else complex(point.real, point.imag + sign * h)
        )
        ends.append(function(torch.tensor(z, dtype=torch.complex128)).item())
    expected = (ends[0] - ends[1]) / (2 * h * step)
    z = torch.tensor(point, dtype=torch.complex128, requires_grad=True)
    (gradient,) = torch.autograd.grad(function(z), z, torch.ones_like(z))
    got = gradient.item().conjugate()
    print(f"{name} at {point}: expected {expected:.6f} by differences, got {got:.6f}")
    worst = max(worst, abs(got - expected))
sys.exit(worst > 1e-6)
