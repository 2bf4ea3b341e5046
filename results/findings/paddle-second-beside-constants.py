"""Where other operands are constants a recorded gradient cannot be differentiated by the cotangent.

The derivative is lost, or refused, or ends the process; where the other operands require gradients
as well it is there. Searched in PaddlePaddle/Paddle on 2026-11-23: nothing.
"""

import subprocess
import sys

CALLS = {
    "concat": "paddle.concat([v, z])",
    "stack": "paddle.stack([v, z])",
    "masked_fill": "paddle.masked_fill(paddle.ones([2, 2]), paddle.eye(2) > 0, v[0])",
    "conv1d": "functional.conv1d(o.reshape([1, 1, 2]), v.reshape([1, 1, 2]))",
    "conv2d": "functional.conv2d(o.reshape([1, 1, 1, 2]), v.reshape([1, 1, 1, 2]))",
    "conv3d": "functional.conv3d(v.reshape([1, 1, 1, 2]).unsqueeze(0), paddle.ones([1] * 5)).squeeze(0)",
}
PROGRAM = """
import paddle
from paddle.nn import functional
z, o = paddle.zeros([2]), paddle.ones([2])
v = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
y = {}
cotangent = paddle.ones_like(y)
cotangent.stop_gradient = False
(gradient,) = paddle.grad([y], [v], [cotangent], create_graph=True)
second, _ = paddle.grad([gradient.sum()], [cotangent, v], allow_unused=True)
assert second is not None
"""

got = {}
for name, call in CALLS.items():
    command = [sys.executable, "-c", PROGRAM.format(call)]
    done = subprocess.run(command, capture_output=True, timeout=300, check=False)
    got[name] = "a derivative" if done.returncode == 0 else f"none, {done.returncode}"
expected = dict.fromkeys(got, "a derivative")
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
