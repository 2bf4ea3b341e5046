"""Count saved values while they live, for libraries that let a hook pack and unpack them."""

import weakref
from typing import Any


class Box:
    """A saved value in a box of its own, so that its release can be seen."""

    def __init__(self, value: Any) -> None:
        # Detached: an output that kept its own history here would be a cycle and never be released.
        self.value = value.detach()


class Boxes:
    """A count of saved values, by weak references to their boxes."""

    def __init__(self) -> None:
        self._boxes: list[weakref.ref[Box]] = []

    @property
    def packed(self) -> int:
        """How many values have been saved so far."""
        return len(self._boxes)

    @property
    def live(self) -> int:
        """How many of them are still held by a graph."""
        return sum(box() is not None for box in self._boxes)

    def pack(self, value: Any) -> Box:
        """Put a value into a box as it is saved."""
        box = Box(value)
        self._boxes.append(weakref.ref(box))
        return box

    @staticmethod
    def unpack(box: Box) -> Any:
        """Take the value out again, for backward."""
        return box.value
