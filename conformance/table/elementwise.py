"""Entry by entry."""

import numpy as np

from .drawing import ANY, NONZERO, POSITIVE, SMALL, Array, Draw
from .operation import Arguments, Operation


def one(values: Array = ANY):
    """Draw one tensor."""
    return lambda d: Arguments((d.array(d.shape(), values),))


def two(first: Array = ANY, second: Array = ANY):
    """Draw two tensors that broadcast."""

    def draw(d: Draw) -> Arguments:
        x, y = d.shapes()
        return Arguments((d.array(x, first), d.array(y, second)))

    return draw


ELEMENTWISE = (
    Operation("add", lambda x, y: x + y, two(), linear=True, broadcasts=True),
    Operation("sub", lambda x, y: x - y, two(), linear=True, broadcasts=True),
    Operation("mul", lambda x, y: x * y, two(), broadcasts=True),
    Operation("div", lambda x, y: x / y, two(ANY, NONZERO), broadcasts=True),
    Operation("neg", lambda x: -x, one(), linear=True),
    Operation("exp", np.exp, one()),
    Operation("sin", np.sin, one()),
    Operation("cos", np.cos, one()),
    Operation("log", np.log, one(POSITIVE)),
    Operation("tanh", np.tanh, one(SMALL), loses=(28, "1 - tanh² at 2")),
    Operation("maximum", np.maximum, two(), broadcasts=True, kinks="ties"),
)
