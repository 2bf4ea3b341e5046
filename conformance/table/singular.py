"""Where functions of complex numbers leave a choice: at zeros, and along branch cuts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..protocol.backend import Native
from ..protocol.subject import Subject
from .analytic import COMPLEX
from .arguments import Arguments, Told
from .complexes import ComplexCall, ComplexOperation
from .drawn import ALL, Hand
from .generalized import Kink
from .operation import Operation


@dataclass(frozen=True, eq=False, repr=False)
class AtPoint(ComplexCall):
    """The call of an operation at a point that has a name."""

    name: str = ""
    is_named = True

    def gradients_on(self, be: Subject) -> Sequence[Native | None]:
        """Return the gradients by a cotangent of one."""
        _, pull = be.vjp(self.on(be), *self.given)
        return pull(np.asarray(1 + 0j if self.complex_result else 1.0))


@dataclass(frozen=True, eq=False)
class ComplexKink(Kink):
    """A point of an operation of complex numbers."""

    def of(self, operation: Operation) -> AtPoint:  # type: ignore[override]
        """Make the call."""
        return AtPoint(operation, self.arguments, np.asarray(self.weights), name=self.name)


def at(operation: str, *tensors: npt.ArrayLike) -> ComplexKink:
    """Name a point."""
    return ComplexKink(operation, Arguments(tuple(np.asarray(x, complex) for x in tensors)))


COMPLEX_KINKS = (
    # No kink: it tells which way a library's complex gradients point.
    at("mul", 1 + 1j, 1j),
    at("abs", 0j),
    at("angle", 0j),
    at("sgn", 0j),
    at("sqrt", 0j),
    at("pow", 0j, 2 + 0j),
    at("pow", 0j, 0j),
    at("norm", [0j, 0j]),
)
"""Every one that is looked at."""

COMPLEX_KINKED = tuple(
    operation for operation in COMPLEX if any(k.operation == operation.name for k in COMPLEX_KINKS)
)


@dataclass(frozen=True)
class ComplexKinks:
    """The points of an operation that is named when a claim runs."""

    def corners(self, operation: Operation, hand: Hand = ALL) -> list[AtPoint]:  # noqa: ARG002
        """All of them."""
        return [kink.of(operation) for kink in COMPLEX_KINKS if kink.operation == operation.name]

    def named(self, operation: Operation, word: str | Told) -> AtPoint:
        """Return the one called `word`. Raises ValueError if there is none."""
        for kink in self.corners(operation):
            if kink.name == word:
                return kink
        raise ValueError(f"{operation.name} has no point called {word!r}")


def complex_kinks() -> ComplexKinks:
    """Draw points of the operation at hand."""
    return ComplexKinks()


# ---- branch cuts ---------------------------------------------------------------------------------

NEGATIVE = (-2.0, -0.5, -1.25)
BEYOND = (2.0, -2.0, 1.5, -1.25)
BELOW = (0.5, -2.0, -0.5)

CUTS = {
    "log": NEGATIVE,
    "log2": NEGATIVE,
    "log10": NEGATIVE,
    "sqrt": NEGATIVE,
    "rsqrt": NEGATIVE,
    "angle": NEGATIVE,
    "asin": BEYOND,
    "acos": BEYOND,
    "atanh": BEYOND,
    "acosh": BELOW,
    "asinh": tuple(1j * y for y in BEYOND),
    "atan": tuple(1j * y for y in BEYOND),
}
"""Points on the branch cuts of C99, annex G."""

CUT: tuple[ComplexOperation, ...] = tuple(o for o in COMPLEX if o.name in CUTS)


@dataclass(frozen=True)
class OnCuts:
    """Points on the cuts of an operation: all that are looked at, on one side."""

    def corners(self, operation: Operation, hand: Hand = ALL) -> list[AtPoint]:  # noqa: ARG002
        """Both sides."""
        return [self.named(operation, word) for word in ("+0", "-0")]

    def named(self, operation: Operation, word: str | Told) -> AtPoint:
        """Return the side of a zero of this sign. Raises ValueError for another word."""
        if word not in ("+0", "-0"):
            raise ValueError(f"the sides of cuts are called +0 and -0, none {word!r}")
        points = np.array(CUTS[operation.name], complex)
        # The part that is zero has no sign of its own to keep.
        along = points.imag == 0
        z = np.empty(points.shape, complex)
        z.real = np.where(along, points.real, float(word))
        z.imag = np.where(along, float(word), points.imag)
        return AtPoint(operation, Arguments((z,)), np.array([1.0, -2.0, 0.5]), name=word)


def on_cuts() -> OnCuts:
    """Draw points on the cuts of the operation at hand."""
    return OnCuts()
