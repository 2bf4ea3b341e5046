"""Steps of recurrences to be scanned, with what they compute and their gradients in closed form."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from ..truth.tolerance import Total

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Recurrence:
    """A step from a carry and a row to the next carry and a result, which shares a factor.

    `step(carry, row, factor)` is written with operators alone, so that it takes tensors of any
    library; `back(by_carry, by_result, carry, row, factor)` is its pullback, on arrays. Both have
    positive coefficients, and what is scanned is affine in the first carry.
    """

    name: str
    step: Callable[[Any, Any, Any], tuple[Any, Any]]
    back: Callable[[Array, Array, Array, Array, Array], tuple[Array, Array, Array]]

    def __repr__(self) -> str:
        return self.name

    def value(
        self, at: int, carry: Array, rows: Array, factor: Array, *, reverse: bool = False
    ) -> Total:
        """Return the last carry, `at` 0, or the results in the places of their rows, `at` 1."""
        given = (carry, rows, factor)
        return Total.products(lambda *g: self._run(*g, reverse=reverse)[at], *given)

    def gradients(
        self, at: int, w: Array, carry: Array, rows: Array, factor: Array, *, reverse: bool = False
    ) -> list[Total]:
        """Return the gradients of the last carry or of the results, by all three operands."""
        given = (w, carry, rows, factor)
        return [
            Total.products(lambda *g, of=of: self._pull(at, *g, reverse=reverse)[of], *given)
            for of in range(3)
        ]

    def along(
        self, at: int, v: Array, rows: Array, factor: Array, *, reverse: bool = False
    ) -> Total:
        """Return the derivative along `v`, a tangent of the first carry, wherever that is."""
        ahead, still = (
            self.value(at, carry, rows, factor, reverse=reverse) for carry in (v, 0 * v)
        )
        return ahead.less(still)

    def moved(self, at: int, w: Array, v: Array, rows: Array, factor: Array) -> Total:
        """Return the gradient by the carry of the gradient by the rows, whose cotangent is `v`.

        The latter is affine in the carry, so that this is the same wherever the carry is.
        """

        def paired(carries: Array, w: Array, v: Array, rows: Array, factor: Array) -> Array:
            pulls = [self._pull(at, w, carry, rows, factor)[1] for carry in carries]
            return np.array([(v * pull).sum() for pull in pulls])

        steps = np.eye(factor.size)
        ahead, still = (Total.products(paired, c, w, v, rows, factor) for c in (steps, 0 * steps))
        return ahead.less(still)

    def _run(
        self, carry: Array, rows: Array, factor: Array, *, reverse: bool = False
    ) -> tuple[Array, Array]:
        way = -1 if reverse else 1
        results = []
        for row in rows[::way]:
            carry, result = self.step(carry, row, factor)
            results.append(result)
        return carry, np.stack(results[::way])

    def _pull(
        self,
        at: int,
        w: Array,
        carry: Array,
        rows: Array,
        factor: Array,
        *,
        reverse: bool = False,
    ) -> tuple[Array, Array, Array]:
        way = -1 if reverse else 1
        order = range(len(rows))[::way]
        before = {}
        for n in order:
            before[n] = carry
            carry, _ = self.step(carry, rows[n], factor)
        by_carry, by_results = (0 * carry, w) if at else (w, 0 * rows)
        by_rows, by_factor = 0 * rows, 0 * factor
        for n in order[::-1]:
            pulled = self.back(by_carry, by_results[n], before[n], rows[n], factor)
            by_carry, by_rows[n], share = pulled
            by_factor = by_factor + share
        return by_carry, by_rows, by_factor


RECURRENCES = (
    Recurrence(
        "c, x -> c * x * a, c * x",
        lambda c, x, a: (c * x * a, c * x),
        lambda n, y, c, x, a: (n * x * a + y * x, n * c * a + y * c, n * c * x),
    ),
    Recurrence(
        "c, x -> c * a + x, c * x",
        lambda c, x, a: (c * a + x, c * x),
        lambda n, y, c, x, a: (n * a + y * x, n + y * c, n * c),
    ),
    Recurrence(
        "c, x -> c + c, x * a",
        lambda c, x, a: (c + c, x * a),
        lambda n, y, _, x, a: (n + n, y * a, y * x),
    ),
    Recurrence(
        "c, x -> x * x, c * a",
        lambda c, x, a: (x * x, c * a),
        lambda n, y, c, x, a: (y * a, n * x + n * x, y * c),
    ),
)


def recurrences(*, carried: bool = False) -> st.SearchStrategy[Recurrence]:
    """Draw a step of a recurrence of vectors; of a `carried` one each carry needs the last one."""
    return st.sampled_from(RECURRENCES[:-1] if carried else RECURRENCES)
