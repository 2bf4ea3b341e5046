"""The third derivative of pdist is nan for points that all lie apart, since its second one exists.

PyTorch 2.14 made pdist and cdist differentiable twice: https://github.com/pytorch/pytorch/pull/188901.
Differentiated once more, distances in the norms 2, 1.5 and 0.5 give nan. Nothing was found about
that (2026-11-24). Older releases refuse the second derivative, which this script shows as well.
"""

import sys

import torch

points = torch.tensor([[0.0, 0.0], [3.0, 1.0], [1.0, 5.0]], dtype=torch.float64)
along = torch.tensor([[1.0, 2.0], [0.5, -1.0], [2.0, 0.0]], dtype=torch.float64)


def third(distances):
    """The third derivative of the sum of all distances along a line."""
    t = torch.zeros((), dtype=torch.float64, requires_grad=True)
    y = distances(points + t * along).sum()
    for _ in range(3):
        (y,) = torch.autograd.grad(y, t, create_graph=True)
    return y.item()


def written_out(x):
    """The same distances, from differences of the points."""
    rows, columns = torch.triu_indices(3, 3, offset=1)
    return (x[rows] - x[columns]).square().sum(-1).sqrt()


expected = third(written_out)
print("expected", expected)
try:
    got = third(torch.pdist)
except NotImplementedError as error:
    got = str(error)
print("got     ", got)
sys.exit(not isinstance(got, float) or not abs(got - expected) < 1e-9)
