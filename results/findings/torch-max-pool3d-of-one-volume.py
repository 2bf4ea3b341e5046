"""max_pool3d refuses one volume that lies in memory like images whose channels come last.

A batch of such volumes is taken, and so is the same one in row-major order.
"""

import sys

import torch

volume = torch.arange(48.0, dtype=torch.float64).reshape(2, 3, 2, 4)
lying = volume.contiguous(memory_format=torch.channels_last)
print("expected", torch.nn.functional.max_pool3d(volume, 2).tolist())
try:
    got = torch.nn.functional.max_pool3d(lying, 2)
except RuntimeError as error:
    print("got     ", f"RuntimeError: {error}")
    sys.exit(1)
print("got     ", got.tolist())
