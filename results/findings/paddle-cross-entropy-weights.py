"""cross_entropy with soft labels: the gradient is right only if each row of labels sums to 1."""

import sys

import numpy as np
import paddle
from paddle.nn import functional

scores, labels = np.array([[1.0, 0.0]]), np.array([[2.0, 0.0]])
x = paddle.to_tensor(scores, stop_gradient=False)
functional.cross_entropy(x, paddle.to_tensor(labels), soft_label=True).backward()
shares = np.exp(scores) / np.exp(scores).sum()
expected = np.round(labels.sum() * shares - labels, 9).tolist()
got = np.round(x.grad.numpy(), 9).tolist()
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
