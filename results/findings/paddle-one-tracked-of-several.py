"""Where other operands are constants, gradients are lost, refused, or end the process.

Searched in PaddlePaddle/Paddle on 2026-11-22: of group_norm the like was mended by #72358.
"""

import subprocess
import sys

CALLS = {
    "batch_norm": "functional.batch_norm(a[:, 0], z, o, v, z, True)",
    "instance_norm": "functional.instance_norm(a, weight=v, bias=z)",
    "multi_dot": "paddle.linalg.multi_dot([m, v.reshape([2, 1])])",
    "cholesky_solve": "paddle.linalg.cholesky_solve(v.reshape([2, 1]), m)",
    "cartesian_prod": "paddle.cartesian_prod([v, z])",
    "cross": "paddle.cross(v.reshape([2, 1]) * paddle.ones([3]), paddle.ones([2, 3]))",
    "solve": "paddle.linalg.solve(m, v.reshape([2, 1]))",
    "prelu": "functional.prelu(a, v)",
    "grid_sample": "functional.grid_sample(a.unsqueeze(0), v.reshape([1, 1, 1, 2]))",
}
PROGRAM = """
import paddle
from paddle.nn import functional
a, m = paddle.arange(8.0).reshape([2, 2, 2]).transpose([1, 2, 0]), 2 * paddle.eye(2)
z, o = paddle.zeros([2]), paddle.ones([2])
v = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
{}.sum().backward()
assert v.grad is not None
"""

got = {}
for name, call in CALLS.items():
    command = [sys.executable, "-c", PROGRAM.format(call)]
    done = subprocess.run(command, capture_output=True, timeout=300, check=False)
    got[name] = "a gradient" if done.returncode == 0 else "none"
expected = dict.fromkeys(got, "a gradient")
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
