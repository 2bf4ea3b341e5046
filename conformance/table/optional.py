"""What is left out of a call, and how a function is called without it."""

from collections.abc import Callable
from typing import Any

from .drawing import Draw
from .operation import Operation


def given(**named: Any) -> dict[str, Any]:
    """The options that are not left out."""
    return {key: value for key, value in named.items() if value is not None}


def one_of(d: Draw, **options: tuple[Any, ...]) -> dict[str, Any]:
    """Draw one of each kind of option; what is "usual" is left out."""
    chosen = {name: d.pick(*some) for name, some in options.items()}
    return {name: value for name, value in chosen.items() if value != "usual"}


def calling(name: str, *, swapped: bool = False, taken: int | None = None) -> Callable[..., Any]:
    """Call a function with those options that are not left out, and take one of its results."""

    def call(be: Any, *tensors: Any, **named: Any) -> Any:
        operands = tensors[::-1] if swapped else tensors
        found = getattr(be, name)(*operands, **given(**named))
        return found if taken is None else found[taken]

    return call


def plain(name: str, forward: Any, draw: Any, **more: Any) -> Operation:
    """Make the record of what is called with those options that are not left out."""
    return Operation(name, forward, draw, call=calling(name), **more)
