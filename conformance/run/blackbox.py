"""The values of the example at hand, kept where they are found if this process does not survive it.

They lie in memory that is shared with a file: writing there is no call of the system, and the file
is as it was left however the process ends.
"""

import mmap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ..untrusted.texts import safe
from .reproduction import values_text

SIZE = 2**16
"""Bytes that are kept, at most."""


class BlackBox:
    """In a process that has a supervisor: the values of the example at hand."""

    def __init__(self, path: Path) -> None:
        with path.open("w+b") as file:
            file.truncate(SIZE)
            self.memory = mmap.mmap(file.fileno(), SIZE)

    def note(self, values: Mapping[str, Any]) -> None:
        """Write down what an example is about to be called with."""
        text = values_text(values).encode("utf-8", "backslashreplace")[: SIZE - 1]
        self.memory[: len(text) + 1] = text + b"\0"

    def forget(self) -> None:
        """Say that there is no example at hand."""
        self.memory[0] = 0


BOX = pytest.StashKey[BlackBox]()
"""Where a worker keeps its black box."""


def box_beside(dump: Path) -> Path:
    """Return where the black box of a worker lies, beside its last words."""
    return dump.with_suffix(".values")


def last_values(dump: Path) -> str:
    """Return the values of the example that a worker did not survive; empty if it was in none."""
    try:
        text, _, _ = box_beside(dump).read_bytes().partition(b"\0")
    except OSError:
        return ""
    return safe(text.decode("utf-8", "replace"))
