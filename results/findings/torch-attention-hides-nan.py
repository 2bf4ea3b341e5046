"""Attention to few keys makes zeros of what is no number in a query or a key.

Scores of a query that is nan are nan, and so is their softmax, as the plain formula finds. The fused
kernel for the host finds nan only where its loops over keys are vectorized, and zero elsewhere.
"""

import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

wrong = 0
for keys in (2, 16):
    query, key, value = (
        torch.zeros(1, 1, 1, 4),
        torch.ones(1, 1, keys, 4),
        torch.ones(1, 1, keys, 4),
    )
    query[..., 0] = float("nan")
    with sdpa_kernel(SDPBackend.MATH):
        expected = torch.nn.functional.scaled_dot_product_attention(query, key, value)
    got = torch.nn.functional.scaled_dot_product_attention(query, key, value)
    print(keys, "keys: expected", expected.flatten().tolist(), "got", got.flatten().tolist())
    wrong += not torch.equal(expected.isnan(), got.isnan())
sys.exit(wrong > 0)
