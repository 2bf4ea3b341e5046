"""Views: two tensors, one memory."""

import numpy as np

from gradspec.conformance import ErrorKind, Total, claim, example, given, workload
from gradspec.conformance.strategies import DENSE, arrays
from gradspec.conformance.strategies.shaping import (
    CUTTING,
    GAPPED,
    PACKED,
    REARRANGING,
    Chain,
    axes,
    chains,
    dense,
    gaps,
    keys,
    orders,
    requests,
    targets,
)

# ---- which shapes a view can take ----------------------------------------------------------------


@claim("VEW-54", about="view", needs="views view")
@example(request=(np.arange(12.0).reshape(3, 4).T, (2, 2, 3)))
@given(request=requests(possible=True))
def test_view_succeeds_where_strides_can_express_the_shape(be, request):
    """A view exists for every shape whose axes each lie inside one evenly strided run of the
    source, also where the source is not contiguous.
    """
    x, sizes = request
    be.check(be.view(be.tensor(x), sizes), x.reshape(sizes))


@claim("VEW-06", about="view", needs="backward views view", level="contract")
@example(request=(np.arange(16.0).reshape(4, 4).T, (16,)))
@example(request=(np.arange(6.0).reshape(2, 3).T, (6,)))
@given(request=requests(possible=False))
def test_view_never_copies(be, request):
    """view refuses a shape that strides over the existing memory cannot express."""
    x, sizes = request
    leaf = be.leaf(x)
    with be.raises(ErrorKind.VIEW_INCOMPATIBLE):
        be.view(leaf, sizes)


@claim("VEW-07", about="reshape", needs="vjp reshape")
@example(x=np.arange(6.0).reshape(2, 3).T, w=np.ones((3, 2)), sizes=(6,))
@given(x=arrays(), w=arrays(), sizes=targets())
def test_reshape_lists_elements_in_row_major_order(be, x, w, sizes):
    """reshape gives the elements in row-major order whatever the layout of its source, and hands
    the gradient of each back to it.
    """
    reshaped, pull = be.vjp(lambda z: be.reshape(z, sizes), x)
    be.check(reshaped, x.reshape(sizes))
    be.check(pull(w.reshape(sizes))[0], w)


@claim("VEW-55", about="reshape", needs="views reshape")
@example(x=np.arange(16.0).reshape(4, 4), sizes=(16,))
@example(x=np.arange(16.0).reshape(4, 4).T, sizes=(16,))
@given(x=arrays(min_size=1), sizes=targets(min_size=1))
def test_reshape_copies_only_where_no_view_exists(be, x, sizes):
    """reshape shares memory with its source exactly where a view of that shape exists."""
    source = be.tensor(x)
    possible = np.shares_memory(x.reshape(sizes), x)
    assert be.shares_memory(be.reshape(source, sizes), source) is possible


# ---- one memory ----------------------------------------------------------------------------------


@claim("VEW-03", about="add_ mul_", needs=f"views inplace version_counter {REARRANGING} {CUTTING}")
@example(x=np.zeros((4, 4)), y=np.ones((4, 4)), chain=Chain((("view", (16,)), ("select", 0, 0))))
@given(x=arrays(layouts=DENSE), y=arrays(), chain=chains(cut=True))
def test_a_write_shows_in_every_view(be, x, y, chain):
    """What is written to a tensor shows in its views, what is written to a view shows in the
    tensor, and all of them count the writes together.
    """
    source, model = be.tensor(x), x.copy()
    view = chain.of(be, source)
    be.add_(source, y)
    model += y
    be.check(view, chain.of_array(model))
    be.mul_(view, -2.0)
    chain.of_array(model)[...] *= -2.0
    be.check(source, model)
    assert be.version_of(view) == be.version_of(source) == 2


@claim("VEW-04", about=REARRANGING, needs=f"backward views graph {REARRANGING}")
@given(x=arrays(min_size=1), chain=chains(min_size=1))
def test_a_view_is_a_tensor_of_its_own(be, x, chain):
    """A view is another object than its source, with a shape and a history of its own; its base is
    the tensor that the first view was taken of.
    """
    leaf = be.leaf(x)
    view = chain.of(be, leaf)
    assert view is not leaf
    assert be.view(leaf, x.shape) is not leaf
    assert be.base(view) is leaf
    assert be.shares_memory(view, leaf)
    assert be.is_leaf(leaf)
    assert not be.is_leaf(view)
    be.check(leaf, x)
    be.check(view, chain.of_array(x))


@claim(
    "VEW-15",
    about="squeeze unsqueeze",
    needs="views inplace add_ squeeze unsqueeze",
    level="contract",
)
@example(x=np.array(2.0), axis=0, gap=0)
@given(x=arrays(layouts=DENSE), axis=axes(), gap=gaps())
def test_axes_of_size_one_come_and_go_without_a_copy(be, x, axis, gap):
    """squeeze and unsqueeze share the memory of their source, also where squeeze has nothing to
    remove.
    """
    source = be.tensor(x)
    for view in (be.unsqueeze(source, gap), be.squeeze(source), be.squeeze(source, axis)):
        be.add_(view, 1.0)
    be.check(source, x + 3)


@claim("VEW-66", about="add_", needs="views inplace add_")
@example(x=np.arange(15.0).reshape(5, 3), key=(slice(None), 1))
@given(x=arrays(layouts=DENSE, min_dims=1, min_size=1), key=keys(min_dims=1, min_size=1))
def test_slices_alias_and_lists_copy(be, x, key):
    """Indexing by integers, slices, None and Ellipsis gives a view; by lists, index tensors and
    masks, a copy.
    """
    source, model = be.tensor(x), x.copy()
    be.add_(source[key], 1.0)
    model[key] += 1
    for chosen in ([0, -1], be.tensor(np.array([0])), be.tensor(x > 0)):
        be.add_(source[chosen], 1.0)
    be.check(source, model)


@claim("OPS-725", about="lookup", needs="views view torch", level="contract")
@given(x=arrays(min_size=1, layouts=DENSE))
def test_a_view_in_another_dtype_has_the_same_bits(be, x):
    """Told another dtype, of the same width or a narrower one, view sees the bits of a tensor as
    numbers of that dtype, in the same memory.
    """
    row = x.ravel().copy()
    for each, whole in ((x, f"int{8 * np.dtype(be.dtype).itemsize}"), (row, "uint8")):
        source = be.tensor(each)
        seen = be.lookup("torch:Tensor.view")(source, be.lookup(f"torch:{whole}"))
        assert be.shares_memory(seen, source)
        assert np.array_equal(be.numpy(seen), np.array(each, be.dtype).view(whole))


# ---- copies --------------------------------------------------------------------------------------


@claim("VEW-08", about="clone", needs="views inplace add_ clone")
@example(x=np.array(1.0), y=np.array(2.0))
@example(x=np.zeros(0), y=np.zeros(0))
@example(x=np.arange(6.0).reshape(2, 3).T, y=np.arange(6.0).reshape(2, 3).T)
@example(x=np.arange(12.0).reshape(4, 3)[::2], y=np.arange(12.0).reshape(2, 6)[:, ::2])
@given(x=arrays(), y=arrays(layouts=DENSE))
def test_clone_shares_no_memory(be, x, y):
    """A clone equals its source and shares no memory with it, whatever the layout; a write to
    either leaves the other alone.
    """
    source, written = be.tensor(x), be.tensor(y)
    copy, kept = be.clone(source), be.clone(written)
    assert not be.shares_memory(copy, source)
    be.add_(copy, 1.0)
    be.add_(written, 1.0)
    be.check(source, x)
    be.check(copy, x + 1)
    be.check(kept, y)


@claim("VEW-09", about="clone", needs="views clone contiguous permute view", level="contract")
@example(x=np.arange(16.0).reshape(4, 4), gapped=np.arange(16.0).reshape(4, 4)[:, ::2], dims=(1, 0))
@given(
    x=arrays(layouts=PACKED, min_dims=1, min_size=2),
    gapped=arrays(layouts=GAPPED, min_dims=1, min_size=2),
    dims=orders(min_dims=1, min_size=2),
)
def test_clone_keeps_strides_without_gaps(be, x, gapped, dims):
    """A clone of a tensor that fills its memory has the strides of its source, and so refuses the
    same views; a clone of any other fills its own. After contiguous memory is row-major, and what
    is so already is returned as it is.
    """
    turned = be.permute(be.tensor(x), dims)
    assert be.strides(be.clone(turned)) == be.strides(turned)
    for loose in (be.tensor(gapped), be.permute(be.tensor(gapped), dims)):
        copy = be.clone(loose)
        assert dense(be.numpy(copy).shape, be.strides(copy))
        be.same(copy, loose)
    compact = be.contiguous(turned)
    be.check(be.view(compact, -1), x.transpose(dims).ravel())
    assert be.contiguous(compact) is compact


@claim("VEW-10", about="clone", needs="backward inplace clone mul_")
@given(x=arrays(), w=arrays())
def test_clone_is_a_recorded_identity(be, x, w):
    """A clone hands its gradient on to its source; writing over the clone is differentiated and
    leaves the source as it was, also for operations that have saved it.
    """
    leaf = be.leaf(x)
    source = leaf * 1
    square, copy = source * source, be.clone(source)
    be.mul_(copy, be.tensor(w))
    be.backward(be.sum(be.mul(copy, copy)) + be.sum(square))
    be.check(source, x)
    be.check(copy, w * x)
    be.check(be.grad(leaf), Total.of(2 * w * w * x, 2 * x))


# ---- gradients through views ---------------------------------------------------------------------


@claim("VEW-190", about="fill_", needs="views inplace fill_ torch", level="contract")
@given(x=arrays(layouts=DENSE), y=arrays("other", layouts=DENSE))
def test_a_tensor_is_put_on_other_memory(be, x, y):
    """set_ puts a tensor on the memory of another, with its shape and strides: what is written to
    either shows in both, and whoever shared its former memory keeps that as it was.
    """
    tensor, other = be.tensor(x), be.tensor(y)
    former = be.detach(tensor)
    assert tensor.set_(other) is tensor
    assert be.shape(tensor) == be.shape(other)
    assert be.strides(tensor) == be.strides(other)
    be.same(tensor, other)
    for written, value in ((other, 3.0), (tensor, 4.0)):
        be.fill_(written, value)
        be.check(tensor, 0 * y + value)
        be.check(other, 0 * y + value)
    be.check(former, x)


@claim("VEW-67", about=f"{REARRANGING} {CUTTING}", needs=f"backward views {REARRANGING} {CUTTING}")
@example(
    x=np.zeros((2, 3)),
    w=np.ones((2, 3)),
    chain=Chain((("permute", (1, 0)), ("narrow", 0, 1, 2), ("select", 1, 1))),
)
@given(x=arrays(), w=arrays(), chain=chains(cut=True))
def test_the_gradient_through_a_view_is_the_view_of_the_gradient(be, x, w, chain):
    """Backward through views puts each entry of the gradient where the view found its element, and
    zero where the view does not reach.
    """
    leaf = be.leaf(x)
    be.backward(be.sum(be.mul(chain.of_array(w), chain.of(be, leaf))))
    want = np.zeros(x.shape)
    chain.of_array(want)[...] = chain.of_array(w)
    be.check(be.grad(leaf), want)


@claim("VEW-720", about="gradients", needs=f"backward gradients views {REARRANGING} {CUTTING}")
@given(x=arrays(), v=arrays(), w=arrays(), chain=chains(cut=True))
def test_a_view_and_its_base_have_each_a_gradient(be, x, v, w, chain):
    """Asked for together, a view has the gradient of what is computed from the view, and its base
    that of all, which includes it.
    """
    leaf = be.leaf(x)
    base = leaf * 2
    view = chain.of(be, base)
    result = be.sum(be.mul(chain.of_array(w), view)) + be.sum(be.mul(v, base))
    to_base, to_view, to_leaf = be.gradients(result, [base, view, leaf])
    part = np.zeros(x.shape)
    chain.of_array(part)[...] = chain.of_array(w)
    be.check(to_view, chain.of_array(w))
    be.check(to_base, Total.of(part, v))
    be.check(to_leaf, Total.of(2 * part, 2 * v))


@workload
def turn(be, leaf):
    """A matrix and its transpose in the same shape, multiplied entry by entry, and the way back."""
    matrix = be.view(leaf, -1, 10)
    turned = be.reshape(be.t(matrix), (-1, 10))
    be.backward(be.sum(be.mul(turned, matrix)))
    return be.grad(leaf)


@claim("VEW-16", about=REARRANGING, needs=f"backward views reshape {REARRANGING}")
@given(x=arrays("vector", shape=(20,)), y=arrays(), w=arrays(), chain=chains())
def test_the_adjoint_of_a_rearrangement_is_its_inverse(be, x, y, w, chain):
    """A rearrangement hands its gradient back in the order of its source: rearranged data as
    cotangent leaves the data themselves in .grad.
    """
    source, vector = be.leaf(y), be.leaf(x)
    be.backward(be.sum(be.mul(chain.of_array(w), chain.of(be, source))))
    be.check(be.grad(source), w)
    order = np.arange(20).reshape(2, 10).T.ravel()
    be.check(turn(be, vector), x[order] + x[np.argsort(order)])
