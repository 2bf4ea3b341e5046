"""Basic keys of an index, as plain data: an integer, a slice as three numbers, None, Ellipsis."""

from functools import cache
from typing import Any

from .language import Shape
from .reading import Reader

Key = tuple[Any, ...]

WHOLE = ("slice", None, None, 1)


def read(d: Reader, shape: Shape) -> Key:
    """Read a key that fits a tensor of this shape."""
    key: list[Any] = []
    for axis, length in enumerate(shape):
        byte = d.byte()
        match byte % 6:
            case 0 if length:
                key.append(byte // 6 % length - (length if byte & 128 else 0))
            case 1 | 2:
                key.append(("slice", byte // 6 % 2, None, 1 + (byte >> 6 & 1)))
            case 3:
                key.append(("slice", None, max(0, length - 1), 1))
            case 4 if axis == 0 and not byte & 64:
                key += ["newaxis", WHOLE]
            case 5:
                key.append("...")
                return tuple(key)
            case _:
                key.append(WHOLE)
    return tuple(key)


@cache
def made(key: Key) -> Any:
    """Return the key as Python has it."""
    return tuple(_item(each) for each in key)


def _item(each: Any) -> Any:
    if each == "newaxis":
        return None
    if each == "...":
        return Ellipsis
    return slice(*each[1:]) if type(each) is tuple else each


@cache
def shape_of(key: Key, shape: Shape) -> Shape:
    """Return the shape that a key selects."""
    rest, found = list(shape), []
    for each in key:
        if each == "newaxis":
            found.append(1)
        elif each == "...":
            break
        elif type(each) is tuple:
            found.append(len(range(*slice(*each[1:]).indices(rest.pop(0)))))
        else:
            rest.pop(0)
    return (*found, *rest)


def text(key: Key) -> str:
    """Write a key."""
    return ", ".join(map(_text, key)) or "()"


def _text(each: Any) -> str:
    if each == "newaxis":
        return "None"
    if type(each) is not tuple:
        return str(each)
    start, stop, step = ("" if n is None else str(n) for n in each[1:])
    return f"{start}:{stop}" + (f":{step}" if each[3] != 1 else "")
