"""asarray of a NumPy array without axes is a copy, even when told not to copy.

The documentation says that the tensor shares memory with an array unless dtype, device or copy ask
otherwise; as_tensor, from_numpy and from_dlpack do.
"""

import sys

import numpy as np
import torch

x = np.array(1.0)
tensors = {
    "as_tensor(x)": torch.as_tensor(x),
    "asarray(x)": torch.asarray(x),
    "asarray(x, copy=False)": torch.asarray(x, copy=False),
}
x[...] = 5
expected = dict.fromkeys(tensors, 5.0)
got = {name: tensor.item() for name, tensor in tensors.items()}
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
