"""A mapped layer_norm takes the axis of the map for one of its own.

Each slice has three entries, and a shape of (4, 3) is refused for it. Mapped over four slices the
same call normalizes all twelve entries together: the result of one slice depends on the others.
triu and tril take the axis of the map for one of their own as well.
"""

import sys

import torch

wrong = 0
for name, call, x in (
    ("layer_norm", lambda z: torch.nn.functional.layer_norm(z, (4, 3)), torch.randn(4, 3)),
    ("triu", torch.triu, torch.randn(4, 3)),
    ("tril", torch.tril, torch.randn(4, 3)),
):
    found = []
    for function, given in ((call, x[0]), (torch.vmap(call), x)):
        try:
            function(given)
        except RuntimeError:
            found.append("refused")
        else:
            found.append("taken")
    print(name, "expected refused, got", found[1], "when mapped;", found[0], "by itself")
    wrong += found[0] != found[1]
sys.exit(wrong > 0)
