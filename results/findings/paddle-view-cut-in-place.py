"""A view can be cut from its history in place, while its base keeps its own."""

import sys

import paddle

view = (paddle.to_tensor([1.0], stop_gradient=False) * 3).unsqueeze(0)
expected, got = "refused", "taken"
try:
    view.detach_()
except Exception:
    got = "refused"
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
