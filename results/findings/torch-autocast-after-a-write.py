"""Within autocast a parameter that was written goes on counting as what it was before.

The cast of a parameter is kept until the block ends, whatever is written to the parameter: steps of
an optimizer that stand within the block show in no result of it. With cache_enabled=False they do.
Users have met it, as in https://github.com/X-GenGroup/Flow-Factory/pull/186.
"""

import sys

import torch

x = torch.ones(1, 1)


def after_a_step(**options):
    """Return what a layer of weight 1 computes once a step has made the weight 5."""
    layer = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.ones_(layer.weight)
    optimizer = torch.optim.SGD(layer.parameters(), lr=4.0, maximize=True)
    with torch.autocast("cpu", torch.bfloat16, **options):
        layer(x).sum().backward()
        optimizer.step()
        return layer(x).item()


expected, got = after_a_step(cache_enabled=False), after_a_step()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
