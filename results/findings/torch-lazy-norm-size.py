"""A lazy normalization without parameters and buffers never learns its number of channels."""

import sys

import torch

layer = torch.nn.LazyBatchNorm1d(affine=False, track_running_stats=False)
layer(torch.ones(2, 3, 4))
print("expected", 3)
print("got     ", layer.num_features)
sys.exit(layer.num_features != 3)
