"""Saved values: what a graph keeps alive until it has run."""

import weakref
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, every, example, given, workload
from gradspec.conformance.strategies import DENSE, arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.modes import Escape
from gradspec.conformance.strategies.programs import RESULTS
from gradspec.conformance.truth.oracles.jets import Jet


@workload
def saved_in_vain(be, leaf):
    """A product of exponentials, recorded and dropped."""
    y = be.exp(leaf)
    return y * y


@claim("FRE-09", about="backward", needs="backward retain_graph saved_tensors")
@given(x=arrays(), w=arrays())
def test_saved_values_go_as_soon_as_backward_has_run(be, x, w):
    """A pass releases all that it ran over, though the result is still referenced; one that
    retains releases nothing.
    """
    leaf = be.leaf(x)
    with be.saved_tensors() as saved:
        y = be.exp(leaf)
        z = y * y
    be.backward(z, w, retain_graph=True)
    assert saved.live == saved.packed > 0
    be.backward(z, w)
    assert saved.live == 0


@claim(
    "FRE-54", about="saved_tensors", needs="backward retain_graph saved_tensors", level="contract"
)
@given(x=arrays(), w=arrays(), retained=integers(0, 2))
def test_dropping_the_result_releases_saved_values(be, x, w, retained):
    """Saved values that no pass has freed live exactly as long as a result that needs them."""
    leaf = be.leaf(x)
    with be.saved_tensors() as saved:
        z = be.exp(be.mul(leaf, w))
    for _ in range(retained):
        be.backward(z, w, retain_graph=True)
    assert saved.live == saved.packed > 0
    del z
    assert saved.live == 0


@claim("FRE-10", about="backward", needs="backward retain_graph saved_tensors", level="contract")
@example(x=2.0, retain=True, rounds=5, kept=1)
@example(x=2.0, retain=True, rounds=5, kept=5)
@example(x=2.0, retain=False, rounds=5, kept=5)
@given(x=arrays(), retain=booleans(), rounds=integers(1, 5), kept=integers(1, 5))
def test_retaining_costs_memory_for_each_live_graph(be, x, retain, rounds, kept):
    """Retained values are held once for each graph that is still referenced, however many there
    were; values that are not retained are never held.
    """
    leaf, losses = be.leaf(x), deque(maxlen=kept)
    with be.saved_tensors() as saved:
        for done in range(1, rounds + 1):
            losses.append(be.sum(leaf * leaf))
            be.backward(losses[-1], retain_graph=retain)
            assert saved.live == retain * min(done, kept) * saved.packed // done
    assert saved.packed > 0


@claim("FRE-12", "FRE-55", about="backward", needs="backward retain_graph graph", level="contract")
@given(x=arrays(), w=arrays())
def test_tensors_and_nodes_outlive_saved_values(be, x, w):
    """After a pass an intermediate tensor keeps its value and its node, and the node its edges;
    only reading what the node saved is refused.
    """
    y = be.exp(be.leaf(x))
    node, value = be.node(y), be.numpy(y)
    edges = list(be.next_nodes(node))
    (saved,) = be.saved_values(node).values()
    be.same(saved, y)
    be.backward(y * y, w)
    be.check(y, value)
    assert be.node(y) is node
    assert list(be.next_nodes(node)) == edges
    with be.raises(ErrorKind.FREED_GRAPH):
        be.saved_values(node)


@claim("FRE-15", about="saved_values", needs="backward retain_graph graph", level="contract")
@given(
    x=arrays(),
    y=arrays(),
    w=arrays(),
    tracked=sampled_from([(True, True), (True, False), (False, True)]),
)
def test_product_saves_the_partner_of_each_tracked_factor(be, x, y, w, tracked):
    """A product saves a factor only if the other one is tracked; what it saved is freed even if it
    is a leaf.
    """
    factors = [
        be.leaf(v) if flag else be.tensor(v) for v, flag in zip((x, y), tracked, strict=True)
    ]
    partners = [(leaf, v) for leaf, v, flag in zip(factors, (y, x), tracked, strict=True) if flag]
    product = factors[0] * factors[1]
    kept = [be.numpy(v) for v in be.saved_values(be.node(product)).values() if v is not None]
    assert sorted(v.tolist() for v in kept) == sorted(v.tolist() for _, v in partners)
    be.backward(product, w)
    with be.raises(ErrorKind.FREED_GRAPH):
        be.backward(product, w)
    for leaf, v in partners:
        be.check(be.grad(leaf), w * v)


# ---- kept elsewhere, or not at all ---------------------------------------------------------------


@claim("FRE-101", about="saved_tensors_hooks", needs="backward packing", level="contract")
@given(x=arrays(), w=arrays())
def test_saved_values_may_be_kept_elsewhere(be, x, w):
    """Within saved_tensors_hooks what is saved goes through the inner pair of functions: every pass
    gets what unpack then makes of what pack returned, and what either raises comes out. Other
    threads save as ever.
    """
    hooks, packed, leaf = be.saved_tensors_hooks, [], be.leaf(x)
    factors = [5, 5, 6, 6]

    def refused(_):
        raise LookupError

    with (
        hooks(refused, refused),
        hooks(lambda t: packed.append(t) or 2 * t, lambda t: t * factors.pop()),
    ):
        y = leaf * leaf
    z = leaf * leaf
    assert len(packed) == 2
    be.backward(y, w, retain_graph=True)
    be.backward(y, w)
    be.backward(z, w)
    be.check(be.grad(leaf), Total.of(44 * w * x, 2 * w * x))
    with pytest.raises(LookupError), hooks(refused, lambda t: t):
        leaf * leaf
    with hooks(lambda t: t, refused):
        z = leaf * leaf
    with pytest.raises(LookupError):
        be.backward(z, w)
    with hooks(lambda t: 3 * t, lambda t: t):
        with suppress(Escape), hooks(refused, refused):
            raise Escape
        z = leaf * leaf
        with ThreadPoolExecutor(1) as other:
            plain = other.submit(lambda: leaf * leaf).result()
    be.backward(z, w)
    be.backward(plain, w)
    be.check(be.grad(leaf), Total.of(44 * w * x, 2 * w * x, 6 * w * x, 2 * w * x))


@claim(
    "FRE-103",
    about="saved_tensors_hooks",
    needs="backward packing create_graph gradients exp",
    level="contract",
)
@given(x=arrays(), v=arrays(), w=arrays())
def test_what_is_unpacked_is_differentiated(be, x, v, w):
    """In a recorded pass what unpack returns takes the place of the saved value in the graph, be it
    an argument or a result: the gradient is differentiated with respect to what was saved.
    """
    own = np.exp(Jet.exact(x))
    for function, slope in ((lambda z: z * z, 2), (be.exp, own)):
        leaf = be.leaf(x)
        with be.saved_tensors_hooks(be.numpy, be.tensor):
            y = function(leaf)
        (gradient,) = be.gradients(y, [leaf], w, create_graph=True)
        (second,) = be.gradients(gradient, [leaf], v)
        be.check(second, v * w * slope)


@claim("FRE-171", about="saved_tensors_hooks", needs="backward packing custom", level="contract")
@given(x=arrays(), y=arrays(), w=arrays())
def test_what_a_rule_saves_may_be_kept_elsewhere(be, x, y, w):
    """What an operation written by hand saves goes through hooks for saved values as well, inputs
    and results alike: its backward gets what unpack makes of what pack returned.
    """

    def forward(ctx, a, b):
        ctx.save_for_backward(a, None, made := a * b)
        return made

    def backward(ctx, g):
        a, nothing, made = ctx.saved_tensors
        assert nothing is None
        return g * made, g * a

    leaves, packed = [be.leaf(x), be.leaf(y)], []
    with be.saved_tensors_hooks(lambda t: packed.append(t) or 2 * t, lambda t: t * 5):
        z = be.custom(forward, backward).apply(*leaves)
    assert len(packed) == 2
    be.check(z, x * y)
    be.backward(z, w)
    be.check(be.grad(leaves[0]), 10 * w * x * y)
    be.check(be.grad(leaves[1]), 10 * w * x)


@claim("FRE-340", about="saved_tensors_hooks", needs="backward packing", level="contract")
@given(x=arrays(), w=arrays())
def test_hooks_for_saved_values_end_with_their_block(be, x, w):
    """An exception ends a block of saved_tensors_hooks as well: what is saved afterwards goes
    through the hooks around the block alone, which may have been around another one before.
    """
    leaf, packed = be.leaf(x), []
    around = be.saved_tensors_hooks(lambda t: packed.append("around") or t, lambda t: t)
    for error in (LookupError, ValueError):
        packed.clear()
        with around:
            with (
                pytest.raises(error),
                be.saved_tensors_hooks(lambda t: packed.append("within") or t, lambda t: 2 * t),
            ):
                raise error
            y = leaf * leaf
        (gradient,) = be.gradients(y, [leaf], w)
        be.check(gradient, 2 * w * x)
        assert set(packed) == {"around"}


@claim("FRE-341", about="backward", needs="backward views expand torch", level="contract")
@given(
    x=arrays("matrix", shape=(4, 3), layouts=DENSE),
    part=sampled_from([np.s_[1:], np.s_[:, 1], np.s_[1::2, ::2], np.s_[-1], np.s_[2, 1]]),
)
def test_parts_are_kept_on_the_host(be, x, part):
    """Of a part of a tensor, wherever it lies in memory and however often it is repeated,
    save_on_cpu keeps that part.
    """
    leaf, slope = be.leaf(x), np.zeros((4, 3))
    with be.lookup("torch.autograd.graph:save_on_cpu")():
        y = be.sum(leaf[part] * leaf[part])
        spread = be.expand(leaf[part], 2, *x[part].shape)
        z = be.sum(spread * spread)
    be.backward([y, z])
    slope[part] = 6 * x[part]
    be.check(be.grad(leaf), slope)


@claim("FRE-105", about="backward", needs="backward inplace fill_ torch", level="contract")
@example(x=2.0, y=3.0, w=1.0)
@given(x=arrays(layouts=DENSE), y=arrays(layouts=DENSE), w=arrays())
def test_what_is_kept_on_the_host_stays_what_it_was(be, x, y, w):
    """For a value that was saved within save_on_cpu and written since, backward uses the value at
    the time of saving, or is refused; it is refused if the value was saved after the block, though
    an exception ended it.
    """
    leaf, factor = be.leaf(x), be.tensor(y)
    with suppress(Escape), be.lookup("torch.autograd.graph:save_on_cpu")():
        product = leaf * factor
        raise Escape
    later = leaf * factor
    be.fill_(factor, 7.0)
    with be.raises(ErrorKind.STALE_SAVED_VALUE):
        be.backward(later, w)
    try:
        be.backward(product, w)
    except Exception as error:
        if be.kind_of(error) is not ErrorKind.STALE_SAVED_VALUE:
            raise
    else:
        be.check(be.grad(leaf), w * y)


@claim(
    "FRE-170",
    about="lookup",
    needs="backward inplace views mul_ exp packing torch",
    level="contract",
)
@example(x=np.ones(2), w=np.ones(2), through=False, way="list")
@example(x=np.ones(2), w=np.ones(2), through=False, way="out")
@given(
    x=arrays(layouts=DENSE),
    w=arrays(),
    through=booleans(),
    way=sampled_from(["in place", "list", "out"]),
)
def test_saved_values_may_be_written_where_that_is_allowed(be, x, w, through, way):
    """Within allow_mutation_on_saved_tensors backward uses the values as they were when they were
    saved, whatever is written over them, in place, as one of a list or as a place for results,
    itself or through a view. Where hooks for saved values are disabled they are refused, with the
    words of the innermost block around, until the last one ends; an exception ends either block.
    """
    leaf, ours = be.leaf(x), be.lookup("torch.autograd.graph:allow_mutation_on_saved_tensors")
    with suppress(Escape), ours():
        raise Escape
    y = leaf * 1
    square = y * y
    be.mul_(y, 3)
    with be.raises(ErrorKind.STALE_SAVED_VALUE):
        be.backward(square, w)
    with ours():
        y = leaf * 1
        power, shown = be.exp(y), y[...]
        result = y * y + power + shown * shown * shown
        written = [each[...] if through else each for each in (y, power)]
        with nullcontext() if way == "in place" else be.no_grad():
            if way == "list":
                be.lookup("torch:_foreach_mul_")(written, 3)
            for each in () if way == "list" else written:
                be.mul_(each, 3) if way == "in place" else be.lookup("torch:sin")(each, out=each)
        be.backward(result, w)
    own = Jet.exact(x)
    be.check(be.grad(leaf), w * (2 * own + np.exp(own) + 3 * (own * own)))
    hooks, words = be.saved_tensors_hooks, ["are not to be used here", "nor here"]
    disabled = be.lookup("torch.autograd.graph:disable_saved_tensors_hooks")

    def refused(told):
        with pytest.raises(RuntimeError, match=told), hooks(lambda t: t, lambda t: t):
            pass

    with suppress(Escape), disabled(words[0]):
        with suppress(Escape), disabled(words[1]):
            refused(words[1])
            raise Escape
        refused(words[0])
        raise Escape
    with hooks(lambda t: t, lambda t: t):
        be.check(leaf * leaf, own * own)


@claim(
    "FRE-104",
    about="register_hook",
    needs="backward hooks custom inplace exp sigmoid tanh relu sqrt softmax exp_ tanh_ sigmoid_",
    level="contract",
)
@every(name=[*RESULTS, "of one's own"])
@given(x=arrays(), passed=booleans())
def test_a_graph_that_nobody_holds_is_gone(be, name, x, passed):
    """When its last result is gone a graph is freed at once, even if it saved results, computed in
    place or not, and so are the hooks on its tensors.
    """

    def forward(ctx, a):
        ctx.save_for_backward(made := be.exp(a))
        return made

    def hook(_):
        return None

    inner = be.leaf(x * x + 1) * 1
    be.register_hook(inner, hook)
    own = be.custom(forward, lambda ctx, g: g * ctx.saved_tensors[0])
    y = RESULTS[name](be, inner) if name in RESULTS else own.apply(inner)
    z, seen = y * y, weakref.ref(hook)
    del inner, hook, y
    if passed:
        be.backward(be.sum(z))
    assert seen() is not None
    del z
    assert seen() is None
