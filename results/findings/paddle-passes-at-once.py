"""Two passes that run at once over one retained graph, with a hook on it, end the process.

Searched in PaddlePaddle/Paddle on 2026-11-25: nothing.
"""

import subprocess
import sys

PROGRAM = """
import time
from concurrent.futures import ThreadPoolExecutor
import paddle

x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
y = x * x
y.register_hook(lambda _: time.sleep(0.1))
z = y * x
with ThreadPoolExecutor(2) as threads:
    ran = [threads.submit(paddle.grad, z, [x], retain_graph=True) for _ in range(2)]
print([each.result()[0].tolist() for each in ran])
"""

done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
expected = "[[3.0, 12.0], [3.0, 12.0]]"
got = f"exit status {done.returncode}" if done.returncode else done.stdout.strip()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
