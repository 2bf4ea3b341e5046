"""pack_padded_sequence with enforce_sorted=False drops sequences that it is told no length of.

It takes the batch by the order of the lengths, and so only as many sequences as there are lengths;
with enforce_sorted=True the same call is refused.
"""

import sys

import torch
from torch.nn.utils.rnn import pack_padded_sequence

batch = torch.arange(4.0).reshape(2, 2)


def packed(*, enforce_sorted: bool) -> str:
    """Pack two sequences by one length, or say that this is refused."""
    try:
        return str(pack_padded_sequence(batch, [2], enforce_sorted=enforce_sorted).data.tolist())
    except RuntimeError:
        return "refused"


print("two sequences of two entries, one length:")
expected, got = packed(enforce_sorted=True), packed(enforce_sorted=False)
print("expected", expected, "got", got)
sys.exit(int(got != expected))
