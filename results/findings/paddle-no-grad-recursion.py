"""A function that no_grad decorates and that calls itself leaves recording switched off.

One object holds the mode of the caller, and the inner call overwrites what the outer one found.
PyTorch had the same defect (pytorch/pytorch#44531). Searched in PaddlePaddle/Paddle on 2026-11-25:
nothing.
"""

import sys

import paddle


@paddle.no_grad()
def counted(depth):
    """Call itself so often."""
    return counted(depth - 1) if depth else None


counted(1)
print("expected", True)
print("got     ", paddle.is_grad_enabled())
sys.exit(not paddle.is_grad_enabled())
