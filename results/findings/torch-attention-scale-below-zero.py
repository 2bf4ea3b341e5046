"""Causal attention is nan where its scale is below zero or zero, on every path.

What comes later is given the score -inf before the scores are multiplied by the scale: that makes
inf of it, or nan of zero. Below a scale of -1 in bfloat16 numbers come out that are finite and
wrong. With a mask instead of is_causal=True all is well. Searched on 2026-11-29 in pytorch/pytorch
for "scaled_dot_product_attention CPU flash NaN negative scale is_causal".
"""

import sys

import torch
from torch.nn.functional import scaled_dot_product_attention

q, k, v = (torch.arange(12, dtype=torch.float64).reshape(1, 1, 4, 3) / n for n in (7, 5, 3))
mask = torch.ones(4, 4, dtype=torch.bool).tril()
expected = scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=-0.5)
got = scaled_dot_product_attention(q, k, v, is_causal=True, scale=-0.5)
print("expected", expected.flatten().tolist())
print("got     ", got.flatten().tolist())
sys.exit(not torch.allclose(expected, got))
