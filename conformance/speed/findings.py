"""Intervals of measured figures, and what they say of a bound.

Source of the interval of a median: H. A. David and H. N. Nagaraja, Order Statistics, 3rd edition,
section 7.1. Of n independent rounds, sorted, the median of their distribution lies between the k-th
smallest and the k-th largest with probability 1 - 2 P(B < k), B binomial with n trials of 1/2,
whatever the distribution. A ratio of two medians lies, by Bonferroni's inequality, between
a.low / b.high and a.high / b.low with the sum of their error probabilities.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import comb, exp, inf, log
from statistics import median

CONFIDENCE = 0.95
"""Of the interval of a ratio; the two medians in it have half the error probability each."""

FEWEST = 7
"""Rounds without which the extremes of a sample do not bound its median so surely."""


class Answer(StrEnum):
    """What the figures of one run say of a law."""

    SUPPORTED = "supported"
    """The whole interval lies where the law says."""
    REFUTED = "refuted"
    """The whole interval lies where the law says it does not."""
    INCONCLUSIVE = "inconclusive"
    """The bound lies within the interval: the noise is larger than the difference."""
    UNMEASURED = "unmeasured"
    """A figure is missing, for the reason given."""


class Unmeasured(Exception):
    """A figure that a law speaks of is not there; the message says why."""


@dataclass(frozen=True)
class Comparison:
    """One figure, held against one bound."""

    what: str
    value: float
    low: float
    high: float
    relation: str
    bound: float
    answer: Answer


@dataclass(frozen=True)
class Finding:
    """What several comparisons say together; `a & b` says that both hold."""

    comparisons: tuple[Comparison, ...]

    @property
    def answer(self) -> Answer:
        """Refuted by one refuted comparison, supported by none but supported ones."""
        answers = {each.answer for each in self.comparisons}
        order = (Answer.REFUTED, Answer.INCONCLUSIVE, Answer.SUPPORTED)
        return next(answer for answer in order if answer in answers)

    def __and__(self, other: "Finding") -> "Finding":
        return Finding(self.comparisons + other.comparisons)

    def __bool__(self) -> bool:
        raise TypeError("a finding may be inconclusive, so it is neither true nor false: join by &")


@dataclass(frozen=True)
class Interval:
    """A figure, the bounds within which noise leaves it, and the words for it.

    Comparing it with a number gives a `Finding`.
    """

    value: float
    low: float
    high: float
    what: str = ""

    @classmethod
    def exact(cls, value: float, what: str = "") -> "Interval":
        """Make an interval of a figure without noise, such as a number of bytes."""
        return cls(value, value, value, what)

    def __truediv__(self, other: "Interval | float") -> "Interval":
        if not isinstance(other, Interval):
            return Interval(self.value / other, self.low / other, self.high / other, self.what)
        what = f"{self.what} / {other.what}"
        return Interval(
            _over(self.value, other.value),
            _over(self.low, other.high),
            _over(self.high, other.low),
            what,
        )

    def __mul__(self, factor: float) -> "Interval":
        what = f"{factor:g} {self.what}"
        return Interval(self.value * factor, self.low * factor, self.high * factor, what)

    def __gt__(self, bound: float) -> Finding:
        return self._compare(">", bound, self.low > bound, self.high <= bound)

    def __lt__(self, bound: float) -> Finding:
        return self._compare("<", bound, self.high < bound, self.low >= bound)

    def _compare(self, relation: str, bound: float, holds: bool, fails: bool) -> Finding:  # noqa: FBT001
        answer = Answer.SUPPORTED if holds else Answer.REFUTED if fails else Answer.INCONCLUSIVE
        made = Comparison(self.what, self.value, self.low, self.high, relation, bound, answer)
        return Finding((made,))


def _over(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else inf


def median_interval(seconds: Sequence[float], what: str = "") -> Interval:
    """Return the median of a sample and where the median of its distribution lies.

    The coverage is at least (1 + CONFIDENCE) / 2, so that a ratio of two has CONFIDENCE. Raises
    ValueError for fewer than FEWEST values.
    """
    if len(seconds) < FEWEST:
        raise ValueError(f"{len(seconds)} rounds: {FEWEST} are the fewest that bound a median")
    ordered = sorted(seconds)
    allowed = (1 - CONFIDENCE) / 2
    k, n = 1, len(ordered)
    while 2 * _below(k + 1, n) <= allowed:
        k += 1
    return Interval(median(ordered), ordered[k - 1], ordered[n - k], what)


def _below(k: int, n: int) -> float:
    """The probability of fewer than k heads in n throws."""
    return float(sum(comb(n, heads) for heads in range(k)) / 2**n)


class Curve:
    """A figure by size, in rising order; comparing it with a number compares each of its points."""

    def __init__(self, points: dict[int, Interval], what: str = "") -> None:
        if not points:
            raise Unmeasured(f"{what}: no size was measured")
        self.points = dict(sorted(points.items()))
        self.what = what

    def __iter__(self) -> Iterator[tuple[int, Interval]]:
        return iter(self.points.items())

    def __getitem__(self, size: int) -> Interval:
        if size not in self.points:
            raise Unmeasured(f"{self.what}: size {size} was not measured")
        return self.points[size]

    @property
    def first(self) -> Interval:
        """The figure at the smallest size."""
        return next(iter(self.points.values()))

    @property
    def last(self) -> Interval:
        """The figure at the largest size."""
        return next(reversed(self.points.values()))

    def since(self, size: int) -> "Curve":
        """Leave out the sizes below `size`."""
        what = f"{self.what} from size {size} on"
        return Curve({n: point for n, point in self if n >= size}, what)

    def upto(self, size: int) -> "Curve":
        """Leave out the sizes above `size`."""
        what = f"{self.what} up to size {size}"
        return Curve({n: point for n, point in self if n <= size}, what)

    def __truediv__(self, other: "Curve") -> "Curve":
        what = f"{self.what} / {other.what}"
        both = {n: point / other.points[n] for n, point in self if n in other.points}
        return Curve(both, what)

    def __mul__(self, factor: float) -> "Curve":
        return Curve({n: point * factor for n, point in self}, f"{factor:g} {self.what}")

    def __gt__(self, bound: float) -> Finding:
        return self._each(lambda point: point > bound)

    def __lt__(self, bound: float) -> Finding:
        return self._each(lambda point: point < bound)

    def _each(self, compare: Callable[[Interval], Finding]) -> Finding:
        made = tuple(each for _, p in self for each in compare(p).comparisons)
        return Finding(made)

    @property
    def trend(self) -> Interval:
        """Kendall's rank correlation of figure and size, from -1, always falling, to 1.

        Pairs of points whose intervals overlap count as falling in its low end, as rising in its
        high end. Raises Unmeasured for fewer than three points.
        """
        points = list(self.points.values())
        if len(points) < 3:
            raise Unmeasured(f"{self.what}: {len(points)} sizes were measured, too few for a trend")
        pairs = [(a, b) for i, a in enumerate(points) for b in points[i + 1 :]]
        sign = sum((b.value > a.value) - (b.value < a.value) for a, b in pairs)
        rising = sum(b.low > a.high for a, b in pairs)
        falling = sum(b.high < a.low for a, b in pairs)
        n = len(pairs)
        return Interval(
            sign / n, (2 * rising - n) / n, (n - 2 * falling) / n, f"trend of {self.what}"
        )


def break_even(gain: Curve) -> Interval:
    """Return the size from which on a gain stays above 1, interpolated on logarithmic scales.

    It is 0 if the gain is above 1 at every size measured, and inf if it is not at the largest one.
    The low end follows the high ends of the gains, and the high end the low ends.
    """
    value = _crossing([(n, point.value) for n, point in gain])
    low = _crossing([(n, point.high) for n, point in gain])
    high = _crossing([(n, point.low) for n, point in gain])
    return Interval(value, low, high, f"break-even of {gain.what}")


def _crossing(points: Sequence[tuple[int, float]]) -> float:
    below = [i for i, (_, gain) in enumerate(points) if gain <= 1]
    if not below:
        return 0.0
    if below[-1] == len(points) - 1:
        return inf
    (small, low), (large, high) = points[below[-1] : below[-1] + 2]
    # A gain of 0 has no logarithm; then it is the next size that is known to win.
    share = 1.0 if low <= 0 or high == inf else -log(low) / (log(high) - log(low))
    return exp(log(small) + share * (log(large) - log(small)))
