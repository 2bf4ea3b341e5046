"""Other ways to write a function, for libraries that follow NumPy."""

from collections.abc import Callable
from typing import Any

from .numpy_forms import numpy_forms
from .numpy_names import numpy_names
from .numpy_options import numpy_options


def in_ours(module: Any) -> dict[str, Callable[..., Any]]:
    """Return what has names of NumPy's, under ours."""
    return {**numpy_names(module), **numpy_forms(module), **numpy_options(module)}


class Methods:
    """The methods of a class of arrays, as functions."""

    def __init__(self, kind: type) -> None:
        self._names = {name for name in dir(kind) if callable(getattr(kind, name))}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in self._names:
            raise AttributeError(f"arrays have no method {name}")
        return lambda x, *rest, **known: getattr(x, name)(*rest, **known)
