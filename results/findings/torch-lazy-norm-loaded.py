"""A lazy normalization that loads a state before its first call keeps a size of 0."""

import sys

import torch

state = torch.nn.InstanceNorm1d(3, affine=True, track_running_stats=True).state_dict()
layer = torch.nn.LazyInstanceNorm1d(affine=True, track_running_stats=True)
layer.load_state_dict(state)
print("expected", 3)
try:
    layer(torch.ones(2, 3, 4))
    print("got     ", layer.num_features)
except ValueError as error:
    print("got     ", error)
sys.exit(layer.num_features != 3)
