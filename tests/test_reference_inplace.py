"""Views and in-place writes of the reference, against the functional rewriting."""
# ruff: noqa: N812, PT018  (R is the reference, L a library; a line is one fact)

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradspec import reference as R
from gradspec.reference import errors

SHAPE = (2, 3)


def leaf(values=(1.0, 2.0, 3.0)):
    return R.Tensor(np.array(values), requires_grad=True)


# --- random programs: the tensors against flat vectors that are never overwritten -----------------


VIEWS = {
    "row": lambda x: x[-1] if x.ndim and len(x) else x[...],
    "part": lambda x: x[..., :1] if x.ndim else x[...],
    "strided": lambda x: x[..., ::2] if x.ndim else x[...],
    "flat": lambda x: x.view(-1) if x.is_contiguous() else x[...],
    "transposed": lambda x: x.permute(*reversed(range(x.ndim))),
    "unsqueezed": lambda x: x.unsqueeze(0),
    "squeezed": lambda x: x.squeeze(),
}
TURNS = {
    "t_": lambda x: x.t_() if x.ndim <= 2 else x,
    "unsqueeze_": lambda x: x.unsqueeze_(-1),
    "squeeze_": lambda x: x.squeeze_(),
}
WRITES = {
    "mul": (lambda x, w: x.mul_(w), lambda old, w: old * w),
    "add": (lambda x, w: x.add_(w), lambda old, w: old + w),
    "sub": (lambda x, w: x.sub_(w), lambda old, w: old - w),
    "copy": (lambda x, w: x.copy_(w), lambda old, w: old * 0.0 + w),
    "sin": (lambda x, w: x.sin_(), lambda old, w: R.sin(old)),
    "neg": (lambda x, w: x.neg_(), lambda old, w: -old),
    "zero": (lambda x, w: x.zero_(), lambda old, w: old * 0.0),
    "set": (lambda x, w: x.__setitem__(..., w), lambda old, w: old * 0.0 + w),
}
KINDS = {"view": VIEWS, "turn": TURNS, "write": WRITES}


@st.composite
def programs(draw):
    steps = []
    for _ in range(draw(st.integers(1, 8))):
        kind = draw(st.sampled_from(sorted(KINDS)))
        steps.append((kind, draw(st.sampled_from(sorted(KINDS[kind]))), draw(st.integers(0, 9))))
    return steps, draw(st.booleans()), draw(st.booleans()), draw(st.integers(0, 99))


@settings(deadline=None, max_examples=400)
@given(programs())
def test_writing_through_views_is_the_functional_program(drawn):
    """Each write becomes an index_put into a flat vector; values and all gradients agree."""
    steps, tracked_base, column_major, seed = drawn
    rng = np.random.default_rng(seed)
    start, factor = rng.standard_normal(SHAPE), rng.standard_normal()
    x, w = R.Tensor(start, requires_grad=tracked_base), R.Tensor(factor, requires_grad=True)
    x2, w2 = R.Tensor(start, requires_grad=tracked_base), R.Tensor(factor, requires_grad=True)

    base = (x * 1.0).t().contiguous().t().clone() if column_major else x * 1.0
    flat = R.reshape(x2 * 1.0, -1)
    numbers = np.arange(6).reshape(SHAPE)
    tensors, places = [base], [R.Tensor(numbers)]
    if column_major:
        places = [R.Tensor.from_array(numbers.copy(order="F"))]
    for kind, name, which in steps:
        t, p = tensors[which % len(tensors)], places[which % len(tensors)]
        if kind == "view":
            tensors.append(VIEWS[name](t))
            places.append(VIEWS[name](p))
            continue
        if kind == "turn":
            assert TURNS[name](t) is t and TURNS[name](p) is p
            continue
        write, functional = WRITES[name]
        write(t, w)
        index = p.array.reshape(-1)
        if index.size:
            flat = R.index_put(flat, (index,), functional(flat[index], w2))
    loss = loss2 = None
    for t, p in zip(tensors, places, strict=True):
        weight = R.Tensor(rng.standard_normal(t.shape))
        np.testing.assert_array_equal(t.array, flat.array[p.array])
        part, part2 = (t * weight).sum(), (flat[p] * weight).sum()
        loss, loss2 = (part, part2) if loss is None else (loss + part, loss2 + part2)
    assert loss.requires_grad == loss2.requires_grad
    if not loss.requires_grad:
        return
    for create_graph in (True, False):
        inputs, inputs2 = ([x, w], [x2, w2]) if tracked_base else ([w], [w2])
        got = R.grad(loss, inputs, create_graph=create_graph, allow_unused=True)
        wanted = R.grad(loss2, inputs2, create_graph=create_graph, allow_unused=True)
        for g, h in zip(got, wanted, strict=True):
            left = 0.0 if g is None else g.array
            right = 0.0 if h is None else h.array
            np.testing.assert_allclose(left, right, rtol=1e-12, atol=1e-12)


# --- the rules ------------------------------------------------------------------------------------


def test_a_write_is_visible_everywhere_and_counted_once():
    x = R.Tensor([1.0, 2.0, 3.0])
    v, d, hidden = x.view(3, 1), x.detach(), x.data
    assert x.add_(1.0) is x
    assert v.array.reshape(-1).tolist() == d.array.tolist() == hidden.array.tolist() == [2, 3, 4]
    assert (x.version.count, v.version.count, d.version.count, hidden.version.count) == (1, 1, 1, 0)
    assert v.base is x and v[0].base is x and d.base is None and x.base is None


def test_a_leaf_refuses_and_stays_as_it_was():
    x = leaf()
    for write in (
        lambda: x.add_(1.0), x.zero_, lambda: x[0].mul_(2.0), lambda: x.__setitem__(0, 5.0),
        lambda: x.__setitem__([0], 5.0), x.t_, lambda: x.view(3, 1).copy_(x.detach().view(3, 1)),
    ):  # fmt: skip
        with pytest.raises(errors.LeafInplace):
            write()
    with pytest.raises(errors.ViewOfLeafInplace):
        x[0].zero_()
    assert x.array.tolist() == [1, 2, 3] and x.version.count == 0 and x.is_leaf
    with R.no_grad():
        x.add_(1.0)
    assert x.is_leaf and x.requires_grad and x.version.count == 1


def test_views_that_cannot_be_rewritten():
    x = leaf() * 1.0
    for several in (R.unbind(x), R.chunk(x, 2), R.split(x, 2)):
        with pytest.raises(errors.MultiOutputViewInplace):
            several[0].add_(1.0)
    part = R.unbind(x)[0]
    with R.no_grad():
        v = x[:2]
        w = x[:2]
    assert v.requires_grad and v.is_leaf and v.node is None
    with pytest.raises(errors.NoGradViewInplace):
        v.mul_(2.0)
    with pytest.raises(errors.NoGradViewInplace):
        v[:1].mul_(2.0)
    with pytest.raises(errors.MultiOutputViewInplace):
        part.view(1).mul_(2.0)
    x.mul_(2.0)
    with pytest.raises(errors.NoGradViewInplace):
        _ = w * 2.0
    with pytest.raises(errors.MultiOutputViewInplace):
        _ = part * 2.0


def test_no_gradient_flows_through_a_view_made_under_no_grad():
    x = leaf()
    with R.no_grad():
        v = x[:2]
    y = (v * 2.0).sum()
    assert y.requires_grad
    y.backward()
    assert x.grad is None and v.grad is None


def test_refused_writes_leave_everything():
    x = leaf() * 1.0
    wide = x.view(3, 1).expand(3, 2)
    count = R.Tensor([1, 2, 3])
    refusals = [
        (errors.OverlappingWrite, lambda: wide.add_(1.0)),
        (errors.OverlappingWrite, lambda: x[1:].add_(x[:-1])),
        (errors.OverlappingWrite, lambda: x.__setitem__(slice(1, None), x[:-1])),
        (errors.InplaceShape, lambda: x.add_(R.Tensor(np.ones((2, 3))))),
        (errors.InplaceShape, lambda: x.copy_(R.Tensor(np.ones((2, 3))))),
        (errors.ShapeMismatch, lambda: x.add_(R.Tensor(np.ones(2)))),
        (errors.InplaceDtype, lambda: count.add_(1.5)),
        (errors.InplaceDtype, lambda: count.div_(2)),
        (errors.DetachView, lambda: x[:1].detach_()),
        (errors.IndexOutOfRange, lambda: x.__setitem__(3, 1.0)),
    ]
    node = x.node
    for refusal, write in refusals:
        with pytest.raises(refusal):
            write()
    assert x.array.tolist() == [1, 2, 3] and x.version.count == 0 and x.node is node
    assert count.array.tolist() == [1, 2, 3] and count.version.count == 0


def test_allowed_overlaps():
    x = R.Tensor([1.0, 2.0, 3.0, 4.0])
    x.add_(x)
    x[::2].add_(x[1::2])
    assert x.array.tolist() == [6.0, 4.0, 14.0, 8.0]


def test_stale_saved_values_are_found_and_only_those():
    x = leaf()
    for saves, write in ((R.exp, 1), (R.sin, 0), (lambda t: t * t, 0), (lambda t: t + 1.0, None)):
        h = x * 1.0
        y = saves(h)
        (h, y)[write if write is not None else 0].add_(1.0)
        if write is None:
            y.sum().backward()
        else:
            with pytest.raises(errors.StaleSavedValue):
                y.sum().backward()
        other = saves(h := x * 1.0)
        if write is not None:
            (h, other)[1 - write].mul_(2.0)
            other.sum().backward()


def test_a_mutated_index_or_constant_is_found():
    x, index, c = leaf(), R.Tensor([0, 1]), R.Tensor([1.0, 1.0, 1.0])
    for y, changed in ((R.gather(x, 0, index), index), (x[index], index), (x * c, c)):
        changed.add_(1)
        with pytest.raises(errors.StaleSavedValue):
            y.sum().backward()


def test_data_is_not_counted_and_may_be_assigned():
    x = leaf()
    y = x * x
    x.data.mul_(100.0)
    y.sum().backward()
    assert x.grad.array.tolist() == [200.0, 400.0, 600.0]
    y = x * x
    x.data = R.Tensor([1.0, 1.0, 1.0])
    alias = x.detach()
    x.grad = None
    y.sum().backward()
    assert x.grad.array.tolist() == [2.0] * 3
    x.data = R.Tensor([0.0] * 3)
    assert alias.array.tolist() == [1.0] * 3 and x.requires_grad and x.is_leaf
    with pytest.raises(errors.DataAssignment):
        x.data = R.Tensor([1, 2, 3])


def test_an_untracked_tensor_becomes_tracked_by_what_is_written_into_it():
    x = leaf()
    buffer = R.Tensor(np.zeros((2, 3)))
    early = buffer[0]
    buffer[0] = x * 2.0
    assert buffer.requires_grad and early.requires_grad and early.node is not None
    early.sum().backward()
    assert x.grad.array.tolist() == [2.0] * 3


def test_metadata_in_place():
    y = R.Tensor(np.arange(6.0).reshape(2, 3), requires_grad=True) * 1.0
    name = y
    assert y.t_() is y and name.shape == (3, 2) and y.version.count == 1
    assert y.unsqueeze_(0).shape == (1, 3, 2) and y.squeeze_().shape == (3, 2)
    (g,) = R.grad(y, y, R.Tensor(np.ones((3, 2))))
    assert g.shape == (3, 2)


def test_views_outlive_a_turn_of_their_base():
    """The gradient of an earlier view is found whatever shape the base was given in place since."""
    for turn in (
        lambda h: h.t_(),
        lambda h: h.unsqueeze_(0),
        lambda h: h.unsqueeze_(1).squeeze_(),
        lambda h: h.t_().unsqueeze_(2),
    ):
        x = leaf(np.ones((3, 2)))
        h = x * 1.0
        v = h[1:]
        turn(h)
        v.mul_(2.0)
        h.mul_(3.0)
        v.backward(R.Tensor([[1.0, 2.0], [3.0, 4.0]]))
        assert x.grad.array.tolist() == [[0, 0], [6, 12], [18, 24]]


def test_detach_in_place():
    x = leaf()
    y = x * 2.0
    y.detach_()
    assert y.is_leaf and not y.requires_grad


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (errors.ShapeMismatch, lambda x, i: x.scatter(0, i, R.Tensor([[1.0]]))),
        (errors.ShapeMismatch, lambda x, i: x.scatter(0, R.Tensor([0]), 1.0)),
        (errors.IndexOutOfRange, lambda x, i: x.scatter(0, i - 1, 1.0)),
        (errors.IndexOutOfRange, lambda x, i: x.scatter(2, i, 1.0)),
        (errors.DtypeMismatch, lambda x, i: x.scatter(0, R.Tensor([[0.0]]), 1.0)),
        (errors.DtypeMismatch, lambda x, i: x.scatter(0, i, R.Tensor([[1, 1]]))),
        (errors.OverlappingWrite, lambda x, i: x.scatter_(0, i, x[:1, :2])),
        (TypeError, lambda x, i: x.scatter_add(0, i, 1.0)),
    ],
)
def test_scatter_refuses(error, call):
    x = R.Tensor(np.zeros((2, 3)))
    with pytest.raises(error):
        call(x, R.Tensor([[0, 1]]))


def test_scatter_gradients():
    x, src = leaf(np.ones((2, 3))), leaf(np.full((1, 3), 5.0))
    index, g = R.Tensor([[0, 1, 0]]), R.Tensor(np.arange(6.0).reshape(2, 3))
    R.scatter(x, 0, index, src).backward(g)
    assert x.grad.array.tolist() == [[0, 1, 0], [3, 0, 5]]
    assert src.grad.array.tolist() == [[0, 4, 2]]
    larger = leaf(np.ones((2, 3)))
    with pytest.raises(errors.InvalidGradient):
        R.scatter(x, 0, index, larger).backward(g)
    with pytest.raises(errors.NotDifferentiable):
        R.scatter(x, 0, index, src, reduce="add").backward(g)
    y = R.Tensor(np.zeros((2, 3))).scatter_(0, index, 2, reduce="add")
    assert y.array.sum() == 6.0 and y.version.count == 1
