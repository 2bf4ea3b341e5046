"""Other ways to write a function of Autograd: methods, operators, ufuncs of NumPy, and composed."""

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
from autograd.numpy.numpy_boxes import ArrayBox

from .autograd_composed import COMPOSED
from .numpy_spellings import Methods, in_ours
from .operators import OPERATORS

Function = Callable[..., Any]

UFUNCS = {name: f for name, f in vars(np).items() if isinstance(f, np.ufunc)}
"""Functions of NumPy that are Autograd's where they meet a box."""

WAYS: Mapping[str, Mapping[str, Function]] = {
    "method": in_ours(Methods(ArrayBox)),
    "operator": {name: f for name, f in OPERATORS.items() if name != "floor_divide"},
    "numpy": in_ours(SimpleNamespace(**UFUNCS)),
    "composed": COMPOSED,
}
"""Ways to write, by a word: a box has no division without a rest in Python's words."""


def spellings_of(name: str, function: Function) -> Mapping[str, Function]:
    """Return other ways to write a function, by a word for each."""
    found = {word: ways[name] for word, ways in WAYS.items() if name in ways}
    return {word: other for word, other in found.items() if other is not function}
