"""parameters_to_vector refuses parameters that channels_last, or a transpose, has laid out."""

import sys

import torch

layer = torch.nn.Conv2d(2, 2, 2, bias=False).to(memory_format=torch.channels_last)
expected = [16]
try:
    got = list(torch.nn.utils.parameters_to_vector(layer.parameters()).shape)
except RuntimeError as error:
    got = str(error).splitlines()[0]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
