"""Products with jacobians and hessians: what they depend on, and what they are refused for."""

from itertools import product

import numpy as np
import pytest

from gradspec.conformance import claim, every, given
from gradspec.conformance.strategies import arrays, booleans

NO_WORKLOAD = "products are made of passes, which have workloads of their own"

ORDERS = {"vjp": 1, "jvp": 1, "jacobian": 1, "hvp": 2, "vhp": 2, "hessian": 2}
"""What torch.autograd.functional computes, and how often it differentiates for that."""

ALONG = ("vjp", "jvp", "hvp", "vhp")
"""Those that are given a direction."""


@claim("BWD-840", about="lookup", needs="backward gradients torch", level="contract")
@every(name=list(ORDERS))
@given(x=arrays(shape=(3,)), v=arrays(shape=(3,)), w=arrays(shape=(3,)))
def test_products_are_constant_unless_a_graph_is_made(be, name, x, v, w):
    """Nothing that torch.autograd.functional returns is recorded, whatever the point and the
    direction are, unless it is to make a graph: then it is differentiated by both of them.
    """
    order, call = ORDERS[name], be.lookup(f"torch.autograd.functional:{name}")
    by = [be.leaf(v)] if name in ALONG else []
    given, ones = [be.leaf(x), *by], np.ones(3)

    def function(z):
        return be.sum(z * z * z) if order == 2 else z * z * z

    def parts(**options):
        made = call(function, *given, **options)
        return made if isinstance(made, tuple) else (made,)

    assert not any(map(be.requires_grad, parts()))
    made = parts(create_graph=True)
    assert all(map(be.requires_grad, made))
    found = be.gradients(made[-1], given, be.tensor(w if by else np.diag(w)))
    terms = [6 * x, 3 * x * x] if order == 1 else [6 * ones, 6 * x]
    for gradient, term, factor in zip(found, terms, (v if by else ones, ones), strict=False):
        be.check_gradient(gradient, term * factor * w)


@claim("BWD-841", about="lookup", needs="torch", level="contract", widest=True)
@every(call=list(product(ORDERS, range(4))))
@given(x=arrays(shape=(3,)), v=arrays(shape=(3,)), strict=booleans(), recorded=booleans())
def test_strict_products_depend_on_their_point(be, call, x, v, strict, recorded):
    """A power of the point has the product by its derivative, which is zero where it does not
    depend on the point; told to be strict, torch.autograd.functional refuses it then, and where a
    graph is made that the product itself does not depend on the point.
    """
    (name, degree), by = call, [be.tensor(v)] if call[0] in ALONG else []
    order, compute = ORDERS[name], be.lookup(f"torch.autograd.functional:{name}")

    def function(z):
        y = [be.tensor(np.ones(3)), 2 * z, z * z, z * z * z][degree]
        return be.sum(y) if order == 2 else y

    if strict and degree < order + recorded:
        with pytest.raises(RuntimeError, match="strict mode"):
            compute(function, be.tensor(x), *by, strict=True, create_graph=recorded)
        return
    found = compute(function, be.tensor(x), *by, strict=strict, create_graph=recorded)
    slopes = [[0 * x, 0 * x + 2, 2 * x, 3 * x * x], [0 * x, 0 * x, 0 * x + 2, 6 * x]]
    true = slopes[order - 1][degree]
    be.check(found[1], true * v) if by else be.check(found, np.diag(true))


@claim("BWD-842", about="lookup", needs="torch", level="contract", widest=True)
@every(name=list(ORDERS))
@given(x=arrays(shape=(3,)))
def test_products_refuse_what_does_not_fit(be, name, x):
    """torch.autograd.functional refuses a direction of another shape than the point or the result
    has, another number of directions, a function of no tensor or that gives none, a hessian of what
    is not one number, and ways that there are not.
    """
    order, compute = ORDERS[name], be.lookup(f"torch.autograd.functional:{name}")
    point, refused = be.tensor(x), pytest.raises((RuntimeError, TypeError, AssertionError))

    def function(z):
        return be.sum(z * z) if order == 2 else z * z

    along, shapes = name in ALONG, [(2,), (1,), (), (1, 3), (3, 1)]
    others = [[be.tensor(np.ones(shape))] for shape in shapes]
    for wrong in (*others, [(point, point)], [3.0], []) if along else ():
        with refused:
            compute(function, point, *wrong)
    by = [point] if along else []
    results = [lambda _: 1.0, lambda z: [z]]
    if order == 2:
        results += [lambda z: z * z, lambda z: (be.sum(z * z), be.sum(z))]
    for result in results:
        with refused:
            compute(result, point, *by)
    with refused:
        compute(function, 3.0, *by)
    word = {"jacobian": "strategy", "hessian": "outer_jacobian_strategy"}.get(name)
    for options in (
        {word: "sideways"},
        {word: "forward-mode"},
        {"vectorize": True, "strict": True},
    ):
        if word:
            with refused:
                compute(function, point, **options)
