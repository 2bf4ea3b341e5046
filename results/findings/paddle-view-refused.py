"""view: neither a number nor a tensor without entries can be viewed, though no entry has to move."""

import sys

import paddle


def shape_or_refusal(x, *sizes):
    """View a tensor, and return the sizes it has then."""
    try:
        return list(x.view(list(sizes)).shape)
    except Exception as error:
        return str(error).splitlines()[0]


expected = [[1], [3, 0]]
got = [
    shape_or_refusal(paddle.to_tensor(2.0), 1),
    shape_or_refusal(paddle.zeros([0, 3]), 3, 0),
]
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
