"""Arrays that carry their derivatives, and beside each number a bound on its rounding error.

A `Jet` runs through a function that is written for numpy and comes out as its result, with its
derivative by every entry of the inputs, the derivative along a tangent, and the derivatives by
every entry of that one: a Taylor polynomial in which all other products of directions are zero
(Griewank & Walther, Evaluating Derivatives, 2nd ed., chapter 13).

Beside each of these numbers stands a bound on its error in units of the unit roundoff, to first
order: running error analysis (N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
section 3.3). Every operation passes on the errors of its operands and adds what rounding adds to
its result. Times the roundoff of float64 this is how far the numbers here may be off; times that of
another dtype, how far a right implementation may be off that computes by this formula in it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from math import prod
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from ..tolerance import ROUNDINGS, Total, unit_roundoff

Array = npt.NDArray[Any]
Operand = Union["Jet", npt.ArrayLike]

ROOM = 2
"""By what factor a library may be further off than the formula: its own may round in other places.

Also what accelerators are known for, which round a quotient to two units in the last place and an
elementary function to four.
"""

WIDEST = 4 * unit_roundoff("float32")
"""What one unit of error is worth, at the most."""

HUGE = 2.0**500
"""Divisors above that, or below its reciprocal, have squares that overflow or are lost."""

LEAD = 3
"""Axes of the numbers of a jet before those of the array that it stands for.

What works on a jet leaves them alone, so that an axis of many calls could stand among them.
"""

UFUNCS: dict[Any, Callable[..., Any]] = {}
"""What becomes of a jet in each ufunc of numpy."""

FUNCTIONS: dict[Any, Callable[..., Any]] = {}
"""What becomes of a jet in each other function of numpy."""


class Jet:
    """An array of float64 with derivatives and errors; numpy's functions and operators take it.

    The numbers are one array: the first axis holds values and errors, the second what is not
    differentiated along the tangent and what is, the third what is not differentiated by an entry
    and what is, by each one. The axes of the array itself follow.
    """

    __slots__ = ("numbers",)

    def __init__(self, numbers: Array) -> None:
        self.numbers = numbers

    @classmethod
    def exact(cls, value: npt.ArrayLike, *, like: "Jet | None" = None) -> "Jet":
        """Take a constant that is in every dtype what it is here, to go with `like`."""
        array = np.asarray(value, np.float64)
        lead = (2, 1, 1) if like is None else like.numbers.shape[:LEAD]
        numbers = np.zeros((*lead, *array.shape))
        numbers[0, 0, 0] = array
        return cls(numbers)

    @classmethod
    def given(cls, value: npt.ArrayLike) -> "Jet":
        """Take values as they are handed over: what is no short number is rounded before."""
        made = cls.exact(value)
        made.numbers[1, 0, 0] = rounded_off(made.value)
        return made

    @classmethod
    def seeds(
        cls, arrays: Sequence[Array], *, tangents: Sequence[Array] | None = None
    ) -> "list[Jet]":
        """Take arrays to differentiate by, entry by entry, and along tangents if there are any."""
        count, sides = sum(x.size for x in arrays), 1 if tangents is None else 2
        made, first = [], 1
        for position, x in enumerate(arrays):
            numbers = np.zeros((2, sides, 1 + count, x.size))
            numbers[0, 0, 0] = x.ravel()
            numbers[0, 0, range(first, first + x.size), range(x.size)] = 1
            if tangents is not None:
                numbers[0, 1, 0] = tangents[position].ravel()
            made.append(cls(numbers.reshape(2, sides, 1 + count, *x.shape)))
            first += x.size
        return made

    @classmethod
    def along(cls, arrays: Sequence[Array], tangents: Sequence[Array]) -> "list[Jet]":
        """Take arrays to differentiate along tangents, once: of any number of entries."""
        made = [cls.exact(x) for x in arrays]
        for jet, tangent in zip(made, tangents, strict=True):
            jet.numbers = np.concatenate([jet.numbers, np.zeros_like(jet.numbers)], 2)
            jet.numbers[0, 0, 1] = tangent
        return made

    @classmethod
    def lines(cls, arrays: Sequence[Array], tangents: Sequence[Array]) -> "list[Jet]":
        """Take arrays to differentiate along tangents, twice."""
        made = []
        for x, tangent in zip(arrays, tangents, strict=True):
            numbers = np.zeros((2, 2, 2, *x.shape))
            numbers[0, 0, 0] = x
            numbers[0, 0, 1] = numbers[0, 1, 0] = tangent
            made.append(cls(numbers))
        return made

    # ---- what it holds ---------------------------------------------------------------------------

    @property
    def value(self) -> Array:
        """The array that it stands for."""
        value: Array = self.numbers[0, 0, 0, ...]
        return value

    @property
    def error(self) -> Array:
        """How far each entry may be off, in units of the unit roundoff."""
        error: Array = self.numbers[1, 0, 0, ...]
        return error

    @property
    def total(self) -> Total:
        """What to compare with."""
        return allowing(self.value, self.error)

    def around(self, known: "Jet") -> Total:
        """What to compare with if the true values are known in another way, and better."""
        return replace(self.total, value=known.value, error_bound=known.total.error_bound)

    # ---- what an array is asked ------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.numbers.shape[LEAD:]

    @property
    def ndim(self) -> int:
        """The number of its axes."""
        return self.numbers.ndim - LEAD

    @property
    def size(self) -> int:
        """The number of its entries."""
        return prod(self.shape)

    @property
    def dtype(self) -> Any:
        """The dtype of the numbers."""
        return self.numbers.dtype

    @property
    def real(self) -> "Jet":
        """Itself: a jet is real."""
        return self

    @property
    def T(self) -> "Jet":  # noqa: N802
        """The transpose."""
        axes = (*range(LEAD), *range(self.numbers.ndim - 1, LEAD - 1, -1))
        return Jet(self.numbers.transpose(axes))

    def __repr__(self) -> str:
        return f"Jet({self.value!r})"

    def __len__(self) -> int:
        return self.shape[0]

    def copy(self) -> "Jet":
        """Return the same in memory of its own."""
        return Jet(self.numbers.copy())

    def reshape(self, *shape: Any) -> "Jet":
        """Return the same entries in another shape."""
        return call(np.reshape, self, shape[0] if len(shape) == 1 else shape)

    def ravel(self) -> "Jet":
        """Return the entries in a row."""
        return self.reshape(-1)

    def swapaxes(self, first: int, second: int) -> "Jet":
        """Return the array with two axes exchanged."""
        return call(np.swapaxes, self, first, second)

    def sum(self, axis: Any = None, *, keepdims: bool = False) -> "Jet":
        """Add the entries up, or those along axes."""
        return call(np.sum, self, axis, keepdims=keepdims)

    def mean(self, axis: Any = None, *, keepdims: bool = False) -> "Jet":
        """Return the mean of the entries, or of those along axes."""
        return call(np.mean, self, axis, keepdims=keepdims)

    def onto(self, shape: tuple[int, ...]) -> "Jet":
        """Add up what broadcasting an array of this shape has repeated."""
        padded = (1,) * (self.ndim - len(shape)) + shape
        axes = tuple(a for a, size in enumerate(padded) if size == 1)
        return self.sum(axes).reshape(shape)

    def max(self, axis: Any = None, *, keepdims: bool = False) -> "Jet":
        """Return the largest entry, or the largest ones along axes."""
        return call(np.max, self, axis, keepdims=keepdims)

    def min(self, axis: Any = None, *, keepdims: bool = False) -> "Jet":
        """Return the smallest entry, or the smallest ones along axes."""
        return call(np.min, self, axis, keepdims=keepdims)

    # ---- how numpy hands over --------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method == "at" and ufunc is np.add and not options:
            return UFUNCS["add at"](*inputs)
        if method != "__call__" or options or ufunc not in UFUNCS:
            return NotImplemented
        return UFUNCS[ufunc](*inputs)

    def __array_function__(
        self, function: Any, _: Any, args: Sequence[Any], options: dict[str, Any]
    ) -> Any:
        if function not in FUNCTIONS:
            return NotImplemented
        return FUNCTIONS[function](*args, **options)

    def __getitem__(self, key: Any) -> "Jet":
        keys = key if isinstance(key, tuple) else (key,)
        if all(k is None or k is Ellipsis or isinstance(k, int | slice) for k in keys):
            return Jet(self.numbers[(slice(None),) * LEAD + keys])
        flat = self.numbers.reshape(*self.numbers.shape[:LEAD], -1)
        return Jet(flat.take(self.places[key], -1))

    def __setitem__(self, key: Any, value: Operand) -> None:
        chosen = self.places[key]
        given = np.broadcast_to(
            matched(lifted(value, self), chosen.ndim), (*self.numbers.shape[:LEAD], *chosen.shape)
        )
        self.write(chosen, given)

    @property
    def places(self) -> Array:
        """The number of each entry, in row-major order."""
        return np.arange(self.size).reshape(self.shape)

    def write(self, places: Array, numbers: Array) -> None:
        """Write over the entries with these numbers."""
        flat = self.numbers.reshape(*self.numbers.shape[:LEAD], -1)
        flat[..., places] = numbers
        self.numbers = flat.reshape(self.numbers.shape)

    # ---- operators -------------------------------------------------------------------------------

    def __neg__(self) -> "Jet":
        numbers = self.numbers.copy()
        np.negative(numbers[0], out=numbers[0])
        return Jet(numbers)

    def __add__(self, other: Operand) -> "Jet":
        return add(self, other)

    def __sub__(self, other: Operand) -> "Jet":
        return add(self, -other if isinstance(other, Jet) else np.negative(other))

    def __rsub__(self, other: Operand) -> "Jet":
        return add(-self, other)

    def __mul__(self, other: Operand) -> "Jet":
        return multiply(self, other)

    def __truediv__(self, other: Operand) -> "Jet":
        return divide(self, other)

    def __rtruediv__(self, other: Operand) -> "Jet":
        return divide(other, self)

    def __matmul__(self, other: Operand) -> "Jet":
        return np.matmul(self, other)  # type: ignore[call-overload, no-any-return]

    def __rmatmul__(self, other: Operand) -> "Jet":
        return np.matmul(other, self)  # type: ignore[call-overload, no-any-return]

    def __pow__(self, exponent: Operand) -> "Jet":
        return np.power(self, exponent)  # type: ignore[call-overload, no-any-return]

    def __lt__(self, other: Operand) -> Array:
        return np.less(self, other)  # type: ignore[call-overload, no-any-return]

    def __le__(self, other: Operand) -> Array:
        return np.less_equal(self, other)  # type: ignore[call-overload, no-any-return]

    def __gt__(self, other: Operand) -> Array:
        return np.greater(self, other)  # type: ignore[call-overload, no-any-return]

    def __ge__(self, other: Operand) -> Array:
        return np.greater_equal(self, other)  # type: ignore[call-overload, no-any-return]

    __radd__ = __add__
    __rmul__ = __mul__


def call(function: Any, *args: Any, **options: Any) -> Jet:
    """Call a function of numpy on jets, without numpy in between."""
    result: Jet = FUNCTIONS[function](*args, **options)
    return result


def allowing(value: Array, error: Array) -> Total:
    """What to compare with if a value may be off by so many units of the unit roundoff.

    Its roundings are those of a term of the size that makes them ROOM times the error, and what is
    written here in float64 may itself be off by it.
    """
    return Total(value, ROOM / ROUNDINGS * error, 1, error_bound=unit_roundoff("float64") * error)


def constant(x: Any) -> Array:
    """The values alone, which are not differentiated; of complex numbers, the real parts."""
    return x.value if isinstance(x, Jet) else np.real(x)


def held(x: Any) -> Any:
    """Drop the derivatives of a jet, and keep by how much it is off."""
    if not isinstance(x, Jet):
        return x
    numbers = np.zeros_like(x.numbers)
    numbers[:, 0, 0] = x.numbers[:, 0, 0]
    return Jet(numbers)


def differentials(x: Jet) -> Jet:
    """What a jet moves by: the same without its value."""
    made = x.copy()
    made.numbers[:, 0, 0] = 0
    return made


# ---- arithmetic ----------------------------------------------------------------------------------


def lifted(x: Operand, like: Jet) -> Jet:
    """Take a constant as a jet with as many derivatives as another one."""
    if not isinstance(x, Jet):
        return Jet.exact(x, like=like)
    if x.numbers.shape[1:LEAD] == like.numbers.shape[1:LEAD] or x.numbers.shape[1:LEAD] != (1, 1):
        return x
    made = Jet.exact(x.value, like=like)
    made.numbers[1, 0, 0] = x.error
    return made


def matched(x: Jet, ndim: int) -> Array:
    """The numbers of a jet with axes of size 1 before its own: enough to broadcast."""
    if x.ndim >= ndim:
        return x.numbers
    lead = x.numbers.shape[:LEAD]
    return x.numbers.reshape(*lead, *(1,) * (ndim - x.ndim), *x.shape)


def add(x: Operand, y: Operand) -> Jet:
    """Add two operands."""
    if not isinstance(x, Jet):
        x, y = y, x
    assert isinstance(x, Jet)
    if not isinstance(y, Jet):
        # A constant has no derivatives: those of the other operand stay as they are.
        constant = np.asarray(y, np.float64)
        shape = np.broadcast_shapes(x.shape, constant.shape)
        numbers = matched(x, len(shape))
        made = np.empty((*numbers.shape[:LEAD], *shape))
        made[...] = numbers
        made[0, 0, 0] += constant
        made[1, 0, 0] += np.abs(made[0, 0, 0]) + rounded_off(constant)
        return Jet(made)
    rank = max(x.ndim, y.ndim)
    made = matched(lifted(x, y), rank) + matched(lifted(y, x), rank)
    made[1] += np.abs(made[0])
    return Jet(made)


def multiply(x: Operand, y: Operand) -> Jet:
    """Multiply two operands."""
    if not isinstance(x, Jet):
        x, y = y, x
    assert isinstance(x, Jet)
    if not isinstance(y, Jet):
        return _scaled(x, np.asarray(y, np.float64), np.multiply)
    rank = max(x.ndim, y.ndim)
    (v, e), (w, f) = matched(lifted(x, y), rank), matched(lifted(y, x), rank)
    # What stands in an error beside a product of two: the square of what is zero but for rounding
    # is of second order, and all there is.
    if len(v) == len(v[0]) == 1:
        value = v * w
        error = np.abs(v) * f + e * (np.abs(w) + WIDEST * f) + np.abs(value)
    else:
        left, right = np.empty((4, *v.shape)), np.empty((4, *w.shape))
        left[0], right[0] = v, w
        np.abs(v, out=left[1])
        np.abs(w, out=right[1])
        left[2], right[2] = left[1], f
        left[3], right[3] = e, right[1] + WIDEST * f
        value, size, passed, other = _crossed(left, right)
        error = _roundings(*value.shape[:2], value.ndim) * size + passed + other
    return _paired(value, error)


def divide(x: Operand, y: Operand) -> Jet:
    """Divide by an operand: a quotient's derivative is that of the dividend less its own part."""
    if not isinstance(y, Jet):
        assert isinstance(x, Jet)
        return _scaled(x, np.asarray(y, np.float64), np.divide)
    size = np.abs(y.value)
    if np.any((size > HUGE) & np.isfinite(size) | (size < 1 / HUGE) & (size > 0)):
        x, y = _reduced(x, y)
    made = multiply(x, UFUNCS[np.reciprocal](y)).numbers
    made[0, 0, 0] = (x.value if isinstance(x, Jet) else np.asarray(x, np.float64)) / y.value
    return Jet(made)


def _reduced(x: Operand, y: Jet) -> tuple[Operand, Jet]:
    """Divide both by the power of two next to the second: its square is then no matter."""
    power = np.ldexp(1.0, np.where(np.isfinite(y.value), -np.frexp(y.value)[1], 0))
    scaled = Jet(matched(x, power.ndim) * power) if isinstance(x, Jet) else x * power
    return scaled, Jet(y.numbers * power)


def _scaled(x: Jet, constant: Array, operation: Any) -> Jet:
    value, error = matched(x, constant.ndim)
    value, error = operation(value, constant), operation(error, np.abs(constant))
    roundings = 1 + (rounded_off(constant) != 0)
    return _paired(value, error + roundings * np.abs(value))


def rounded_off(constant: Array) -> Array:
    """How far a constant is off that is no short number: it is rounded to begin with."""
    off: Array = np.abs(constant) * (constant.astype(np.float32) != constant)
    return off


def _paired(value: Array, error: Array) -> Jet:
    made = np.empty((2, *value.shape))
    made[0], made[1] = value, error
    return Jet(made)


def _crossed(x: Array, y: Array) -> Array:
    """Multiply polynomials of which the second and third axes are the directions."""
    made = x[:, :1, :1] * y
    made += x * y[:, :1, :1]
    made[:, 0, 0] *= 0.5
    if x.shape[1] == 2 and x.shape[2] > 1:
        made[:, 1, 1:] += x[:, 0, 1:] * y[:, 1, :1]
        made[:, 1, 1:] += x[:, 1, :1] * y[:, 0, 1:]
    return made


@cache
def _roundings(sides: int, columns: int, ndim: int) -> Array:
    """How many roundings meet each product of a sum of products: of one, of two or of four."""
    counts = np.full((sides, columns), 2.0)
    counts[1:, 1:] = 4
    counts[0, 0] = 1
    return counts.reshape(sides, columns, *(1,) * (ndim - 2))
