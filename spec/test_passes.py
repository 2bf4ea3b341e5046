"""Passes: what hooks meet while one runs, at tensors and at nodes, and what they may do in it."""

import warnings
from contextlib import suppress

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, example, given
from gradspec.conformance.strategies import DENSE, arrays, booleans, permutations
from gradspec.conformance.strategies.modes import Escape

NO_WORKLOAD = "the chapter of hooks times them"

# ---- what a hook may do --------------------------------------------------------------------------


@claim("HOK-171", about="backward", needs="backward hooks gradients create_graph", level="contract")
@given(x=arrays(), y=arrays(), v=arrays(), w=arrays(), recorded=booleans())
def test_a_hook_may_run_a_pass_of_its_own(be, x, y, v, w, recorded):
    """A hook may run backward from another result: that pass has ended when it returns, and the one
    around it goes on as if it were alone, recorded or not. What both give a leaf adds up.
    """
    leaf, other, seen = be.leaf(x), be.leaf(y), []
    inner, outer = leaf * other, leaf * leaf

    def hook(gradient):
        be.backward(inner, v)
        seen.extend((gradient * 1, be.grad(other) * 1))

    be.register_hook(outer, hook)
    result, own = outer * 3 + leaf * 5, (6 * w * x, 5 * w)
    if recorded:
        (gradient,) = be.gradients(result, [leaf], w, create_graph=True)
        assert be.requires_grad(gradient)
        be.check(gradient, Total.of(*own))
    else:
        be.backward(result, w)
    for found, wanted in zip((*seen, be.grad(other)), (3 * w, v * x, v * x), strict=True):
        be.check(found, wanted)
    be.check(be.grad(leaf), Total.of(v * y, *([] if recorded else own)))


@claim("HOK-172", about="backward", needs="backward hooks retain_graph", level="contract")
@given(x=arrays(), w=arrays())
def test_a_hook_may_break_a_pass_off(be, x, w):
    """What a hook raises comes out of backward. Nothing is left of the pass but what it has added
    to .grad: the mode is the one before, and another pass over the retained graph has its gradient.
    """
    leaf = be.leaf(x)
    y = leaf * leaf

    def hook(_):
        raise KeyError

    z = y * 3 + leaf * 5
    for tensor in (leaf, y):
        handle = be.register_hook(tensor, hook)
        with pytest.raises(KeyError):
            be.backward(z, w, retain_graph=True)
        assert be.requires_grad(leaf * 1)
        handle.remove()
    assert be.grad(leaf) is None
    be.backward(z, w)
    be.check(be.grad(leaf), Total.of(6 * w * x, 5 * w))


# ---- when hooks are called -----------------------------------------------------------------------


@claim(
    "HOK-170", about="register_hook", needs="backward hooks views inplace mul_", level="contract"
)
@example(x=np.ones(2), w=np.ones(2), c=np.full(2, 3.0), through=True)
@given(x=arrays(layouts=DENSE), w=arrays(), c=arrays(), through=booleans())
def test_a_hook_stays_with_the_value_it_was_set_on(be, x, w, c, through):
    """A hook that was set before its tensor was written in place, itself or through a view, has the
    gradient of the former value, and one that was set after it that of the new one.
    """
    leaf, before, after = be.leaf(x), [], []
    y = leaf * 1
    be.register_hook(y, lambda g: before.append(g * 1) or be.mul(g, 2))
    be.mul_(y[...] if through else y, be.tensor(c))
    be.register_hook(y, lambda g: after.append(g * 1) or be.mul(g, 3))
    be.backward(y * 5, w)
    assert len(before) == len(after) == 1
    be.check(after[0], 5 * w)
    be.check(before[0], 15 * w * c)
    be.check(be.grad(leaf), 30 * w * c)


@claim(
    "HOK-173",
    about="register_node_hook",
    needs="backward hooks node_hooks leaf_hooks graph",
    level="contract",
)
@given(x=arrays(), w=arrays(), order=permutations(range(7)))
def test_hooks_of_tensors_come_before_those_of_nodes(be, x, w, order):
    """In whatever order they were set, the hooks of a tensor are called before the prehooks of its
    node, and the hooks of the node last. Between those of the node that adds to .grad of a leaf,
    after the addition, stand the post-accumulate hooks.
    """
    leaf, told = be.leaf(x), []
    y = leaf * 2
    node, (end, *_) = be.node(y), be.next_nodes(be.node(y))

    def tell(word):
        return lambda *_: told.append((word, be.grad(leaf) is not None))

    setting = (
        lambda: be.register_hook(y, tell("tensor")),
        lambda: be.register_node_hook(node, tell("prehook"), before=True),
        lambda: be.register_node_hook(node, tell("hook")),
        lambda: be.register_hook(leaf, tell("leaf")),
        lambda: be.register_node_hook(end, tell("prehook"), before=True),
        lambda: be.register_post_accumulate_hook(leaf, tell("added")),
        lambda: be.register_node_hook(end, tell("hook")),
    )
    for place in order:
        setting[place]()
    be.backward(y, w)
    assert [word for word, _ in told] == [
        *("tensor", "prehook", "hook"),
        *("leaf", "prehook", "added", "hook"),
    ]
    assert [added for _, added in told] == [False] * 5 + [True] * 2
    be.check(be.grad(leaf), 2 * w)


@claim("HOK-174", about="register_hook", needs="backward hooks", level="contract")
@given(x=arrays(), w=arrays(), computed=booleans())
def test_hooks_count_that_are_there_on_arrival(be, x, w, computed):
    """A hook may set and remove hooks of tensors that the pass has yet to reach: in the same pass
    the former are called and the latter are not.
    """
    leaf, called = be.leaf(x), []
    y = leaf * 2
    z = y * 3
    below = y if computed else leaf

    def change(_):
        old.remove()
        be.register_hook(below, lambda g: called.append("new") or be.mul(g, 5))

    old = be.register_hook(below, lambda g: called.append("old") or be.mul(g, 7))
    be.register_hook(z, change)
    be.backward(z * 1, w)
    assert called == ["new"]
    be.check(be.grad(leaf), 30 * w)


# ---- after the gradient, beside several, at a node -----------------------------------------------


@claim(
    "HOK-101", about="register_post_accumulate_hook", needs="backward leaf_hooks", level="contract"
)
@given(x=arrays(), v=arrays(), w=arrays())
def test_a_hook_may_wait_for_the_sum(be, x, v, w):
    """A post-accumulate hook is called once a pass with its leaf, whose .grad holds the sum by then
    and may be dropped; what it computes is not recorded. Only a leaf that requires grad takes one,
    and it goes when it is removed.
    """
    leaf, seen = be.leaf(x), []

    def look(tensor):
        assert tensor is leaf
        assert not be.requires_grad(tensor * 1)
        seen.append(be.grad(tensor) * 1)

    handle = be.register_post_accumulate_hook(leaf, look)
    with be.raises(ErrorKind.NONLEAF_HOOK):
        be.register_post_accumulate_hook(leaf * 1, look)
    with be.raises(ErrorKind.NO_GRAPH):
        be.register_post_accumulate_hook(be.tensor(x), look)
    be.backward(leaf * leaf + leaf, v)
    be.backward(leaf * 3, w)
    handle.remove()
    be.backward(leaf * 1, w)
    assert len(seen) == 2
    be.check(seen[0], Total.of(2 * v * x, v))
    be.check(seen[1], Total.of(2 * v * x, v, 3 * w))
    be.register_post_accumulate_hook(leaf, be.clear)
    be.backward(leaf * 1, w)
    assert be.grad(leaf) is None


@claim(
    "HOK-110", about="register_post_accumulate_hook", needs="backward leaf_hooks", level="contract"
)
@given(x=arrays(), w=arrays())
def test_hooks_that_wait_are_called_in_order(be, x, w):
    """Post-accumulate hooks are called in the order of registration, each as often as it was
    registered; one that removes itself while it is called is called once.
    """
    leaf, seen = be.leaf(x), []

    def once(_):
        seen.append("once")
        handle.remove()

    def always(_):
        seen.append("always")

    be.register_post_accumulate_hook(leaf, lambda _: seen.append("first"))
    handle = be.register_post_accumulate_hook(leaf, once)
    for _ in range(2):
        be.register_post_accumulate_hook(leaf, always)
    for _ in range(2):
        be.backward(leaf * 1, w)
    assert seen == ["first", "once", "always", "always", "first", "always", "always"]
    be.check(be.grad(leaf), 2 * w)


@claim("HOK-102", about="lookup", needs="backward graph torch", level="contract")
@given(x=arrays(), y=arrays(), w=arrays())
def test_hooks_of_nodes_and_of_several_tensors(be, x, y, w):
    """A hook of a node sees the gradients of its inputs and outputs, after a prehook that may
    replace the latter; one of several tensors is called once all have theirs, None for the unused,
    or with the first gradient alone that arrives at any of them.
    """
    a, b, unused, seen, first = be.leaf(x), be.leaf(y), be.leaf(x), [], []
    z = a * b
    be.node(z).register_prehook(lambda outputs: (outputs[0] * 2,))
    be.node(z).register_hook(lambda inputs, outputs: seen.append((*inputs, *outputs)))
    together = be.lookup("torch.autograd.graph:register_multi_grad_hook")
    together((a, unused, b), seen.append)
    together((unused, z, b), first.append, mode="any")
    be.backward(z, w)
    (found,) = first
    be.check(found, w)
    (to_a, to_b, to_z), (by_a, nothing, by_b) = seen
    for found, wanted in ((to_a, 2 * w * y), (to_b, 2 * w * x), (to_z, 2 * w)):
        be.check(found, wanted)
    assert nothing is None
    be.check(by_a, 2 * w * y)
    be.check(by_b, 2 * w * x)
    be.check(be.grad(a), 2 * w * y)


@claim(
    "HOK-122",
    about="register_node_hook",
    needs="backward node_hooks custom graph gradients",
    level="contract",
)
@given(x=arrays(), v=arrays(), w=arrays(), c=arrays())
def test_hooks_of_nodes_replace_all_gradients(be, x, v, w, c):
    """What a prehook of a node returns takes the place of the gradients of all its outputs, and
    what a hook returns of those of all its inputs; None lets them be, as does a hook taken away.
    """
    a, b = be.leaf(x), be.leaf(x)
    rule = be.custom(lambda _, p, q: (p * 2 + q * 5, q * 3), lambda _, f, g: (2 * f, 5 * f + 3 * g))
    p, q = rule.apply(a, b)
    node = be.node(p)
    be.register_node_hook(
        node, lambda outputs: (outputs[0] * 7, be.mul(outputs[1], c)), before=True
    )
    be.register_node_hook(node, lambda inputs, _: (inputs[0] * 11, be.mul(inputs[1], c)))
    be.register_node_hook(node, lambda _: None, before=True)
    be.register_node_hook(node, lambda *_: None)
    be.register_node_hook(node, lambda *_: (None, None)).remove()
    be.backward([p, q], [v, w])
    be.check(be.grad(a), 154 * v)
    be.check(be.grad(b), Total.of(35 * c * v, 3 * c * c * w))


# ---- in search of a fault ------------------------------------------------------------------------


@claim("BWD-170", about="lookup", needs="backward torch sqrt", level="contract")
@given(x=arrays(min_size=1), w=arrays(min_size=1))
def test_anomalies_are_found_where_they_arise(be, x, w):
    """Under detect_anomaly a pass is refused by the operation whose gradient is nan, which is named
    together with where it was recorded; without check_nan the pass goes on. Blocks nest, and what
    was set before one is set after it, though an exception ends it.
    """
    names = ("detect_anomaly", "set_detect_anomaly")
    detect, setting = (be.lookup(f"torch.autograd:{name}") for name in names)
    enabled, leaf = be.lookup("torch:is_anomaly_enabled"), be.leaf(0 * x)
    with warnings.catch_warnings(record=True, action="always") as told, detect():
        with suppress(Escape), setting(False):
            assert not enabled()
            raise Escape
        with suppress(Escape), detect(check_nan=False):
            assert enabled()
            raise Escape
        assert enabled()
        y = be.sqrt(leaf) * 0
        with pytest.raises(RuntimeError, match="'SqrtBackward0' returned nan values in its 0th"):
            be.backward(y + leaf, w)
    assert "y = be.sqrt(leaf) * 0" in str(told[-1].message)
    assert not enabled()
    assert be.grad(leaf) is None
    with setting(True), pytest.raises(RuntimeError, match="nan values"):
        be.backward(be.sqrt(leaf) * 0, w)
    with warnings.catch_warnings(action="ignore"), detect(check_nan=False):
        be.backward(be.sqrt(leaf) * 0 + leaf, w)
    be.check(be.grad(leaf), np.full(x.shape, np.nan))
