"""Cotangents: what weighs the entries of a result in a backward pass."""

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, example, given, workload
from gradspec.conformance.strategies import NONZERO, arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.shaping import other_shapes
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
