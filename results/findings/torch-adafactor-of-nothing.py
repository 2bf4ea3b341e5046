"""Adafactor and Muon cannot step a matrix without entries, which other optimizers pass over."""

import sys

import torch

failed = []
for name in ("Adafactor", "Muon", "AdamW"):
    x = torch.ones(2, 0, requires_grad=True)
    x.grad = torch.ones(2, 0)
    try:
        getattr(torch.optim, name)([x]).step()
    except ZeroDivisionError as error:
        failed.append(f"{name}: {error}")
print("expected", [])
print("got     ", failed)
sys.exit(bool(failed))
