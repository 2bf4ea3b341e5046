"""A value with more leading axes than the selection, of size one, ends the process.

As NumPy does, setitem passes over such axes elsewhere (PaddlePaddle/Paddle#49659 mended the values
for slices). With a list as the key the kernel reads what nobody allocated.
"""

import subprocess
import sys

PROGRAM = """
import paddle
x = paddle.zeros([3, 2], dtype="float64")
x[[0, 2]] = paddle.ones([1, 1, 2], dtype="float64")
print(x.sum().item())
"""

done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
print("expected", 4.0)
got = f"exit status {done.returncode}" if done.returncode else float(done.stdout)
print("got     ", got)
sys.exit(got != 4)
