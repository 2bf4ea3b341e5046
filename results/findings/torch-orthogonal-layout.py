"""orthogonal_ refuses weights of several axes that channels_last, or a transpose, has laid out."""

import sys

import torch

weight = torch.empty(2, 2, 2, 2).to(memory_format=torch.channels_last)
expected = "orthogonal rows"
try:
    rows = torch.nn.init.orthogonal_(weight).flatten(1)
    right = torch.allclose(rows @ rows.T, torch.eye(2), atol=1e-5)
    got = expected if right else rows @ rows.T
except RuntimeError as error:
    got = str(error).splitlines()[0]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
