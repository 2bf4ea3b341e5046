"""The gradient of an entropy is nan by a logit of -inf, where the cotangent is larger than one."""

import sys

import torch

logits = torch.tensor([0.0, 0.0, -torch.inf], requires_grad=True)
entropy = torch.distributions.Categorical(logits=logits).entropy()
(found,) = torch.autograd.grad(entropy, logits, torch.tensor(2.0))
wanted = torch.zeros(3)
print("expected", wanted)
print("got     ", found)
sys.exit(not torch.allclose(found, wanted))
