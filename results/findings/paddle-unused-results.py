"""Backward of a function with several results ends the process where one of them was not used.

Of unstack this is https://github.com/PaddlePaddle/Paddle/issues/79188; of the functions here nothing
was found on 2026-11-22.
"""

import subprocess
import sys

CALLS = {
    "meshgrid": "paddle.meshgrid(x[0], x[1])[0]",
    "broadcast_tensors": "paddle.broadcast_tensors([x[0], x])[0]",
    "lu_unpack": "paddle.linalg.lu_unpack(*paddle.linalg.lu(x))[1]",
    "qr": "paddle.linalg.qr(x)[0]",
    "slogdet": "paddle.compat.slogdet(x)[0]",
}
PROGRAM = """
import paddle
x = paddle.to_tensor([[2.0, 1.0], [1.0, 3.0]], stop_gradient=False)
{}.sum().backward()
"""

got = {}
for name, call in CALLS.items():
    command = [sys.executable, "-c", PROGRAM.format(call)]
    done = subprocess.run(command, capture_output=True, timeout=300, check=False)
    got[name] = "a gradient" if done.returncode == 0 else "the process ended"
expected = dict.fromkeys(got, "a gradient")
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
