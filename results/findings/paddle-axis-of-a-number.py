"""transpose and scatter refuse axis 0 of a number, which sum takes for a vector of one entry."""

import sys

import paddle

number, place = paddle.to_tensor(2.0), paddle.to_tensor(0)
CALLS = {
    "sum": lambda: paddle.sum(number, 0),
    "transpose": lambda: paddle.transpose(number, 0, 0),
    "scatter": lambda: paddle.scatter(number, 0, place, number),
}
expected, got = dict.fromkeys(CALLS, 2.0), {}
for name, call in CALLS.items():
    try:
        got[name] = call().item()
    except Exception as error:
        got[name] = type(error).__name__
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
