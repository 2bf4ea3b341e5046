"""What an operation is: one record, from which claims are made for it without another line.

    Operation("mul", lambda x, y: x * y, draw=lambda d: arrays(d, *d.shapes()), broadcasts=True)

The forward function computes with numpy, on complex numbers and on jets as well: it is analytic or
chooses by comparing real parts. Jets find its derivatives, and how far rounding may carry whoever
computes by its formula; a complex step finds the first derivative once more. `draw` reads the
arguments of a call off bytes. The other fields are what mathematics and PyTorch's documentation say
of it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from inspect import signature
from typing import Any
from warnings import catch_warnings

import numpy as np
import numpy.typing as npt

from ..protocol.backend import Native
from ..protocol.layout import layout_of
from ..protocol.subject import Subject
from ..strategies.arrays import NONZERO, contiguous
from ..truth.oracles.jets import ROOM, Jet, allowing
from ..truth.tolerance import ROUNDINGS, Total
from ..untrusted.texts import first_line
from .drawing import MANY, Array, Corner, Draw
from .images import PICTURES, repeated
from .large import LARGE
from .layouts import CONSTANTS, IN_ANY_ORDER, IN_ANY_WAY

CODES = 64
"""Bytes for one call: enough for three arrays of twelve entries, and for all choices."""

OPEN_SUMS = """
adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
adaptive_max_pool2d adaptive_max_pool3d avg_pool3d max_pool2d max_pool2d_padded max_pool3d
interpolate_area1d interpolate_area2d interpolate_linear interpolate_bilinear
interpolate_trilinear interpolate_bicubic pad pad_reflect pad_replicate nll_loss nll_loss_weight
cross_entropy cross_entropy_labels ctc_loss cumsum cumulative_trapezoid cumprod
repeat_interleave repeat_interleave_counts conv1d conv2d conv1d_grouped conv2d_grouped conv3d
conv_transpose1d conv_transpose2d conv_transpose2d_grouped conv_transpose3d
conv2d_axes conv3d_axes conv_transpose2d_axes max_pool1d max_pool2d_axes adaptive_avg_pool2d_kept
adaptive_max_pool2d_kept interpolate_scaled interpolate_rescaled ctc_loss_row ctc_loss_joined
ctc_loss_impossible repeat_interleave_flat as_strided cummax cummin quantile quantile_all
scaled_dot_product_attention multi_head_attention_forward multi_head_attention_masked
multi_head_attention_extended multi_head_attention_separate as_strided_copy
"""
"""Operations that call what is not deterministic on CUDA, beside those whose record says so.

Source: PyTorch's documentation of `torch.use_deterministic_algorithms`, of cuDNN in its note on
reproducibility, and of attention that saves memory, whose backward pass is not deterministic; and
which of these its formulas for gradients call, such as `scatter_add` for `cummax`.
"""

DIGITS = {"float64": 30, "float32": 11}
"""Further digits of numbers that fill a dtype: more than the next smaller one has in all."""

INTRUDERS = (np.nan, np.inf, -np.inf)
"""What an entry may be beside others."""

WEIGHTS = 17
"""Numbers from which cotangents and tangents are taken: coprime with all sizes."""


WRITTEN = 3 * MANY
"""Numbers of a call that can be written down, at most: with room for how they lie in memory."""

TRIED = 12
"""Calls by which it is told how many tensors an operation takes."""


@dataclass(frozen=True)
class Arguments:
    """What a call is made of: tensors that may be differentiated by, then options.

    `options` follow the tensors in order, `named` are given by name; arrays among `options` become
    constants.
    """

    tensors: tuple[Array, ...]
    options: tuple[Any, ...] = ()
    named: Mapping[str, Any] = field(default_factory=dict)

    @property
    def constants(self) -> list[Array]:
        """The arrays that are no tensors."""
        found: list[Array] = []

        def noted(x: Array) -> Array:
            found.append(x)
            return x

        self.with_constants(noted)
        return found

    def with_constants(self, change: Callable[[Array], Array]) -> "Arguments":
        """Return these arguments with each array changed that is no tensor."""

        def changed(value: Any) -> Any:
            match value:
                case np.ndarray():
                    return change(value)
                case tuple() | list():
                    return type(value)(map(changed, value))
                case _:
                    return value

        named = {name: changed(value) for name, value in self.named.items()}
        return replace(self, options=changed(self.options), named=named)


@dataclass(frozen=True, eq=False)
class Told:
    """A call that is written down as what it is: the operation is named beside it."""

    arguments: Arguments
    weights: Array
    which: int = 0

    @property
    def numbers(self) -> int:
        """How many numbers there are to write, or to compute with if that is more."""
        given = self.arguments
        arrays = (*given.tensors, *given.constants)
        return sum(max(x.size, layout_of(x).memory.size) for x in arrays)


@dataclass(frozen=True, eq=False)
class Operation:
    """One operation, by its name in the vocabulary.

    `forward(*tensors, *options, **named)` computes with numpy; several results are a list. `call`
    does so on a subject, where that is not just the function of this name. `view`: the result
    always shares the memory of the first tensor ("always"), never does ("never"), or may
    ("maybe"). `linear`: in all tensors together. `broadcasts`: entry by entry, on operands of
    shapes that fit. `kinks` says where the derivative is a convention; `ties` that entries of one
    array are compared with each other. `formulas` are other ones that libraries compute by, where
    rounding carries these further than `forward`; they take the same arguments. `nondeterministic`:
    the order of its additions is open on CUDA. Without `differentiable` it has values only.
    """

    name: str
    forward: Callable[..., Any]
    draw: Callable[[Draw], Arguments]
    call: Callable[..., Any] | None = None
    linear: bool = False
    view: str = "never"
    broadcasts: bool = False
    kinks: str = ""
    ties: bool = False
    formulas: tuple[Callable[..., Any], ...] = ()
    nondeterministic: bool = False
    differentiable: bool = True

    def __repr__(self) -> str:
        return self.name

    @cached_property
    def words(self) -> list[str]:
        """What its forward function calls its arguments, as far as it names them."""
        try:
            parameters = signature(self.forward).parameters.values()
        except ValueError:  # of a function in C
            return []
        return [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]

    @property
    def is_open(self) -> bool:
        """Whether the order of its additions, or of those of its gradient, is open on CUDA."""
        return self.nondeterministic or self.name in OPEN_SUMS.split()

    def is_open_on(self, device: str) -> bool:
        """Whether it is open on a device."""
        return self.is_open and device == "cuda"

    @cached_property
    def has_several(self) -> bool:
        """Whether its results are a list, however many there are in a call."""
        with np.errstate(all="ignore"):
            return isinstance(self.read(b"")._true, list)  # noqa: SLF001

    def read(
        self,
        codes: bytes,
        *,
        smooth: bool = False,
        strided: bool = False,
        corner: Corner | None = None,
    ) -> "Call":
        """Read a call off bytes.

        A `smooth` one lies far from all kinks; the tensors of a `strided` one lie in memory in all
        ways, otherwise in row-major order.
        """
        apart = smooth and bool(self.kinks)
        ways = IN_ANY_ORDER if apart and self.ties else IN_ANY_WAY
        layouts = ways if strided else (contiguous,)
        draw = Draw(
            codes[WEIGHTS:],
            layouts=layouts,
            apart=apart,
            corner=corner,
            large=LARGE.get(self.name, ()),
        )
        weights = NONZERO[np.frombuffer(codes[:WEIGHTS].ljust(WEIGHTS, b"\0"), np.uint8)]
        which = draw.byte()
        made = self.draw(draw)
        if corner is not None and corner.kind in PICTURES and corner.nth:
            images, channels = PICTURES[corner.kind]
            channels = channels if corner.nth == 1 else 1
            again = repeated(made.tensors, images, channels, corner.layouts)
            made = replace(made, tensors=again)
        if corner is not None and corner.kind in CONSTANTS:
            change = partial(CONSTANTS[corner.kind], way=corner.layouts[0])
            made = made.with_constants(change)
        return Call(self, made, weights, which, codes, corner)

    def told(self, told: Told) -> "Call":
        """Make a call of what is written down. Raises ValueError if that is no call of it."""
        call = self._asking(told)
        counts, given = self._counts, told.arguments
        if len(counts) == 1 and len(given.tensors) not in counts:
            raise ValueError(f"{self.name} takes tensors: {min(counts)}, not {len(given.tensors)}")
        if wrong := {x.dtype.name for x in given.tensors} - {*self.dtypes}:
            raise ValueError(f"{self.name} has tensors of {', '.join(self.dtypes)}, not {wrong}")
        if told.numbers > WRITTEN:
            raise ValueError(f"a call that is written down has no more than {WRITTEN} numbers")
        if isinstance(self.forward, np.ufunc) and given.named:
            raise ValueError(f"{self.name} has no options by name")
        with catch_warnings(action="ignore"), np.errstate(all="ignore"):
            try:
                signature(self.forward).bind(*given.tensors, *given.options, **given.named)
                kind = call.result.dtype.kind
            except Exception as error:
                raise ValueError(f"{self.name} takes no such call: {first_line(error)}") from None
        if kind not in "fib":
            raise ValueError(f"{self.name} makes no numbers of such a call")
        for x in call.tensors:
            x.flags.writeable = False
        return call

    @property
    def dtypes(self) -> tuple[str, ...]:
        """What its tensors are of, as they are written down."""
        return ("float64",)

    def _asking(self, told: Told) -> "Call":
        return Call(self, told.arguments, told.weights, told.which)

    @cached_property
    def _counts(self) -> frozenset[int]:
        """How many tensors it takes, as far as a few calls tell."""
        codes = (np.random.default_rng(n).bytes(CODES + WEIGHTS) for n in range(TRIED))
        return frozenset(len(self.read(each).arguments.tensors) for each in codes)


@dataclass(frozen=True, eq=False)
class Call:
    """One call of an operation, with what is asked about it.

    `weights` are the numbers that cotangents and tangents are filled with; of several results the
    one numbered `which`, counting round, is differentiated.
    """

    operation: Operation
    arguments: Arguments
    weights: Array
    which: int = 0
    codes: bytes = b""
    corner: Corner | None = None

    def __repr__(self) -> str:
        a = self.arguments
        names = [*self.operation.words, *[""] * (len(a.tensors) + len(a.options))]
        tensors = [
            f"{name} {x.shape} = {x.tolist()}".lstrip()
            for name, x in zip(names, a.tensors, strict=False)
        ]
        options = [*zip(names[len(a.tensors) :], a.options, strict=False), *a.named.items()]
        told = [f"{name} = {value!r}" if name else repr(value) for name, value in options]
        words = [f"{self.operation.name} of {', '.join(tensors)}"]
        words += [f"with {', '.join(told)}"] if told else []
        strided = [x.strides for x in a.tensors if not x.flags.c_contiguous]
        words += [f"laid out by {strided}"] if strided else []
        words += [f"cotangent {self.cotangent.tolist()}"] if self.operation.differentiable else []
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

    def slope_on(self, be: Subject) -> Callable[..., Native]:
        """Return the tangents paired with the gradients, as a function of cotangent and tensors."""

        def slope(cotangent: Native, *tensors: Native) -> Native:
            _, pull = be.vjp(self.on(be), *tensors, create_graph=True)
            terms = [
                be.sum(be.mul(be.tensor(tangent), gradient))
                for tangent, gradient in zip(self.tangents, pull(cotangent), strict=True)
                if gradient is not None
            ]
            return reduce(be.add, terms, be.tensor(np.array(0.0)))

        return slope

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

    def check_slope(self, be: Subject) -> None:
        """Compare what tangents pair with a subject's gradients with the derivative along them.

        That is one number, of any number of entries. Raises AssertionError.
        """
        _, pull = be.vjp(self.on(be), *self.tensors)
        found = zip(pull(self.cotangent), self.tensors, strict=True)
        gradients = [np.zeros_like(x) if g is None else be.numpy(g) for g, x in found]
        assert [g.shape for g in gradients] == [x.shape for x in self.tensors]
        pairs = [(g * t).sum() for g, t in zip(gradients, self.tangents, strict=True)]
        be.check(be.tensor(np.asarray(sum(pairs))), self.slope(gradients), "pairing")

    def with_intruders(self) -> tuple["Call", Array]:
        """Return this call with some entries infinite or nan, and its result if it moves entries.

        What an entry of the result is taken from shows in its derivative; a constant has none.
        """
        moved = np.concatenate([x.ravel() for x in self.tensors])
        at = np.arange(self.which % 2, moved.size, 2)
        moved[at] = np.resize(INTRUDERS, at.size)
        taken = np.moveaxis(self._once.numbers[0, 0, 1:], 0, -1) != 0
        result = np.where(taken.any(-1), np.where(taken, moved, 0).sum(-1), self.result)
        parts = np.split(moved, np.cumsum([x.size for x in self.tensors])[:-1])
        tensors = [part.reshape(x.shape) for part, x in zip(parts, self.tensors, strict=True)]
        return self.with_tensors(tensors), result

    @property
    def intruding(self) -> Array:
        """The cotangent, some of whose entries are infinite or nan."""
        cotangent = self.cotangent.flatten()
        at = np.arange(self.which % 2, cotangent.size, 2)
        cotangent[at] = np.resize(INTRUDERS, at.size)
        return cotangent.reshape(self.result.shape)

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
        places = np.arange(len(self.weights))
        if not self.operation.differentiable:
            return places < 0
        with catch_warnings(action="ignore"), np.errstate(all="ignore"):
            count = len(self._true) if isinstance(self._true, list) else 1
            results = [replace(self, which=n).result for n in range(count)]
        tangents = [
            turned(places, n, x.shape) for place, x in enumerate(self.tensors) for n in {0, place}
        ]
        found = [*(np.resize(places, y.shape) for y in results), *tangents]
        return np.isin(places, np.concatenate([each.ravel() for each in found]))

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

    def slope(self, gradients: Sequence[Array]) -> Total:
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


def turned(weights: Array, place: int, shape: tuple[int, ...]) -> Array:
    """Fill the tangent of a tensor in this place with weights, beginning with the last."""
    return np.resize(np.roll(weights[::-1], 5 * place), shape)


def beside(operation: Operation, before: Sequence[Array], after: Sequence[Array]) -> Operation:
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
