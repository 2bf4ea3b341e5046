"""What an operation is of complex numbers, judged as a function of their parts.

A record takes its name, what it draws and how it is called from the real operation where there is
one; its formula computes with `Complex` numbers. So values, gradients, tangents and second
derivatives are those of a function of real parts, whatever a library means by a complex gradient.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import prod
from typing import Any

import numpy as np

from ..protocol.backend import Native
from ..protocol.subject import Subject
from ..strategies.arrays import NONZERO, contiguous
from ..truth.oracles.jets import Jet
from ..truth.oracles.planes import Complex
from ..truth.tolerance import Total
from .arguments import Told
from .call import Call
from .drawing import ANY, Array, Corner, Draw, Shape
from .layouts import IN_ANY_WAY
from .operation import WEIGHTS, Operation


class ComplexDraw(Draw):
    """Choices of complex numbers: both parts come from the table that is asked for.

    Of `mixed` ones the first tensor is real, or all others are.
    """

    def __init__(self, codes: bytes, *, mixed: bool = False, **options: Any) -> None:
        super().__init__(codes, **options)
        self._mixed = mixed
        self._first = mixed and bool(self.byte() & 1)

    def array(self, shape: Shape, values: Array = ANY, *, fixed: bool = False) -> Array:  # noqa: ARG002
        """Fill a shape with values whose parts are from a table, or with real ones."""
        real = self._mixed and (self._made == 0) == self._first
        layout, size = self._layout(), prod(shape)
        filled: Any = values[self.bytes(size)]
        if not real:
            filled = filled + 1j * values[self.bytes(size)]
        return layout(shape, filled)


@dataclass(frozen=True, eq=False, repr=False)
class ComplexOperation(Operation):
    """One operation of complex numbers: `forward` takes `Complex`, and returns them or jets.

    `analytic`: in all tensors together, so that i times a tangent is i times the derivative. Of
    `mixed` ones some tensors are real.
    """

    analytic: bool = False
    mixed: bool = False

    def read(
        self,
        codes: bytes,
        *,
        smooth: bool = False,  # noqa: ARG002
        strided: bool = False,
        corner: Corner | None = None,
    ) -> "ComplexCall":
        """Read a call off bytes; all that are drawn lie far from kinks."""
        layouts = IN_ANY_WAY if strided else (contiguous,)
        draw = ComplexDraw(codes[WEIGHTS:], mixed=self.mixed, layouts=layouts, corner=corner)
        weights = NONZERO[np.frombuffer(codes[:WEIGHTS].ljust(WEIGHTS, b"\0"), np.uint8)]
        which = draw.byte()
        return ComplexCall(self, self.draw(draw), weights, which, codes, corner)

    @property
    def dtypes(self) -> tuple[str, ...]:
        """What its tensors are of, as they are written down."""
        return ("complex128", "float64")

    def _asking(self, told: Told) -> "ComplexCall":
        return ComplexCall(self, told.arguments, told.weights, told.which)


@dataclass(frozen=True, eq=False, repr=False)
class ComplexCall(Call):
    """One call of an operation on complex tensors, or on some that are real.

    To calculus its `tensors` are their parts, and so is a complex result, along a last axis.
    """

    @property
    def given(self) -> tuple[Array, ...]:
        """The arrays that become tensors, complex ones as such."""
        return self.arguments.tensors

    @cached_property
    def tensors(self) -> tuple[Array, ...]:
        """The parts of all tensors, one after the other."""
        return tuple(part for x in self.given for part in parts_of(x))

    def true(self, *tensors: Array) -> Array:
        """Compute the parts of the chosen result."""
        return self.followed([Jet.exact(x) for x in tensors]).value

    def followed(self, tensors: list[Jet]) -> Jet:
        """Run the formula on jets of the parts; return the parts of the chosen result."""
        rest = iter(tensors)
        numbers = [
            Complex(next(rest), next(rest)) if is_complex(x) else Complex.of(next(rest))
            for x in self.given
        ]
        with np.errstate(all="ignore"):
            made, *others = (
                self._parts(formula, numbers)
                for formula in (self.operation.forward, *self.operation.formulas)
            )
            for other in others:
                np.maximum(made.numbers[1], other.numbers[1], out=made.numbers[1])
        return made

    def _parts(self, formula: Callable[..., Any], numbers: list[Complex]) -> Jet:
        found = formula(*numbers, *self.arguments.options, **self.arguments.named)
        chosen = self._chosen(found) if isinstance(found, list) else found
        return chosen.parts if isinstance(chosen, Complex) else chosen

    @cached_property
    def _true(self) -> Any:
        numbers = [Complex(*map(Jet.exact, parts_of(np.asarray(x, complex)))) for x in self.given]
        options, named = self.arguments.options, self.arguments.named
        with np.errstate(all="ignore"):
            return self.operation.forward(*numbers, *options, **named)

    @property
    def complex_result(self) -> bool:
        """Whether the chosen result is complex."""
        true = self._true
        return isinstance(self._chosen(true) if isinstance(true, list) else true, Complex)

    def check(self, be: Subject, found: Native) -> None:
        """Compare what a subject computed with the result. Raises AssertionError."""
        self.see(be, found, self.value(), "result")

    def see(self, be: Subject, found: Native, want: Total, what: str) -> None:
        """Compare a number in the place of the result with its parts. Raises AssertionError."""
        (be.check_complex if self.complex_result else be.check)(found, want, what)

    # ---- in a library's own terms ----------------------------------------------------------------

    def cotangent_on(self, be: Subject) -> Array:
        """The cotangent, complex if the result is: as the library writes a gradient."""
        return be.written(self.cotangent) if self.complex_result else self.cotangent

    @property
    def directions(self) -> list[Array]:
        """The tangents, complex ones for complex tensors."""
        return [np.asarray(x) for x in self.put_together(self.tangents)]

    def put_together(self, parts: Sequence[Array]) -> list[Array]:
        """Make complex arrays of the parts for complex tensors; others stay as they are."""
        rest = iter(parts)
        return [next(rest) + 1j * next(rest) if is_complex(x) else next(rest) for x in self.given]

    def as_complex(self, totals: Sequence[Total]) -> list[Total]:
        """Put what is true of the parts of complex tensors side by side."""
        rest = iter(totals)
        return [
            side_by_side(next(rest), next(rest)) if is_complex(x) else next(rest)
            for x in self.given
        ]

    @property
    def signs_of_conjugates(self) -> list[float]:
        """What each part of the tensors is multiplied by in their conjugates."""
        return [sign for x in self.given for sign in ((1.0, -1.0) if is_complex(x) else (1.0,))]

    def check_gradients(
        self,
        be: Subject,
        gradients: Sequence[Native | None],
        want: Sequence[Total],
        what: str = "gradient",
    ) -> None:
        """Compare gradients with the true ones by the parts. Raises AssertionError."""
        for x, gradient, true in zip(self.given, gradients, self.as_complex(want), strict=True):
            check = be.check_complex_gradient if is_complex(x) else be.check_gradient
            check(gradient, true, what)

    def directional_derivative_on(self, be: Subject) -> Callable[..., Native]:
        """Return the tangents paired with the gradients, as a function of cotangent and tensors."""

        def derivative(cotangent: Native, *tensors: Native) -> Native:
            _, pull = be.vjp(self.on(be), *tensors, create_graph=True)
            terms = [
                be.paired(tangent, gradient)
                for tangent, gradient in zip(self.directions, pull(cotangent), strict=True)
                if gradient is not None
            ]
            return reduce(be.add, terms, be.tensor(np.array(0.0)))

        return derivative


def is_complex(x: Array) -> bool:
    """Whether an array is one of complex numbers."""
    return x.dtype.kind == "c"


def parts_of(x: Array) -> tuple[Array, ...]:
    """The parts of an array: one of a real one, two of a complex one."""
    return (x.real.copy(), x.imag.copy()) if is_complex(x) else (x,)


def side_by_side(re: Total, im: Total) -> Total:
    """Put what is true of two parts side by side."""
    error_bounds = (np.broadcast_to(each.error_bound, each.value.shape) for each in (re, im))
    return Total(
        np.stack([re.value, im.value], -1),
        np.stack([re.magnitude, im.magnitude], -1),
        max(re.count, im.count),
        roundings=max(re.roundings, im.roundings),
        error_bound=np.stack([*error_bounds], -1),
    )
