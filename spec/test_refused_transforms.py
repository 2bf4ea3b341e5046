"""Refused transforms: arguments, axes and tangents that derivatives and maps are not taken by."""

from itertools import product

import numpy as np
import pytest

from gradspec.conformance import claim, every, given
from gradspec.conformance.strategies import DENSE, arrays, sampled_from

NO_WORKLOAD = "what is refused takes no time"

REFUSED = (RuntimeError, ValueError, TypeError, IndexError, AttributeError)

DERIVATIVES = ("grad", "grad_and_value", "jacrev", "jacfwd", "hessian")

OF_MAPS = {
    "in_dims": ((0, -1, (0,)), (1, -2, None, (0, 0), (), "a", 1.0)),
    "out_dims": ((0, -1, (0,)), (1, -2, None, (0, 0), "a", 1.0)),
    "randomness": (("error", "different", "same"), ("other", "")),
    "chunk_size": ((None, 1, 2, 5), (0, -1)),
}
"""Options of maps over a vector, and what they may and may not be."""


@claim("TRF-840", about="lookup", needs="torch", level="contract", widest=True)
@every(name=DERIVATIVES)
@given(x=arrays(shape=(3,), layouts=DENSE))
def test_derivatives_are_taken_by_arguments_that_there_are(be, name, x):
    """A derivative is taken by one argument or by several, counted from either end, all of which
    there are and none of which is named twice; and, where a pair is asked for, of its first part.
    """
    derive, point = be.lookup(f"torch.func:{name}"), be.tensor(x)

    def square(a, b):
        return be.sum(a * a * b)

    for argnums in (0, 1, -1, (0,), (0, 1), (1, -2)):
        assert derive(square, argnums=argnums)(point, point) is not None
    for argnums in (2, -3, (0, 0), (0, -2), (0, 2), (), "a", 1.0, [0]):
        with pytest.raises(REFUSED):
            derive(square, argnums=argnums)(point, point)
    if name != "hessian":
        assert derive(lambda a: (square(a, a), a), has_aux=True)(point) is not None
        for wrong in (lambda a: square(a, a), lambda a: (square(a, a), a, a)):
            with pytest.raises(REFUSED):
                derive(wrong, has_aux=True)(point)


@claim("TRF-841", about="lookup", needs="torch", level="contract", widest=True)
@every(name=DERIVATIVES)
@given(x=arrays(shape=(3,), layouts=DENSE))
def test_derivatives_are_of_real_numbers(be, name, x):
    """A derivative by what is no tensor of real numbers, or of what is none, is refused; so is a
    gradient of more than one number, or of one that has an axis.
    """
    derive, point = be.lookup(f"torch.func:{name}"), be.tensor(x)
    for wrong in (be.tensor(x.astype(int)), be.tensor(x.astype(complex)), 2.0):
        with pytest.raises(REFUSED):
            derive(lambda a: be.sum(a * a))(wrong)
    results = [lambda _: 2.0, lambda a: be.sum(a * a) * 1j]
    if "grad" in name:
        results += [lambda a: a * a, lambda a: be.sum(a * a)[None]]
    for result in results:
        with pytest.raises(REFUSED):
            derive(result)(point)


@claim("TRF-842", about="lookup", needs="torch", level="contract", widest=True)
@every(option=list(OF_MAPS))
@given(x=arrays(shape=(3,), layouts=DENSE))
def test_maps_are_over_axes_that_there_are(be, option, x):
    """A map is over an axis that there is, of each tensor, in parts of at least one slice; what it
    maps returns tensors. Anything else is refused.
    """
    vmap, point = be.lookup("torch.func:vmap"), be.tensor(x)
    legal, wrong = OF_MAPS[option]
    for value in legal:
        be.same(vmap(lambda a: a * 1, **{option: value})(point), point)
    for value in wrong:
        with pytest.raises(REFUSED):
            vmap(lambda a: a * 1, **{option: value})(point)
    for told in ((), (2.0,), (be.tensor(1.0),), (point, be.tensor(np.ones(2)))):
        with pytest.raises(REFUSED):
            vmap(lambda *a: a[0] * 1)(*told)
    with pytest.raises(REFUSED):
        vmap(lambda _: 2.0)(point)


@claim("TRF-843", about="lookup", needs="torch", level="contract", widest=True)
@every(case=list(product(("vjp", "jvp", "linearize"), [(2,), (), (1,), (1, 3), (3, 1)])))
@given(x=arrays(shape=(3,), layouts=DENSE), count=sampled_from([0, 2]))
def test_tangents_have_the_shape_of_their_tensor(be, case, x, count):
    """A cotangent has the shape of the result, and a tangent that of its tensor, and there are as
    many as there are of these: anything else is refused, what could be broadcast as well.
    """
    name, shape = case
    transform, point = be.lookup(f"torch.func:{name}"), be.tensor(x)

    def moved(*tangents):
        if name == "jvp":
            return transform(lambda a: a * a, (point,), tangents)
        return transform(lambda a: a * a, point)[1](*tangents)

    assert moved(point) is not None
    for wrong in ([be.tensor(np.ones(shape))], [point] * count):
        with pytest.raises(REFUSED):
            moved(*wrong)
