"""Files that are written and read again."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from ..subject import Subject


def round_trip(be: Subject, value: Any, **options: Any) -> Any:
    """Save `value` to a file, load it with `options`, and return what comes; nothing is left."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "saved.pt"
        be.save(value, file)
        return be.load(file, **options)


class Trap:
    """What a hostile file holds: a call to be made while it is loaded, here of a harmless `spring`.

    `sprung` counts the calls that were made.
    """

    sprung: ClassVar[list[str]] = []

    def __reduce__(self) -> tuple[Callable[[str], str], tuple[str]]:
        return spring, ("sprung",)


def spring(word: str) -> str:
    """Take note that a file has run code."""
    Trap.sprung.append(word)
    return word
