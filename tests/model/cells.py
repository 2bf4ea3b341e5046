"""Scalars: a number and the derivatives by what it was computed from; a gradient sums all paths."""

from itertools import count

import numpy as np

SERIAL = count()


class Scalar:
    """A number, and what it was computed from: pairs of a scalar and the derivative by it."""

    __slots__ = ("number", "paths", "serial")

    def __init__(self, number, paths=()):
        self.number = float(number)
        self.paths = tuple(paths)
        self.serial = next(SERIAL)

    def __add__(self, other):
        return Scalar(self.number + other.number, [(self, ONE), (other, ONE)])

    def __sub__(self, other):
        return Scalar(self.number - other.number, [(self, ONE), (other, MINUS)])

    def __mul__(self, other):
        return Scalar(self.number * other.number, [(self, other), (other, self)])

    def fixed(self):
        """Return the number alone."""
        return Scalar(self.number)


ZERO, ONE, MINUS = Scalar(0), Scalar(1), Scalar(-1)

NOTHING, COVERED = Scalar(0), Scalar(0)
"""Slopes of what was overwritten: zeros made of nothing, or of the gradient with them put in."""


def slopes(roots):
    """Return, for each scalar that weighted roots depend on, the sum over all paths to it."""
    found, order = {}, {}
    stack = [root for root, _ in roots]
    while stack:
        scalar = stack.pop()
        if scalar.serial not in order:
            order[scalar.serial] = scalar
            stack += [source for source, _ in scalar.paths]
    for root, weight in roots:
        found[root.serial] = found[root.serial] + weight if root.serial in found else weight
    for serial in sorted(order, reverse=True):  # users are younger than what they use
        if serial not in found:
            continue
        for source, slope in order[serial].paths:
            part = through(found[serial], slope)
            known = found.get(source.serial)
            found[source.serial] = part if known is None else known + part
    return found


def through(weight, slope):
    """Return the part of a weight that a slope passes on."""
    if slope is NOTHING:
        return Scalar(0)
    return Scalar(0, [(weight, NOTHING)]) if slope is COVERED else weight * slope


def over(scalar, former, slope):
    """Return a scalar that was put in the place of another."""
    return Scalar(scalar.number, [(scalar, ONE), (former, slope)])


def array(scalars, shape):
    """Return scalars as an array of objects."""
    made = np.empty(len(scalars), object)
    made[:] = scalars
    return made.reshape(shape)


def same(x, y):
    return x == y or (x != x and y != y)  # noqa: PLR0124 - nan


def summed(scalars, dim):
    """Add scalars up, along one axis or all."""
    if dim is None:
        total = ZERO * ONE
        for each in scalars.reshape(-1):
            total = total + each
        made = np.empty((), object)
        made[()] = total
        return made
    moved = np.moveaxis(scalars, dim, 0)
    made = np.empty(moved.shape[1:], object)
    made[...] = ZERO
    for each in moved:
        made = made + each
    return made
