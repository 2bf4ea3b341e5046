"""Programs whose graph is known: straight lines of steps on matrices, some of which are leaves."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from ..protocol.backend import Native
from ..protocol.subject import Subject
from .arrays import Array

INPUTS = (
    np.array([[0.5, 0.25], [-0.5, 0.0]]),
    np.array([[0.0, -0.25], [0.5, 1.0]]),
    np.zeros((2, 2)),
)
"""Where programs start: small, so that no program overflows. Graphs do not depend on values."""

UNARY = ("neg", "t")
BINARY = ("add", "sub", "mul", "matmul")


class Application(NamedTuple):
    """Append `name(*operands)`, the operands being earlier values by their number."""

    name: str
    operands: tuple[int, ...]


class StraightLine(NamedTuple):
    """Steps on inputs, of which those with a flag are leaves that require grad."""

    flags: tuple[bool, ...]
    steps: tuple[Application, ...]

    def run(self, be: Subject, inputs: Sequence[Array] = INPUTS) -> list[Native]:
        """Return all values: the inputs, then the result of each step."""
        values = [
            be.leaf(x) if flag else be.tensor(x) for x, flag in zip(inputs, self.flags, strict=True)
        ]
        for step in self.steps:
            values.append(getattr(be, step.name)(*(values[i] for i in step.operands)))
        return values

    @property
    def sources(self) -> list[set[int]]:
        """The tracked inputs that each value depends on, by their number."""
        found = [{n} if flag else set() for n, flag in enumerate(self.flags)]
        for step in self.steps:
            found.append(set().union(*(found[i] for i in step.operands)))
        return found


@cache
def _codes() -> st.SearchStrategy[bytes]:
    return st.binary(min_size=4, max_size=19)


@st.composite
def lines(draw: st.DrawFn) -> StraightLine:
    """Draw one to six steps on three inputs; values of late steps are used more often."""
    flags, *codes = draw(_codes())
    steps: list[Application] = []
    for at in range(0, len(codes) - 2, 3):
        operation, *choices = codes[at : at + 3]
        name = (*BINARY, *UNARY)[operation % 6]
        known = len(INPUTS) + len(steps)
        # Half of the choices are among the three latest values.
        operands = [known - 1 - (c // 2 % 3 if c % 2 else c // 2 % known) for c in choices]
        steps.append(Application(name, tuple(operands[: 2 if name in BINARY else 1])))
    return StraightLine(tuple(bool(flags >> n & 1) for n in range(len(INPUTS))), tuple(steps))


# ---- single operations ---------------------------------------------------------------------------

Program = Callable[[Subject, Native], Native]

UNTRACKED: Mapping[str, Program] = {
    "x > 0": lambda _, x: x > 0,
    "x == 1": lambda _, x: x == 1,
    "argmax(x, 0)": lambda be, x: be.argmax(x, 0),
    "x.argsort()": lambda _, x: x.argsort(),
    "x.max(0).indices": lambda _, x: x.max(0).indices,
    "x.long()": lambda _, x: x.long(),
    "x.bool()": lambda _, x: x.bool(),
    "detach(x)": lambda be, x: be.detach(x),
    "x.data": lambda be, x: be.data(x),
    "zeros_like(x)": lambda be, x: be.zeros_like(x),
    "full_like(x, 2)": lambda be, x: be.full_like(x, 2),
    "new_ones(x, (3,))": lambda be, x: be.new_ones(x, (3,)),
    "x.histc(4)": lambda _, x: x.histc(4),
}
"""What comes out of a tracked matrix without being tracked."""

UNDERIVED: Mapping[str, Program] = {
    "x // 2": lambda _, x: x // 2,
    "heaviside(x, x)": lambda be, x: be.heaviside(x, x),
    "igamma(x, x)": lambda be, x: be.igamma(x, x),
}
"""What is recorded although no derivative is there."""

NAMES: Mapping[str, tuple[str, Program]] = {
    "x + 2": ("AddBackward0", lambda _, x: x + 2),
    "x - 2": ("SubBackward0", lambda _, x: x - 2),
    "2 - x": ("RsubBackward1", lambda _, x: 2 - x),
    "x * x": ("MulBackward0", lambda _, x: x * x),
    "x / 2": ("DivBackward0", lambda _, x: x / 2),
    "2 / x": ("MulBackward0", lambda _, x: 2 / x),
    "-x": ("NegBackward0", lambda _, x: -x),
    "x ** 2": ("PowBackward0", lambda _, x: x**2),
    "x ** x": ("PowBackward1", lambda _, x: x**x),
    "2 ** x": ("PowBackward2", lambda _, x: 2**x),
    "exp(x)": ("ExpBackward0", lambda be, x: be.exp(x)),
    "sum(x)": ("SumBackward0", lambda be, x: be.sum(x)),
    "sum(x, 0)": ("SumBackward1", lambda be, x: be.sum(x, 0)),
    "mean(x)": ("MeanBackward0", lambda be, x: be.mean(x)),
    "mean(x, 0)": ("MeanBackward1", lambda be, x: be.mean(x, 0)),
    "clamp(x, 0, 1)": ("ClampBackward1", lambda be, x: be.clamp(x, 0, 1)),
    "x @ x": ("MmBackward0", lambda be, x: be.matmul(x, x)),
    "view(x, 4)": ("ViewBackward0", lambda be, x: be.view(x, 4)),
    "reshape(x, (4,))": ("ViewBackward0", lambda be, x: be.reshape(x, (4,))),
    "t(x)": ("TBackward0", lambda be, x: be.t(x)),
    "x[0]": ("SelectBackward0", lambda _, x: x[0]),
    "x[[0]]": ("IndexBackward0", lambda _, x: x[[0]]),
    "linear(2, 3)(x)": ("AddmmBackward0", lambda be, x: be.layer("Linear", 2, 3)(x)),
    "mse_loss(x, ones)": ("MseLossBackward0", lambda be, x: be.mse_loss(x, np.ones((2, 2)))),
    "x * x, then x[0] = 1": ("CopySlices", lambda be, x: _with_row_of_ones(be, x * x)),
    "a Custom of identity": (
        "CustomBackward",
        lambda be, x: be.custom(lambda ctx, x: x * 1, lambda ctx, g: g).apply(x),  # noqa: ARG005
    ),
}
"""What PyTorch calls the node of a result."""


def _with_row_of_ones(be: Subject, x: Native) -> Native:
    be.setitem(x, 0, 1.0)
    return x


# ---- what was recorded ---------------------------------------------------------------------------


def nodes_of(be: Subject, y: Native) -> list[Any]:
    """List the nodes that `y` reaches, once each; raises AssertionError at a cycle."""
    root = be.node(y)
    assert root is not None, "a result without a node"
    found, path = [root], [root]
    left: list[Iterator[Any]] = [iter(be.next_nodes(root))]
    while left:
        following = next(left[-1], path)
        if following is path:
            path.pop()
            left.pop()
        elif following is not None:
            assert not any(following is each for each in path), "a node is its own input"
            if not any(following is each for each in found):
                found.append(following)
                path.append(following)
                left.append(iter(be.next_nodes(following)))
    return found


def activations(be: Subject, y: Native) -> list[Any]:
    """List the nodes on the way from `y` to the data, past the parameters at their side."""
    node, way = be.node(y), []
    while node is not None:
        way.append(node)
        operations = [n for n in be.next_nodes(node) if n is not None and be.leaf_of(n) is None]
        node = operations[0] if operations else None
    return way


def convolutional_loss(be: Subject, images: Native, kernels: Sequence[Native]) -> Native:
    """Run images of 12 x 12 through two convolutions and three affine layers."""
    x = be.max_pool2d(be.relu(be.conv2d(images, kernels[0])), 2)
    x = be.max_pool2d(be.relu(be.conv2d(x, kernels[1])), 2)
    x = be.view(x, -1, 8)
    x = be.relu(be.layer("Linear", 8, 4)(x))
    x = be.relu(be.layer("Linear", 4, 3)(x))
    return be.mse_loss(be.layer("Linear", 3, 2)(x), np.zeros((1, 2)))
