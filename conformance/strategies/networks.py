"""Small networks of sums, differences and products, in which values are used again and again."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from hypothesis import strategies as st

from ..protocol.backend import Native
from ..protocol.subject import Subject
from .arrays import Array

INPUTS = 3
MOST = 4  # steps: then every value and every derivative is exact in float32
SMALL = np.array([1.0, 2.0, -1.0, 0.0, -2.0])
STEPS = ("mul", "add", "sub")


@dataclass(frozen=True)
class Network:
    """Inputs of three entries each, and steps (operation, place, place) that compute from them.

    A place is the number of an earlier value, inputs counting first; the last value is the result.
    """

    values: Array
    tracked: tuple[bool, ...]
    steps: tuple[tuple[str, int, int], ...]

    @property
    def used(self) -> frozenset[int]:
        """The places that the result depends on, its own among them."""
        found = {INPUTS + len(self.steps) - 1}
        for place in range(INPUTS + len(self.steps) - 1, INPUTS - 1, -1):
            if place in found:
                found.update(self.steps[place - INPUTS][1:])
        return frozenset(found)

    @property
    def reached(self) -> frozenset[int]:
        """The inputs that the result depends on and that require grad."""
        return frozenset(n for n in range(INPUTS) if self.tracked[n] and n in self.used)

    def inputs(self, be: Subject) -> list[Native]:
        """Make the inputs: leaves that require grad, and constants."""
        return [
            be.leaf(value) if tracked else be.tensor(value)
            for value, tracked in zip(self.values, self.tracked, strict=True)
        ]

    def run(self, be: Subject, inputs: list[Native]) -> list[Native]:
        """Return everything there is once the steps have run: inputs, then computed values."""
        made = list(inputs)
        for name, i, j in self.steps:
            made.append(getattr(be, name)(made[i], made[j]))
        return made

    def derivative(self, place: int) -> Array:
        """Return the derivative of the result by one input, carried along from the input on."""
        values = list(self.values)
        derivatives = [np.full(3, float(n == place)) for n in range(INPUTS)]
        for name, i, j in self.steps:
            x, y, dx, dy = values[i], values[j], derivatives[i], derivatives[j]
            values.append({"mul": x * y, "add": x + y, "sub": x - y}[name])
            derivatives.append({"mul": x * dy + dx * y, "add": dx + dy, "sub": dx - dy}[name])
        return derivatives[-1]


@cache
def networks() -> st.SearchStrategy[Network]:
    """Draw a network whose result depends on an input that requires grad."""
    return st.binary(min_size=5 + 3 * MOST, max_size=5 + 3 * MOST).map(_decoded)


def _decoded(codes: bytes) -> Network:
    count, flags, *codes_of_values = codes[:5]
    values = SMALL[np.array([c // d % 5 for c in codes_of_values for d in (1, 5, 25)])]
    steps = []
    for n in range(1 + count % MOST):
        kind, i, j = codes[5 + 3 * n :][:3]
        there = INPUTS + n
        # Half of all first operands are the value computed last, so that chains grow long.
        first = there - 1 if i % 2 else i // 2 % there
        steps.append((STEPS[kind % 3], first, j % there))
    network = Network(values.reshape(INPUTS, 3), (True,) * INPUTS, tuple(steps))
    first_used = min(network.used)
    tracked = tuple(n == first_used or bool(flags >> n & 1) for n in range(INPUTS))
    return Network(network.values, tracked, network.steps)
