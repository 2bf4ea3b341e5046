"""take_along_dim without an axis refuses a transposed tensor, which take accepts."""

import sys

import torch

x, places = torch.arange(6.0).reshape(2, 3).T, torch.tensor([1, 5])
print("expected", torch.take(x, places).tolist())
try:
    print("got     ", torch.take_along_dim(x, places).tolist())
except RuntimeError as error:
    print("got     ", error)
    sys.exit(1)
