"""How statements are read, carried out and written, where several families do it in one way."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..protocol.backend import Backend
from .language import Run, Shape, Statement
from .reading import Reader

Read = Callable[[Reader], Statement | None]
Text = Callable[[Sequence[str], tuple[Any, ...]], str]
Bind = Callable[[Backend], Run]


def calls(name: str) -> Bind:
    """Call the function of this name with the operands, then the options."""

    def bind(b: Backend) -> Run:
        function = b.functions[name]
        return lambda _, x, o: function(*x, *o)

    return bind


def asks(name: str) -> Bind:
    """Call the method of the protocol of this name with the operands, then the options."""

    def bind(b: Backend) -> Run:
        method = getattr(b, name)
        return lambda _, x, o: method(*x, *o)

    return bind


def as_method(name: str) -> Text:
    """Write x.name(...)."""
    return lambda n, o: f"{n[0]}.{name}({', '.join([*n[1:], *map(str, o)])})"


def as_function(name: str) -> Text:
    """Write torch.name(...)."""
    return lambda n, o: f"torch.{name}({', '.join([*n, *map(str, o)])})"


def template(text: str) -> Text:
    """Write `text` with {0}, {1} for the operands and {a}, {b} for the options."""
    return lambda n, o: text.format(*n, **dict(zip("abcd", o, strict=False)))


def same_shape(name: str, marks: int = 0) -> Read:
    """Read an operation on one variable whose result has its shape."""

    def read(d: Reader) -> Statement | None:
        x = d.operand(None, marks)
        if x < 0:
            return None
        d.result(d.shapes[x], x)
        return Statement(name, (x,), (), 1)

    return read


def numbers(entries: Sequence[int], shape: Shape, dtype: Any = np.int64) -> np.ndarray[Any, Any]:
    """Return plain data as an array."""
    return np.array(entries, dtype).reshape(shape)


def written(entries: Sequence[Any], shape: Shape) -> str:
    """Write entries as nested lists."""
    return str(np.array(entries, object).reshape(shape).tolist())


def as_float(entries: Sequence[int], shape: Shape) -> str:
    """Write entries as nested lists of floats."""
    return written([float(each) for each in entries], shape)
