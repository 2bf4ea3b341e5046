"""Second derivatives are nan where singular values are equal, though the functions are smooth.

At a multiple of the identity the sum of singular values, the definite root (since 2.14) and the
factors of the polar decomposition (since 2.14) have derivatives of every order; their gradients
are right, and are computed by vectors, whose derivatives are not there. Nothing was found upstream
(2026-11-28).
"""

import sys

import torch

functions = {
    "sum of singular values": lambda x: torch.linalg.matrix_norm(x, "nuc"),
    "definite root": lambda x: torch.linalg.matrix_sqrth((x + x.mT) / 2)[0, 1],
    "orthogonal factor": lambda x: torch.linalg.polar(x)[0][0, 1],
    "definite factor": lambda x: torch.linalg.polar(x)[1][0, 1],
}
expected = {
    "sum of singular values": [[0.0, 0.125], [-0.125, 0.0]],
    "definite root": [[-1 / 128, 0.0], [0.0, -1 / 128]],
    "orthogonal factor": [[-1 / 64, 0.0], [0.0, -1 / 64]],
    "definite factor": [[1 / 16, 0.0], [0.0, -1 / 16]],
}
wrong = False
for name, function in functions.items():
    if name != "sum of singular values" and not hasattr(torch.linalg, "polar"):
        continue
    x = (4 * torch.eye(2, dtype=torch.float64)).requires_grad_()
    (slope,) = torch.autograd.grad(function(x), x, create_graph=True)
    (second,) = torch.autograd.grad(slope[0, 1], x)
    true = torch.tensor(expected[name], dtype=torch.float64)
    print(name)
    print("expected", true.tolist())
    print("got     ", second.tolist())
    wrong = wrong or not torch.allclose(second, true, atol=1e-12)
sys.exit(wrong)
