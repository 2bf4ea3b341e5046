"""Options of transforms: which arguments and axes, in how many pieces, and what else comes back."""

import numpy as np

from gradspec.conformance import Total, claim, example, given
from gradspec.conformance.strategies import (
    DENSE,
    arrays,
    booleans,
    integers,
    lists,
    sampled_from,
    tuples,
)

NO_WORKLOAD = "what a transform costs is measured on the workloads of what it transforms"


# ---- which arguments, which axes -----------------------------------------------------------------


@claim("TRF-521", about="lookup", needs="jacobians torch", level="contract")
@example(name="jacfwd", x=np.ones(3), y=np.ones(3), which=-1, several=False)
@given(
    name=sampled_from(["grad", "jacrev", "jacfwd", "hessian"]),
    x=arrays("row", shape=(3,), layouts=DENSE),
    y=arrays("row", shape=(3,), layouts=DENSE),
    which=integers(-2, 1),
    several=booleans(),
)
def test_arguments_are_counted_from_either_end(be, name, x, y, which, several):
    """The arguments by which grad, jacrev, jacfwd and hessian differentiate are counted from either
    end, whether one is named or several are.
    """

    def product(a, b):
        return a * a * b

    whole = name in ("grad", "hessian")
    made = be.lookup(f"torch.func:{name}")(
        (lambda a, b: be.sum(product(a, b))) if whole else product, (which,) if several else which
    )
    found = made(be.tensor(x), be.tensor(y))
    if several:
        (found,) = found[0] if name == "hessian" else found
    slopes = (2 * x * y, x * x)[which]
    curvature = np.diag((2 * y, 0 * x)[which])
    true = {"grad": slopes, "hessian": curvature}.get(name, np.diag(slopes))
    be.check(found, true)


@claim("TRF-600", about="lookup", needs="jacobians torch", level="contract")
@example(x=np.arange(1.0, 7.0).reshape(3, 2), which=[2, 0])
@given(
    x=arrays("x", shape=(3, 2), layouts=DENSE),
    which=lists(integers(0, 2), min_size=1, max_size=3, unique=True),
)
def test_arguments_are_named_in_any_order(be, x, which):
    """By several arguments grad, grad_and_value, jacrev, jacfwd and hessian differentiate in the
    order in which they are named, and return the derivatives in it.
    """
    a, b, c = x
    slopes = 2 * a * b, Total.of(a * a, c * c), 2 * b * c
    second = np.array([[2 * b, 2 * a, 0 * a], [2 * a, 0 * a, 2 * c], [0 * a, 2 * c, 2 * b]])
    aside = {(0, 1): np.eye(2, k=1), (1, 0): np.eye(2, k=-1)}

    def function(a, b, c):
        return a * a * b + b * c * c

    def derived(name, of):
        made = be.lookup(f"torch.func:{name}")(of, argnums=(*which,))
        return made(*(be.tensor(row) for row in x))

    def total(a, b, c):
        return be.sum(function(a, b, c))

    for found in (derived("grad", total), derived("grad_and_value", total)[0]):
        for each, n in zip(found, which, strict=True):
            be.check(each, slopes[n])
    for name in ("jacrev", "jacfwd"):
        for each, n in zip(derived(name, function), which, strict=True):
            be.check(be.diagonal(each), slopes[n])
    rows = derived("hessian", lambda a, b, c: total(a, b, c) + a[0] * b[1])
    for row, n in zip(rows, which, strict=True):
        for each, m in zip(row, which, strict=True):
            be.check(each, Total.of(np.diag(second[n][m]), aside.get((n, m), 0)))


@claim("TRF-560", about="lookup", needs="vmap jvp torch", level="contract")
@given(
    x=arrays("batch", shape=(3, 2), layouts=DENSE),
    y=arrays("batch", shape=(3, 2), layouts=DENSE),
    which=integers(-2, 1),
)
def test_arguments_count_alike_within_other_transforms(be, x, y, which):
    """Mapped, grad differentiates by the argument that it names; and jvp goes along the tangents of
    all of its arguments, mapped or differentiated.
    """
    grad, jvp, vmap = (be.lookup(f"torch.func:{name}") for name in ("grad", "jvp", "vmap"))

    def product(a, b):
        return a * a * b

    def along(a, b):
        return jvp(product, (a, b), (b, a))[1]

    points = be.tensor(x), be.tensor(y)
    by_one = vmap(grad(lambda a, b: be.sum(product(a, b)), argnums=which))
    be.check(by_one(*points), (2 * x * y, x * x)[which])
    be.check(vmap(along)(*points), Total.of(2 * x * y * y, x * x * x))
    again = grad(lambda a, b: be.sum(along(a, b)))
    be.check(again(*points), Total.of(2 * y * y, 3 * x * x))


@claim("TRF-350", about="lookup", needs="vmap torch", level="contract")
@example(x=np.arange(12.0).reshape(2, 3, 1, 2), taken=-3, put=-2)
@given(x=arrays("x", shape=(2, 3, 1, 2)), taken=integers(-4, 3), put=integers(-4, 3))
def test_mapped_axes_are_counted_from_either_end(be, x, taken, put):
    """Slices are taken along any axis and put together along any, which may be numbered from the
    end. What is of no slice and is to be put along no axis comes as it is, and a number that is
    given by name is handed on.
    """
    shape = np.delete(x.shape, taken)
    weights = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    vmap, factor = be.lookup("torch.func:vmap"), be.tensor(weights)
    true = np.moveaxis(np.moveaxis(x, taken, 0) * weights, 0, put)
    be.check(vmap(lambda part: part * factor, in_dims=taken, out_dims=put)(be.tensor(x)), true)
    beside = vmap(lambda part: (part * factor, factor * 2), in_dims=taken, out_dims=(put, None))
    for found, value in zip(beside(be.tensor(x)), (true, weights * 2), strict=True):
        be.check(found, value)
    named = vmap(lambda part, by: part * by, in_dims=taken)(be.tensor(x), by=5.0)
    be.check(named, np.moveaxis(x, taken, 0) * 5)


# ---- in pieces, and beside a result --------------------------------------------------------------


@claim("TRF-340", about="lookup", needs="vmap jacobians gradients torch", level="contract")
@example(x=np.ones((5, 2)), y=np.ones((5, 2)), w=np.ones((5, 2)), size=2, first=0, outs=(1, -2))
@given(
    x=arrays("x", shape=(5, 2), layouts=DENSE),
    y=arrays("y", shape=(5, 2), layouts=DENSE),
    w=arrays("cotangent", shape=(5, 2)),
    size=integers(1, 11),
    first=integers(0, 1),
    outs=tuples(integers(0, 1), integers(-2, 1)),
)
def test_a_whole_is_computed_in_pieces(be, x, y, w, size, first, outs):
    """Mapped over a few slices at a time, or differentiated by a few rows at a time, a function has
    the results, their gradients, and of each by each of its arguments the matrix of derivatives,
    that it has at once.
    """
    at, other = be.leaf(x), be.leaf(y)
    mapped = be.lookup("torch.func:vmap")(
        lambda a, b: (a * a * b, a * b), in_dims=first, out_dims=outs, chunk_size=size
    )
    slopes = ((2 * x * y, x * x), (y, x))
    found = zip(mapped(at, other), (x * x * y, x * y), slopes, outs, strict=True)
    for result, true, rules, out in found:
        be.check(result, np.moveaxis(true, first, out))
        cotangent = be.tensor(np.moveaxis(w, first, out).copy())
        for gradient, rule in zip(be.gradients(result, [at, other], cotangent), rules, strict=True):
            be.check(gradient, w * rule)
    row = be.leaf(y.take(0, first))
    beside = be.lookup("torch.func:vmap")(be.mul, in_dims=(first, None), chunk_size=size)(at, row)
    be.check(beside, np.moveaxis(x * y.take([0], first), first, 0))
    (gradient,) = be.gradients(beside, [row], be.tensor(np.moveaxis(w, first, 0).copy()))
    be.check(gradient, Total.along(w * x, first))
    units = np.eye(10).reshape(5, 2, 5, 2)
    jacobians = be.lookup("torch.func:jacrev")(
        lambda a, b: (a * a * b, a[0] * b[0]), argnums=(0, 1), chunk_size=size
    )
    whole, first_row = jacobians(at, other)
    alone = be.lookup("torch.func:jacrev")(lambda a: a * a * a, chunk_size=size)(at)
    be.check(alone, units * (3 * x * x))
    for found, true in zip(whole, (2 * x * y, x * x), strict=True):
        be.check(found, units * true, "matrix of derivatives")
    for found, true in zip(first_row, (y, x), strict=True):
        be.check(found, units[0] * true, "matrix of derivatives of the second result")


@claim("TRF-520", about="lookup", needs="jacobians jvp torch", level="contract")
@given(
    x=arrays("row", shape=(3,), layouts=DENSE),
    y=arrays("row", shape=(3,), layouts=DENSE),
    v=arrays("row", shape=(3,)),
    which=integers(0, 1),
    named=booleans(),
)
def test_what_else_a_function_returns_comes_back(be, x, y, v, which, named):
    """With has_aux vjp, jvp, jacrev and jacfwd hand back what else a function returns, as it
    is and in whatever it stands, beside the derivative of the first result.
    """
    given, direction = [be.tensor(x), be.tensor(y)], be.tensor(v)

    def function(a, b):
        return a * a * b, ({"sum": a + b} if named else (a + b,))

    slopes = (2 * x * y, x * x)
    value, pull, beside = be.lookup("torch.func:vjp")(function, *given, has_aux=True)
    for factor in (1, 2):
        for gradient, slope in zip(pull(direction * factor), slopes, strict=True):
            be.check(gradient, factor * v * slope)
    others = [beside]
    one, tangent, beside = be.lookup("torch.func:jvp")(
        function, tuple(given), (direction, direction), has_aux=True
    )
    be.check(tangent, Total.of(v * slopes[0], v * slopes[1]))
    for found in (value, one):
        be.check(found, x * x * y)
    others.append(beside)
    for name in ("jacrev", "jacfwd"):
        made = be.lookup(f"torch.func:{name}")(function, argnums=which, has_aux=True)
        matrix, beside = made(*given)
        be.check(matrix, np.diag(slopes[which]))
        others.append(beside)
    for each in others:
        (total,) = each.values() if named else each
        be.check(total, x + y)


@claim("TRF-720", about="lookup", needs="jacobians jvp torch", level="contract")
@given(
    x=arrays("row", shape=(3,), layouts=DENSE),
    y=arrays("row", shape=(3,), layouts=DENSE),
    v=arrays("row", shape=(3,)),
    w=arrays("row", shape=(3,)),
    kind=sampled_from(["dict", "list", "tuple"]),
)
def test_arguments_and_results_may_stand_in_anything(be, x, y, v, w, kind):
    """An argument or a result may be a list, a tuple or a dictionary of tensors: in the same, and
    in this order, stand gradients, tangents, matrices of derivatives, and which axes are mapped.
    """
    func = be.lookup("torch.func")

    def pack(a, b):
        return {"dict": {"a": a, "b": b}, "list": [a, b], "tuple": (a, b)}[kind]

    def unpack(both):
        assert type(both).__name__ == kind
        return [both["a"], both["b"]] if kind == "dict" else both

    def function(both):
        a, b = unpack(both)
        return pack(a * b, a * a)

    def form(both):
        a, b = unpack(both)
        return be.sum(a * a * b)

    point, along, back = (pack(*map(be.tensor, each)) for each in ((x, y), (v, w), (w, v)))
    values, pull = func.vjp(function, point)
    same, tangents = func.jvp(function, (point,), (along,))
    (pulled,), gradients = pull(back), func.grad(form)(point)
    for found, *true in (
        (values, x * y, x * x),
        (same, x * y, x * x),
        (pulled, Total.of(w * y, 2 * v * x), w * x),
        (tangents, Total.of(v * y, w * x), 2 * x * v),
        (gradients, 2 * x * y, x * x),
        (func.grad_and_value(form)(point)[0], 2 * x * y, x * x),
        (func.vmap(function)(point), x * y, x * x),
        (func.vmap(function, in_dims=(pack(0, None),))(point), np.outer(x, y), x * x),
    ):
        for each, value in zip(unpack(found), true, strict=True):
            be.check(each, value)
    for name, f, true in (
        ("jacrev", function, ((y, x), (2 * x, 0 * x))),
        ("jacfwd", function, ((y, x), (2 * x, 0 * x))),
        ("hessian", form, ((2 * y, 2 * x), (2 * x, 0 * x))),
    ):
        for row, of_row in zip(unpack(getattr(func, name)(f)(point)), true, strict=True):
            for each, value in zip(unpack(row), of_row, strict=True):
                be.check(each, np.diag(value), name)
