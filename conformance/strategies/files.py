"""Files that are written and read again."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from pkgutil import resolve_name
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from ..protocol.subject import Subject


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


def safe_classes(be: Subject, file: Path) -> AbstractContextManager[object]:
    """Declare safe, for a block, all that PyTorch says a file names and does not trust."""
    names = be.lookup("torch.serialization:get_unsafe_globals_in_checkpoint")(file)
    declare = be.lookup("torch.serialization:safe_globals")
    made: AbstractContextManager[object] = declare([resolve_name(name) for name in names])
    return made


@contextmanager
def passing_class(base: type) -> Iterator[type]:
    """Make a class that can be found under its name, `Passing`, for a block only."""
    here = sys.modules[__name__]
    made = type("Passing", (base,), {"__module__": __name__})
    here.__dict__["Passing"] = made
    try:
        yield made
    finally:
        del here.__dict__["Passing"]
