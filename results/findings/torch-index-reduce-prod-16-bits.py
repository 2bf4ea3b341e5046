"""index_reduce with products fails an internal assertion in 16 bits on the CPU."""

import sys

import torch

x = torch.full((3, 1), 2.0, dtype=torch.float16)
expected = [[16.0], [2.0], [2.0]]
try:
    got = x.index_reduce(0, torch.zeros(3, dtype=torch.int64), x, "prod").tolist()
except RuntimeError as error:
    got = str(error).partition("\n")[0]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
