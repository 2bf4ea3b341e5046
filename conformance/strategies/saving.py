"""Which operations save values for backward, and which do not.

Each entry is a program on a 2x2 matrix of positive numbers, known by the way it is written. A claim
draws the name of an entry and nothing else: then a run of the default profile reaches all of them.
"""

from collections.abc import Callable, Mapping

import numpy as np

from ..protocol.backend import Native
from ..protocol.subject import Subject

Program = Callable[[Subject, Native], Native]

MATRIX = np.array([[1.0, 2.0], [3.0, 4.0]])
"""Where the programs may be run; all entries differ."""

ONES = np.ones((2, 2))
DIAGONAL = np.eye(2, dtype=bool)
CROSSED = np.array([[0, 1], [1, 0]])

SAVING: Mapping[str, Program] = {
    "x * 2": lambda _, x: x * 2,
    "x * x": lambda _, x: x * x,
    "x / 2": lambda _, x: x / 2,
    "1 / x": lambda _, x: 1 / x,
    "x ** 1": lambda be, x: be.pow(x, 1),
    "exp(x)": lambda be, x: be.exp(x),
    "log(x)": lambda be, x: be.log(x),
    "sin(x)": lambda be, x: be.sin(x),
    "cos(x)": lambda be, x: be.cos(x),
    "tanh(x)": lambda be, x: be.tanh(x),
    "sqrt(x)": lambda be, x: be.sqrt(x),
    "abs(x)": lambda be, x: be.abs(x),
    "relu(x)": lambda be, x: be.relu(x),
    "sigmoid(x)": lambda be, x: be.sigmoid(x),
    "maximum(x, ones)": lambda be, x: be.maximum(x, ONES),
    "minimum(x, ones)": lambda be, x: be.minimum(x, ONES),
    "clamp(x, 0, 2)": lambda be, x: be.clamp(x, 0, 2),
    "where(diagonal, x, ones)": lambda be, x: be.where(DIAGONAL, x, ONES),
    "prod(x, 0)": lambda be, x: be.prod(x, 0),
    "amax(x, 0)": lambda be, x: be.amax(x, 0),
    "amin(x, 0)": lambda be, x: be.amin(x, 0),
    "logsumexp(x, 0)": lambda be, x: be.logsumexp(x, 0),
    "softmax(x, 0)": lambda be, x: be.softmax(x, 0),
    "log_softmax(x, 0)": lambda be, x: be.log_softmax(x, 0),
    "matmul(x, ones)": lambda be, x: be.matmul(x, ONES),
    "x[[0]]": lambda _, x: x[[0]],
    "gather(x, 0, crossed)": lambda be, x: be.gather(x, 0, CROSSED),
    "scatter(x, 0, crossed, ones)": lambda be, x: be.scatter(x, 0, CROSSED, ONES),
    "scatter_add(ones, 0, crossed, x)": lambda be, x: be.scatter_add(
        be.tensor(ONES), 0, CROSSED, x
    ),
}
"""Operations whose gradient needs a value or a number of the forward pass."""

REPEATABLE: Mapping[str, Program] = {
    "x + 2": lambda _, x: x + 2,
    "x + x": lambda _, x: x + x,
    "1 - x": lambda _, x: 1 - x,
    "-x": lambda _, x: -x,
    "sum(x)": lambda be, x: be.sum(x),
    "sum(x, 0)": lambda be, x: be.sum(x, 0),
    "mean(x)": lambda be, x: be.mean(x),
    "cumsum(x, 0)": lambda be, x: be.cumsum(x, 0),
    "view(x, 4)": lambda be, x: be.view(x, 4),
    "reshape(t(x), (4,))": lambda be, x: be.reshape(be.t(x), (4,)),
    "flatten(x)": lambda be, x: be.flatten(x),
    "permute(x, (1, 0))": lambda be, x: be.permute(x, (1, 0)),
    "transpose(x, 0, 1)": lambda be, x: be.transpose(x, 0, 1),
    "t(x)": lambda be, x: be.t(x),
    "movedim(x, 0, 1)": lambda be, x: be.movedim(x, 0, 1),
    "unsqueeze(x, 0)": lambda be, x: be.unsqueeze(x, 0),
    "squeeze(x)": lambda be, x: be.squeeze(x),
    "expand(x, 3, 2, 2)": lambda be, x: be.expand(x, 3, 2, 2),
    "narrow(x, 0, 0, 1)": lambda be, x: be.narrow(x, 0, 0, 1),
    "select(x, 0, 1)": lambda be, x: be.select(x, 0, 1),
    "x[0]": lambda _, x: x[0],
    "x[1:]": lambda _, x: x[1:],
    "unbind(x)[1]": lambda be, x: be.unbind(x)[1],
    "split(x, 1)[0]": lambda be, x: be.split(x, 1)[0],
    "chunk(x, 2)[1]": lambda be, x: be.chunk(x, 2)[1],
    "cat([x, x])": lambda be, x: be.cat([x, x]),
    "stack([x, x])": lambda be, x: be.stack([x, x]),
    "flip(x, [0])": lambda be, x: be.flip(x, [0]),
    "clone(x)": lambda be, x: be.clone(x),
    "contiguous(t(x))": lambda be, x: be.contiguous(be.t(x)),
}
"""Linear operations whose gradient only needs shapes and dimensions."""
