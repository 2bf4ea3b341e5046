"""cross_entropy with label_smoothing counts rows whose label is ignore_index.

The documentation says that such a label does not contribute to the loss, and without smoothing it
does not. Searched in PaddlePaddle/Paddle on 2026-11-23: nothing.
"""

import sys

import paddle

x, labels = paddle.zeros([2, 3]), paddle.to_tensor([0, 1])
loss = paddle.nn.functional.cross_entropy
named = {"reduction": "sum", "label_smoothing": 0.25}
expected = round(loss(x[:1], labels[:1], **named).item(), 4)
got = round(loss(x, labels, ignore_index=1, **named).item(), 4)
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
