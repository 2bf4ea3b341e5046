"""Modes: other ways in which a library runs the same function of tensors.

A compiler captures it, a transform is put around it, an axis is added to map it over. What comes of
the function and of its derivatives is to be what it is without: there are no claims of a mode's
own. So a mode stands between a claim and the backend in the few places where claims hand over a
function, be it an operation or a drawn program: `wrap` where it is called, `vjp` and `jvp` where it
is differentiated. A claim that hands over none, of leaves, hooks or memory, has nothing that could
run in a mode, and is unsupported.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy.typing as npt

from .capabilities import Capability

Native = Any
Function = Callable[..., Native]

EAGER = "eager"
"""What running a library as it is, without any mode, is called on the command line."""

WRAPPED = frozenset(
    {
        Capability.VJP,
        Capability.COMPLEX,
        Capability.JVP,
        Capability.CREATE_GRAPH,
        Capability.CONVENTIONS,
        Capability.SPELLINGS,
    }
)
"""What a claim over the table of operations may need and still be one of functions alone."""


class Mode:
    """One such way, for a backend. An adapter lists its own in `Backend.modes`."""

    name: ClassVar[str]
    """The word used on the command line and in results, such as `vmap`."""

    does: ClassVar[str]
    """What is run, in a few words."""

    lost: ClassVar[frozenset[Capability]] = frozenset()
    """What the library documents that it does not do in this mode."""

    lacking: ClassVar[frozenset[str]] = frozenset()
    """The functions that the library refuses in this mode, saying so."""

    writes: ClassVar[bool] = True
    """Whether a function may write over any tensor that it makes."""

    example_divisor: ClassVar[int] = 1
    """As `Backend.example_divisor`: one example is drawn where others get so many."""

    of_many: ClassVar[bool] = True
    """Whether calls with thousands of entries are for it."""

    by_entry: ClassVar[bool] = False
    """Whether each entry of a gradient takes a pass of its own, of a second derivative a square.

    What it adds up is then the whole tangent of a result: where one of its entries is no number,
    neither is the sum.
    """

    def __init__(self, backend: Any) -> None:
        self.backend = backend

    def absent(self) -> str | None:
        """Say what the mode needs and this machine does not have; None if nothing is missing."""
        return None

    def wrap(self, function: Function, about: str) -> Function:  # noqa: ARG002
        """Return what is to be called instead of `function`, of which operation it is `about`.

        Both take tensors, and have one tensor as result.
        """
        return function

    def numpy(self, x: Native) -> npt.NDArray[Any]:
        """Copy the values of a tensor, of one within a transform as well; see `Backend.numpy`."""
        array: npt.NDArray[Any] = self.backend.numpy(x)
        return array

    def spellings(self, name: str) -> Mapping[str, Function]:
        """Return the ways to write a function that can run in the mode; see `Backend.spellings`."""
        found: Mapping[str, Function] = self.backend.spellings(name)
        return found

    def vjp(
        self, function: Function, *inputs: Native, create_graph: bool = False
    ) -> tuple[Native, Callable[[Native], Sequence[Native | None]]]:
        """Return `function(*inputs)` and its pullback; see `Backend.vjp`."""
        value, pull = self.backend.vjp(function, *inputs, create_graph=create_graph)
        return value, pull

    def jvp(
        self, function: Function, inputs: Sequence[Native], tangents: Sequence[Native]
    ) -> tuple[Native, Native]:
        """Return `function(*inputs)` and its derivative along `tangents`; see `Backend.jvp`."""
        value, tangent = self.backend.jvp(function, inputs, tangents)
        return value, tangent
