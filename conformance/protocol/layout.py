"""Take an array apart into memory and strides, so that an adapter can build the same again."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt


class Layout(NamedTuple):
    """One-dimensional memory, and where in it the entries of an array lie; all in elements."""

    memory: npt.NDArray[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int


def layout_of(array: npt.NDArray[Any]) -> Layout:
    """Return the whole buffer behind `array`, and the array's place in it."""
    memory = buffer_of(array).ravel("K")
    item = array.itemsize
    strides = tuple(stride // item for stride in array.strides)
    # Nothing lies anywhere in an empty array, but where it starts may lie outside its memory.
    offset = (array.ctypes.data - memory.ctypes.data) // item if array.size else 0
    return Layout(memory, array.shape, strides, offset)


def buffer_of(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array that owns the memory of `array`."""
    owner: Any = array
    while owner is not None:
        # Strides set by hand put an object of numpy's own between a view and its memory.
        array = owner if isinstance(owner, np.ndarray) else array
        owner = getattr(owner, "base", None)
    return array
