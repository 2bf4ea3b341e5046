"""LKJCholesky draws correlations of three of which those in the last row vary too much.

The density is the same for rows in any order (D. Lewandowski, D. Kurowicka and H. Joe, Generating
random correlation matrices based on vines and extended onion method, 2009), so that each
correlation has one distribution: with the concentration 1 that of 2 Beta(3/2, 3/2) - 1, of which
the variance is 1/4. What is drawn for the square of how long a row is has concentrations of i + 1/2
where section 3.2 of the paper has (i + 1)/2. Nothing was found upstream, 2026-12, but for gradients
that disagree (https://github.com/pytorch/pytorch/issues/69281).
"""

import sys

import torch

torch.manual_seed(0)
root = torch.distributions.LKJCholesky(3, torch.tensor(1.0, dtype=torch.float64)).sample((100_000,))
drawn = root @ root.mT
variances = [round(drawn[:, i, j].var().item(), 2) for i, j in ((1, 0), (2, 0), (2, 1))]
print("expected", [0.25] * 3)
print("got     ", variances)
sys.exit(max(variances) > 0.27)
