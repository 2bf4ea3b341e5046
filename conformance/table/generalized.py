"""Generalized gradients: what lies between the sides of a kink.

The generalized gradient is the convex hull of the limits of gradients around the point (F. H.
Clarke, Optimization and Nonsmooth Analysis, 1983, section 2.5): `around` tells what every choice of
a library has in common.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from ..protocol.backend import Native
from ..protocol.subject import Subject
from ..truth.oracles.jets import Jet
from ..truth.tolerance import unit_roundoff
from .arguments import Arguments
from .call import Call, weighed
from .operation import Operation

Array = npt.NDArray[np.float64]

NEAR = 2.0**-30
"""How far from a kink its sides are looked at: both are then smooth, and hardly bent."""

FARTHER = 2.0**-12
"""The same for second derivatives, which cancel to more digits."""

NEARLY = 2.0**-8
"""How much a second derivative may change on that way."""

LARGEST = 1e300
"""Beyond what any number is that a derivative at a kink could be."""


@dataclass(frozen=True, eq=False)
class Kink:
    """A point of the operation called `operation`, with `weights` as cotangent.

    `open` is said where the function is not Lipschitz, or not defined on one side: there gradients
    around have no hull that would bind anybody.
    """

    operation: str
    arguments: Arguments
    weights: Sequence[float] = (1.0,)
    open: bool = False

    @property
    def name(self) -> str:
        """The call as it is written on record."""
        given = self.arguments
        words = [*map(_brief, [*given.tensors, *given.options])]
        words += [f"{word}={_brief(value)}" for word, value in given.named.items()]
        return f"{self.operation}({', '.join(words)})"

    def of(self, operation: Operation) -> "AtKink":
        """Make the call."""
        return AtKink(operation, self.arguments, np.asarray(self.weights), name=self.name)


@dataclass(frozen=True, eq=False)
class AtKink(Call):
    """The call of an operation at a kink."""

    name: str = ""
    is_named = True

    def filled(self, be: Subject, gradients: Sequence[Native | None]) -> list[Native]:
        """Return gradients by each of the tensors, with zeros for None."""
        return [
            be.tensor(np.zeros_like(x)) if gradient is None else gradient
            for x, gradient in zip(self.tensors, gradients, strict=True)
        ]

    def ahead(self, be: Subject) -> Array:
        """Return the tangent along each entry of the tensors by itself, times the cotangent."""
        found = []
        for direction in np.eye(sum(x.size for x in self.tensors)):
            tangents = [be.tensor(part) for part in self._parted(direction)]
            _, tangent = be.jvp(self.on(be), [*map(be.tensor, self.tensors)], tangents)
            found.append((be.numpy(tangent).astype(float) * self.cotangent).sum())
        return np.array(found)

    def is_flat(self, place: int) -> bool:
        """Whether all gradients around are zero for one tensor: None may stand for them."""
        ends = np.cumsum([0, *(x.size for x in self.tensors)])
        part = slice(ends[place], ends[place + 1])
        return not any(bound[part].any() for bound in self.around())

    def around(self) -> tuple[Array, Array]:
        """Return between what each entry of a gradient lies, and last their sum.

        Entries of all tensors stand one after the other. The bounds hold for every mean of the
        gradients around the point, that is, under every convention.
        """
        return self._hull(self._beside)

    def around_twice(self) -> tuple[Array, Array]:
        """Return the same for gradients of the gradients paired with the tangents.

        Where the gradient is continuous these have a hull as well (J.-B. Hiriart-Urruty, Strodiot &
        Nguyen, Generalized Hessian matrix, 1984); elsewhere nothing but numbers is asked for.
        """
        low, high = self.around()
        if (high - low < NEARLY).all():
            return self._hull(self._bent_beside)
        return np.full_like(low, -LARGEST), np.full_like(high, LARGEST)

    def _hull(self, beside: Callable[[Array], tuple[Array, Array]]) -> tuple[Array, Array]:
        count = sum(x.size for x in self.tensors)
        sides = [beside(direction) for direction in _directions(count)]
        every, error_bounds = (
            np.array([[*row, row.sum()] for row in rows]) for rows in zip(*sides, strict=True)
        )
        return (every - error_bounds).min(0), (every + error_bounds).max(0)

    def _beside(self, direction: Array) -> tuple[Array, Array]:
        """The limit of the gradient from one side, and how far it may be off.

        It is looked at a little way from the point, less what its own derivative makes of the way:
        what is left of that is of the order of NEAR squared, and less than a rounding.
        """
        way = self._parted(direction)
        jet = self.followed(Jet.seeds(self._moved(way, NEAR), tangents=way))
        (value, error), (derivative, bent) = (
            weighed(jet.numbers[:, side, 1:], self.cotangent) for side in (0, 1)
        )
        return value - NEAR * derivative, unit_roundoff("float64") * (
            error + NEAR * bent + np.abs(value)
        )

    def _bent_beside(self, direction: Array) -> tuple[Array, Array]:
        """Near the limit of the second derivative from one side, and how far that may be."""
        moved = self._moved(self._parted(direction), FARTHER)
        jet = self.followed(Jet.seeds(moved, tangents=self.tangents))
        value, error = weighed(jet.numbers[:, 1, 1:], self.cotangent)
        return value, unit_roundoff("float64") * error + NEARLY * (1 + np.abs(value))

    def _parted(self, direction: Array) -> list[Array]:
        parts = np.split(direction, np.cumsum([x.size for x in self.tensors])[:-1])
        return [part.reshape(x.shape) for x, part in zip(self.tensors, parts, strict=True)]

    def _moved(self, way: list[Array], length: float) -> list[Array]:
        return [np.asarray(x + length * w) for x, w in zip(self.tensors, way, strict=True)]


def _directions(count: int) -> list[Array]:
    """Every pattern of signs, each with two orders of sizes, so that no tie stays one."""
    sizes = np.arange(1.0, count + 1)
    signs = map(np.array, product((-1.0, 1.0), repeat=count))
    return [each * s for s in signs for each in (sizes, sizes[::-1])]


def _brief(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return _brief(value.tolist())
    if isinstance(value, list):
        return f"[{', '.join(map(_brief, value))}]"
    if isinstance(value, complex):
        return f"{value.real:g}{value.imag:+g}j"
    return f"{value:g}" if isinstance(value, float) else str(value)
