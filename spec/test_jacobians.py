"""Jacobians: whole ones, and products with them."""

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, every, example, given
from gradspec.conformance.strategies import DENSE, arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.saving import SAVING
from gradspec.conformance.table.derivatives import POINT, PROGRAMS, derivatives

NO_WORKLOAD = "products are made of passes, which have workloads of their own"

# ---- jacobians, and products with them -----------------------------------------------------------


@claim(
    "BWD-18",
    "BWD-58",
    about="jacobian",
    needs="backward gradients jacobian pow log cos tanh sqrt abs "
    "relu sigmoid maximum minimum clamp where prod amax amin logsumexp softmax log_softmax gather "
    "scatter scatter_add",
)
@every(operation=SAVING)
def test_a_jacobian_stacks_gradients(be, operation):
    """The Jacobian is available whole, and holds the gradients for cotangents that are one in a
    single place, stacked: all partial derivatives.
    """
    jacobian = be.jacobian(lambda x: SAVING[operation](be, x), be.tensor(POINT))
    be.check(jacobian, derivatives(operation, POINT))
    whole = be.numpy(jacobian)
    for place in np.ndindex(whole.shape[:-2]):
        leaf = be.leaf(POINT)
        cotangent = np.zeros(whole.shape[:-2])
        cotangent[place] = 1
        (row,) = be.gradients(PROGRAMS[operation](be, leaf), [leaf], be.tensor(cotangent))
        be.check(row, whole[place])


@claim("BWD-30", about="jacobian", needs="jacobian")
@example(x=np.array([[1.0, 2.0], [-1.0, 0.5]]), m=np.array([[1.0, 2.0], [0.5, -3.0]]))
@given(
    x=arrays("x", shape=(3, 2)) | arrays("x", shape=(3, 3)),
    m=arrays("matrix", shape=(4, 3)) | arrays("matrix", shape=(3, 3)),
)
def test_outputs_index_a_jacobian_first(be, x, m):
    """A Jacobian has the output's dimensions first and the input's last: the entry at (i, j) is the
    derivative of output i by input j.
    """
    jacobian = be.jacobian(lambda z: be.matmul(m, z * z), be.tensor(x))
    be.check(jacobian, np.einsum("ij,jl,kl->ikjl", m, 2 * x, np.eye(x.shape[1])))


@claim("BWD-103", about="lookup", needs="torch matmul", level="contract")
@given(x=arrays("x", shape=(3,), layouts=DENSE), m=arrays("matrix", shape=(4, 3)))
def test_all_ways_to_a_jacobian_agree(be, x, m):
    """jacrev, jacfwd, functional.jacobian and gradients for a batch of cotangents give all partial
    derivatives; hessian gives those of the gradient. A batch frees the graph as one cotangent does,
    is refused what is unused, and is differentiated where it is recorded.
    """

    def function(z):
        return be.matmul(m, z * z)

    point, leaf = be.tensor(x), be.leaf(x)
    found = [be.lookup(f"torch.func:{name}")(function)(point) for name in ("jacrev", "jacfwd")]
    found.append(be.lookup("torch.autograd.functional:jacobian")(function, point))
    batch = {"grad_outputs": be.tensor(np.eye(4)), "is_grads_batched": True}
    y, grad = function(leaf), be.lookup("torch.autograd:grad")
    found += grad(y, leaf, **batch)
    with be.raises(ErrorKind.FREED_GRAPH):
        grad(y, leaf, **batch)
    with be.raises(ErrorKind.UNREACHABLE):
        grad(function(leaf), [leaf, be.leaf(x)], **batch)
    (recorded,) = grad(function(leaf), leaf, **batch, create_graph=True)
    be.check(grad(recorded.sum(), leaf)[0], Total.along(2 * m, 0))
    found.append(recorded)
    for jacobian in found:
        be.check(jacobian, 2 * m * x)
    curvature = be.lookup("torch.func:hessian")(lambda z: be.sum(function(z)))(point)
    be.check(curvature, Total.along(2 * m[:, :, None] * np.eye(3), 0))


@claim("BWD-181", about="lookup", needs="torch matmul", level="contract")
@given(
    x=arrays("x", shape=(3,), layouts=DENSE),
    m=arrays("matrix", shape=(4, 3)),
    v=arrays("direction", shape=(3,)),
    w=arrays("cotangent", shape=(4,)),
)
def test_products_with_a_jacobian_are_functional(be, x, m, v, w):
    """torch.autograd.functional multiplies by the jacobian and the hessian from either side, and
    gives the same ones vectorized and by forward mode. With create_graph what it returns is
    differentiated; with strict a function that leaves its input unused is refused.
    """

    def function(z):
        return be.matmul(m, z * z)

    def form(z):
        return be.sum(be.matmul(m, z) * be.matmul(m, z))

    functional, point, leaf = be.lookup("torch.autograd.functional"), be.tensor(x), be.leaf(x)
    left, right = be.tensor(w), be.tensor(v)
    be.check(functional.vjp(function, point, left)[1], Total.along(2 * w[:, None] * m * x, 0))
    be.check(functional.jvp(function, point, right)[1], Total.along(2 * m * x * v, 1))
    # A number needs no cotangent: the gradient of |m x|^2 is 2 m^T m x.
    slopes = (2 * m[:, :, None] * m[:, None, :] * x).transpose(0, 2, 1).reshape(12, 3)
    be.check(functional.vjp(form, point)[1], Total.along(slopes, 0))
    forward = {"vectorize": True, "strategy": "forward-mode"}
    for options in ({"vectorize": True}, forward, {"create_graph": True}):
        found = functional.jacobian(function, leaf, **options)
        be.check(found, 2 * m * x)
    be.check(be.gradients(be.sum(found), [leaf])[0], Total.along(2 * m, 0))
    squares = 2 * m[:, :, None] * m[:, None, :]
    for hessian in (functional.hessian, be.lookup("torch.func:hessian")):
        curvature = hessian(form, point) if hessian is functional.hessian else hessian(form)(point)
        be.check(curvature, Total.along(squares, 0))
    terms = (squares * v).transpose(0, 2, 1).reshape(12, 3)
    for product, f, by, own in (
        (functional.vjp, function, left, Total.along(2 * w[:, None] * m, 0)),
        (functional.jvp, function, right, Total.along(2 * m * v, 0)),
        (functional.hvp, lambda z: be.sum(z * z * z), right, 6 * v),
        (functional.vhp, lambda z: be.sum(z * z * z), right, 6 * v),
    ):
        for recorded in (False, True):
            found = product(f, leaf, by, create_graph=recorded)[1]
            assert be.requires_grad(found) is recorded
        be.check(be.gradients(be.sum(found), [leaf])[0], own)
    for product in (functional.hvp, functional.vhp):
        be.check(product(form, point, right)[1], Total.along(terms, 0))
        with pytest.raises(RuntimeError, match="strict mode"):
            product(lambda _: be.tensor(1.0), point, right, strict=True)
    for matrix, *by in (
        (functional.vjp, left),
        (functional.jvp, right),
        (functional.jacobian,),
    ):
        with pytest.raises(RuntimeError, match="strict mode"):
            matrix(lambda _: be.tensor(w), point, *by, strict=True)


@claim("BWD-730", about="lookup", needs="torch inplace mul_", level="contract")
@example(name="vjp", recorded=True, a=1, b=2, c=1, d=-1)
@given(
    name=sampled_from(["vjp", "jvp", "jacobian", "hessian", "hvp", "vhp"]),
    recorded=booleans(),
    a=integers(-2, 2),
    b=integers(-2, 2),
    c=integers(-2, 2),
    d=integers(-2, 2),
)
def test_products_with_a_jacobian_of_what_is_written(be, name, recorded, a, b, c, d):
    """Of a function that writes into its argument torch.autograd.functional gives the derivatives
    by what it was given, and leaves that as it is, or it refuses the function.
    """
    product = be.lookup("torch.autograd.functional:" + name)
    x, v = np.array([a, b], float), np.array([c, d], float)
    point, slope = be.leaf(x) * 1 if recorded else be.tensor(x), 18 * x
    by, true = {
        "vjp": ((), slope),
        "jvp": ((be.tensor(v),), (slope * v).sum()),
        "jacobian": ((), slope),
        "hessian": ((), 18 * np.eye(2)),
    }.get(name, ((be.tensor(v),), 18 * v))

    def function(z):
        z = be.mul_(z, 3)
        return be.sum(z * z)

    try:
        found = product(function, point, *by, create_graph=recorded)
    except RuntimeError:
        return
    found = found[1] if isinstance(found, tuple) else found
    kind = "written with a graph" if recorded else "written"
    be.same(be.detach(found), true, kind)
    be.same(be.detach(point), x, kind)


@claim("BWD-340", about="lookup", needs="torch", level="contract")
@given(
    points=arrays("points", shape=(2, 3), layouts=DENSE),
    v=arrays("directions", shape=(2, 3), layouts=DENSE),
    w=arrays("cotangents", shape=(2, 3), layouts=DENSE),
)
def test_products_with_the_jacobian_of_several_arguments(be, points, v, w):
    """With several arguments and results the products of torch.autograd.functional take a direction
    for each argument or a cotangent for each result, and give as many parts.
    """
    functional = be.lookup("torch.autograd.functional")
    (x, y), (right, left) = points, v
    both, along, back = (tuple(map(be.tensor, each)) for each in (points, v, w))
    (product, square), form = (x * y, x * x), Total.of(w[0] * y, 2 * w[1] * x)
    values, pulled = functional.vjp(lambda a, b: (a * b, a * a), both, back)
    _, pushed = functional.jvp(lambda a, b: (a * b, a * a), both, along)
    slope = Total.of(right * y, x * left)
    for found, true in zip(
        (*values, *pulled, *pushed),
        (product, square, form, w[0] * x, slope, 2 * x * right),
        strict=True,
    ):
        be.check(found, true)
    for bend in (functional.hvp, functional.vhp):
        _, parts = bend(lambda a, b: be.sum(a * a * b), both, along)
        be.check(parts[0], Total.of(2 * y * right, 2 * x * left))
        be.check(parts[1], 2 * x * right)


@claim("BWD-521", about="lookup", needs="torch", level="contract")
@example(points=np.arange(1.0, 7.0).reshape(2, 3), ahead=True, vectorize=True)
@given(points=arrays("points", shape=(2, 3), layouts=DENSE), ahead=booleans(), vectorize=booleans())
def test_jacobians_of_several_arguments(be, points, ahead, vectorize):
    """Of several arguments and results the jacobian of torch.autograd.functional has a part for
    each pair of them, and the hessian one for each pair of arguments, vectorized or not, by forward
    mode or not. Of a single one it has no list; and it has a gradient, where it is told so.
    """
    functional, (x, y) = be.lookup("torch.autograd.functional"), points
    both = tuple(map(be.tensor, points))
    strategy = "forward-mode" if ahead and vectorize else "reverse-mode"
    first = functional.jacobian(
        lambda a, b: (a * b, a * a), both, vectorize=vectorize, strategy=strategy
    )
    second = functional.hessian(
        lambda a, b: be.sum(a * a * b),
        both,
        vectorize=vectorize,
        outer_jacobian_strategy=strategy,
    )
    told = {"vectorize": vectorize, "strategy": strategy}
    single = functional.jacobian(lambda a, b: a * a * b, both, **told)
    alone = functional.hessian(
        lambda a: be.sum(a * a * a), both[0], vectorize=vectorize, outer_jacobian_strategy=strategy
    )
    at = be.leaf(x)
    bent = functional.hessian(lambda a: be.sum(a * a * a), at, create_graph=True)
    (third,) = be.gradients(bent, [at], be.tensor(np.eye(3)))
    be.check(third, np.full(3, 6.0))
    zero = 0 * x
    for found, true in (
        (first, ((y, x), (2 * x, zero))),
        (second, ((2 * y, 2 * x), (2 * x, zero))),
        ((single,), ((2 * x * y, x * x),)),
        (((alone,),), ((6 * x,),)),
    ):
        for row, entries in zip(found, true, strict=True):
            for part, slopes in zip(row, entries, strict=True):
                be.check(part, np.diag(slopes))


@claim("BWD-401", about="lookup", needs="torch", level="contract")
@given(
    x=arrays("x", shape=(2,), layouts=DENSE),
    y=arrays("y", shape=()),
    v=arrays("x", shape=(2,)),
    w=arrays("y", shape=()),
)
def test_each_result_has_a_jacobian_by_each_argument(be, x, y, v, w):
    """The Jacobian of each of several results by each of several arguments has the axes of the
    result and then those of the argument, and is zero where it is unused, by each way to compute
    it; so are the blocks of a hessian.
    """
    functional, func = be.lookup("torch.autograd.functional"), be.lookup("torch.func")
    given, unused, whole = [*map(be.tensor, (x, y, np.ones(3)))], np.zeros(3), (0, 1, 2)

    def function(a, b, _):
        return a * b, b * b

    def form(a, b, _):
        return be.sum(a * a * b)

    jacobians = [(y * np.eye(2), x, np.zeros((2, 3))), (0 * x, 2 * y, unused)]
    blocks = [
        (2 * y * np.eye(2), 2 * x, np.zeros((2, 3))),
        (2 * x, 0 * y, unused),
        (np.zeros((3, 2)), unused, np.zeros((3, 3))),
    ]
    vectorized, forward = {"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}
    found = [functional.jacobian(function, tuple(given), **o) for o in ({}, vectorized, forward)]
    found += [func.jacrev(function, whole)(*given), func.jacfwd(function, whole)(*given)]
    forward = {"vectorize": True, "outer_jacobian_strategy": "forward-mode"}
    curved = [functional.hessian(form, tuple(given), **o) for o in ({}, vectorized, forward)]
    curved.append(func.hessian(form, whole)(*given))
    for matrices, true in (*((m, jacobians) for m in found), *((m, blocks) for m in curved)):
        for row, wanted in zip(matrices, true, strict=True):
            for matrix, each in zip(row, wanted, strict=True):
                be.check(matrix, each)
    be.check(func.hessian(lambda _, a: form(a, given[1], _), 1)(given[2], given[0]), blocks[0][0])
    _, pulled = functional.vjp(function, tuple(given), (be.tensor(v), be.tensor(w)))
    own = Total.along(np.append(v * x, 2 * w * y), 0)
    for gradient, true in zip(pulled, (v * y, own, unused), strict=True):
        be.check(gradient, true)
