"""Cotangents: what backward starts from, and what it makes of it."""

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, every, example, given, workload
from gradspec.conformance.strategies import (
    DENSE,
    NONZERO,
    arrays,
    booleans,
    integers,
    sampled_from,
)
from gradspec.conformance.strategies.saving import SAVING
from gradspec.conformance.strategies.shaping import other_shapes
from gradspec.conformance.table.derivatives import POINT, PROGRAMS, derivatives
from gradspec.conformance.truth.oracles.jets import Jet

# ---- the product with the Jacobian ---------------------------------------------------------------


@workload
def weighted_squares(be, leaf, weights=2.0):
    """The gradient of squares for a cotangent."""
    be.backward(leaf * leaf, be.mul(be.detach(leaf), 0) + weights)
    return be.grad(leaf)


@claim("BWD-12", "BWD-56", about="vjp", needs="vjp")
@given(x=arrays("x", shape=(3,)), m=arrays("matrix", shape=(4, 3)), v=arrays("v", shape=(4,)))
def test_backward_multiplies_the_jacobian_from_the_left(be, x, m, v):
    """The gradient of f for a cotangent v is v^T J, J being the Jacobian of f: the gradient of the
    scalar that weighs f(x) with v.
    """
    _, pull = be.vjp(lambda z: be.matmul(m, z * z), x)
    _, pull_scalar = be.vjp(lambda z: be.sum(be.mul(v, be.matmul(m, z * z))), x)
    for gradient in (*pull(v), *pull_scalar(np.array(1.0))):
        be.check(gradient, Total.along(v[:, None] * m * 2 * x, 0))


@claim("BWD-16", about="vjp", needs="vjp")
@example(x=np.array([[1.0, 2.0, 3.0, 4.0]]), v=np.array([[0.1, 1.0, 10.0, 0.001]]))
@given(x=arrays(), v=arrays())
def test_a_cotangent_weighs_entry_by_entry(be, x, v):
    """Every entry of a cotangent weighs the component in its place, and no other."""
    _, pull = be.vjp(lambda z: z * z, x)
    be.check(pull(v)[0], Jet.given(v) * 2 * x)


@claim("BWD-14", about="vjp", needs="vjp stack")
@example(x=np.array([1.0, 2.0]), v=np.ones(3))
@given(x=arrays(), v=arrays("v", shape=(3,)))
def test_several_losses_share_one_gradient(be, x, v):
    """A vector of losses has one gradient in the shape of the input: the sum of theirs, each
    weighted by its entry of the cotangent.
    """

    def losses(z):
        square = z * z
        return be.stack([be.sum(z), be.sum(square), be.sum(square * z)])

    _, pull = be.vjp(losses, x)
    be.check(pull(v)[0], Total.of(v[0], v[1] * 2 * x, v[2] * 3 * x**2))


@claim("BWD-17", about="vjp", needs="vjp")
@given(x=arrays(), v=arrays(), w=arrays(), factors=arrays("factors", shape=(2,)))
def test_gradients_are_linear_in_the_cotangent(be, x, v, w, factors):
    """The gradient for the cotangent a v + b w is a times that for v plus b times that for w,
    however nonlinear the function; a cotangent of zeros gives zeros.
    """
    a, b = factors.tolist()
    _, pull = be.vjp(be.sin, x)
    for_v, for_w, for_both, for_zero = (pull(c)[0] for c in (v, w, a * v + b * w, 0 * v))
    be.check(for_both, Total.of(a * be.numpy(for_v), b * be.numpy(for_w)))
    be.check(for_zero, np.zeros(x.shape))


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


# ---- the cotangent that is left out --------------------------------------------------------------


@claim("BWD-05", "BWD-53", "DYN-57", about="backward", needs="backward gradients", level="contract")
@given(
    shape=sampled_from([(0,), (2,), (0, 3), (2, 1), (2, 3)]),
    rank=integers(0, 3),
    x=arrays("one", shape=()),
)
def test_only_one_element_needs_no_cotangent(be, shape, rank, x):
    """Without a cotangent backward takes a result of exactly one element, of any rank, and refuses
    one of no elements or of several.
    """
    single, several = be.leaf(x.reshape((1,) * rank)), be.leaf(np.full(shape, x))
    be.backward(single * single)
    be.check(be.grad(single), 2 * x.reshape((1,) * rank))
    for refused in (be.backward, lambda y: be.gradients(y, [several])):
        with be.raises(ErrorKind.NONSCALAR_BACKWARD):
            refused(several * several)
    assert be.grad(several) is None


@claim("BWD-101", about="backward", needs="torch gradients", level="contract")
@given(x=arrays("one", shape=()), rank=integers(0, 2))
def test_a_complex_result_needs_its_cotangent(be, x, rank):
    """One of a complex number cannot be left out: of one complex element too, backward is refused
    without a cotangent. With one, a real leaf receives the real part.
    """
    leaf = be.leaf(x.reshape((1,) * rank))
    y = leaf * be.tensor(np.array(2 - 3j))
    for refused in (be.backward, lambda y: be.gradients(y, [leaf])):
        with be.raises(ErrorKind.DTYPE):
            refused(y)
    be.backward(y, be.tensor(np.full((1,) * rank, 1j)).to(y.dtype))
    be.check(be.grad(leaf), np.full((1,) * rank, -3.0))


@claim("BWD-08", "BWD-54", about="backward", needs="backward")
@example(x=np.array(3.0), rank=0, c=1.0)
@given(x=arrays("one", shape=()), rank=integers(0, 3), c=arrays("factor", shape=()))
def test_the_default_cotangent_is_one(be, x, rank, c):
    """Leaving the cotangent out means one; any other number in its place scales the gradient."""
    shape = (1,) * rank
    plain, ones, scaled = (be.leaf(x.reshape(shape)) for _ in range(3))
    be.backward(be.exp(plain))
    be.backward(be.exp(ones), np.ones(shape))
    be.backward(be.exp(scaled), np.full(shape, c))
    be.same(be.grad(plain), be.grad(ones))
    be.check(be.grad(scaled), c * np.exp(Jet.exact(x.reshape(shape))))


# ---- what a cotangent may be ---------------------------------------------------------------------


@claim("BWD-09", "BWD-15", "BWD-55", about="backward", needs="backward", level="contract")
@example(x=np.ones(3), shape=(1, 4))
@example(x=np.ones(3), shape=(1, 3))
@given(x=arrays(), shape=other_shapes())
def test_cotangents_of_another_shape_are_refused(be, x, shape):
    """A cotangent has exactly the shape of its result: one that could be broadcast to it, reshaped
    or cut is refused.
    """
    leaf = be.leaf(x)
    with be.raises(ErrorKind.COTANGENT_SHAPE):
        be.backward(leaf * leaf, np.ones(shape))
    assert be.grad(leaf) is None


@claim("BWD-10", about="backward", needs="backward gradients", level="contract")
@given(x=arrays(min_dims=1, min_size=1), number=sampled_from([1, 0, True, 1.0, -0.5]))
def test_cotangents_are_tensors(be, x, number):
    """Numbers and lists of numbers are refused as cotangents; a tensor of the values is taken."""
    leaf = be.leaf(x)
    for wrong in (number, x.tolist()):
        with be.raises(ErrorKind.ARGUMENT):
            be.backend.backward(leaf * leaf, wrong)
        with be.raises(ErrorKind.ARGUMENT):
            be.backend.gradients(leaf * leaf, [leaf], wrong)
    be.backward(leaf * leaf, x)
    be.check(be.grad(leaf), 2 * x**2)


@claim("BWD-102", about="leaf", needs="torch gradients", level="contract")
@given(x=arrays(min_size=1))
def test_arrays_are_no_cotangents(be, x):
    """An array of numpy is refused as a cotangent, also in a list, and so is a scalar of numpy."""
    leaf = be.leaf(x)
    for wrong in (x, x.astype(np.float32), [x], np.float64(1)):
        with be.raises(ErrorKind.ARGUMENT):
            be.backend.backward([leaf * leaf] if type(wrong) is list else leaf * leaf, wrong)
        with be.raises(ErrorKind.ARGUMENT):
            be.backend.gradients(leaf * leaf, [leaf], wrong)
    assert be.grad(leaf) is None


@claim("BWD-28", about="backward", needs="backward", level="contract")
@example(x=np.array(2.0), w=np.array(3.0))
@given(x=arrays(), w=arrays())
def test_cotangents_are_cast_to_the_dtype_of_the_result(be, x, w):
    """A cotangent of integers, of bools or of another width of floats counts with its values, and
    the gradient keeps the dtype of its leaf; a complex one is refused.
    """
    given = [be.tensor(w.astype(int)), be.tensor(w > 0)]
    given += [be.backend.tensor(w, dtype, be.device) for dtype in be.backend.dtypes]
    for cotangent in given:
        leaf, bare = be.leaf(x), be.leaf(x)
        be.backward(leaf * leaf, cotangent)
        be.backward(bare, cotangent)
        be.check(be.grad(leaf), be.numpy(cotangent) * 2 * x)
        be.check(be.grad(bare), be.numpy(cotangent) * 1.0)
    with be.raises(ErrorKind.DTYPE):
        be.backward(leaf * leaf, be.tensor(w.astype(complex)))


@claim("BWD-07", about="backward", needs="backward", level="contract")
@example(x=np.arange(1.0, 7.0).reshape(2, 3), w=np.ones((2, 3)))
@given(x=arrays("matrix", shape=(2, 3)), w=arrays("matrix", shape=(2, 3)))
def test_a_refused_backward_has_no_effect(be, x, w):
    """Backward that is refused for its cotangent writes no gradient and frees nothing: the right
    call may follow on the same graph.
    """
    leaf = be.leaf(x)
    y = leaf * leaf
    with be.raises(ErrorKind.NONSCALAR_BACKWARD):
        be.backward(y)
    with be.raises(ErrorKind.COTANGENT_SHAPE):
        be.backward(y, w[:1])
    with be.raises(ErrorKind.ARGUMENT):
        be.backend.backward(y, w.tolist())
    assert be.grad(leaf) is None
    be.backward(y, w)
    be.check(be.grad(leaf), w * 2 * x)


@claim("BWD-11", about="backward", needs="torch", level="contract")
@given(x=arrays("pair", shape=(2,), values=NONZERO), w=arrays("pair", shape=(2,)))
def test_the_method_calls_its_cotangent_gradient(be, x, w):
    """The method backward knows its cotangent as `gradient`, the function as `grad_tensors`, and
    neither knows the other's word or `gradients`.
    """
    leaf = be.leaf(x)
    y = leaf * leaf
    for word in ("gradients", "grad_tensors"):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{word}'"):
            y.backward(**{word: be.tensor(w)})
    for word in ("gradients", "gradient"):
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{word}'"):
            be.backward(y, w, **{word: be.tensor(w)})
    with pytest.raises(TypeError, match="multiple values for argument 'grad_tensors'"):
        be.backward(y, w, grad_tensors=be.tensor(w))
    y.backward(gradient=be.tensor(w))
    be.check(be.grad(leaf), w * 2 * x)


@claim(
    "BWD-104",
    about="leaf",
    needs="backward gradients retain_graph version_counter saved_tensors",
    level="contract",
)
@given(x=arrays(), v=arrays(), w=arrays(), same=booleans())
def test_cotangents_are_left_as_they_are(be, x, v, w, same):
    """A pass writes into no cotangent, also where a root is named twice or leads to another one:
    all that arrives there is added up elsewhere. Fewer cotangents than roots are refused.
    """
    leaf, first, second = be.leaf(x), be.mul(v, 1), be.mul(w, 1)
    y = leaf * 2
    z = y if same else y * 3
    (returned,) = be.backend.gradients([y, z], [leaf], [first, second], retain_graph=True)
    be.check(returned, Total.of(2 * v, (2 if same else 6) * w))
    be.backend.backward([y, z, leaf], [first, second, first])
    be.backend.backward([leaf, leaf], [first, second])
    be.check(first, v)
    be.check(second, w)
    be.check(be.grad(leaf), Total.of(2 * v, (2 if same else 6) * w, v, v, w))
    with be.raises(ErrorKind.COTANGENT_SHAPE):
        be.backend.backward([leaf * 1, leaf * 2], [first])
