"""relu of nan is 0, so that what went wrong before it goes unseen."""

import math
import sys

import paddle

expected = math.nan
got = paddle.nn.functional.relu(paddle.to_tensor(math.nan)).item()
print("expected", expected)
print("got     ", got)
sys.exit(not math.isnan(got))
