"""The gradient of a tensor assigned by an index array or a mask is read from memory nobody wrote.

x[places] = v is index_put, whose gradient for v is right.
"""

import sys

import paddle


def gradient(assign, *shape):
    """Assign a tensor of ones of this shape to zeros, and return its gradient for ones."""
    v = paddle.ones(shape, dtype="float64")
    v.stop_gradient = False
    x = paddle.zeros([3, 4], dtype="float64")
    x.stop_gradient = False
    assign(x * 1.0, v).sum().backward()
    return v.grad.tolist()


def assigned(key):
    """Return what assigns by brackets."""

    def assign(x, v):
        x[key] = v
        return x

    return assign


places, mask = paddle.to_tensor([2, 0]), paddle.to_tensor([True, False, True])
expected = {"index_put": 8.0, "x[2]": 4.0, "x[places]": 8.0, "x[[2, 0]]": 8.0, "x[mask]": 8.0}
got = {
    "index_put": gradient(lambda x, v: paddle.index_put(x, (places,), v)),
    "x[2]": gradient(assigned(2)),
    "x[places]": gradient(assigned(places)),
    "x[[2, 0]]": gradient(assigned([2, 0])),
    "x[mask]": gradient(assigned(mask)),
}
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
