"""gradcheck stumbles over a result without a gradient that stands before one with a gradient.

After integers it looks for the numerical Jacobian at a place that there is none; in its fast mode
it compares a constant with the gradient of the result after it, and says that this is wrong. In
the other order the same functions are accepted.
"""

import sys

import torch

x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
wrong = 0
for name, constant, fast in (
    ("integers", torch.ones(2, dtype=torch.int64), False),
    ("zeros, in fast mode,", torch.zeros(2, dtype=torch.float64), True),
):
    assert torch.autograd.gradcheck(lambda a, c=constant: (a * 2, c), (x,), fast_mode=fast)
    try:
        got = torch.autograd.gradcheck(lambda a, c=constant: (c, a * 2), (x,), fast_mode=fast)
    except (IndexError, RuntimeError) as error:
        got = type(error).__name__
    print(name, "before a product: expected", True, "got", got)
    wrong += got is not True
sys.exit(wrong > 0)
