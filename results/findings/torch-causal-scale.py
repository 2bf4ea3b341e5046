"""Causal attention on the CPU is nan where its scale is not positive; with the same mask it is not."""

import sys

import torch

q, v = torch.ones(1, 1, 2, 1), torch.arange(2.0).reshape(1, 1, 2, 1)
attend = torch.nn.functional.scaled_dot_product_attention
wanted = attend(q, q, v, torch.ones(2, 2, dtype=torch.bool).tril(), scale=-1.0)
found = attend(q, q, v, is_causal=True, scale=-1.0)
print("expected", wanted.flatten())
print("got     ", found.flatten())
sys.exit(not torch.allclose(found, wanted))
