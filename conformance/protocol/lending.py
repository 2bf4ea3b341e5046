"""The part of the protocol for functions that others have written. This text is normative.

An adapter says here what its library does with whole functions: what parameters lie in one, and
what the library makes of one. All of it may be left out.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

Native = Any


class Lending:
    """What a backend may tell of functions written by others."""

    transforms: ClassVar[Mapping[str, Callable[[Callable[..., Any]], Callable[..., Any]]]] = {}
    """What else runs a function of tensors, of which there is one result, by a word.

    `compile` returns the same function, captured. That it can be mapped is said by the capability
    VMAP.
    """

    def opened(
        self, function: Callable[..., Any]
    ) -> tuple[Callable[..., Any], Mapping[str, Native]] | None:
        """Return the parameters in `function`, by name, and a function that takes others for them.

        That one is called with a mapping of parameters, then with the arguments of `function`. None
        if `function` is nothing that has parameters.
        """
        return None
