"""hsplit, vsplit and dsplit cut unevenly, and masked_scatter takes too few entries, without a word.

NumPy's, which the first three follow, refuse that, and so does the documentation of masked_scatter.
Searched in PaddlePaddle/Paddle on 2026-11-22: nothing.
"""

import sys

import paddle

x, mask = paddle.zeros([3, 3, 3]), paddle.to_tensor([True, True])
CALLS = {
    "hsplit": lambda: paddle.hsplit(x, 2),
    "vsplit": lambda: paddle.vsplit(x, 2),
    "dsplit": lambda: paddle.dsplit(x, 2),
    "masked_scatter": lambda: paddle.masked_scatter(paddle.zeros([2]), mask, paddle.ones([1])),
}
got = {}
for name, call in CALLS.items():
    try:
        call()
        got[name] = "computed"
    except Exception:
        got[name] = "refused"
expected = dict.fromkeys(got, "refused")
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
