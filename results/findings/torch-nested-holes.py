"""The sum of a nested tensor counts what lies between its rows."""

import sys

import torch

values = torch.tensor([1.0, 2.0, 4.0, 8.0])
told = {"offsets": torch.tensor([0, 2, 4]), "lengths": torch.tensor([1, 1])}
nested = torch.nested.nested_tensor_from_jagged(values, **told)
wanted = sum(row.sum() for row in nested.unbind())
print("expected", wanted)
print("got     ", nested.sum())
sys.exit(bool(nested.sum() != wanted))
