"""The engine of the reference: paths, depth, memory, freeing, accumulation."""
# ruff: noqa: N812, PT018  (R is the reference, L a library; a line is one fact)

import gc
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradspec import reference as R
from refusals import refused

sys.path.insert(0, str(Path(__file__).parent))
import naive


def leaf(*values):
    return R.Tensor(values if len(values) != 1 else values[0], dtype=float, requires_grad=True)


@st.composite
def programs(draw):
    count = draw(st.integers(1, 3))
    program = []
    for place in range(count, count + draw(st.integers(1, 9))):
        name = draw(st.sampled_from(sorted(naive.OPERATIONS)))
        arity = len(naive.OPERATIONS[name][1])
        # Recent values are likelier, so that programs are deep as well as wide.
        choice = st.one_of(st.integers(max(0, place - 2), place - 1), st.integers(0, place - 1))
        program.append((name, tuple(draw(choice) for _ in range(arity))))
    inputs = [draw(st.integers(-8, 8)) / 8 for _ in range(count)]
    return program, inputs


@settings(deadline=None, max_examples=300)
@given(programs())
def test_the_engine_sums_over_all_paths(drawn):
    program, inputs = drawn
    values = [leaf(v) for v in inputs]
    for name, arguments in program:
        values.append(getattr(R, name)(*(values[a] for a in arguments)))
    last = len(values) - 1
    values[last].backward(retain_graph=True)
    for place in range(len(values)):
        expected = naive.derivative(program, inputs, last, place)
        if place < len(inputs):
            got = values[place].grad
        else:
            (got,) = R.grad(values[last], values[place], retain_graph=True, allow_unused=True)
        assert (0.0 if got is None else got.item()) == pytest.approx(expected, rel=1e-12, abs=1e-13)


def test_a_chain_of_a_hundred_thousand():
    x = leaf(1.0)
    y = x
    for _ in range(100_000):
        y = y + 1.0
    y.backward()
    assert x.grad.item() == 1.0
    del y  # and dropping it does not recurse either


def test_a_ladder_with_2_to_the_60_paths():
    x = leaf(1.0)
    y = x
    for _ in range(60):
        y = y + y
    y.backward()
    assert x.grad.item() == 2.0**60


@pytest.mark.parametrize("uses", [1, 2, 3, 5, 12])
def test_fan_out(uses):
    x = leaf(1.0, 2.0)
    y = x * 3.0
    R.stack([y * float(k) for k in range(uses)]).sum().backward()
    assert x.grad.array.tolist() == [3.0 * sum(range(uses))] * 2


def program(x):
    y = (x.exp() * x).sigmoid() + 1.0
    v = y[1:]
    v.mul_(x[:2])
    return R.logsumexp(R.cat([y, v]), 0) / R.sqrt(x * x).sum() + R.softmax(y, 0).prod()


@pytest.mark.parametrize("run", [False, True])
def test_memory_goes_with_the_root_not_with_the_collector(run):
    gc.collect()
    gc.disable()
    try:
        x = leaf(1.0, 2.0, 3.0)
        z = program(x)
        nodes = [weakref.ref(node) for node in R.graph.walk(z.node)]
        if run:
            z.backward()
        del z
        assert [ref() for ref in nodes if ref() is not None] == []
    finally:
        gc.enable()


def test_a_value_used_to_overwrite_its_own_input_closes_no_cycle():
    gc.collect()
    gc.disable()
    try:
        x = leaf(1.0, 2.0) * 1.0
        y = x * x
        x.add_(y)
        nodes = [weakref.ref(node) for node in R.graph.walk(x.node)]
        del x, y
        assert all(ref() is None for ref in nodes)
    finally:
        gc.enable()


def test_what_saved_nothing_runs_again():
    x = leaf(1.0, 2.0, 3.0)
    y = R.cat([x.view(3, 1).expand(3, 2).t()[0], -x + x.clone()]).cumsum(0).mean()
    for count in (1, 2, 3):
        y.backward()
        assert x.grad.array == pytest.approx(count * leaf_gradient(y, x))


def leaf_gradient(y, x):
    return R.grad(y, x, retain_graph=True)[0].array


@pytest.mark.parametrize(
    "operation",
    [
        lambda x: x * x, lambda x: x * 2.0, lambda x: x / 2.0, R.exp, R.relu, R.abs,
        lambda x: x**1, lambda x: x[[0]], R.sqrt, R.sigmoid, lambda x: R.clamp(x, 0.0),
        lambda x: R.where(R.Tensor([True, False]), x, 0.0), lambda x: R.softmax(x, 0),
        lambda x: R.gather(x, 0, R.Tensor([0])), R.prod, R.amax, lambda x: x @ x,
    ],
)  # fmt: skip
def test_what_saved_something_does_not(operation):
    x = leaf(1.0, 2.0)
    y = operation(x).sum()
    y.backward(retain_graph=True)
    y.backward()
    before = x.grad.array.copy()
    with refused("freed_graph"):
        y.backward()
    assert x.grad.array.tolist() == before.tolist()
    with refused("freed_graph"):
        [node.saved_values() for node in R.graph.walk(y.node)]


def test_only_what_ran_is_freed():
    x = leaf(2.0)
    y = x * x
    z = y * y
    assert R.grad(z, y)[0].item() == 8.0
    y.backward()
    assert x.grad.item() == 4.0


def test_gradients_never_alias():
    a, b, c = leaf(*[1.0] * 3), leaf(*[1.0] * 3), R.Tensor([1.0, 2.0, 3.0])
    (a.view(3) + b.view(3)).backward(c)
    assert not np.shares_memory(a.grad.array, b.grad.array)
    assert not np.shares_memory(a.grad.array, c.array)
    first, second = R.grad(a + b, [a, b], c)
    assert not np.shares_memory(first.array, second.array)
    again = R.grad(a.clone(), [a, a], c)
    assert not np.shares_memory(again[0].array, again[1].array)
    again = R.grad((a * 2.0).sum() + a.sum(), [a, a])
    assert not np.shares_memory(again[0].array, again[1].array)
    for create_graph in (False, True):
        (g,) = R.grad(a.view(3), a, c, create_graph=create_graph)
        assert not np.shares_memory(g.array, c.array)


def test_backward_adds_in_place_and_recorded_backward_replaces():
    x = leaf(1.0, 2.0)
    x.grad = R.Tensor([5.0, 5.0])
    kept = x.grad
    (x * 2.0).sum().backward()
    assert x.grad is kept and kept.array.tolist() == [7.0, 7.0] and kept.version.count == 1
    (x * x).sum().backward(create_graph=True)
    assert x.grad is not kept and x.grad.requires_grad
    assert x.grad.array.tolist() == [9.0, 11.0]
    x.grad = None  # break the cycle


@pytest.mark.parametrize("create", [False, True])
def test_gradients_have_the_strides_of_their_leaf(create):
    x = R.Tensor.from_array(np.arange(6.0).reshape(2, 3).T).requires_grad_()
    (x.t() * 2.0).sum().backward(create_graph=create)
    assert x.grad.stride() == x.stride() == (1, 3)
    wide = R.Tensor.from_array(np.arange(12.0).reshape(3, 4)[:, ::2]).requires_grad_()
    wide.sum().backward(create_graph=create)
    assert wide.grad.stride() == (2, 1)


def test_backward_into_chosen_inputs_only():
    x, w = leaf(2.0), leaf(3.0)
    y = x * w
    (y * y).backward(inputs=[x, y])
    assert (x.grad.item(), y.grad.item(), w.grad) == (36.0, 12.0, None)


def test_refusals():
    x = leaf(1.0, 2.0)
    with refused("nonscalar_backward"):
        (x * x).backward()
    with refused("cotangent_shape"):
        (x * x).backward(R.Tensor([1.0]))
    with refused("dtype"):
        (x * x).backward(R.Tensor([1j, 2]))
    with refused("argument"):
        (x * x).backward([1.0, 2.0])
    with refused("no_graph"):
        R.Tensor(1.0).backward()
    with refused("unreachable"):
        R.grad(x.sum(), leaf(1.0))
    assert R.grad(x.sum(), leaf(1.0), allow_unused=True) == (None,)
    for wrong in (R.Tensor([1.0]), R.Tensor([1, 2]), [1.0, 2.0], x):
        with refused("grad_assignment"):
            x.grad = wrong


def test_a_wrong_rule_is_found_at_the_edge():
    """Only a primitive that broadcasts may return a larger gradient: no silent sums."""
    bad = R.Primitive("bad", lambda x: x * 1, x=lambda g: np.ones((2, *g.shape)))
    with refused("invalid_gradient"):
        bad(leaf(1.0, 2.0)).sum().backward()


def test_second_order():
    x = leaf(3.0)
    (g,) = R.grad(x**3, x, create_graph=True)
    (h,) = R.grad(g, x, create_graph=True)
    (k,) = R.grad(h, x)
    assert (g.item(), h.item(), k.item(), k.requires_grad) == (27.0, 18.0, 6.0, False)


def test_a_gradient_nobody_asked_for_is_not_computed():
    def explode(g):
        raise AssertionError

    pair = R.Primitive("pair", np.add, x=lambda g: g, y=explode)
    x, y = leaf(1.0), leaf(2.0)
    assert R.grad(pair(x, y), x)[0].item() == 1.0
