"""Forward mode passes over padding_idx and scale_grad_by_freq: it is not the adjoint of backward."""

import sys

import torch
from torch.nn.functional import embedding

table = torch.arange(6.0, dtype=torch.float64).reshape(3, 2)
lost = []
for options in ({"padding_idx": 0}, {"scale_grad_by_freq": True}):

    def rows(x, options=options):
        """Look up the rows of a table."""
        return embedding(torch.tensor([0, 0, 1]), x, **options)

    made, pull = torch.func.vjp(rows, table)
    cotangent, along = torch.ones_like(made), torch.ones_like(table)
    expected = (pull(cotangent)[0] * along).sum().item()
    got = (torch.func.jvp(rows, (table,), (along,))[1] * cotangent).sum().item()
    print(options, "expected", expected, "as backward has it")
    print(options, "got     ", got)
    lost.append(got != expected)
sys.exit(any(lost))
