"""A tensor without axes in float64 cannot be assigned to by an index; one in float32 can."""

import sys

import paddle


def assigned(dtype):
    """Assign by the index that means all of a number."""
    x = paddle.to_tensor(2.0, dtype=dtype)
    try:
        x[()] = 3.0
        return x.item()
    except Exception as error:
        return str(error).splitlines()[0]


expected = {"float32": 3.0, "float64": 3.0}
got = {dtype: assigned(dtype) for dtype in expected}
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
