"""Functions for PyTorch that are wrong beyond small inputs of few entries; see `wrong_torch`."""

import torch
from torch.autograd import Function
from torch.nn import functional

BLOCK = 16


class Overflows(Function):
    """Divides infinity by infinity."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return functional.softplus(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.exp() / (1 + x.exp())


class RightOverflow(Overflows):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * torch.sigmoid(x)


class CutsFar(Function):
    """Has no gradient of what is far."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * g * x * (x.abs() < 50)


class RightFar(CutsFar):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * g * x


class ForgetsBlocks(Function):
    """Adds up each block of columns, and not those behind it."""

    @staticmethod
    def forward(ctx, x):
        return x.cumsum(-1)

    @staticmethod
    def backward(ctx, g):
        return torch.cat([sums_from_behind(block) for block in g.split(BLOCK, -1)], -1)


class RightBlocks(ForgetsBlocks):
    @staticmethod
    def backward(ctx, g):
        return sums_from_behind(g)


def sums_from_behind(g):
    return g.flip(-1).cumsum(-1).flip(-1)
