"""Hooks and saved-tensor hooks of the reference."""
# ruff: noqa: N812, PT018  (R is the reference, L a library; a line is one fact)

import numpy as np
import pytest

from gradspec import reference as R
from refusals import refused


def leaf(*values):
    return R.Tensor(values if len(values) != 1 else values[0], dtype=float, requires_grad=True)


def test_a_hook_sees_the_whole_gradient_once():
    x = leaf(1.0)
    y = x + x
    seen = []
    handle = y.register_hook(lambda g: seen.append(g.item()))
    (y * 3.0 + y * 5.0).backward()
    assert seen == [8.0] and x.grad.item() == 16.0
    handle.remove()
    handle.remove()
    (y * 3.0).backward()
    assert seen == [8.0]


def test_what_a_hook_returns_replaces():
    x = leaf(1.0)
    x.register_hook(lambda g: g * 10.0)
    for _ in range(2):
        (x * 2.0).backward()
    assert x.grad.item() == 40.0
    y = x * 1.0
    y.register_hook(lambda g: R.Tensor([1.0]))
    with refused("invalid_gradient"):
        y.backward()
    z = x * 1.0
    z.register_hook(lambda g: 3)
    with pytest.raises(TypeError):
        z.backward()
    with refused("no_graph"):
        R.Tensor(1.0).register_hook(print)


@pytest.mark.parametrize("first", ["hook", "retain"])
def test_retained_gradients_come_after_hooks(first):
    y = leaf(1.0) * 3.0
    for what in (first, "retain" if first == "hook" else "hook"):
        if what == "hook":
            y.register_hook(lambda g: g * 10.0)
        else:
            y.retain_grad()
            y.retain_grad()
    (y * 3.0).backward()
    assert y.grad.item() == 30.0


def test_after_a_write_hooks_stay_and_retained_gradients_follow():
    order = []
    h = leaf(1.0) * 2.0
    h.register_hook(lambda g: order.append(("pre", g.item())))
    h.retain_grad()
    h.mul_(3.0)
    h.register_hook(lambda g: order.append(("post", g.item())))
    (h * 5.0).backward()
    assert order == [("post", 5.0), ("pre", 15.0)] and h.grad.item() == 5.0


def test_a_gradient_is_not_added_to_one_of_another_shape():
    x = leaf([1.0, 2.0])
    x.sum().backward()
    x.requires_grad_(False)
    x.unsqueeze_(0)
    x.requires_grad_()
    with refused("invalid_gradient"):
        x.sum().backward()
    assert x.grad.array.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("through", ["view", "base"])
def test_what_a_view_retains_is_the_gradient_of_its_value_after_a_write(through):
    x = leaf([1.0])
    base = x * 2.0
    view = base[:]
    view.retain_grad()
    {"view": view, "base": base}[through].mul_(3.0)
    base.sum().backward(retain_graph=True)  # which is computed from another view, or none
    assert view.grad is None
    (view * 5.0).sum().backward()
    assert view.grad.array.tolist() == [5.0] and x.grad.array.tolist() == [6.0 + 30.0]


def test_hooks_after_accumulation():
    x, seen = leaf(1.0), []
    handle = x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.item()))
    (x * 2.0).backward()
    (x * 2.0).backward()
    handle.remove()
    (x * 2.0).backward()
    assert seen == [2.0, 4.0]
    with refused("nonleaf_hook"):
        (x * 2.0).register_post_accumulate_grad_hook(print)
    with refused("no_graph"):
        R.Tensor(1.0).register_post_accumulate_grad_hook(print)


def test_saved_tensors_are_packed_and_unpacked():
    live = set()

    class Box:
        def __init__(self, value):
            self.value = value.detach()
            live.add(id(self))

        def __del__(self):
            live.discard(id(self))

    x = leaf(2.0)
    with R.saved_tensors_hooks(Box, lambda box: box.value):
        y = x.exp()
        z = y * y * 3.0
    assert len(live) == 3
    z.backward(retain_graph=True)
    assert len(live) == 3
    z.backward()
    assert not live
    assert x.grad.item() == pytest.approx(12 * np.exp(4.0))


def test_packed_tensors_differentiate_twice():
    x = leaf(2.0)
    with R.saved_tensors_hooks(lambda t: t.array.copy(), R.Tensor):
        y = x.exp() * x
    (g,) = R.grad(y, x, create_graph=True)
    assert R.grad(g, x)[0].item() == pytest.approx(4 * np.exp(2.0))
