"""The gradient of a recurrent cell is not mapped over its input alone.

Within the cell what comes of the input, which is mapped, is added in place to what is not.
"""

import sys

import torch
from torch.func import grad, vmap

torch.manual_seed(0)
inputs, state = torch.randn(4, 2, 3), torch.randn(2, 1)
w, u, none = torch.randn(1, 3), torch.randn(1, 1), torch.zeros(1)

slope = grad(lambda x: torch.rnn_tanh_cell(x, state, w, u, none, none).sum())
expected = torch.stack([slope(x) for x in inputs])
try:
    got = vmap(slope)(inputs)
except RuntimeError as error:
    got = error
print("expected", expected.flatten().tolist())
print("got     ", got)
sys.exit(not (isinstance(got, torch.Tensor) and torch.allclose(got, expected)))
