"""compat.max along an axis passes over nan, which max does not; so does its gradient."""

import math
import sys

import paddle

x = paddle.to_tensor([1.0, 3.0, math.nan])
expected, got = paddle.max(x, 0).item(), paddle.compat.max(x, 0).values.item()
print("expected", expected)
print("got     ", got)
sys.exit(not math.isnan(got))
