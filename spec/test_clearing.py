"""Clearing: how gradients are set to zero or dropped."""

import numpy as np

from gradspec.conformance import claim, example, given, workload
from gradspec.conformance.strategies import DENSE, arrays, booleans, lists, sampled_from, tuples
from gradspec.conformance.truth.oracles.jets import Jet


@workload(needs="inplace zero_")
def started_over(be, leaf):
    """The gradient of a square after that of a cube was set to zero in place."""
    be.backward(be.sum(be.mul(leaf * leaf, leaf)))
    be.zero_(be.grad(leaf))
    be.backward(be.sum(leaf * leaf))
    return be.grad(leaf)


# ---- by hand -------------------------------------------------------------------------------------


@claim("ACC-06", about="backward", needs="backward inplace grad_assign data zero_")
@given(x=arrays(), v=arrays(), w=arrays())
def test_all_ways_of_clearing_are_equivalent(be, x, v, w):
    """After .grad was set to zero in place, or so through .data, or replaced by zeros, or dropped,
    the next backward leaves exactly its own gradient.
    """
    leaf = be.leaf(x)
    for clear in (
        lambda: be.zero_(be.grad(leaf)),
        lambda: be.zero_(be.data(be.grad(leaf))),
        lambda: be.set_grad(leaf, be.tensor(np.zeros(x.shape))),
        lambda: be.clear(leaf),
    ):
        be.backward(be.mul(leaf, leaf), v)
        clear()
        be.backward(be.mul(leaf, leaf), w)
        be.check(be.grad(leaf), 2 * w * x)


@claim("ACC-106", about="zero_", needs="backward inplace zero_ exp")
@example(x=np.array([1.0, -1.0, 2.0]), w=np.array([np.nan, np.inf, -np.inf]))
@given(x=arrays("row", shape=(3,)), w=arrays("row", shape=(3,)))
def test_zeros_are_written_over_anything(be, x, w):
    """zero_ writes zeros over whatever was there, also over nan and infinity, for all who share the
    memory; what is computed with them afterwards passes nothing back to what was there before.
    """
    leaf = be.leaf(x)
    be.backward(leaf * 1, w)
    held = be.grad(leaf)
    assert be.zero_(held) is held
    be.check(be.grad(leaf), np.zeros(3))
    y = leaf * 2
    be.zero_(y)
    be.backward(be.exp(y) * leaf, np.ones(3))
    be.check(be.grad(leaf), np.ones(3))


@claim("ACC-54", "ACC-03", about="backward", needs="backward inplace zero_")
@example(x=0.5, rounds=[(3.0, False), (1.0, True), (1.0, False)])
@example(x=2.5, rounds=[(1.0, True)] * 3 + [(1.0, False)])
@given(x=arrays(), rounds=lists(tuples(sampled_from([1.0, 3.0, -2.0]), booleans()), max_size=4))
def test_grad_is_the_sum_since_it_was_zeroed(be, x, rounds):
    """.grad is the sum of the gradients since it was last set to zero: no earlier one returns."""
    leaf, total = be.leaf(x), np.zeros(np.shape(x))
    be.backward(be.sum(leaf) * 0)
    for weight, zeroed in rounds:
        be.backward(be.sum(weight * (leaf * leaf)))
        total += 2 * weight * np.asarray(x)
        if zeroed:
            be.zero_(be.grad(leaf))
            total *= 0
    be.check(be.grad(leaf), total)


@claim("ACC-02", about="backward", needs="backward inplace zero_", level="contract")
@example(x=np.ones((2, 2)), w=np.array(1.0))
@given(x=arrays(min_dims=1, min_size=2), w=arrays(shape=()))
def test_one_sum_runs_backward_again_and_again(be, x, w):
    """A sum saves no value, so one recorded sum runs backward any number of times, each adding its
    gradient; after zeroing it counts from zero.
    """
    leaf = be.leaf(x)
    y = be.sum(leaf)
    for times in (1, 2, 3):
        be.backward(y, w)
        be.check(be.grad(leaf), np.full(x.shape, times * w))
    be.zero_(be.grad(leaf))
    be.check(be.grad(leaf), np.zeros(x.shape))
    be.backward(y, w)
    be.check(be.grad(leaf), np.full(x.shape, w))


@claim("ACC-07", about="backward", needs="backward inplace zero_")
@given(x=arrays(), v=arrays(), w=arrays())
def test_clearing_after_forward_is_harmless(be, x, v, w):
    """The graph holds no .grad: what is cleared between forward and backward is missing from the
    sum, and nothing else changes.
    """
    leaf = be.leaf(x)
    for clear in (lambda: be.zero_(be.grad(leaf)), lambda: be.clear(leaf)):
        be.backward(be.mul(leaf, leaf), v)
        y = be.mul(leaf, leaf)
        clear()
        be.backward(y, w)
        be.check(be.grad(leaf), 2 * w * x)


# ---- by a layer or an optimizer ------------------------------------------------------------------


@claim("ACC-11", about="optimizer", needs="backward optim", level="contract")
@given(x=arrays(), y=arrays("other"))
def test_zero_grad_drops_the_gradients_of_every_group(be, x, y):
    """An optimizer's zero_grad sets .grad to None for all parameters of all its groups, frozen ones
    too, and leaves their values alone.
    """
    a, b, c = be.leaf(x), be.leaf(y), be.leaf(x)
    optimizer = be.optimizer("SGD", [{"params": [a, b]}, {"params": [c]}], lr=0.5)
    be.backward(be.sum(a * c) + be.sum(b))
    be.set_requires_grad(c, False)
    optimizer.zero_grad()
    assert be.grad(a) is be.grad(b) is be.grad(c) is None
    be.check(a, x)
    be.check(b, y)


@claim("ACC-400", about="optimizer", needs="grad_assign optim torch", level="contract")
@given(x=arrays(), none=booleans(), way=sampled_from([{}, {"foreach": True}, {"fused": True}]))
def test_zero_grad_reaches_every_dtype(be, x, none, way):
    """zero_grad of an optimizer whose parameters have several dtypes drops all of their gradients,
    or makes all of them zeros in place, whatever way it computes in.
    """
    dtypes = ("float32", "float64", "bfloat16", "float32")
    leaves = [be.backend.leaf(x, dtype, be.device) for dtype in dtypes]
    held = [leaf.detach() + 1 for leaf in leaves]
    for leaf, gradient in zip(leaves, held, strict=True):
        be.set_grad(leaf, gradient)
    be.optimizer("SGD", leaves, lr=0.5, **way).zero_grad(set_to_none=none)
    for leaf, gradient in zip(leaves, held, strict=True):
        assert be.grad(leaf) is (None if none else gradient)
        assert none or not be.numpy(be.cast(gradient, "float64")).any()


@claim("ACC-55", about="layer optimizer", needs="backward nn optim create_graph", level="contract")
@given(w=arrays(shape=(2, 3)))
def test_zero_grad_can_keep_the_gradients_as_zeros(be, w):
    """By default zero_grad of a layer or an optimizer drops gradients; with set_to_none=False those
    that exist become zeros in place, cut off from any graph, and those that are None stay None.
    """
    layer = be.layer("Linear", 3, 2)
    weight, bias = layer.parameters()
    values = be.numpy(weight)
    for owner in (layer, be.optimizer("SGD", [weight, bias], lr=0.5)):
        be.backward(be.mul(weight, weight), w, create_graph=True)
        held = be.grad(weight)
        owner.zero_grad(set_to_none=False)
        assert be.grad(weight) is held
        assert be.grad(bias) is None
        assert not be.requires_grad(held)
        be.check(held, 0 * w)
        be.backward(be.mul(weight, weight), w)
        be.check(be.grad(weight), 2 * w * values)
        owner.zero_grad()
        assert be.grad(weight) is None


@claim("ACC-56", about="layer optimizer", needs="backward nn optim", level="contract")
@given(x=arrays(shape=(4, 3)), w=arrays(shape=(4, 1)))
def test_zero_grad_clears_its_own_parameters_only(be, x, w):
    """An optimizer clears the parameters in its groups, a layer its own; gradients of other layers
    and of inputs stay and go on adding up.
    """
    leaf, first, second = be.leaf(x), be.layer("Linear", 3, 2), be.layer("Linear", 2, 1)
    be.backward(second(first(leaf)), w)
    others = [leaf, *second.parameters()]
    kept = [be.numpy(be.grad(other)) for other in others]
    be.optimizer("SGD", list(first.parameters()), lr=0.5).zero_grad()
    be.backward(second(first(leaf)), w)
    for other, gradient in zip(others, kept, strict=True):
        be.check(be.grad(other), 2 * gradient.astype(float))
    first.zero_grad()
    assert all(be.grad(parameter) is None for parameter in first.parameters())
    for other, gradient in zip(others, kept, strict=True):
        be.check(be.grad(other), 2 * gradient.astype(float))


@claim("ACC-57", about="optimizer", needs="backward optim", level="contract")
@given(x=arrays(layouts=DENSE), v=arrays(), w=arrays())
def test_zero_grad_belongs_between_step_and_backward(be, x, v, w):
    """Anywhere between one step and the next backward, zero_grad makes no difference to what is
    learnt; between backward and step it discards the update.
    """
    early, late, never = be.leaf(x), be.leaf(x), be.leaf(x)
    for weights in (v, w):
        be.optimizer("SGD", [early], lr=0.5).zero_grad()
        losses = [be.sum(be.mul(weights, leaf * leaf)) for leaf in (early, late, never)]
        be.optimizer("SGD", [late], lr=0.5).zero_grad()
        for loss in losses:
            be.backward(loss)
        be.optimizer("SGD", [never], lr=0.5).zero_grad()
        for leaf in (early, late, never):
            be.optimizer("SGD", [leaf], lr=0.5).step()
    be.same(early, late)
    be.check(early, x * (1 - v) * (1 - w))
    be.check(never, x)


@claim("ACC-17", about="optimizer", needs="grad_assign optim", level="contract")
@given(x=arrays(layouts=DENSE))
def test_a_missing_gradient_is_not_a_zero_gradient(be, x):
    """A step skips a parameter whose .grad is None, but decays one whose .grad is zero."""
    absent, zero = be.leaf(x), be.leaf(x)
    be.set_grad(zero, be.tensor(np.zeros(x.shape)))
    be.optimizer("SGD", [absent, zero], lr=0.1, weight_decay=0.1).step()
    be.check(absent, x)
    be.check(zero, Jet.exact(x) - 0.1 * (0.1 * Jet.exact(x)))
