"""cross, solve and prelu end the process in backward if one operand is a constant."""

import subprocess
import sys

TRY = """
import paddle
from paddle.nn import functional
{}
y.sum().backward()
print(list(x.grad.shape))
"""
CALLS = {
    "cross": "x = paddle.ones([3]); x.stop_gradient = False; y = paddle.cross(x, paddle.ones([3]))",
    "solve": "x = paddle.ones([2, 1]); x.stop_gradient = False; y = paddle.linalg.solve(paddle.eye(2), x)",
    "prelu": "x = paddle.ones([1]); x.stop_gradient = False; y = functional.prelu(paddle.ones([2, 3]), x)",
}


def run(call):
    """Try a call in a process of its own."""
    command = [sys.executable, "-W", "ignore", "-c", TRY.format(call)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    return f"exit status {done.returncode}" if done.returncode else done.stdout.split("\n")[-2]


expected = {"cross": "[3]", "solve": "[2, 1]", "prelu": "[1]"}
got = {name: run(call) for name, call in CALLS.items()}
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
