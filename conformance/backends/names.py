"""Functions of a module, looked up by name."""

from collections.abc import Callable
from typing import Any


def named(module: Any, words: str) -> dict[str, Callable[..., Any]]:
    """Return what `module` has of `words`, under gradspec's names.

    A word is a name that both use, or `ours=theirs`. What this release of the library does not
    have is left out, so that an adapter bears releases older and newer than the one it was written
    for.
    """
    pairs = [(word.partition("=")[0], word.rpartition("=")[2]) for word in words.split()]
    found = {ours: getattr(module, theirs, None) for ours, theirs in pairs}
    return {name: function for name, function in found.items() if function is not None}
