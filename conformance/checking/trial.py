"""A trial: one question about a function on one case, which notes what it runs.

The notes are lines in the library's own words, so that a script can be made of a trial that fails.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..protocol.backend import Native, equal
from ..protocol.errors import OptionError
from ..truth.oracles.differences import Derivative, derivative_of
from ..truth.tolerance import ROUNDINGS, unit_roundoff
from ..untrusted.texts import in_a_line
from .cases import Case, in_layout
from .own import Own
from .writing import Notes

Array = npt.NDArray[Any]

SLACK = 8
"""What sums and products of a few entries cost, in terms of `ROUNDINGS`: what nobody looks into
may take so many roundings to each of its results, beside what its inputs' roundings do."""


NEARBY, SAMPLES, FEW = 14, 64, 8
"""How near a kink derivatives are taken, as a power of a half, at how many points, and after how
many it is clear that there is no kink."""

Values = Callable[[Sequence[Array]], Array]
"""Terms, whose sum is differentiated, of arrays."""


class Refused(Exception):
    """The function does not take this case: it raised something when it was called."""


class NotAsked(Exception):
    """The question has no answer here, for a reason."""


class Broken(AssertionError):
    """The answer is wrong: what is seen in place of what was expected, and how far it may be off.

    `got` is how a script writes what is seen; without it the last line that was noted raises.
    """

    def __init__(
        self, what: str, got: str = "", want: Array | None = None, allowed: Array | float = 0.0
    ) -> None:
        super().__init__(what)
        self.what = what
        self.got = got
        self.want = want
        self.allowed = allowed


class Trial:
    """A function on one case.

    `judged` counts comparisons, `open` those that differences do not decide.
    """

    def __init__(self, own: Own, case: Case, twin: Callable[..., Any] | None = None) -> None:
        self.own = own
        self.case = case
        self.twin = twin
        self.backend = own.backend
        self.notes = Notes(own)
        self.judged = 0
        self.open = 0
        self.lenient = False
        """Whether the function may refuse the case when it is differentiated as well."""

    # ---- what is done with the function ----------------------------------------------------------

    def tensor(self, values: Array, name: str, layout: str = "") -> Native:
        """Make a tensor called `name`, in the dtype of the case."""
        values = np.asarray(values)  # what is computed with a scalar is none of numpy's arrays
        self.notes.tensor(name, values, self.case.dtype, layout)
        try:
            return self.backend.tensor(in_layout(values, layout), self.case.dtype, "cpu")
        except Exception as error:
            raise NotAsked(f"no such tensor can be made: {in_a_line(error)}") from error

    def inputs(self, arrays: Sequence[Array] | None = None) -> list[Native]:
        """Make tensors of the inputs, in their layout."""
        layout = self.case.layout
        given = self.case.inputs if arrays is None else arrays
        return [self.tensor(x, f"x{n}", layout) for n, x in enumerate(given)]

    def function(self, through: str = "") -> Callable[..., Native]:
        """Return the function with one result, itself or as `through` a transform."""
        one = self.own.one(self.case.result)
        if not through:
            return one
        self.notes.through(through, len(self.case.inputs), self.case.result)
        if through == "vmap":
            return self.backend.vmap(one, [0] * len(self.case.inputs))
        return self.backend.transforms[through](one)

    def value(self, xs: Sequence[Native], through: str = "") -> Native:
        """Call the function; raises Refused if it raises."""
        function = self.function(through)
        self.notes.call(xs, self.case.result)
        return self.attempt(function, *xs)

    def vjp(
        self, xs: Sequence[Native], wrt: Sequence[int] | None = None, through: str = ""
    ) -> "Pull":
        """Call the function, recorded for the inputs `wrt`, which are all of them by default."""
        chosen = list(range(len(xs))) if wrt is None else list(wrt)
        function = self.function(through)

        def partly(*some: Native) -> Native:
            given = list(xs)
            for n, x in zip(chosen, some, strict=True):
                given[n] = x
            return function(*given)

        at = [xs[n] for n in chosen]
        self.notes.record(chosen, self.case.result)
        value, pull = self.attempt(self.backend.vjp, partly, *at)
        return Pull(self, value, pull, chosen)

    def attempt(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function; raises Refused if it raises."""
        try:
            return function(*arguments)
        except (OptionError, Broken, NotAsked, Refused):
            raise
        except Exception as error:
            raise Refused(in_a_line(error)) from error

    def pulled(self, pull: Callable[[], Any]) -> Any:
        """Run a pass backward; raises Broken if it raises, or Refused if it may."""
        try:
            return pull()
        except OptionError:
            raise
        except Exception as error:
            if self.lenient:
                raise Refused(f"differentiated: {in_a_line(error)}") from error
            raise Broken(f"the pullback raises {in_a_line(error)}") from error

    def cotangent(self, value: Native, name: str = "c0", *, salt: int = 0) -> Native:
        """Make a cotangent for a result, drawn or of ones."""
        weights = self.weights(self.look(value).shape, salt)
        return self.tensor(weights, name, self.case.pulled)

    def weights(self, shape: tuple[int, ...], salt: int = 0) -> Array:
        """Return the entries of a cotangent of a shape."""
        drawn = np.ones(shape) if self.case.ones else self.case.drawn(shape, salt)
        return np.array(in_layout(drawn, self.case.pulled), order="C")

    def look(self, x: Native) -> Array:
        """Copy a tensor to numpy."""
        return np.asarray(self.backend.numpy(x))

    def gradients(self) -> "tuple[Pull, list[Native | None]]":
        """Make inputs and a cotangent, and pull it back."""
        pull = self.vjp(self.inputs())
        return pull, pull(self.cotangent(pull.value))

    def plainly(self, case: Case) -> tuple[Array, list[Array]]:
        """Return the result and the gradients of another case, as arrays, without a note of it.

        The cotangent has the entries of this trial's.
        """
        other = Trial(self.own, case)
        pull = other.vjp(other.inputs())
        value = other.look(pull.value)
        try:
            found = pull(other.tensor(self.weights(value.shape), "c0"))
        except Broken as broken:
            raise NotAsked(f"for contiguous float64 already {broken}") from broken
        filled = [
            np.zeros(x.shape) if g is None else other.look(g).astype(np.float64)
            for x, g in zip(case.inputs, found, strict=True)
        ]
        return value.astype(np.float64), filled

    # ---- judging ---------------------------------------------------------------------------------

    def roundings(self, want: Sequence[Array], near: Callable[[Case], Sequence[Array]]) -> float:
        """Say how far arrays may be off for rounding alone, in float64.

        That is what a few roundings of the results do, and of the inputs: measured by computing
        `near` inputs that differ by a relative 2 to the power of minus 30.
        """
        size = max((float(np.abs(w).max(initial=0)) for w in want), default=0.0)
        count = sum(x.size for x in self.case.inputs)
        moved = 0.0
        for salt in (1, 2):
            chance = np.random.default_rng([self.case.seed, salt])
            signs = [chance.choice([-1.0, 1.0], x.shape) for x in self.case.inputs]
            inputs = tuple(
                x + np.abs(x) * s * 2.0**-30 for x, s in zip(self.case.inputs, signs, strict=True)
            )
            for w, other in zip(want, near(self._at(inputs)), strict=True):
                moved = max(moved, float(np.abs(w - other).max(initial=0)) * 2.0**30)
        return (SLACK * ROUNDINGS + count) * unit_roundoff("float64") * (size + moved)

    def _at(self, inputs: tuple[Array, ...]) -> Case:
        return Case(inputs, self.case.seed, result=self.case.result, ones=self.case.ones)

    def close(self, want: Sequence[Array]) -> float:
        """Say how far gradients may be off that are added up in another order."""
        size = max((float(np.abs(w).max(initial=0)) for w in want), default=0.0)
        return 1024 * unit_roundoff("float64") * size

    def compare(
        self,
        what: str,
        got: Native | None,
        text: str,
        want: Array,
        allowed: Array | float = 0.0,
    ) -> None:
        """Compare every entry of a tensor, which a script writes as `text`; raises Broken.

        Where nothing is allowed even the sign of a zero counts. None stands for zeros.
        """
        self.judged += 1
        if got is None:
            if (np.abs(want) > allowed).any():
                raise Broken(f"{what} is None, expected {brief(want)}", text, want, allowed)
            return
        value = self.look(got)
        if value.shape != want.shape:
            raise Broken(
                f"{what} has shape {value.shape}, expected {want.shape}", text, want, np.inf
            )
        if isinstance(allowed, float) and not allowed and value.dtype == want.dtype:
            right = equal(value, want)
        else:
            both = np.isnan(value) & np.isnan(want) | (value == want)
            with np.errstate(invalid="ignore"):
                right = bool((both | (np.abs(value - want) <= allowed)).all())
        if not right:
            told = f", within {np.max(allowed):.1e}" if np.max(allowed) else ", exactly"
            raise Broken(
                f"{what} is {brief(value)}, expected {brief(want)}{told}", text, want, allowed
            )

    def dtype(self, what: str, x: Native | None, text: str) -> None:
        """Expect the dtype of the case, of what a script writes as `text`; raises Broken."""
        if x is not None and (found := self.backend.dtype_of(x)) != self.case.dtype:
            if self.lenient:
                raise NotAsked(f"{what} is {found} there")
            size = np.array(np.dtype(self.case.dtype).itemsize)
            text = f"{text}.dtype.itemsize"
            raise Broken(
                f"{what} is {found}, expected {self.case.dtype} as of the inputs", text, size
            )

    def derivative(
        self, along: Sequence[Array], value: Values, at: Sequence[Array], **options: Any
    ) -> Derivative:
        """Differentiate the sum of the entries of `value` along a direction, at a point.

        `options` are those of `derivative_of`.
        """

        def moved(step: float) -> tuple[float, float]:
            terms = value([x + step * d for x, d in zip(at, along, strict=True)])
            return float(terms.sum()), float(np.abs(terms).sum())

        moving = [np.abs(x[d != 0]).max(initial=0) for x, d in zip(at, along, strict=True)]
        return derivative_of(moved, unit_roundoff("float64"), float(max(moving)), **options)

    def weighted(self, weights: Array) -> Values:
        """Return the results, each entry weighed, as a function of arrays."""
        one = self.own.one(self.case.result)

        def value(arrays: Sequence[Array]) -> Array:
            given = [np.array(x, order="C") for x in arrays]
            xs = [self.backend.tensor(x, "float64", "cpu") for x in given]
            y = self.look(self.attempt(one, *xs))
            return weights * y if y.shape == weights.shape else np.full(1, np.nan)

        return value

    def agrees(
        self,
        what: str,
        text: str,
        got: float,
        along: Sequence[Array],
        value: Values,
        slack: float = 0.0,
    ) -> None:
        """Compare a derivative along a direction with differences of `value`; raises Broken.

        It may be off by `slack`, relative to the magnitude of what is differentiated. At a kink it
        has to lie between the derivatives nearby (F. Clarke, Optimization and Nonsmooth Analysis,
        1983, section 2.5), of which some are drawn.
        """
        at = self.case.laid_out()
        derivative = self.derivative(along, value, at)
        if not derivative.known:
            self.open += 1
            return
        self.judged += 1
        grain = SLACK * ROUNDINGS * unit_roundoff("float64") + slack
        low, high = derivative.low, derivative.high
        allowed = derivative.error + grain * (abs(high) + derivative.scale)
        if low - allowed <= got <= high + allowed:
            return
        size = derivative.scale + abs(high)
        more = 2.0 ** (6 - NEARBY) * size
        for found, nearby in enumerate(self._nearby(along, value, at), 1):
            low, high = min(low, nearby.low), max(high, nearby.high)
            if found == FEW and high - low <= more:
                # It is smooth here: what the function is like nearby explains nothing.
                low, high = derivative.low, derivative.high
                break
            if found >= FEW and low - allowed - more <= got <= high + allowed + more:
                return
        between = f"{low:.10g} by differences" if low == high else f"{low:g} to {high:g} nearby"
        raise Broken(
            f"{what} is {got:.10g}, expected {between}, within {allowed:.1e}",
            text,
            np.array((low + high) / 2),
            allowed + (high - low) / 2,
        )

    def _nearby(
        self, along: Sequence[Array], value: Values, at: Sequence[Array]
    ) -> Iterator[Derivative]:
        """Yield derivatives along a direction at points drawn near one."""
        chance = np.random.default_rng(self.case.seed)
        for _ in range(SAMPLES):
            point = [x + 2.0**-NEARBY * chance.uniform(-1, 1, x.shape) for x in at]
            derivative = self.derivative(along, value, point, first=NEARBY + 6, enough=2.0**-20)
            if derivative.known:
                yield derivative


class Pull:
    """A result, and its pullback to some of the inputs."""

    def __init__(
        self, trial: Trial, value: Native, pull: Callable[[Native], Any], wrt: Sequence[int]
    ) -> None:
        self.trial = trial
        self.value = value
        self.pull = pull
        self.wrt = wrt
        self.numbers: Counter[str] = Counter()
        self.names = trial.notes.recorded
        self.last = ""

    def __call__(self, cotangent: Native, name: str = "c0") -> list[Native | None]:
        """Return the gradients of the inputs; raises Broken if the library raises."""
        self.last = self.trial.notes.pull(self.names, name)
        found: list[Native | None] = self.trial.pulled(lambda: list(self.pull(cotangent)))
        if len(found) != len(self.wrt):
            raise Broken(f"the pullback returns {len(found)} gradients for {len(self.wrt)} inputs")
        return found

    def arrays(self, found: Sequence[Native | None]) -> list[Array]:
        """Look at gradients, which have shape and dtype of their inputs; None stands for zeros.

        Raises Broken.
        """
        trial, arrays = self.trial, []
        for place, (n, g) in enumerate(zip(self.wrt, found, strict=True)):
            name, shape = trial.own.names[n], trial.case.inputs[n].shape
            trial.dtype(f"the gradient for {name}", g, self.text(place))
            array = np.zeros(shape) if g is None else trial.look(g)
            if array.shape != shape:
                raise Broken(
                    f"the gradient for {name} has shape {array.shape}, expected {shape}",
                    self.text(place),
                    np.zeros(shape),
                    np.inf,
                )
            trial.judged += 1
            arrays.append(array.astype(np.float64))
        return arrays

    def text(self, place: int) -> str:
        """Write the gradient at a place of those that were returned last."""
        return f"array({self.last}[{place}])"


def brief(values: Array) -> str:
    """Write an array in a line."""
    return np.array2string(values, threshold=12, precision=8, separator=", ").replace("\n", "")


def has_a_derivative(value: Array, *gradients: Sequence[Array]) -> None:
    """Raise NotAsked out of the domain of a function, and where it is infinitely steep.

    What is no number in vain is found by comparing gradients with differences.
    """
    if not np.isfinite(value).all():
        raise NotAsked("the result is not finite")
    if not all(np.isfinite(g).all() for each in gradients for g in each):
        raise NotAsked("the gradient is not finite")
