"""Backward ends the process after a write through a view of what retains its gradient.

It does if what retains its gradient is not the first result of its operation.
"""

import subprocess
import sys

TRY = """
import torch
mean = torch.std_mean(torch.tensor([1.0, 3.0], requires_grad=True))[1]
mean.retain_grad()
mean[...].add_(1)
mean.backward()
print(mean.grad.tolist())
"""
expected = "1.0"
done = subprocess.run(
    [sys.executable, "-c", TRY], capture_output=True, text=True, timeout=100, check=False
)
got = done.stdout.strip() or f"exit status {done.returncode}"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
