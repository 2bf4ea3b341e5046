"""One call of an operation: what a subject makes of it, and what is true of it.

Jets run the formulas of its operation: they find the derivatives, and how far rounding may carry
whoever computes by these formulas.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings

import numpy as np
import numpy.typing as npt

from ..protocol.backend import Native
from ..protocol.subject import Subject
from ..truth.floats import rounded
from ..truth.oracles.jets import ROOM, Jet, allowing
from ..truth.tolerance import ROUNDINGS, Total
from .arguments import WRITTEN, Arguments, Told
from .drawing import Array, Corner

if TYPE_CHECKING:
    from .operation import Operation

DIGITS = {"float64": 30, "float32": 11, "float16": 6, "bfloat16": 4}
"""Further digits of numbers that fill a dtype: from 32 bits on, more than the next smaller has."""

INTRUDERS = (np.nan, np.inf, -np.inf, -0.0, 0.0)
"""What an entry may be beside others: infinite, no number, or a zero of either sign."""


@dataclass(frozen=True, eq=False)
class Call:
    """One call of an operation, with what is asked about it.

    `weights` are the numbers that cotangents and tangents are filled with; of several results the
    one numbered `which`, counting round, is differentiated.
    """

    operation: "Operation"
    arguments: Arguments
    weights: Array
    which: int = 0
    codes: bytes = b""
    corner: Corner | None = None

    def __repr__(self) -> str:
        a = self.arguments
        names = [*self.operation.words, *[""] * (len(a.tensors) + len(a.options))]
        tensors = [
            f"{name} {x.shape} = {_listed(x)}".lstrip()
            for name, x in zip(names, a.tensors, strict=False)
        ]
        options = [*zip(names[len(a.tensors) :], a.options, strict=False), *a.named.items()]
        told = [f"{name} = {value!r}" if name else repr(value) for name, value in options]
        words = [f"{self.operation.name} of {', '.join(tensors)}"]
        words += [f"with {', '.join(told)}"] if told else []
        strided = [x.strides for x in a.tensors if not x.flags.c_contiguous]
        words += [f"laid out by {strided}"] if strided else []
        words += [f"cotangent {_listed(self.cotangent)}"] if self.operation.differentiable else []
        return ", ".join(words) + (f"; {self.name}" if self.is_named else "")

    @property
    def told(self) -> Told:
        """What is written down of it."""
        return Told(self.arguments, self.weights, self.which)

    @property
    def is_named(self) -> bool:
        """Whether it has too many entries to be written down as what it is: then its name is."""
        return self.told.numbers > WRITTEN

    @property
    def name(self) -> str:
        """What it was read from."""
        corner = f"{self.corner}:" if self.corner else ""
        return corner + self.codes.rstrip(b"\0").hex()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: FBT001, ARG002
        """Tell Hypothesis, which prints every example it may need."""
        printer.text(repr(self))

    # ---- the two sides ---------------------------------------------------------------------------

    @property
    def tensors(self) -> tuple[Array, ...]:
        """The arrays that become tensors."""
        return self.arguments.tensors

    def on(self, be: Subject) -> Callable[..., Native]:
        """Return the call as a function of tensors of a subject, which has one result."""
        name = self.operation.name
        return be.wrapped(lambda *tensors: self._chosen(self.all_on(be, *tensors)), name)

    def gradient_on(self, be: Subject, place: int) -> Callable[..., Native]:
        """Return the gradient for one tensor, recorded, as a function of the tensors."""

        def gradient(*tensors: Native) -> Native:
            _, pull = be.vjp(self.on(be), *tensors, create_graph=True)
            return pull(be.tensor(self.cotangent))[place]

        return gradient

    def directional_derivative_on(self, be: Subject) -> Callable[..., Native]:
        """Return the tangents paired with the gradients, as a function of cotangent and tensors."""

        def derivative(cotangent: Native, *tensors: Native) -> Native:
            _, pull = be.vjp(self.on(be), *tensors, create_graph=True)
            terms = [
                be.sum(be.mul(be.tensor(tangent), gradient))
                for tangent, gradient in zip(self.tangents, pull(cotangent), strict=True)
                if gradient is not None
            ]
            return reduce(be.add, terms, be.tensor(np.array(0.0)))

        return derivative

    def all_on(self, be: Subject, *tensors: Native) -> list[Native]:
        """Compute all results on a subject. Raises AssertionError if they are more or less."""
        options, named = self.arguments.options, self.arguments.named
        call = self.operation.call
        if call is None:
            found = getattr(be, self.operation.name)(*tensors, *options, **named)
        else:
            found = call(be, *tensors, *options, **named)
        if not isinstance(self._true, list):
            return [found]
        assert len(found) == len(self._true), (
            f"{self.operation.name} has {len(found)} results, expected {len(self._true)}"
        )
        return list(found)

    def true(self, *tensors: Array) -> Array:
        """Compute the chosen result with numpy."""
        results = self.operation.forward(*tensors, *self.arguments.options, **self.arguments.named)
        return np.asarray(self._chosen(results) if isinstance(results, list) else results)

    def _chosen(self, results: list[Any]) -> Any:
        return results[self.which % len(results)]

    @cached_property
    def _true(self) -> Any:
        return self.operation.forward(
            *self.tensors, *self.arguments.options, **self.arguments.named
        )

    @property
    def results(self) -> int:
        """How many results there are."""
        return len(self._true) if self.operation.has_several else 1

    @cached_property
    def result(self) -> Array:
        """The chosen result, as numpy has it."""
        return self.true(*self.tensors)

    def check(self, be: Subject, found: Native) -> None:
        """Compare what a subject computed with the result. Raises AssertionError."""
        if self.result.dtype.kind == "b":
            be.same(found, self.result)
        else:
            be.check(found, self.value() if self.result.dtype.kind == "f" else self.result)

    def check_rounded_once(self, be: Subject, found: Native) -> None:
        """Compare numbers with the result where it is rounded at its end; others as ever.

        Raises AssertionError.
        """
        if self.result.dtype.kind == "f":
            be.check(found, self.value().rounded_once(be.dtype))
        else:
            self.check(be, found)

    def check_pairing(self, be: Subject) -> None:
        """Compare what tangents pair with a subject's gradients with the derivative along them.

        That is one number, of any number of entries. Raises AssertionError.
        """
        _, pull = be.vjp(self.on(be), *self.tensors)
        found = zip(pull(self.cotangent), self.tensors, strict=True)
        gradients = [np.zeros_like(x) if g is None else be.numpy(g) for g, x in found]
        assert [g.shape for g in gradients] == [x.shape for x in self.tensors]
        pairs = [(g * t).sum() for g, t in zip(gradients, self.tangents, strict=True)]
        be.check(be.tensor(np.asarray(sum(pairs))), self.pairing(gradients), "pairing")

    def with_intruders(self) -> tuple["Call", Array]:
        """Return this call with other entries among its own, and its result if it moves entries.

        What an entry of the result is taken from shows in its derivative; a constant has none.
        """
        moved = np.concatenate([x.ravel() for x in self.tensors])
        at = np.arange(self.which % 2, moved.size, 2)
        moved[at] = np.resize(INTRUDERS, at.size)
        taken = np.moveaxis(self._once.numbers[0, 0, 1:], 0, -1) != 0
        result = np.where(taken.any(-1), moved[taken.argmax(-1)], self.result)
        parts = np.split(moved, np.cumsum([x.size for x in self.tensors])[:-1])
        tensors = [part.reshape(x.shape) for part, x in zip(parts, self.tensors, strict=True)]
        return self.with_tensors(tensors), result

    @property
    def intruding(self) -> Array:
        """The cotangent, with other entries among its own."""
        cotangent = self.cotangent.flatten()
        at = np.arange(self.which % 2, cotangent.size, 2)
        cotangent[at] = np.resize(INTRUDERS, at.size)
        return cotangent.reshape(self.result.shape)

    def without_zeros(self) -> "Call":
        """Return this call with another number where one is zero."""
        return self.with_tensors([np.where(x == 0, 1.0, x) for x in self.tensors])

    def with_one(self, far: float) -> tuple["Call", Total]:
        """Return this call with one entry that is `far`, and its result if that adds up entries."""
        numbers = np.concatenate([x.ravel() for x in self.tensors])
        at = self.which % numbers.size
        numbers[at] = far
        factors = self._once.numbers[0, 0, 1 + at]
        # Of no part of the entry not even nan is left; the sign of an infinite one counts.
        value = np.where(factors == 0, self.result, np.sign(factors) * far)
        parts = np.split(numbers, np.cumsum([x.size for x in self.tensors])[:-1])
        tensors = [part.reshape(x.shape) for part, x in zip(parts, self.tensors, strict=True)]
        return self.with_tensors(tensors), replace(self.value(), value=value)

    def weighed_by_one(self, far: float) -> Array:
        """Return the cotangent with one entry that is `far`."""
        cotangent = self.cotangent.copy()
        cotangent.flat[self.which % cotangent.size] = far
        return cotangent

    def with_whole(self, place: int) -> "Call":
        """Return this call with whole numbers, none of them zero, in one tensor."""
        whole = np.ceil(self.tensors[place])
        tensors = [*self.tensors]
        tensors[place] = np.where(whole == 0, 1.0, whole)
        return self.with_tensors(tensors)

    def in_full(self, dtype: str) -> "Call":
        """Return this call of numbers and weights that take so many digits as a dtype has."""
        factor = 1 + 2.0 ** -DIGITS[dtype]
        whole = self.with_tensors([x * factor for x in self.tensors])
        return replace(whole, weights=self.weights * factor)

    def in_dtype(self, dtype: str) -> "Call":
        """Return this call of the numbers of a dtype that are next to its own."""
        near = [rounded(x, dtype).astype(np.float64) for x in self.tensors]
        pairs = zip(self.tensors, near, strict=True)
        return self.with_tensors([x if np.array_equal(x, y) else y for x, y in pairs])

    def with_tensors(self, tensors: Sequence[Array]) -> "Call":
        """Return this call of other tensors."""
        return replace(self, arguments=replace(self.arguments, tensors=tuple(tensors)))

    @cached_property
    def alone(self) -> list["Call"]:
        """Calls of each tensor by itself: the others are constants beside it."""
        return [
            replace(
                self,
                operation=beside(self.operation, self.tensors[:place], self.tensors[place + 1 :]),
                arguments=replace(self.arguments, tensors=(tensor,)),
            )
            for place, tensor in enumerate(self.tensors)
        ]

    # ---- directions ------------------------------------------------------------------------------

    @cached_property
    def cotangent(self) -> Array:
        """Weights in the shape of the result."""
        return np.resize(self.weights, self.result.shape)

    @cached_property
    def tangents(self) -> list[Array]:
        """Weights in the shapes of the tensors, half as large in each tensor as in the one before.

        Were they alike, what depends on differences alone would not change along them at all.
        """
        return [turned(self.weights, n, x.shape) / 2**n for n, x in enumerate(self.tensors)]

    @property
    def weighing(self) -> Array:
        """Which of the weights stand in a cotangent or in tangents, be it of one tensor alone."""
        count = len(self.weights)
        used = np.zeros(count, bool)
        if not self.operation.differentiable:
            return used
        for place, x in enumerate(self.tensors):
            for n in {0, place}:
                used[turned(np.arange(count), n, (min(x.size, count),))] = True
        if not used.all():
            with catch_warnings(action="ignore"), np.errstate(all="ignore"):
                others = range(1, len(self._true) if isinstance(self._true, list) else 1)
                results = [replace(self, which=self.which + n).result for n in others]
            used[: max(x.size for x in (self.result, *results))] = True
        return used

    # ---- what is true ----------------------------------------------------------------------------

    @cached_property
    def _plain(self) -> Jet:
        return self.followed([Jet.exact(x) for x in self.tensors])

    @cached_property
    def _once(self) -> Jet:
        return self.followed(Jet.seeds(self.tensors))

    @cached_property
    def _twice(self) -> Jet:
        return self.followed(Jet.seeds(self.tensors, tangents=self.tangents))

    def followed(self, tensors: list[Jet]) -> Jet:
        """Run the formulas on jets: the result, off by as much as the worst of them is."""
        operation, (options, named) = self.operation, (self.arguments.options, self.arguments.named)
        with np.errstate(all="ignore"):
            made, *others = (
                self._one(formula(*tensors, *options, **named), tensors[0])
                for formula in (operation.forward, *operation.formulas)
            )
            for other in others:
                np.maximum(made.numbers[1], other.numbers[1], out=made.numbers[1])
        return made

    def _one(self, results: Any, like: Jet) -> Jet:
        chosen = self._chosen(results) if isinstance(results, list) else results
        return chosen if isinstance(chosen, Jet) else Jet.exact(chosen, like=like)

    def value(self) -> Total:
        """The result."""
        return self._plain.total

    def gradients(self, cotangent: npt.ArrayLike | None = None) -> list[Total]:
        """The cotangent through the transposed derivative, for each tensor."""
        v = self.cotangent if cotangent is None else np.asarray(cotangent)
        return self._apart(*weighed(self._once.numbers[:, 0, 1:], v))

    def pushed(self) -> Total:
        """The derivative of the result along the tangents."""
        return allowing(*self._pushed)

    @cached_property
    def _pushed(self) -> tuple[Array, Array]:
        columns = np.moveaxis(self._once.numbers[:, 0, 1:], 1, -1)
        along = np.concatenate([t.ravel() for t in self.tangents])
        return weighed(columns, along)

    def paired(self, value: float) -> Total:
        """A pairing of a cotangent with what the tangents give, which is to be this value.

        The value is that of the tangents with gradients, and may be off as well.
        """
        v = np.abs(self.cotangent)
        pushed, off = self._pushed
        error = (v * off).sum() + v.size * (v * np.abs(pushed)).sum()
        for gradient, t in zip(self.gradients(), self.tangents, strict=True):
            error += (np.abs(t) * gradient.magnitude).sum() * ROUNDINGS / ROOM
        return allowing(np.asarray(value, np.float64), np.asarray(error))

    def pairing(self, gradients: Sequence[Array]) -> Total:
        """The derivative along the tangents, weighed by the cotangent, of any number of entries.

        It is to be what the tangents pair with these gradients, each term of which is rounded.
        """
        along = self.followed(Jet.along(self.tensors, self.tangents)).numbers[:, 0, 1]
        value, error = weighed(along, self.cotangent)
        pairs = zip(gradients, self.tangents, strict=True)
        size = sum(np.abs(gradient * t).sum() for gradient, t in pairs)
        return allowing(value, error + sum(x.size for x in self.tensors) * size)

    def second(self) -> list[Total]:
        """The gradient, for each tensor, of the tangents paired with the first gradients."""
        return self._apart(*weighed(self._twice.numbers[:, 1, 1:], self.cotangent))

    def _apart(self, value: Array, error: Array) -> list[Total]:
        """Give each tensor its part of what stands in a row."""
        ends = np.cumsum([x.size for x in self.tensors])[:-1]
        parts = zip(np.split(value, ends), np.split(error, ends), self.tensors, strict=True)
        return [allowing(v.reshape(x.shape), e.reshape(x.shape)) for v, e, x in parts]


def _listed(x: Array) -> str:
    """List the numbers of an array, or of a long one the first and the last."""
    if x.size <= WRITTEN:
        return str(x.tolist())
    return np.array2string(x, threshold=0, separator=", ").replace("\n", "")


def turned(weights: Array, place: int, shape: tuple[int, ...]) -> Array:
    """Fill the tangent of a tensor in this place with weights, beginning with the last."""
    return np.resize(np.roll(weights[::-1], 5 * place), shape)


def beside(operation: "Operation", before: Sequence[Array], after: Sequence[Array]) -> "Operation":
    """Let constants stand around the one tensor that an operation takes then."""

    def computed(formula: Callable[..., Any]) -> Callable[..., Any]:
        def of_one(x: Any, *options: Any, **named: Any) -> Any:
            def constant(array: Array) -> Any:
                return Jet.exact(array, like=x) if isinstance(x, Jet) else array

            return formula(*map(constant, before), x, *map(constant, after), *options, **named)

        return of_one

    def call(be: Subject, x: Native, *options: Any, **named: Any) -> Any:
        tensors = [*map(be.tensor, before), x, *map(be.tensor, after)]
        if operation.call is None:
            return getattr(be, operation.name)(*tensors, *options, **named)
        return operation.call(be, *tensors, *options, **named)

    formulas = tuple(map(computed, operation.formulas))
    return replace(operation, forward=computed(operation.forward), formulas=formulas, call=call)


def weighed(numbers: Array, weights: Array) -> tuple[Array, Array]:
    """Multiply by weights and add up, along the last axes; return values and errors.

    Of as many terms as are not zero, each is rounded once and added to the others. What is zero has
    no part of any weight.
    """
    value, error = numbers
    with np.errstate(invalid="ignore"):
        terms = np.where(value == 0, 0.0, value * weights)
        off = np.where(error == 0, 0.0, error * np.abs(weights))
        sizes, axes = np.abs(terms), tuple(range(-weights.ndim, 0))
        count = ((sizes != 0) | (off != 0)).sum(axes)
        return terms.sum(axes), off.sum(axes) + count * sizes.sum(axes)
