"""masked_scatter_ reads what it has just written where its source lies in the same memory.

The first of three entries is to go one place on, and what stood there another place on: it goes
all the way instead. Functions that write and read one memory in part refuse that; this one takes it.
"""

import sys

import torch

memory = torch.tensor([1.0, 2.0, 3.0])
wanted = torch.tensor([1.0, 1.0, 2.0])
try:
    memory[1:].masked_scatter_(torch.tensor([True, True]), memory[:-1])
except RuntimeError as refusal:
    print("expected", wanted.tolist(), "or a refusal, got:", refusal)
    sys.exit(0)
print("expected", wanted.tolist(), "or a refusal, got", memory.tolist())
sys.exit(bool((memory != wanted).any()))
