"""Functions of a module, looked up by name."""

from collections.abc import Callable, Mapping
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


def of_this_release(
    forms: Mapping[str, Callable[..., Any]], later: Mapping[str, bool]
) -> dict[str, Callable[..., Any]]:
    """Leave out the forms that need what this release of the library does not have.

    `later` says of a form that needs something whether it is there; a release that lacks it may be
    older than the one the adapter was written for.
    """
    return {name: form for name, form in forms.items() if later.get(name, True)}
