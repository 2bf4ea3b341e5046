"""Basic keys of an index, as plain data: an integer, a slice as three numbers, None, Ellipsis."""

from functools import cache
from typing import Any

import numpy as np

from .language import Shape
from .reading import Reader, size

Key = tuple[Any, ...]

WHOLE = ("slice", None, None, 1)

REFUSED = 195
"""The byte that asks for a step that PyTorch refuses."""


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
            case 3 if byte == REFUSED:
                key.append(("slice", None, None, -1))
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


# ---- with arrays of places -----------------------------------------------------------------------

FORMS = (("row",), ("row",), ("row", "column"), ("row", "row"))
"""Which arrays a key has: places along an axis, or across it."""


def mixed(d: Reader, shape: Shape) -> Key:
    """Read a key that has one or two arrays of places."""
    axes = d.byte() % len(shape), d.byte() % len(shape)
    key: list[Any] = [WHOLE] * len(shape)
    for axis, name in zip(axes, d.pick(FORMS), strict=False):
        seed, length = d.byte(), shape[axis]
        places = [(seed + 3 * i) % length - (length if seed & 128 else 0) for i in range(2)]
        key[axis] = ("array", (2, 1) if name == "column" else (2,), tuple(places))
    return tuple(key)


def _is_array(each: Any) -> bool:
    return type(each) is tuple and each[0] == "array"


def _array(each: Any) -> Any:
    return np.array(each[2], np.int64).reshape(each[1])


@cache
def places_of(key: Key, shape: Shape) -> Any:
    """Return which entries a key with arrays selects, by their numbers."""
    made = tuple(_array(each) if _is_array(each) else _item(each) for each in key)
    return np.arange(size(shape)).reshape(shape)[made]


@cache
def names_each_once(key: Key, shape: Shape) -> bool:
    """Whether a key with arrays selects no entry twice."""
    selected = places_of(key, shape)
    return bool(np.unique(selected).size == selected.size)


def with_tensors(b: Any, m: Any, key: Key) -> Any:
    """Return a key as a library has it, whose arrays are tensors."""
    return tuple(
        b.tensor(_array(each), "int64", m.table.device) if _is_array(each) else _item(each)
        for each in key
    )


# ---- as text -------------------------------------------------------------------------------------


def text(key: Key) -> str:
    """Write a key."""
    return ", ".join(map(_text, key)) or "()"


def _text(each: Any) -> str:
    if each == "newaxis":
        return "None"
    if type(each) is not tuple:
        return str(each)
    if _is_array(each):
        return f"torch.tensor({list(each[2])}).reshape({each[1]})"
    start, stop, step = ("" if n is None else str(n) for n in each[1:])
    return f"{start}:{stop}" + (f":{step}" if each[3] != 1 else "")
