"""The slot: what .grad is, when it is filled, and what it accepts."""

import numpy as np

from gradspec.conformance import ErrorKind, Total, claim, every, example, given, workload
from gradspec.conformance.strategies import arrays, integers, lists
from gradspec.conformance.strategies.programs import fitting
from gradspec.conformance.strategies.shaping import dense


@workload(needs="grad_assign")
def started_from(be, leaf):
    """The gradient of a square, added to one that was assigned."""
    be.set_grad(leaf, be.detach(leaf) * 1)
    be.backward(be.sum(leaf * leaf))
    return be.grad(leaf)


# ---- when it is filled ---------------------------------------------------------------------------


@claim("ACC-04", "BWD-68", about="grad", needs="backward", level="contract")
@given(x=arrays(), w=arrays())
def test_grad_is_none_until_backward_reaches_the_leaf(be, x, w):
    """.grad is None, not zeros, until a backward pass reaches the leaf; computing with the leaf or
    running backward elsewhere does not fill it.
    """
    leaf, elsewhere = be.leaf(x), be.leaf(x)
    y = be.mul(leaf, w)
    be.backward(be.mul(elsewhere, w), w)
    assert be.grad(leaf) is None
    be.backward(y, w)
    be.check(be.grad(leaf), w * w)


@claim("ACC-08", about="grad", needs="backward", level="contract")
@given(x=arrays(), w=arrays(), times=integers(1, 3))
def test_forward_never_touches_grad(be, x, w, times):
    """Computing with a leaf leaves its .grad the same object with the same values."""
    leaf = be.leaf(x)
    be.backward(leaf * 1, w)
    held = be.grad(leaf)
    for _ in range(times):
        be.sum(be.mul(leaf, leaf))
    assert be.grad(leaf) is held
    be.check(held, w)


@claim("ACC-16", about="backward", needs="backward")
@given(x=arrays(), y=arrays(), w=arrays())
def test_constants_receive_no_gradient(be, x, y, w):
    """A tensor that does not require grad never receives a gradient, and what is computed from such
    tensors alone does not require grad either.
    """
    leaf, constant = be.leaf(x), be.tensor(y)
    product = be.mul(constant, constant)
    be.backward(be.mul(leaf, product), w)
    assert not be.requires_grad(product)
    assert be.is_leaf(product)
    assert be.grad(constant) is be.grad(product) is None
    be.check(be.grad(leaf), w * y * y)


# ---- what it is ----------------------------------------------------------------------------------


@claim("ACC-12", "TEN-70", about="backward", needs="backward")
@given(x=fitting(), w=arrays(), v=arrays())
def test_grad_looks_like_its_leaf(be, x, w, v):
    """.grad has the shape, dtype and device of its leaf, also when the leaf was broadcast: whatever
    flows back to the copies of an entry is added up.
    """
    leaf = be.leaf(x)
    be.backward(be.mul(w, leaf), v)
    be.check(be.grad(leaf), Total.onto(w * v, x.shape))
    be.check(be.grad(leaf) * leaf, Total.onto(w * v * x, x.shape))


@claim("ACC-430", about="backward", needs="backward", level="contract", widest=True)
@example(x=np.array(0.5), y=np.array(3.0), w=np.array(1.0))
@given(x=arrays(), y=arrays(), w=arrays())
def test_grad_is_as_wide_as_its_leaf(be, x, y, w):
    """Of a float32 leaf and a float64 one that are multiplied, each has a .grad of its own dtype,
    after one pass and after two, also where neither has axes.
    """
    narrow, wide = be.backend.leaf(x.astype(np.float32), "float32", be.device), be.leaf(y)
    for times in (1, 2):
        be.backward(be.mul(narrow, wide), w)
        be.check(be.grad(narrow), times * w * y, dtype="float32")
        be.check(be.grad(wide), times * w * x)


@claim("ACC-851", about="backward", needs="backward from_data torch", level="contract", widest=True)
@every(dtype=["float16", "bfloat16", "float32", "float64"])
@given(x=lists(integers(-3, 3), min_size=2), w=integers(1, 3))
def test_grad_adds_up_in_any_floating_dtype(be, dtype, x, w):
    """The .grad of a leaf has its dtype, of 16 bits too, however often backward has added to it."""
    leaf = be.set_requires_grad(be.from_data(x, dtype=dtype))
    for times in (1, 2, 3):
        be.backward(be.sum(leaf * leaf * w))
        be.check(be.grad(leaf), times * 2 * w * np.array(x), dtype=dtype)


@claim("ACC-13", "BWD-67", about="backward", needs="backward", level="contract")
@given(x=arrays(), w=arrays())
def test_grad_is_a_plain_tensor(be, x, w):
    """What an ordinary backward leaves in .grad, first or later, is an untracked leaf."""
    leaf = be.leaf(x)
    for _ in range(2):
        be.backward(be.mul(leaf, leaf), w)
        assert not be.requires_grad(be.grad(leaf))
        assert be.is_leaf(be.grad(leaf))


@claim("ACC-101", about="backward", needs="backward views", level="contract")
@example(x=np.ones((2, 3)).T, w=np.ones((3, 2)), v=np.ones((3, 2)))
@example(x=np.ones((2, 6))[:, ::2], w=np.ones((2, 3)), v=np.ones((2, 3)))
@example(x=np.ones((6, 2)).T[:, ::2], w=np.ones((2, 3)), v=np.ones((2, 3)))
@example(x=np.ones((2, 3)), w=np.ones((3, 2)).T, v=np.ones((3, 2)).T)
@given(x=arrays(min_size=1), w=arrays(min_size=1), v=arrays(min_size=1))
def test_grad_is_laid_out_like_its_leaf(be, x, w, v):
    """.grad has the strides of its leaf if that fills its memory, and lies in row-major order if it
    does not, however what arrives is laid out; it keeps them when more is added.
    """
    leaf = be.leaf(x)
    model = leaf if dense(x.shape, be.strides(leaf)) else be.tensor(np.ones(x.shape))
    for _ in range(2):
        be.backward(be.mul(leaf, w), v)
        strides = zip(be.strides(be.grad(leaf)), be.strides(model), x.shape, strict=True)
        # An axis of one entry takes no step.
        assert all(found == wanted for found, wanted, size in strides if size > 1)


@claim("ACC-107", about="backward", needs="backward views create_graph", level="contract")
@example(x=np.ones((2, 3)).T, w=np.ones((3, 2)))
@given(x=arrays(min_size=1), w=arrays(min_size=1))
def test_a_recorded_grad_is_laid_out_like_its_leaf(be, x, w):
    """The first .grad that a recorded pass makes has the strides of its leaf too, if that fills its
    memory, or lies in row-major order.
    """
    leaf = be.leaf(x)
    model = leaf if dense(x.shape, be.strides(leaf)) else be.tensor(np.ones(x.shape))
    be.backward(leaf * leaf, w, create_graph=True)
    strides = zip(be.strides(be.grad(leaf)), be.strides(model), x.shape, strict=True)
    assert all(found == wanted for found, wanted, size in strides if size > 1)
    be.clear(leaf)


# ---- what it accepts -----------------------------------------------------------------------------


@claim("ACC-10", about="set_grad", needs="grad_assign", level="contract")
@example(x=np.array([1.0]), g=np.array([0.0]))
@given(x=arrays(), g=arrays())
def test_grad_accepts_a_tensor_of_its_own_shape(be, x, g):
    """.grad of any tensor, tracked or not, can be set to None or to a tensor of the same shape and
    dtype, whatever its strides; it is that very tensor from then on.
    """
    given = be.tensor(g)
    for holder in (be.leaf(x), be.tensor(x)):
        be.set_grad(holder, given)
        assert be.grad(holder) is given
        be.set_grad(holder, None)
        assert be.grad(holder) is None
    be.check(given, g)


@claim("ACC-59", about="set_grad", needs="grad_assign", level="contract")
@given(x=arrays(), g=arrays())
def test_grad_refuses_everything_else(be, x, g):
    """Assigning to .grad a tensor of another shape, even one that would broadcast, one of another
    dtype, the tensor itself or no tensor at all is refused, and .grad stays.
    """
    leaf, held = be.leaf(x), be.tensor(g)
    be.set_grad(leaf, held)
    sized = [be.tensor(g[None]), be.tensor(g.sum() if g.ndim else g[None, None])]
    for wrong in (*sized, be.tensor(np.ones(x.shape, int)), leaf, g.tolist()):
        with be.raises(ErrorKind.GRAD_ASSIGNMENT):
            be.set_grad(leaf, wrong)
    assert be.grad(leaf) is held
    be.check(held, g)


@claim("ACC-102", about="set_grad", needs="grad_assign torch", level="contract")
@given(x=arrays(), g=arrays())
def test_grad_refuses_another_device(be, x, g):
    """Assigning to .grad a tensor that lies elsewhere, or has another floating dtype, is refused
    though its shape fits, and .grad stays.
    """
    leaf, held = be.leaf(x), be.tensor(g)
    be.set_grad(leaf, held)
    for dtype, device in ((be.dtype, "meta"), ("float16", be.device), ("complex64", be.device)):
        with be.raises(ErrorKind.GRAD_ASSIGNMENT):
            be.set_grad(leaf, be.backend.tensor(g, dtype, device))
    assert be.grad(leaf) is held
