"""Transforms of random variables, made of each other at random, and the same in numpy."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from ..protocol.subject import Subject
from ..truth.oracles.elementary import erf, sigmoid
from ..truth.oracles.jets import Jet
from ..truth.tolerance import Total
from .arrays import Array
from .distributions import around

Function = Callable[[Any], Any]

FAR = 6.0
"""Values stay below this, where no bijection is so flat that digits are lost by it."""


@dataclass(frozen=True)
class Part:
    """A transform of the library, and what it does to an array or a jet."""

    made: Any
    apply: Function
    inside: int = 0
    """Axes of an event that goes in."""
    outside: int = 0
    """Axes of an event that comes out."""
    free: Function | None = None
    """Which entries of a result are free, if not all are."""


@dataclass(frozen=True)
class Transformed:
    """A transform, a point, and what is true of it there."""

    made: Any
    x: Array
    part: Part = field(repr=False)

    @cached_property
    def _derivatives(self) -> list[tuple[Jet, Array]]:
        """The result, and its second derivatives by each entry of the point and all others."""
        axes = np.eye(self.x.size).reshape(self.x.size, *self.x.shape)
        jets = [self.part.apply(*Jet.seeds([self.x], tangents=[axis])) for axis in axes]
        free = self.part.free or (lambda y: y)
        return [(jet, free(jet).numbers[0]) for jet in jets]

    @cached_property
    def value(self) -> Jet:
        """What comes out."""
        made: Jet = self.part.apply(Jet.exact(self.x))
        return made

    @property
    def batch(self) -> tuple[int, ...]:
        """The shape of what is transformed alike, each by itself."""
        return self.x.shape[: self.x.ndim - self.part.inside]

    def _blocks(self, numbers: Array) -> Array:
        """Return derivatives of an event's entries by those of the same event: one matrix each."""
        count = prod(self.batch)
        wide = numbers.reshape(count, -1, count, numbers.shape[-1] // max(count, 1))
        return wide[range(count), :, range(count)]

    @cached_property
    def _matrices(self) -> tuple[Array, Array]:
        """The derivatives of each event, and by each entry of the point those of these."""
        numbers = [each for _, each in self._derivatives]
        flat = [each.reshape(*each.shape[:2], -1).swapaxes(-1, -2) for each in numbers]
        first = self._blocks(flat[0][0, :, 1:])
        second = np.stack([self._blocks(each[1, :, 1:]) for each in flat])
        return first, second

    @cached_property
    def _stretched(self) -> tuple[Array, Array, float]:
        """The logarithm of how much events are stretched, its gradients, and how rounding grows."""
        first, second = self._matrices
        inverse = np.linalg.inv(first)
        logs = np.linalg.slogdet(first)[1]
        derivatives = np.einsum("bij,nbji->bn", inverse, second)
        # Rounding of a result counts as much as a move of the point that comes to the same.
        grown = np.abs(inverse).sum(-1).max() * (1 + np.abs(self.value.value).max())
        return logs, derivatives, float(grown + np.abs(self.x).max() + self.x.size)

    @property
    def logarithm(self) -> Total:
        """The logarithm of the determinant, of each event."""
        logs, derivatives, grown = self._stretched
        size = np.abs(logs) + grown * (1 + np.abs(derivatives).sum(-1))
        return around(logs.reshape(self.batch), size.reshape(self.batch))

    def gradient(self, w: Array) -> Total:
        """The gradient of that, with cotangents `w`, by the point."""
        _, derivatives, grown = self._stretched
        terms = w.reshape(-1, 1) * derivatives
        size = (grown**2 * (1 + np.abs(derivatives))) * np.abs(w.reshape(-1, 1))
        shape = self.x.shape
        return around(terms.sum(0).reshape(shape), size.sum(0).reshape(shape))

    def density(self, loc: Array, scale: Array) -> Total:
        """The logarithm of the density of the result, if the point is drawn from a bell curve."""
        each = -(((self.x - loc) / scale) ** 2) / 2 - np.log(scale) - np.log(2 * np.pi) / 2
        own, logs = each.reshape(*self.batch, -1).sum(-1), self.logarithm
        # The point is found again from the result, and lies off by as much as rounding grows.
        grown = self._stretched[2] * (1 + np.abs((self.x - loc) / scale**2).sum())
        size = logs.magnitude + grown + np.abs(each).reshape(*self.batch, -1).sum(-1)
        return around(own - logs.value, size)

    def moved(self, w: Array, loc: Array, scale: Array) -> list[Total]:
        """The gradients of that, with cotangents `w`, by place and width of the bell curve."""
        wide = np.broadcast_to(w.reshape((*self.batch, *(1,) * self.part.inside)), self.x.shape)
        off = (self.x - loc) / scale
        size = wide * self._stretched[2] * (1 + np.abs(off)) / scale
        rules = off / scale, (off * off - 1) / scale
        return [around(wide * rule, size * (1 + 1 / scale)) for rule in rules]

    @property
    def rising(self) -> Array:
        """Whether a transform of numbers rises at each of them: 1, or -1 where it falls."""
        signs = np.sign(np.diagonal(self._matrices[0], axis1=-2, axis2=-1))
        return np.asarray(signs.reshape(self.x.shape))

    def back(self, x: Array) -> Total:
        """What is found if the way back is taken: the point itself."""
        grown = self._stretched[2]
        return around(x, grown + 0 * x)

    def weights(self, seed: int) -> Array:
        """Draw cotangents, one for each event."""
        return np.random.default_rng(seed).integers(1, 9, size=self.batch) / 4


# ---- single transforms ---------------------------------------------------------------------------


def softplus(x: Any) -> Any:
    """The logarithm of 1 + e ** x."""
    return np.log1p(np.exp(x))


def share(x: Any, loc: float, scale: float) -> Any:
    """The share of a normal distribution below x."""
    return (1 + erf((x - loc) / (scale * np.sqrt(2.0)))) / 2


def broken(x: Any) -> Any:
    """Break shares off a stick, one after the other, and keep the rest."""
    n = x.shape[-1]
    rest, shares = 1.0 + 0 * x[..., 0], []
    for k in range(n):
        z = sigmoid(x[..., k] - np.log(n - k))
        shares.append(rest * z)
        rest = rest * (1 - z)
    return np.stack([*shares, rest], -1)


def correlated(x: Any) -> Any:
    """Make the Cholesky factor of a matrix of correlations of what is below its diagonal."""
    size = round((0.25 + 2 * x.shape[-1]) ** 0.5 + 0.5)
    none, rows, at = 0 * x[..., 0], [], 0
    for i in range(size):
        row, rest = [], 1 + none
        for _ in range(i):
            r = np.tanh(x[..., at])
            row.append(r * np.sqrt(rest))
            rest, at = rest * (1 - r * r), at + 1
        rows.append(np.stack([*row, np.sqrt(rest), *[none] * (size - 1 - i)], -1))
    return np.stack(rows, -2)


def below(y: Any) -> Any:
    """The entries below the diagonal, in a row."""
    pairs = [(i, j) for i in range(y.shape[-1]) for j in range(i)]
    return np.stack([y[..., i, j] for i, j in pairs], -1)


def lowered(x: Any) -> Any:
    """Keep what is below the diagonal, and take the exponential on it."""
    size = x.shape[-1]
    none = 0 * x[..., 0, 0]
    rows = [
        np.stack([np.exp(x[..., i, i]) if i == j else x[..., i, j] if j < i else none
                  for j in range(size)], -1)
        for i in range(size)
    ]  # fmt: skip
    return np.stack(rows, -2)


def squared(x: Any) -> Any:
    """The same, times its transpose."""
    lower = lowered(x)
    return np.matmul(lower, np.swapaxes(lower, -1, -2))


def softmax(x: Any) -> Any:
    """Exponentials over their sum."""
    powers = np.exp(x)
    return powers / np.sum(powers, -1, keepdims=True)


def _of_numbers(be: Subject, rng: np.random.Generator, x: Array) -> Part:
    """Draw a transform that makes of each number one, where `x` are numbers."""
    own = bool(rng.integers(2))
    loc = rng.integers(-4, 5, size=x.shape if own else ()) / 4
    scale = rng.choice([0.5, 1.0, 2.0, -1.0, -0.5], size=x.shape if own else ())
    exponent = float(rng.choice([0.5, 2.0, -1.0, 1.5]))
    normal = be.distribution("Normal", be.tensor(np.array(0.25)), be.tensor(np.array(2.0)))
    given = [be.tensor(np.asarray(v)) for v in (loc, scale)]
    power = be.tensor(np.array(exponent))

    def bent(at: Any) -> Any:
        return np.power(at, exponent)

    choices = [
        Part(be.bijection("ExpTransform"), np.exp),
        Part(be.bijection("SigmoidTransform"), sigmoid),
        Part(be.bijection("TanhTransform"), np.tanh),
        Part(be.bijection("SoftplusTransform"), softplus),
        Part(be.bijection("AffineTransform", *given), lambda at: loc + scale * at),
        Part(be.bijection("ComposeTransform", []), lambda at: at * 1.0),
        Part(be.bijection("CumulativeDistributionTransform", normal),
             lambda at: share(at, 0.25, 2.0)),
    ]  # fmt: skip
    if not own:
        plain = be.bijection("AffineTransform", float(loc), float(scale))
        choices.append(Part(plain, lambda at: loc + scale * at))
    if x.size and x.min() > 0.125:
        choices += [
            Part(be.bijection("PowerTransform", power), bent),
            Part(be.bijection("ExpTransform").inv, np.log),
            Part(be.bijection("SoftplusTransform").inv, lambda at: np.log(np.exp(at) - 1)),
        ]
        if x.max() < 0.875:
            choices.append(
                Part(be.bijection("SigmoidTransform").inv, lambda at: np.log(at / (1 - at)))
            )
            choices.append(Part(be.bijection("TanhTransform").inv, np.arctanh))
    return choices[rng.integers(len(choices))]


def _near(part: Part, x: Array) -> bool:
    """Whether results are numbers of a usual size."""
    with np.errstate(all="ignore"):
        y = part.apply(x)
    return bool(np.all(np.isfinite(y)) and np.abs(y).max(initial=0) < FAR)


def numbers(be: Subject, rng: np.random.Generator, x: Array) -> Part:
    """Draw a transform of numbers whose results are no larger than `FAR`."""
    while not _near(part := _of_numbers(be, rng, x), x):
        pass
    return part


# ---- transforms of transforms --------------------------------------------------------------------


def _together(be: Subject, rng: np.random.Generator, x: Array, depth: int) -> Part:
    """Join transforms of what lies side by side along an axis."""
    axis = int(rng.integers(x.ndim))
    stacked = axis == 0 and bool(rng.integers(2))
    sizes = [1] * len(x) if stacked else _cut(rng, x.shape[axis])
    slices = list(x) if stacked else np.split(x, np.cumsum(sizes)[:-1], axis)
    parts = [
        square(be, rng, each, depth - 1, most=x.ndim - 1 if stacked else None) for each in slices
    ]
    inside = max(part.inside for part in parts)
    if stacked:
        # Only then are all logarithms of one shape.
        parts = [_independent(be, part, inside - part.inside) for part in parts]
        made = be.bijection("StackTransform", [part.made for part in parts], 0)
        return Part(
            made,
            lambda at: np.stack([p.apply(at[n]) for n, p in enumerate(parts)], 0),
            inside,
            inside,
        )
    starts = [0, *np.cumsum(sizes).tolist()]
    at_axis = axis - x.ndim if rng.integers(2) else axis

    def joined(at: Any) -> Any:
        lead = (slice(None),) * axis
        pieces = [
            part.apply(at[(*lead, slice(a, b))])
            for part, a, b in zip(parts, starts[:-1], starts[1:], strict=True)
        ]
        return np.concatenate(pieces, axis)

    made = be.bijection("CatTransform", [part.made for part in parts], at_axis, sizes)
    return Part(made, joined, inside, inside)


def _cut(rng: np.random.Generator, size: int) -> list[int]:
    """Cut a length in two, if it can be."""
    first = int(rng.integers(1, size)) if size > 1 else size
    return [n for n in (first, size - first) if n]


def _independent(be: Subject, part: Part, axes: int) -> Part:
    """Take more axes for one event; the part itself where there are none."""
    if not axes:
        return part
    made = be.bijection("IndependentTransform", part.made, axes)
    return Part(made, part.apply, part.inside + axes, part.outside + axes, part.free)


def _after(be: Subject, parts: Sequence[Part]) -> Part:
    """Apply transforms one after the other, on events that are wide enough for all of them."""
    made = be.bijection("ComposeTransform", [part.made for part in parts])
    inside = outside = 0
    for part in reversed(parts):
        inside = max(inside + part.inside - part.outside, part.inside)
    for part in parts:
        outside = max(outside + part.outside - part.inside, part.outside)

    def chained(x: Any) -> Any:
        for part in parts:
            x = part.apply(x)
        return x

    return Part(made, chained, inside, outside, parts[-1].free)


def _of_events(be: Subject, rng: np.random.Generator, x: Array) -> Part:
    """Scale and shift the entries of vectors, each one by a number of its own."""
    loc = rng.integers(-4, 5, size=x.shape) / 4
    scale = rng.choice([0.5, 1.0, -1.0, -0.75], size=x.shape)
    made = be.bijection("AffineTransform", be.tensor(loc), be.tensor(scale), 1)
    return Part(made, lambda at: loc + scale * at, 1, 1)


def square(
    be: Subject, rng: np.random.Generator, x: Array, depth: int, most: int | None = None
) -> Part:
    """Draw a transform that changes no shape, of parts of parts; `most` bounds axes of events."""
    limit = x.ndim if most is None else most
    kind = rng.integers(6) if depth else 0
    if kind == 1 and limit:
        inner = square(be, rng, x, depth - 1, limit)
        return _independent(be, inner, int(rng.integers(limit - inner.inside + 1)))
    if kind == 2 and x.ndim and x.size:
        part = _together(be, rng, x, depth)
        if part.inside <= limit:
            return part
    if kind == 3 and limit:
        flat = be.bijection("ReshapeTransform", x.shape[-1:], (1, x.shape[-1]))
        n = x.shape[-1]
        parts = [
            Part(flat, lambda at: at.reshape((*at.shape[:-1], 1, n)), 1, 2),
            numbers(be, rng, x[..., None, :]),
            Part(flat.inv, lambda at: at.reshape((*at.shape[:-2], n)), 2, 1),
        ]
        return _after(be, parts)
    if kind == 4:
        first = square(be, rng, x, depth - 1, limit)
        second = square(be, rng, first.apply(x), depth - 1, limit)
        return _after(be, [first, second])
    if kind == 5 and limit:
        return _of_events(be, rng, x)
    return numbers(be, rng, x)


def transformed(be: Subject, seed: int) -> Transformed:
    """Draw a transform and a point; the last step may be one to shares or to correlations."""
    rng = np.random.default_rng(seed)
    shape = [(3,), (2, 3), (2, 2), (1, 3), (), (2,), (2, 1)][rng.integers(7)]
    x = rng.integers(-6, 7, size=shape) / 4
    part = square(be, rng, x, 2)
    if x.ndim and not rng.integers(3):
        last = Part(be.bijection("StickBreakingTransform"), broken, 1, 1, lambda y: y[..., :-1])
        if shape[-1] in (1, 3) and rng.integers(2):
            last = Part(be.bijection("CorrCholeskyTransform"), correlated, 1, 2, below)
        part = _after(be, [part, last])
    return Transformed(part.made, x, part)


def chained(be: Subject, seed: int) -> Transformed:
    """Draw a transform of numbers in several steps, and a point."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-6, 7, size=(3,)) / 4
    parts, at = [], x
    for _ in range(rng.integers(1, 4)):
        parts.append(numbers(be, rng, at))
        at = parts[-1].apply(at)
    part = _after(be, parts)
    return Transformed(part.made, x, part)


# ---- constraints ---------------------------------------------------------------------------------

ONTO: dict[str, Function] = {
    "AbsTransform": np.abs,
    "SoftmaxTransform": softmax,
    "LowerCholeskyTransform": lowered,
    "PositiveDefiniteTransform": squared,
}
"""Transforms that are not one to one, and what they do."""

BIJECTED = (
    "real", "positive", "nonnegative", "unit_interval", "real_vector", "simplex", "corr_cholesky",
    "greater_than", "greater_than_eq", "less_than", "interval", "half_open_interval",
    "independent", "cat", "stack",
)  # fmt: skip
"""Constraints onto which biject_to maps real numbers one to one."""

REACHED = (*BIJECTED, "lower_cholesky", "positive_definite", "positive_semidefinite")
"""Those that transform_to reaches."""


def constraint(be: Subject, name: str) -> Any:
    """Make a constraint, with bounds if it has any."""
    place = "torch.distributions:constraints"
    low, high = be.tensor(np.array([-1.0, 0.5, 2.0])), be.tensor(np.array([0.0, 2.5, 2.25]))
    found = be.lookup(f"{place}.{name}")
    positive, unit = (be.lookup(f"{place}.{each}") for each in ("positive", "unit_interval"))
    bounds: dict[str, tuple[Any, ...]] = {
        "greater_than": (low,),
        "greater_than_eq": (low,),
        "less_than": (high,),
        "interval": (low, high),
        "half_open_interval": (low, high),
        "independent": (positive, 1),
        "cat": ([positive, unit], -1, [1, 2]),
        "stack": ([positive, unit], 0),
    }
    return found(*bounds[name]) if name in bounds else found
