"""A scale that the entries of an event share counts once in log_abs_det_jacobian if it is a tensor.

AffineTransform(0, 2, event_dim=1) doubles three entries of a vector, whose volume grows eightfold;
so it says of a number, but of a tensor for a scale it says that the volume doubles.
"""

import math
import sys

import torch
from torch.distributions import AffineTransform

x = torch.zeros(3)
expected = 3 * math.log(2)
number = AffineTransform(0.0, 2.0, event_dim=1).log_abs_det_jacobian(x, x)
tensor = AffineTransform(0.0, torch.tensor(2.0), event_dim=1).log_abs_det_jacobian(x, x)
print("expected", expected)
print("got     ", number.item(), "of a number,", tensor.item(), "of a tensor")
sys.exit(abs(tensor.item() - expected) > 1e-6)
