"""Custom functions: a rule of one's own."""

from types import SimpleNamespace

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, every, example, given
from gradspec.conformance.strategies import (
    DENSE,
    arrays,
    booleans,
    integers,
    sampled_from,
)
from gradspec.conformance.strategies.custom import (
    cube,
    exponential,
    legendre,
    scaling,
)
from gradspec.conformance.truth.oracles.jets import Jet

pytestmark = pytest.mark.filterwarnings("ignore:.*should not be instantiated")

NO_WORKLOAD = "the chapter of examples times a function of one's own"

# ---- what a rule is ------------------------------------------------------------------------------


@claim("FUN-51", about="custom", needs="backward custom no_grad")
@given(x=arrays(), y=arrays(), v=arrays(), w=arrays())
def test_forward_gives_values_and_backward_gradients(be, x, y, v, w):
    """An operation made of two functions has the values of its forward and the gradients of its
    backward, and neither is recorded. Backward runs once a pass, on the sum over all uses, and what
    it returns for an input that was given twice adds up.
    """
    ran = []

    def forward(ctx, a, b):
        ran.append(("forward", be.is_grad_enabled(), be.requires_grad(a * b)))
        ctx.save_for_backward(a, b)
        return a * b

    def backward(ctx, g):
        a, b = ctx.saved_tensors
        ran.append(("backward", be.is_grad_enabled(), be.requires_grad(a * b)))
        return g * b, g * a

    factors = be.leaf(x), be.leaf(y)
    product = be.custom(forward, backward).apply(*factors)
    be.backward(be.mul(product, v) + product, w)
    assert ran == [("forward", False, False), ("backward", False, False)]
    be.check(product, x * y)
    be.check(be.grad(factors[0]), Total.of(w * v * y, w * y))
    be.check(be.grad(factors[1]), Total.of(w * v * x, w * x))
    twice = be.leaf(x)
    for both in (twice, twice * 1):
        be.backward(be.custom(forward, backward).apply(both, both), w)
    be.check(be.grad(twice), 4 * w * x)


@claim("FUN-53", about="custom", needs="backward custom", level="contract")
@given(x=arrays(), w=arrays())
def test_only_apply_makes_an_operation(be, x, w):
    """An operation runs through apply: called as an instance it is refused, and its forward called
    as a function is recorded step by step, without its backward.
    """
    wrong = be.custom(lambda _, a: a * a, lambda _, g: g * 5)
    applied, direct = be.leaf(x), be.leaf(x)
    with be.raises(ErrorKind.ARGUMENT):
        wrong()(applied)
    be.backward(wrong.apply(applied), w)
    be.backward(wrong.forward(SimpleNamespace(), direct), w)
    be.check(be.grad(applied), 5 * w)
    be.check(be.grad(direct), 2 * w * x)


@claim("FUN-54", about="custom", needs="backward custom no_grad")
@example(x=1.0, recording=True, tracked=False, place=0)
@given(x=arrays(), recording=booleans(), tracked=booleans(), place=integers(0, 3))
def test_nothing_is_recorded_without_need(be, x, recording, tracked, place):
    """apply makes a leaf that does not require grad unless recording is on and an input requires
    grad, whichever of them; what is no tensor passes through as it is.
    """
    rule, given = legendre(be), [be.tensor(x) for _ in range(4)]
    joining = be.custom(lambda _, a, b, c, d: a + b + c + d, lambda _, g: (g, g, g, g))
    if tracked:
        given[place] = be.leaf(x)
    with be.enable_grad() if recording else be.no_grad():
        y, joined = rule.apply(given[place]), joining.apply(*given)
    for made in (y, joined):
        assert be.requires_grad(made) is (recording and tracked)
        assert be.is_leaf(made) is not (recording and tracked)
    be.check(y, Total.of(2.5 * x**3, -1.5 * x))
    assert 1.0 + 2.0 * rule.apply(1.0 + 2.0 * 1) == 127.0


# ---- the context ---------------------------------------------------------------------------------


@claim("FUN-55", about="custom", needs="backward custom", level="contract")
@given(
    x=arrays(),
    w=arrays(),
    other=sampled_from([3, 0.5, "text", [1.0], {"a": 1.0}, np.ones(2)]),
)
def test_tensors_and_none_are_saved_for_backward(be, x, w, other):
    """save_for_backward takes tensors, also those that forward computes on its way, and None, and
    its last call counts. Anything else is refused as soon as the operation is recorded, not before.
    """

    def forward(ctx, a, saved):
        ctx.save_for_backward(saved)
        ctx.save_for_backward(a, saved, twice := a * 2)
        return twice * a / 2

    def backward(ctx, g):
        _, saved, twice = ctx.saved_tensors
        return (g * twice, None) if saved is None else (None, None)

    rule, leaf = be.custom(forward, backward), be.leaf(x)
    be.check(rule.apply(be.tensor(x), other), x * x)
    with be.raises(ErrorKind.ARGUMENT):
        rule.apply(leaf, other)
    be.backward(rule.apply(leaf, None), w)
    be.check(be.grad(leaf), 2 * w * x)


@claim("FUN-56", about="custom", needs="backward custom")
@given(x=arrays(), y=arrays(), w=arrays(), factors=sampled_from([(2.0, 3.0), (-1.0, 0.5)]))
def test_every_call_has_a_context_of_its_own(be, x, y, w, factors):
    """An attribute set on the context in forward is there in the backward of the same call, and of
    no other, not of one within it either. The context knows which inputs need a gradient.
    """
    needed = []

    def forward(ctx, a, b, factor):
        ctx.factor = factor
        if factor:
            rule.apply(a, b, 0.0)
        return a * b

    def backward(ctx, g):
        needed.append(tuple(ctx.needs_input_grad))
        return None, g * ctx.factor, None

    rule, first, second = be.custom(forward, backward), be.leaf(x), be.leaf(x)
    p = rule.apply(be.tensor(y), first, factors[0])
    q = rule.apply(be.tensor(y), second, factors[1])
    be.backward(q, w)
    be.backward(p, w)
    assert needed == [(False, True, False)] * 2
    be.check(be.grad(first), w * factors[0])
    be.check(be.grad(second), w * factors[1])


@claim(
    "FUN-57",
    about="custom",
    needs="backward custom retain_graph version_counter inplace views getitem mul_",
    level="contract",
)
@given(x=arrays(), w=arrays())
def test_saved_tensors_obey_the_rules_of_the_graph(be, x, w):
    """What save_for_backward keeps is freed by the pass that uses it, so that a rule that keeps
    nothing runs again, and a write to it before the pass is detected, be it an output or an input,
    or a part of what was written.
    """
    leaf, other = be.leaf(x), be.leaf(x)
    used, written = exponential(be).apply(leaf), exponential(be).apply(leaf)
    given = other * 1
    power, part = cube(be).apply(given), cube(be).apply(be.getitem(given, ...))
    be.backward(used, w)
    be.mul_(written, 2)
    be.mul_(given, 2)
    with be.raises(ErrorKind.FREED_GRAPH):
        be.backward(used, w)
    for stale in (written, power, part):
        with be.raises(ErrorKind.STALE_SAVED_VALUE):
            be.backward(stale, w)
    assert be.grad(other) is None
    be.check(be.grad(leaf), w * np.exp(Jet.exact(x)))
    twice = be.custom(lambda _, a: a * 2, lambda _, g: g * 2).apply(other)
    for times in (1, 2):
        be.backward(twice, w)
        be.check(be.grad(other), 2 * times * w)


# ---- gradients in and out ------------------------------------------------------------------------


@claim("FUN-58", about="custom", needs="backward custom gradients", level="contract")
@every(wrong=["none", "too many", "longer", "shorter", "turned", "a number", "a text"])
@given(
    x=arrays(shape=(2,)),
    w=arrays(shape=(2,)),
    computed=booleans(),
    chosen=booleans(),
)
def test_backward_returns_one_gradient_for_each_input(be, x, w, wrong, computed, chosen):
    """Backward returns a gradient of the input's shape, or None, for each input, and more Nones
    are ignored. Another number of gradients, a shape to which the input's does not broadcast, or
    what is no tensor is refused, for the last of several inputs too, and for one that was computed.
    """
    returned = {
        "none": lambda _: (),
        "too many": lambda g: (g, g),
        "longer": lambda _: (be.tensor(np.ones(3)),),
        "shorter": lambda _: (be.tensor(np.ones(1)),),
        "turned": lambda _: (be.tensor(np.ones((2, 1))),),
        "a number": lambda _: (2.0,),
        "a text": lambda _: ("2",),
    }[wrong]
    leaf = be.leaf(x)
    given = leaf * 1 if computed else leaf
    for rule, inputs in (
        (be.custom(lambda _, a: a * 2, lambda _, g: returned(g)), (given,)),
        (be.custom(lambda _, a, b: a * b, lambda _, g: (g, *returned(g))), (leaf, given)),
    ):
        y = rule.apply(*inputs)
        with be.raises(ErrorKind.INVALID_GRADIENT):
            if chosen:
                be.gradients(y, [given], be.tensor(w))
            else:
                be.backward(y, w)
    be.clear(leaf)
    be.backward(be.custom(lambda _, a: a * 2, lambda *_: None).apply(leaf), w)
    assert be.grad(leaf) is None
    be.backward(be.custom(lambda _, a: a * 2, lambda _, g: (g * 2, None, None)).apply(leaf), w)
    be.check(be.grad(leaf), 2 * w)


@claim("FUN-101", about="custom", needs="backward custom torch", level="contract")
@given(g=arrays("larger", shape=(4, 2)), x=arrays(shape=(2,)))
def test_backward_is_held_to_what_forward_was_given(be, g, x):
    """A gradient to whose shape the input's broadcasts is summed, and one of another floating width
    is cast. For an input that is no tensor it has to be None; for a tensor that requires no grad
    it is passed over.
    """
    leaf = be.leaf(x)
    larger = be.custom(lambda _, a: a * 1, lambda *_: be.tensor(g).double())
    be.backward(larger.apply(leaf), x)
    be.check(be.grad(leaf), Total.along(g, 0))
    both = be.custom(lambda _, a, b: a * b, lambda _, g: (g, g))
    with be.raises(ErrorKind.INVALID_GRADIENT):
        be.backward(both.apply(leaf, 3.0), x)
    be.clear(leaf)
    constant = be.tensor(x)
    be.backward(both.apply(leaf, constant), x)
    be.check(be.grad(leaf), x)
    assert be.grad(constant) is None


@claim("FUN-104", about="custom", needs="backward custom torch", level="contract")
@given(x=arrays(layouts=DENSE), w=arrays())
def test_the_context_is_told_of_writes_and_of_constants(be, x, w):
    """Inputs that forward wrote and marked dirty come out as the very tensors, with the rule's
    gradients; outputs marked as not differentiable do not require grad.
    """

    def forward(ctx, a, b):
        ctx.mark_dirty(a.mul_(2), b.mul_(7))
        places = a > 0
        ctx.mark_non_differentiable(scale := a * 0 + 3, shift := a * 0)
        return a, b, places, scale, shift

    leaf, other = be.leaf(x), be.leaf(x)
    first, second = leaf * 1, other * 1
    rule = be.custom(forward, lambda _, g, h, *_unused: (g * 5, h * 11))
    *written, places, scale, shift = rule.apply(first, second)
    assert written[0] is first
    assert written[1] is second
    flags = [be.requires_grad(each) for each in (first, second, places, scale, shift)]
    assert flags == [True, True, False, False, False]
    be.check(first, 2 * x)
    be.check(second, 7 * x)
    be.backward(first * scale + second + shift, w)
    be.check(be.grad(leaf), 15 * w)
    be.check(be.grad(other), 11 * w)


@claim("FUN-190", about="custom", needs="backward custom getitem torch", level="contract")
@given(x=arrays(shape=(3,), layouts=DENSE), w=arrays(shape=(3,)), size=integers(1, 3))
def test_what_a_rule_writes_into_a_part_the_whole_has(be, x, w, size):
    """A rule that writes into a view and marks it dirty writes into its base: there the values are
    the new ones, and gradients are passed by the rule where it wrote, and as before elsewhere.
    """
    leaf, there = be.leaf(x), np.arange(3) < size
    whole = leaf * 3
    part = be.getitem(whole, slice(size))
    rule = be.custom(lambda ctx, a: ctx.mark_dirty(a.mul_(2)) or a, lambda _, g: g * 5)
    assert rule.apply(part) is part
    be.check(whole, np.where(there, 6, 3) * x)
    be.check(part, 6 * x[:size])
    be.backward(whole, w)
    be.check(be.grad(leaf), np.where(there, 15, 3) * w)


@claim("FUN-106", about="custom", needs="backward custom")
@given(x=arrays(layouts=DENSE), c=arrays(layouts=DENSE), w=arrays(), uses=integers(1, 2))
def test_what_backward_returns_stays_its_own(be, x, c, w, uses):
    """A tensor that backward returned is not written by this pass nor by a later one: .grad that
    was made of it has memory of its own.
    """
    leaf, held = be.leaf(x), be.tensor(c) * 1
    rule = be.custom(lambda _, a: a * 2, lambda *_: held)
    for _ in range(2):
        y = rule.apply(leaf)
        be.backward(y if uses == 1 else y + leaf * 1, w)
    be.check(held, c)
    be.check(be.grad(leaf), Total.of(*[c, w][:uses] * 2))


@claim("FUN-110", about="custom", needs="backward custom no_grad", level="contract")
@given(x=arrays(), same=booleans())
def test_nothing_is_recorded_by_hand_under_no_grad(be, x, same):
    """Under no_grad what apply returns is a leaf that does not require grad, even if it is the
    input; while recording, only integers and bools are.
    """
    leaf = be.leaf(x)
    rule = be.custom(lambda _, a: (a if same else a * 2, a > 0), lambda _, g, _none: g)
    with be.no_grad():
        silent = rule.apply(leaf)
    recorded, whole = rule.apply(leaf)
    assert not any(map(be.requires_grad, (*silent, whole)))
    assert all(map(be.is_leaf, (*silent, whole)))
    assert be.requires_grad(recorded)
    be.check(silent[0], x if same else 2 * x)


@claim("FUN-260", about="custom", needs="backward custom no_grad", level="contract")
@given(x=arrays(), w=arrays(), computed=booleans(), silent=booleans())
def test_a_tensor_from_elsewhere_is_left_alone(be, x, w, computed, silent):
    """A call that is not recorded, under no_grad or of a constant, leaves a tensor that it returns
    without having been given it in its graph, and a leaf a leaf that requires grad.
    """
    leaf = be.leaf(x)
    held = leaf * 2 if computed else leaf
    rule = be.custom(lambda *_: held, lambda _, g: g)
    if silent:
        with be.no_grad():
            rule.apply(be.leaf(x))
    else:
        rule.apply(be.tensor(x))
    assert be.requires_grad(held)
    assert be.is_leaf(held) is not computed
    be.backward(held * 3, w)
    be.check(be.grad(leaf), 3 * w * (1 + computed))


@claim("FUN-59", about="custom", needs="backward custom gradients create_graph")
@example(x=2.0, w=1.0, v=1.0, c=-0.1)
@given(x=arrays(), w=arrays(), v=arrays(), c=sampled_from([-1.0, 0.5, 0.0, 1.0, 4.0]))
def test_identity_may_scale_the_gradient(be, x, w, v, c):
    """An operation that returns its input and multiplies gradients by c scales every gradient that
    passes through it by c, hence second derivatives by the square of c.
    """
    leaf = be.leaf(x)
    y = scaling(be).apply(leaf, c)
    z = y * y
    (gradient,) = be.gradients(z, [leaf], be.tensor(w), create_graph=True)
    (second,) = be.gradients(gradient, [leaf], be.tensor(v))
    be.check(z, x * x)
    be.check(gradient, 2 * w * Jet.exact(x) * c)
    be.check(second, 2 * w * Jet.exact(v) * c * c)


@claim("FUN-60", about="custom", needs="backward custom views inplace add_ graph", level="contract")
@given(x=arrays(min_size=1), w=arrays(min_size=1), computed=booleans())
def test_input_that_is_returned_becomes_a_view(be, x, w, computed):
    """An input that forward returns, as it is or by a view of it, comes out of apply as a new
    tensor, a view of the input with the rule's gradient. It is not to be written in place.
    """
    leaf = be.leaf(x)
    given = leaf * 1 if computed else leaf
    viewing = be.custom(lambda _, a: a[...], lambda _, g: g * 3)
    y, part = scaling(be).apply(given, 3.0), viewing.apply(given)
    assert y is not given
    for made in (y, part):
        assert be.shares_memory(made, given)
        assert be.base(made) is given
        with be.raises(ErrorKind.CUSTOM_VIEW_INPLACE):
            be.add_(made, 1)
    be.backward(y + part, w)
    be.check(be.grad(leaf), 6 * w)
