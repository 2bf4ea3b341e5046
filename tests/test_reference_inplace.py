"""Views and in-place writes of the reference, against the functional rewriting."""
# ruff: noqa: N812, PT018  (R is the reference, L a library; a line is one fact)

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradspec import reference as R
from refusals import refused

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
    for write in (lambda: x.add_(1.0), x.zero_, lambda: x.__setitem__([0], 5.0), x.t_):
        with refused("leaf_inplace"):
            write()
    for write in (
        x[0].zero_, lambda: x[0].mul_(2.0), lambda: x.__setitem__(0, 5.0),
        lambda: x.view(3, 1).copy_(x.detach().view(3, 1)),
    ):  # fmt: skip
        with refused("view_of_leaf_inplace"):
            write()
    assert x.array.tolist() == [1, 2, 3] and x.version.count == 0 and x.is_leaf
    with R.no_grad():
        x.add_(1.0)
    assert x.is_leaf and x.requires_grad and x.version.count == 1


@pytest.mark.parametrize(("key", "name"), [(..., "copy"), (slice(0, 3), "copy"), (0, "CopySlices")])
def test_an_assignment_to_all_of_a_tensor_takes_no_view(key, name):
    y = leaf() * 1.0
    y[key] = 2.0
    assert y.node.name == name


def test_views_that_cannot_be_rewritten():
    x = leaf() * 1.0
    for several in (R.unbind(x), R.chunk(x, 2), R.split(x, 2)):
        with refused("multi_output_view_inplace"):
            several[0].add_(1.0)
    part = R.unbind(x)[0]
    with R.no_grad():
        v = x[:2]
        w = x[:2]
    assert v.requires_grad and v.is_leaf and v.node is None
    with refused("no_grad_view_inplace"):
        v.mul_(2.0)
    with refused("no_grad_view_inplace"):
        v[:1].mul_(2.0)
    with refused("multi_output_view_inplace"):
        part.view(1).mul_(2.0)
    x.mul_(2.0)
    with refused("no_grad_view_inplace"):
        _ = w * 2.0
    with refused("multi_output_view_inplace"):
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
        ("overlapping_write", lambda: wide.add_(1.0)),
        ("overlapping_write", lambda: x[1:].add_(x[:-1])),
        ("overlapping_write", lambda: x.__setitem__(slice(1, None), x[:-1])),
        ("inplace_shape", lambda: x.add_(R.Tensor(np.ones((2, 3))))),
        ("inplace_shape", lambda: x.copy_(R.Tensor(np.ones((2, 3))))),
        ("shape", lambda: x.add_(R.Tensor(np.ones(2)))),
        ("inplace_dtype", lambda: count.add_(1.5)),
        ("inplace_dtype", lambda: count.div_(2)),
        ("detach_view", lambda: x[:1].detach_()),
        ("index_range", lambda: x.__setitem__(3, 1.0)),
    ]
    node = x.node
    for refusal, write in refusals:
        with refused(refusal):
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
            with refused("stale_saved_value"):
                y.sum().backward()
        other = saves(h := x * 1.0)
        if write is not None:
            (h, other)[1 - write].mul_(2.0)
            other.sum().backward()


def test_a_mutated_index_or_constant_is_found():
    x, index, c = leaf(), R.Tensor([0, 1]), R.Tensor([1.0, 1.0, 1.0])
    for y, changed in ((R.gather(x, 0, index), index), (x[index], index), (x * c, c)):
        changed.add_(1)
        with refused("stale_saved_value"):
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
    with refused("data_assignment"):
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


def test_a_write_into_no_entries_is_differentiated():
    """However the view of them is said to lie."""
    x = leaf(np.ones(0))
    h = x * 2.0
    h.view(3, 2, 0)[-2, :1, 1::2] = 2.0
    h.backward(R.Tensor(np.ones(0)))
    assert x.grad.shape == (0,)


def test_the_gradient_of_a_modulus_keeps_what_it_is_of():
    x = leaf()
    y = x * 2.0
    (g,) = R.grad(abs(y), x, R.Tensor(np.ones(3)), create_graph=True)
    y.mul_(2.0)
    with refused("stale_saved_value"):
        R.grad(g, x, R.Tensor(np.ones(3)))


def test_metadata_of_what_overlaps_is_turned():
    """No entry is written, so it does not matter that several lie in one place."""
    wide = R.Tensor(np.arange(3.0)).expand(2, 3)
    assert wide.t_().shape == (3, 2) and wide.unsqueeze_(0).squeeze_(0).stride() == (1, 0)


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


RECORDS = np.zeros((2, 3), dtype=[("mark", "f4"), ("value", "f8")])
LAYOUTS = {
    "row by row": lambda a: a,
    "column by column": lambda a: a.T.copy().T,
    "backwards": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "with gaps": lambda a: np.repeat(np.repeat(a, 2, 0), 3, 1)[::2, ::3],
    "in records": lambda a: [r := RECORDS.copy(), r["value"].__setitem__(..., a)] and r["value"],
    "in the middle": lambda a: np.concatenate([a.ravel()] * 3)[6:12].reshape(2, 3),
}


@pytest.mark.parametrize("lie", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("create_graph", [False, True])
def test_the_parts_of_a_base_are_found_however_it_lies(lie, create_graph):
    """A column of 10, 20, ... is multiplied by w; the base and an older row of it are weighted."""
    base = R.Tensor.from_array(lie(np.arange(10.0, 70.0, 10.0).reshape(2, 3)))
    w, row = leaf([2.0, 3.0]), base[1, ::2]
    base[:, 2].mul_(w)
    assert base.array.tolist() == [[10, 20, 60], [40, 50, 180]] and row.array.tolist() == [40, 180]
    weighted = (base * R.Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])).sum()
    total = weighted + (row * R.Tensor([7.0, 8.0])).sum()
    (g,) = R.grad(total, w, create_graph=create_graph)
    assert g.array.tolist() == [30 * 3, 60 * (6 + 8)]


def test_a_view_that_repeats_elements_hears_the_sum():
    base, w = R.Tensor([[1.0], [2.0]]), leaf([3.0, 4.0])
    wide = base.expand(2, 3)
    base[:, 0].copy_(w)
    wide.backward(R.Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    assert w.grad.array.tolist() == [6.0, 15.0]


def test_a_number_and_its_views():
    base, w = R.Tensor(2.0), leaf(3.0)
    line = base.view(1, 1)
    base.mul_(w)
    line.sum().backward()
    assert (line.array.tolist(), w.grad.item()) == ([[6.0]], 2.0)


@pytest.mark.parametrize("shape", [(2, 3), (0, 3), (3, 0)])
def test_empty_views(shape):
    base, w = R.Tensor(np.zeros(shape)), leaf(3.0)
    views = [base[..., 3:], base[:0], base[1:1], base[2:, ..., 1:1]]
    for view in views[::2]:
        view.mul_(w)
    base.add_(w)
    assert R.grad(base.sum(), w, retain_graph=True)[0].item() == base.numel()
    for view in views:
        assert R.grad(view.sum(), w, retain_graph=True)[0].item() == 0.0


@pytest.mark.parametrize("moved", ["base", "view"])
def test_other_memory_ends_a_view(moved):
    """What is written to the one is not in the other any more, and has no part in its gradient."""
    x = leaf()
    base = x * 1.0
    view = base[1:]
    (base if moved == "base" else view).data = R.Tensor([7.0] * (3 if moved == "base" else 2))
    view.mul_(2.0)
    base.sum().backward(retain_graph=True)
    assert x.grad.array.tolist() == [1.0, 1.0, 1.0]
    x.grad = None
    view.sum().backward()
    assert x.grad.array.tolist() == [0.0, 2.0, 2.0]


def test_detach_in_place():
    x = leaf()
    y = x * 2.0
    y.detach_()
    assert y.is_leaf and not y.requires_grad


@pytest.mark.parametrize(
    ("error", "call"),
    [
        ("shape", lambda x, i: x.scatter(0, i, R.Tensor([[1.0]]))),
        ("shape", lambda x, i: x.scatter(0, R.Tensor([0]), 1.0)),
        ("index_range", lambda x, i: x.scatter(0, i - 1, 1.0)),
        ("dimension", lambda x, i: x.scatter(2, i, 1.0)),
        ("dtype", lambda x, i: x.scatter(0, R.Tensor([[0.0]]), 1.0)),
        ("dtype", lambda x, i: x.scatter(0, i, R.Tensor([[1, 1]]))),
        ("overlapping_write", lambda x, i: x.scatter_(0, i, x[:1, :2])),
        ("argument", lambda x, i: x.scatter_add(0, i, 1.0)),
    ],
)
def test_scatter_refuses(error, call):
    x = R.Tensor(np.zeros((2, 3)))
    with refused(error):
        call(x, R.Tensor([[0, 1]]))


def test_scatter_gradients():
    x, src = leaf(np.ones((2, 3))), leaf(np.full((1, 3), 5.0))
    index, g = R.Tensor([[0, 1, 0]]), R.Tensor(np.arange(6.0).reshape(2, 3))
    R.scatter(x, 0, index, src).backward(g)
    assert x.grad.array.tolist() == [[0, 1, 0], [3, 0, 5]]
    assert src.grad.array.tolist() == [[0, 4, 2]]
    larger = leaf(np.ones((2, 3)))
    with refused("invalid_gradient"):
        R.scatter(x, 0, index, larger).backward(g)
    with refused("not_differentiable"):
        R.scatter(x, 0, index, src, reduce="add").backward(g)
    y = R.Tensor(np.zeros((2, 3))).scatter_(0, index, 2, reduce="add")
    assert y.array.sum() == 6.0 and y.version.count == 1
