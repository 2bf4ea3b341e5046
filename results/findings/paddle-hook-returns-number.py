"""A hook that returns a number of Python ends the process; it should be refused."""

import subprocess
import sys

TRY = """
import paddle
x = paddle.to_tensor(2.0, stop_gradient=False)
x.register_hook(lambda gradient: 1)
try:
    (x * x).backward()
except Exception:
    print("refused")
"""
expected = "refused"
done = subprocess.run(
    [sys.executable, "-W", "ignore", "-c", TRY],
    capture_output=True,
    text=True,
    timeout=100,
    check=False,
)
got = (
    done.stdout.strip().splitlines()[0]
    if done.returncode == 0
    else f"exit status {done.returncode}"
)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
