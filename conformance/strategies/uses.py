"""A number of 16 bits that is used thousands of times."""

from collections.abc import Callable

import numpy as np

from ..protocol.backend import Native
from ..protocol.subject import Subject

Use = Callable[[Subject, Native, Native, int], Native]
"""How a tensor of one entry is used `n` times, beside `n` ones; the result adds up to `n` of it."""

TIMES = {"bfloat16": 4096, "float16": 8192}
"""So many times a number is used: where one is added at each use, half of the digits are lost."""

USES: dict[str, Use] = {
    "expand": lambda be, x, _, n: be.expand(x, n),
    "repeat": lambda be, x, _, n: be.repeat(x, n),
    "repeat_interleave": lambda be, x, _, n: be.repeat_interleave(x, n, 0),
    "add": lambda be, x, ones, _: be.add(x, ones),
    "sub": lambda be, x, ones, _: be.sub(x, ones),
    "mul": lambda be, x, ones, _: be.mul(ones, x),
    "div": lambda be, x, ones, _: be.div(x, ones),
    "matmul": lambda be, x, ones, _: be.matmul(ones[:, None], x[None]),
    "linear": lambda be, x, ones, _: be.linear(ones[:, None], x[None]),
    "linear, as a bias": lambda be, x, ones, _: be.linear(ones[:, None], ones[None, :1], x),
    "conv1d": lambda be, x, ones, _: be.conv1d(ones[None, None], x[None, None]),
    "conv1d, as a bias": lambda be, x, ones, _: be.conv1d(
        ones[None, None], ones[None, None, :1], x
    ),
    "prelu": lambda be, x, ones, _: -be.prelu(-ones, x),
    "gather": lambda be, x, _, n: be.gather(x, 0, be.tensor(np.zeros(n, np.int64))),
}
"""Uses by broadcasting, in products and layers, and by an index for each entry."""
