"""A write through a view is not recorded for its base, nor one to the base for its views.

Values are those of the memory that both share; the gradients are those of a write that never was,
and nothing is refused.
"""

import sys

import paddle


def gradient(write):
    """Write to one of two tensors that share memory, and differentiate the other."""
    x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    base = x * 1
    view = base[:2]
    read = write(base, view)
    read.sum().backward()
    return [read.tolist(), x.grad.tolist()]


def through_the_view(base, view):
    """Write to the view, read the base."""
    view.multiply_(paddle.to_tensor([10.0, 10.0]))
    return base


def to_the_base(base, view):
    """Write to the base, read the view."""
    base.multiply_(paddle.to_tensor([10.0, 10.0, 10.0]))
    return view


expected = [[[10.0, 20.0, 3.0], [10.0, 10.0, 1.0]], [[10.0, 20.0], [10.0, 10.0, 0.0]]]
got = [gradient(through_the_view), gradient(to_the_base)]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
