"""What tinygrad writes by keys in brackets, into copies, and how else its functions are written."""

from collections.abc import Callable, Mapping
from typing import Any

from tinygrad import Tensor

from .numpy_names import key
from .operators import OPERATORS

Function = Callable[..., Tensor]
Write = Callable[[Tensor, Any, Any], Tensor]


def written(x: Tensor, at: Any, values: Any) -> Tensor:
    """Write into a copy, which is not computed before."""
    copy = x.clone()
    copy[at] = values
    return copy


def written_in_memory(x: Tensor, at: Any, values: Any) -> Tensor:
    """Write into a copy that lies in memory, which nothing else is made of."""
    copy = Tensor(x.numpy(), dtype=x.dtype).realize()
    copy[at] = values
    return copy


def writing(write: Write) -> Mapping[str, Function]:
    """Return functions that write to places, by one way to write."""

    def along(
        x: Tensor, src: Tensor, dim: int, start: int | None, end: int | None, step: int
    ) -> Tensor:
        return write(x, key(dim, slice(start, end, step)), src)

    return {
        "slice_scatter": along,
        "select_scatter": lambda x, src, dim, index: write(x, key(dim, index), src),
    }


WRITING: Mapping[str, Function] = writing(written)
"""Functions that write to places."""

WAYS: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "operator": {name: way for name, way in OPERATORS.items() if name != "abs"},
    "memory out": writing(written_in_memory),
}
"""Ways to write, by a word."""


def spellings_of(name: str) -> Mapping[str, Callable[..., Any]]:
    """Return other ways to write a function, by a word for each."""
    return {word: ways[name] for word, ways in WAYS.items() if name in ways}
