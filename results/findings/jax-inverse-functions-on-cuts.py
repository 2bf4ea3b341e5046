"""On their branch cuts arcsin, arccos, arcsinh and arccosh have the slopes of the other side.

arcsin(2 + 0i) is pi / 2 + 1.317 i, the limit from above. Along the real axis, which does not leave
the cut, its derivative is i / sqrt(3): the rules take a root of 1 - z * z, where the sign of zero in
the imaginary part is lost. Nothing was found of it among the issues (searched on 2026-11-22).
"""

import sys

import jax
import numpy as np
from jax import numpy as jnp

jax.config.update("jax_enable_x64", True)

h, worst = 2.0**-20, 0.0
for name, z, step in (
    ("arcsin", complex(2, 0.0), h),
    ("arccos", complex(2, 0.0), h),
    ("arcsinh", complex(0.0, -2), 1j * h),
    ("arccosh", complex(0.5, -0.0), h),
):
    function = getattr(jnp, name)
    # Only the part that moves is touched: the other one keeps its zero.
    ahead, behind = (
        complex(z.real + s * h, z.imag) if step == h else complex(z.real, z.imag + s * h)
        for s in (1, -1)
    )
    ends = [complex(function(jnp.asarray(np.array(end)))) for end in (ahead, behind)]
    expected = (ends[0] - ends[1]) / (2 * step)
    got = complex(jax.grad(function, holomorphic=True)(jnp.asarray(np.array(z))))
    print(f"{name} at {z}: expected {expected:.6f} by differences, got {got:.6f}")
    worst = max(worst, abs(got - expected))
sys.exit(worst > 1e-6)
