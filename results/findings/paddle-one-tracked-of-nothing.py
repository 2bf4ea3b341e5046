"""Without entries and beside a constant, atan2 and mm have no gradient; stack and addmm end the process."""

import subprocess
import sys

TRY = """
import numpy as np
import paddle
x = paddle.to_tensor(np.zeros((0, 3)), stop_gradient=False)
other = paddle.to_tensor(np.zeros((0, 3)))
try:
    {}.sum().backward()
    print(list(x.grad.shape))
except Exception as error:
    print(str(error).splitlines()[0])
"""
CALLS = {
    "stack": "paddle.stack([x, other])",
    "atan2": "paddle.atan2(x, other)",
    "mm": "paddle.mm(other.t(), x)",
    "addmm": "paddle.addmm(paddle.zeros([2, 3], 'float64'), paddle.zeros([2, 0], 'float64'), x)",
}


def run(call):
    """Try a call in a process of its own."""
    command = [sys.executable, "-W", "ignore", "-c", TRY.format(call)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    return f"exit status {done.returncode}" if done.returncode else done.stdout.split("\n")[-2]


expected = dict.fromkeys(CALLS, "[0, 3]")
got = {name: run(call) for name, call in CALLS.items()}
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
