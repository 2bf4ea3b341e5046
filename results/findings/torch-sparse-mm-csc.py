"""torch.sparse.mm of two matrices with compressed columns stores nothing: a product of zeros.

torch.mm of the same ones is right. Searched in pytorch/pytorch on 2026-11-27: the change that made
such products possible (#85379), wrong ones of empty matrices (#90693, closed), nothing of this.
"""

import sys
import warnings

import torch

warnings.simplefilter("ignore")
a = torch.tensor([[1.0, 2.0], [0.0, 3.0]])
b = torch.tensor([[0.0, 1.0], [5.0, 0.0]])
got = torch.sparse.mm(a.to_sparse_csc(), b.to_sparse_csc()).to_dense()
print("expected", (a @ b).tolist())
print("got     ", got.tolist())
sys.exit(not torch.equal(got, a @ b))
