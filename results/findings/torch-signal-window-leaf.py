"""A window of torch.signal.windows that is told to require grad is no leaf.

What it is computed from requires grad instead, so that a backward pass fills no `.grad`; a window
of torch.hann_window has one.
"""

import sys
import warnings

import torch

warnings.filterwarnings("ignore", "The .grad attribute of a Tensor that is not a leaf")
old = torch.hann_window(4, periodic=False, requires_grad=True)
new = torch.signal.windows.hann(4, requires_grad=True)
for window in (old, new):
    window.sum().backward()
print("whether it is a leaf, and its .grad:")
print("expected", old.is_leaf, old.grad, "got", new.is_leaf, new.grad)
sys.exit(int(new.grad is None))
