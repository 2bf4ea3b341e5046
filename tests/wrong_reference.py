"""Functions for the reference as people write them, wrong in a common way and right."""

import numpy as np

from gradspec import reference

X = np.array([[0.5, -1.25, 2.0], [1.5, 0.75, -0.5]])


class Unscaled(reference.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x * x).mean()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x


class Scaled(Unscaled):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x / x.numel()


def detached_factor(x):
    return x / (x * x).sum().sqrt().detach()


def right_factor(x):
    return x / (x * x).sum().sqrt()


INPUTS = (X,)

PAIRS = {
    "mean not scaled": (Unscaled, Scaled, X),
    "detached factor": (detached_factor, right_factor, X),
}
OTHERS = {"relu": (reference.relu, X)}
