"""A product with alpha that float16 has not is infinite only where few entries are added.

x + alpha y is computed in float32 by vector registers, which take 32 entries of float16 on a
processor with AVX2; what is left over is computed in float16, where 2 * 65504 overflows. torch.sub
and torch.rsub do the same. Searched on 2026-11-29 in pytorch/pytorch for "torch.sub alpha float16
CPU overflow scalar path vectorized": issue 98691 is about numbers that are too large themselves.
"""

import sys

import torch

x = torch.full((64,), 65504.0, dtype=torch.float16)
expected = torch.add(x, -x, alpha=2)[0].item()
got = torch.add(x[:1], -x[:1], alpha=2)[0].item()
print("expected", expected)
print("got     ", got)
sys.exit(expected != got)
