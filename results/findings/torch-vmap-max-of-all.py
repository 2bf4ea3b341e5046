"""Of equal extrema a mapped maximum of all entries has the tangent of one, an unmapped one a mean.

The maximum, minimum or median of all entries shares its gradient among all that are equal. Under
vmap it is computed along an axis, where one of them takes it: which derivative forward mode takes
hangs on whether it is asked inside or around the map. Searched for on 2026-12-03; nothing was found.
"""

import sys

import torch
from torch.func import jvp, vmap

x = torch.tensor([[1.0, 3.0, 3.0]], dtype=torch.float64)
along = torch.tensor([[0.0, 1.0, 0.0]], dtype=torch.float64)
cases = ((torch.max, x), (torch.min, -x), (torch.median, x))
expected = [vmap(lambda z, v, f=f: jvp(f, (z,), (v,))[1])(rows, along) for f, rows in cases]
got = [jvp(vmap(f), (rows,), (along,))[1] for f, rows in cases]
print("expected", [value.item() for value in expected])
print("got     ", [value.item() for value in got])
sys.exit(expected != got)
