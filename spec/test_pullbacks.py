"""Gradients as functions of the same arguments, and functions that have a pullback of their own."""

from itertools import chain, combinations, product

import numpy as np

from gradspec.conformance import Total, claim, every, example, given
from gradspec.conformance.strategies import DENSE, arrays

NO_WORKLOAD = "what a transform costs is measured on the workloads of what it transforms"


# ---- gradients as functions ----------------------------------------------------------------------


@claim("TRF-700", about="gradient_of", needs="gradient_functions")
@example(x=np.arange(1.0, 7.0).reshape(3, 2), which=(0, 1))
@example(x=np.arange(1.0, 7.0).reshape(3, 2), which=(0, 2))
@every(which=tuple(chain(*(combinations(range(3), n) for n in (2, 3)))))
@given(x=arrays("x", shape=(3, 2), layouts=DENSE))
def test_gradients_are_functions(be, x, which):
    """The gradient of a number is a function of the same arguments, by one of them or by several,
    with the number before it on request, or with what else is returned after it.
    """
    a, b, c = x
    slopes = 2 * a * b, Total.of(a * a, c * c), 2 * b * c
    rows, last = [be.tensor(row) for row in x], which[-1]

    def total(a, b, c):
        return be.sum(a * a * b + b * c * c)

    be.check(be.gradient_of(total, last)(*rows), slopes[last])
    value, gradient = be.value_and_gradient_of(total, last)(*rows)
    be.check(value, Total.along(np.append(a * a * b, b * c * c), 0))
    be.check(gradient, slopes[last])
    other, gradients = be.value_and_gradient_of(total, which)(*rows)
    be.same(other, value)
    for several in (be.gradient_of(total, which)(*rows), gradients):
        for each, n in zip(several, which, strict=True):
            be.check(each, slopes[n])
    beside = be.gradient_and_rest_of(lambda *each: (total(*each), each[0] * each[2]), last)
    gradient, rest = beside(*rows)
    be.check(gradient, slopes[last])
    be.check(rest, a * c)


@claim("TRF-701", about="gradient_of", needs="gradient_functions create_graph")
@example(x=np.arange(1.0, 7.0).reshape(3, 2), places=(1, 0))
@example(x=np.arange(1.0, 7.0).reshape(3, 2), places=(0, 1))
@every(places=tuple(product(range(3), repeat=2)))
@given(x=arrays("x", shape=(3, 2), layouts=DENSE))
def test_gradients_of_gradients(be, x, places):
    """A gradient is differentiated like any other function, by any argument after any other."""
    a, b, c = x
    second = [[2 * b, 2 * a, 0 * a], [2 * a, 0 * a, 2 * c], [0 * a, 2 * c, 2 * b]]
    inner, outer = places
    slope = be.gradient_of(lambda a, b, c: be.sum(a * a * b + b * c * c), inner)
    found = be.gradient_of(lambda *rows: be.sum(slope(*rows)), outer)(*map(be.tensor, x))
    be.check(found, second[inner][outer])


# ---- a pullback of one's own ---------------------------------------------------------------------


@claim("FUN-700", about="with_pullback", needs="vjp rules")
@example(x=2.0, y=3.0, w=1.0)
@given(x=arrays(), y=arrays(), w=arrays())
def test_a_function_may_have_a_pullback_of_its_own(be, x, y, w):
    """A function that is given a pullback keeps its values and has the gradients of the pullback,
    for each argument its own; they add up where it is called twice, or twice with one argument.
    """
    other = be.tensor(y)
    ruled = be.with_pullback(lambda a, b: a * b, lambda at, g: (g * at[1] * 3, g * at[0] * 5))
    value, pull = be.vjp(ruled, x, y)
    by_x, by_y = pull(w)
    be.check(value, x * y)
    be.check(by_x, 3 * w * y)
    be.check(by_y, 5 * w * x)
    _, pull = be.vjp(lambda a: ruled(a, a) + ruled(a, other), x)
    be.check(*pull(w), Total.of(8 * w * x, 3 * w * y))


@claim("FUN-701", about="with_pullback", needs="vjp create_graph rules")
@example(x=3.0, w=1.0, v=1.0)
@given(x=arrays(), w=arrays(), v=arrays())
def test_the_derivative_of_a_pullback_of_ones_own(be, x, w, v):
    """Second derivatives of a function with a pullback of its own are derivatives of that."""
    weights = be.tensor(w)
    ruled = be.with_pullback(lambda a: a * 7, lambda at, g: (g * at[0] * at[0],))
    first, pull = be.vjp(lambda a: be.vjp(ruled, a, create_graph=True)[1](weights)[0], x)
    be.check(first, w * x * x)
    be.check(*pull(v), 2 * v * w * x)


@claim("FUN-702", about="with_pullback", needs="vmap transforms rules")
@example(x=np.ones((3, 2)), y=np.full((3, 2), 2.0), w=np.arange(6.0).reshape(3, 2))
@given(
    x=arrays("batch", shape=(3, 2), layouts=DENSE),
    y=arrays("batch", shape=(3, 2), layouts=DENSE),
    w=arrays("cotangent", shape=(3, 2), layouts=DENSE),
)
def test_a_pullback_of_ones_own_is_mapped(be, x, y, w):
    """Mapped, a pullback of one's own gives each slice its gradients."""
    ruled = be.with_pullback(lambda a, b: a * b, lambda at, g: (g * at[1] * 3, g * at[0] * 5))
    for place, true in enumerate((3 * w * y, 5 * w * x)):
        pulled = be.vmap(lambda a, b, g, n=place: be.pulled(ruled, [a, b], g)[n], (0, 0, 0))
        be.check(pulled(*map(be.tensor, (x, y, w))), true)
