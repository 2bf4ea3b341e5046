"""Functions of jets that move entries, choose among them or add them up."""

from collections.abc import Callable
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from .jets import FUNCTIONS, LEAD, UFUNCS, Array, Jet, Operand, lifted, matched, multiply

# ---- what moves entries --------------------------------------------------------------------------


def moving(function: Any) -> Callable[..., Any]:
    """Let a function move the numbers of entries, and take the entries by them.

    Of several arrays in a list, entries are numbered through. What it fills in is zero.
    """

    def move(x: Any, *args: Any, **options: Any) -> Any:
        if isinstance(x, Jet):
            pool = [x]
            moved = function(_numbered(pool)[0], *args, **options)
        else:
            like = next(each for each in x if isinstance(each, Jet))
            pool = [lifted(each, like) for each in x]
            moved = function(_numbered(pool), *args, **options)
        entries = np.concatenate(
            [np.zeros((*pool[0].numbers.shape[:LEAD], 1)), *(flat(each) for each in pool)], -1
        )
        if isinstance(moved, list | tuple):
            return [Jet(entries.take(each, -1)) for each in moved]
        return Jet(entries.take(moved, -1))

    return move


def _numbered(pool: list[Jet]) -> list[Array]:
    """Number entries through, from 1: 0 is what is none of them."""
    made, first = [], 1
    for each in pool:
        made.append(first + each.places)
        first += each.size
    return made


def flat(x: Jet) -> Array:
    """The numbers of a jet with its entries in a row."""
    return x.numbers.reshape(*x.numbers.shape[:LEAD], -1)


def _reshaped(x: Jet, shape: Any, *, copy: bool | None = None) -> Jet:  # noqa: ARG001
    sizes = x.places.reshape(shape).shape
    return Jet(x.numbers.reshape(*x.numbers.shape[:LEAD], *sizes))


def _transposed(x: Jet, axes: Any = None) -> Jet:
    if axes is None:
        return x.T
    own = [LEAD + axis % x.ndim for axis in axes]
    return Jet(x.numbers.transpose(*range(LEAD), *own))


def _swapped(x: Jet, first: int, second: int) -> Jet:
    return Jet(x.numbers.swapaxes(LEAD + first % x.ndim, LEAD + second % x.ndim))


def _written_along(x: Jet, indices: Array, values: Operand, axis: int) -> None:
    x.write(np.take_along_axis(x.places, indices, axis), lifted(values, x).numbers)


def _added_at(x: Jet, key: Any, values: Operand) -> None:
    chosen = x.places[key]
    given = np.broadcast_to(
        matched(lifted(values, x), chosen.ndim), (*x.numbers.shape[:LEAD], *chosen.shape)
    )
    entries, terms = flat(x).copy(), np.zeros(x.size)
    size = np.abs(entries[0])
    places: Any = (Ellipsis, chosen.ravel())
    given = given.reshape(*x.numbers.shape[:LEAD], -1)
    np.add.at(entries, places, given)
    np.add.at(size, places, np.abs(given[0]))
    np.add.at(terms, chosen.ravel(), 1)
    # Terms are added one after the other, in any order.
    entries[1] += terms * size
    x.numbers = entries.reshape(x.numbers.shape)


# ---- what chooses by value -----------------------------------------------------------------------


def _where(condition: Any, x: Operand, y: Operand) -> Jet:
    like = x if isinstance(x, Jet) else y
    assert isinstance(like, Jet)
    chosen = np.asarray(condition)
    rank = max(chosen.ndim, *(each.ndim for each in (lifted(x, like), lifted(y, like))))
    a, b = (matched(lifted(each, like), rank) for each in (x, y))
    return Jet(np.where(chosen, a, b))


def _extreme(best: Any) -> Callable[..., Jet]:
    def choose(x: Jet, axis: Any = None, *, keepdims: bool = False) -> Jet:
        at = x.value
        top = best(at, axis=axis, keepdims=True)
        # Of several, the last: entries are numbered in order.
        chosen = np.where(at == top, x.places, -1).max(axis=axis, keepdims=keepdims)
        return _cautious(x, chosen, x.error.max(axis=axis, keepdims=keepdims))

    return choose


def _cautious(x: Jet, chosen: Array, error: Array) -> Jet:
    # Which entry is the largest may be wrong, but not by more than any of them is off.
    made = flat(x).take(chosen, -1)
    made[1, 0, 0] = error
    return Jet(made)


def _sorted(x: Jet, axis: int = -1) -> Jet:
    order = np.argsort(x.value, axis=axis, kind="stable")
    chosen = np.take_along_axis(x.places, order, axis)
    error = x.error.max(axis=axis, keepdims=True) if x.size else x.error
    return _cautious(x, chosen, np.broadcast_to(error, chosen.shape))


# ---- what adds up or multiplies ------------------------------------------------------------------


def _axes(x: Jet, axis: Any) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(x.ndim))
    return tuple(a % x.ndim for a in (axis if isinstance(axis, tuple) else (axis,)))


def _sum(x: Jet, axis: Any = None, *, keepdims: bool = False) -> Jet:
    axes = _axes(x, axis)
    own = tuple(LEAD + a for a in axes)
    made = x.numbers.sum(own, keepdims=keepdims)
    if prod(x.shape[a] for a in axes) > 1:
        # Nothing is rounded where exact zeros are added.
        beside = tuple(a - 1 for a in own)
        terms = (x.numbers != 0).any(0).sum(beside, keepdims=keepdims)
        sizes = np.abs(x.numbers[0]).sum(beside, keepdims=keepdims)
        made[1] += np.maximum(terms - 1, 0) * sizes
    return Jet(made)


def _mean(x: Jet, axis: Any = None, *, keepdims: bool = False) -> Jet:
    count = np.prod([x.shape[a] for a in _axes(x, axis)])
    return _sum(x, axis, keepdims=keepdims) / count


def _cumulated(x: Jet, axis: int) -> Jet:
    own = LEAD + axis % x.ndim
    made = x.numbers.cumsum(own)
    before = np.arange(x.numbers.shape[own]).reshape(-1, *(1,) * (x.numbers.ndim - own - 1))
    made[1] += before * np.abs(x.numbers[0]).cumsum(own - 1)
    return Jet(made)


IN_TURN = 256
"""So many factors are multiplied in turn; of more, such products are."""


def _products(x: Jet, axis: int) -> Jet:
    """The products of the first entries along an axis, which comes first in the result."""
    factors = FUNCTIONS[np.moveaxis](x, axis, 0)
    made = _in_turn(factors) if len(factors) <= IN_TURN else _in_turns(factors)
    # Libraries take a product over one factor for the derivative by it. If that is differentiated
    # by the factor again, it is a difference of two terms that are the same.
    steps, ways = (_over(each, factors.value) for each in (factors.numbers[0, :1, 1:],
                                                           factors.numbers[0, 1:, :1]))  # fmt: skip
    size = np.abs(made.value)
    made.numbers[1, :1, 1:] += 2 * size * steps.cumsum(2)
    made.numbers[1, 1:, 1:] += 4 * size * (steps * ways).cumsum(2)
    return made


def _in_turn(factors: Jet) -> Jet:
    rows = (factors[n] for n in range(len(factors)))
    made: Jet = FUNCTIONS[np.stack]([*accumulate(rows, multiply)])
    return made


def _in_turns(factors: Jet) -> Jet:
    """Multiply many factors: all turns of so many at once, then each by what comes before it."""
    rest = factors.shape[1:]
    ones = np.ones((-len(factors) % IN_TURN, *rest))
    turns = FUNCTIONS[np.concatenate]([factors, ones]).reshape(-1, IN_TURN, *rest)
    own = _in_turn(FUNCTIONS[np.swapaxes](turns, 0, 1))
    later = multiply(own[:, 1:], _in_turn(own[-1])[:-1])
    made: Jet = FUNCTIONS[np.concatenate]([own[:, :1], later], 1)
    return made.swapaxes(0, 1).reshape(-1, *rest)[: len(factors)]


def _over(x: Array, y: Array) -> Array:
    """The size of a quotient, or nothing where it would be infinite."""
    quotient: Array = np.divide(x, y, out=np.zeros_like(x), where=y != 0)
    return np.abs(quotient)


def _prod(x: Jet, axis: Any = None, *, keepdims: bool = False) -> Jet:
    if axis is None:
        x, axis, back = x.reshape(-1), 0, (1,) * x.ndim
    else:
        back = tuple(1 if a == axis % x.ndim else n for a, n in enumerate(x.shape))
    rest = tuple(n for a, n in enumerate(x.shape) if a != axis % x.ndim)
    made = _products(x, axis)[-1] if x.shape[axis] else Jet.exact(np.ones(rest), like=x)
    return made.reshape(back) if keepdims else made


def _multiplied_up(x: Jet, axis: int) -> Jet:
    if not x.size:
        return x
    made: Jet = FUNCTIONS[np.moveaxis](_products(x, axis), 0, axis)
    return made


MOVES = (
    *(np.ravel, np.moveaxis, np.squeeze, np.expand_dims, np.broadcast_to, np.take, np.split),
    *(np.array_split, np.diagonal, np.diag, np.tril, np.triu, np.copy, np.flip, np.flipud),
    np.rot90,
    *(np.fliplr, np.roll, np.tile, np.repeat, np.pad, np.atleast_1d, np.take_along_axis),
    *(np.concatenate, np.stack, np.hstack, np.vstack, np.dstack, np.column_stack),
    sliding_window_view,
)
"""Functions that only move entries, and fill in zeros."""

UFUNCS["add at"] = _added_at
FUNCTIONS.update({function: moving(function) for function in MOVES})
FUNCTIONS.update(
    {
        np.reshape: _reshaped,
        np.transpose: _transposed,
        np.swapaxes: _swapped,
        np.put_along_axis: _written_along,
        np.zeros_like: lambda x, shape=None: Jet(
            np.zeros((*x.numbers.shape[:LEAD], *(x.shape if shape is None else shape)))
        ),
        np.real: lambda x: x,
        np.shape: lambda x: x.shape,
        np.ndim: lambda x: x.ndim,
        np.size: lambda x: x.size,
        np.iscomplexobj: lambda _: False,
        np.round: lambda x: np.round(x.value),
        np.where: _where,
        np.max: _extreme(np.max),
        np.min: _extreme(np.min),
        np.sort: _sorted,
        np.sum: _sum,
        np.mean: _mean,
        np.prod: _prod,
        np.cumsum: _cumulated,
        np.cumprod: _multiplied_up,
        np.trace: lambda x: _sum(FUNCTIONS[np.diagonal](x)),
    }
)
