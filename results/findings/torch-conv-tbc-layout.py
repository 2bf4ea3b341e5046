"""conv_tbc refuses sequences whose batch comes first in memory, and its gradient refuses them too."""

import sys

import torch


def outcome(transposed):
    """Say what became of a sequence, and of its gradient, in one layout."""
    x, weight = torch.ones(3, 2, 1), torch.ones(1, 1, 1, requires_grad=True)
    turned = x.transpose(0, 1).contiguous().transpose(0, 1)
    bias = torch.zeros(1)
    try:
        y = torch.conv_tbc(turned if transposed == "sequence" else x, weight, bias, 0)
        cotangent = turned if transposed == "gradient" else x
        return torch.autograd.grad(y, [weight], cotangent)[0].item()
    except RuntimeError as error:
        return str(error).partition("(")[0].strip()


expected = outcome("nothing")
got = [outcome(each) for each in ("sequence", "gradient")]
print("expected", [expected] * 2)
print("got     ", got)
sys.exit(got != [expected] * 2)
