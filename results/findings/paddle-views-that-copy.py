"""expand and split copy; transpose, slices and reshape share memory, so a write shows in these only."""

import sys

import paddle

x = paddle.ones([2, 1])
expanded, (first, _), turned = x.expand([2, 3]), paddle.split(x, 2), x.t()
x.zero_()
expected = [0.0, 0.0, 0.0]
got = [view.flatten()[0].item() for view in (expanded, first, turned)]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
