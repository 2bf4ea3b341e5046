"""The lines of a script while they are written, and what tensors are called in them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from ..checking.scripts import Unwritten
from ..untrusted.texts import printable

PLAIN = (bool, int, float, complex, str, bytes, type(None), slice, type(Ellipsis))
"""Types of what is written as Python writes it."""


class Page:
    """Lines, in blocks that are indented where they are put, and names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: dict[int, tuple[str, Any]] = {}
        self._counts: dict[str, int] = {}

    def add(self, *lines: str) -> None:
        """Write lines into the block at hand."""
        self.lines += lines

    @contextmanager
    def block(self) -> Iterator[list[str]]:
        """Write into a block of its own, until the end of the `with`."""
        outer, self.lines = self.lines, []
        try:
            yield self.lines
        finally:
            self.lines = outer

    def fresh(self, letter: str) -> str:
        """Return a name that nothing has yet."""
        count = self._counts[letter] = self._counts.get(letter, -1) + 1
        return f"{letter}{count}"

    def call(self, native: Any, name: str) -> None:
        """Let `name` be what a tensor, or several in a tuple or list, are called."""
        if isinstance(native, tuple | list):
            for place, each in enumerate(native):
                self.call(each, f"{name}[{place}]")
        elif not isinstance(native, PLAIN):
            # It is kept: else another tensor may come to lie where it was.
            self._names[id(native)] = (name, native)

    def written(self, value: Any) -> str:
        """Write an argument; raises Unwritten for a tensor that has no name."""
        if id(value) in self._names:
            return self._names[id(value)][0]
        match value:
            case float() | complex():
                return _lists(value)
            case np.generic():
                return _lists(value.item())
            case tuple():
                inside = ", ".join(map(self.written, value))
                return f"({inside},)" if len(value) == 1 else f"({inside})"
            case list():
                return f"[{', '.join(map(self.written, value))}]"
            case np.ndarray():
                return numbers(value)
            case _ if isinstance(value, PLAIN):
                return printable(repr(value))
        raise Unwritten(
            f"a {type(value).__name__} comes from what is not written down, such as an operator"
        )

    def arguments(self, args: tuple[Any, ...], options: Mapping[str, Any]) -> str:
        """Write what stands between the brackets of a call."""
        words = [*map(self.written, args)]
        words += [f"{name}={self.written(value)}" for name, value in options.items()]
        return ", ".join(words)


def numbers(values: npt.NDArray[Any], dtype: str = "") -> str:
    """Write an array of numpy."""
    return f"np.array({nested(values)}, {dtype or values.dtype.name!r})"


def nested(values: npt.NDArray[Any]) -> str:
    """Write entries as nested lists; without entries only a shape can be written."""
    return _lists(values.tolist()) if values.size else f"np.zeros({values.shape})"


def _lists(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_lists, value))}]"
    if isinstance(value, float) and not np.isfinite(value):
        return f"float('{value}')"
    if isinstance(value, complex):
        # Written as a sum it would lose the sign of a zero.
        return f"complex({_lists(value.real)}, {_lists(value.imag)})"
    return repr(value)
