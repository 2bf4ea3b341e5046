"""Arguments and results in nests: tuples, lists and dicts, with tensors somewhere in them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Slot:
    """The place of an input that is differentiated, by its number."""

    number: int


@dataclass(frozen=True)
class Fixed:
    """A tensor that is not differentiated, and its values as an array."""

    tensor: Any
    values: Any


def mapped(nest: Any, change: Callable[[Any], Any]) -> Any:
    """Return a nest of the same form, with what `change` makes of everything in it."""
    if isinstance(nest, dict):
        return {key: mapped(each, change) for key, each in nest.items()}
    if isinstance(nest, list):
        return [mapped(each, change) for each in nest]
    if type(nest) is tuple:
        return tuple(mapped(each, change) for each in nest)
    if isinstance(nest, tuple):  # one with names
        return type(nest)(*[mapped(each, change) for each in nest])
    return change(nest)


def leaves(nest: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Yield everything in a nest, each with its place, such as `[0]['loss']`; None is nothing."""
    if isinstance(nest, dict):
        for key, each in nest.items():
            yield from leaves(each, f"{place}[{key!r}]")
    elif isinstance(nest, list | tuple):
        for number, each in enumerate(nest):
            yield from leaves(each, f"{place}[{number}]")
    elif nest is not None:
        yield place, nest


def text_of(nest: Any, names: Callable[[int], str], tensor: Callable[[Any], str]) -> str:
    """Write a nest as Python does.

    `names` says what the inputs are called, `tensor` how an array that stays as it is is made one.
    """
    if isinstance(nest, dict):
        inside = ", ".join(f"{key!r}: {text_of(each, names, tensor)}" for key, each in nest.items())
        return f"{{{inside}}}"
    if isinstance(nest, list):
        return f"[{', '.join(text_of(each, names, tensor) for each in nest)}]"
    if isinstance(nest, tuple):
        inside = ", ".join(text_of(each, names, tensor) for each in nest)
        return f"({inside}{',' * (len(nest) == 1)})"
    if isinstance(nest, Slot):
        return names(nest.number)
    return tensor(nest.values) if isinstance(nest, Fixed) else repr(nest)
