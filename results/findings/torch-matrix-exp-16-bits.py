"""The power of e of a small matrix is wrong by orders of magnitude in 16 bits."""

import sys

import torch

x = torch.tensor([[0.5, 0.25], [0.125, 0.75]])
expected, got = torch.linalg.matrix_exp(x), torch.linalg.matrix_exp(x.bfloat16()).float()
print("expected", expected.tolist())
print("got     ", got.tolist())
sys.exit(not torch.allclose(got, expected, rtol=0.1))
