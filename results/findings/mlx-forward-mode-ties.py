"""Of equal extrema MLX's forward mode takes one, and its reverse mode a share of each.

The tangent of a maximum is that of the entry which argmax finds, its gradient is shared among all
that are equal. Each of both is a derivative that lies between those around; one function has two.
Searched for on 2026-12-03; nothing was found.
"""

import sys

from mlx import core as mx

mx.set_default_device(mx.cpu)

x = mx.array([1.0, 3.0, 3.0])
_, gradients = mx.vjp(mx.max, [x], [mx.array(1.0)])
expected = gradients[0].tolist()
got = [mx.jvp(mx.max, [x], [direction])[1][0].item() for direction in mx.eye(3)]
print("expected", expected)
print("got     ", got)
sys.exit(expected != got)
