"""Hooks: watching and replacing gradients."""

import warnings
import weakref
from contextlib import suppress

import numpy as np

from gradspec.conformance import ErrorKind, Total, claim, example, given, workload
from gradspec.conformance.strategies import DENSE, arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.modes import Escape

# ---- watching ------------------------------------------------------------------------------------


@claim("HOK-02", about="register_hook", needs="backward hooks", level="contract")
@example(x=2.0, w=1.0, computed=True)
@given(x=arrays(), w=arrays(), computed=booleans())
def test_a_hook_sees_the_gradient_of_its_tensor(be, x, w, computed):
    """A hook is called during backward with the gradient of the output with respect to its tensor,
    until it is removed; removing it leaves the other hooks alone, and may be repeated. A tensor
    that does not require grad takes no hook.
    """
    leaf, seen, beside = be.leaf(x), [], []
    y = leaf + 1 if computed else leaf
    handle = be.register_hook(y, lambda g: seen.append(g * 1))
    be.register_hook(y, lambda g: beside.append(g * 1))
    with be.raises(ErrorKind.NO_GRAPH):
        be.register_hook(be.tensor(x), seen.append)
    be.backward(y * y, w)
    handle.remove()
    handle.remove()
    be.backward(y * y, w)
    assert [len(seen), len(beside)] == [1, 2]
    for gradient in (*seen, *beside):
        be.check(gradient, 2 * w * (x + computed))
    be.check(be.grad(leaf), 4 * w * (x + computed))


@claim("HOK-340", about="register_hook", needs="backward hooks torch", level="contract")
@given(x=arrays(), w=arrays(), broken=booleans())
def test_a_handle_is_a_context(be, x, w, broken):
    """A hook whose handle is used as a context is removed when the block ends, though an exception
    ends it.
    """
    leaf, seen = be.leaf(x), []
    with suppress(Escape), be.register_hook(leaf, seen.append):
        be.backward(leaf * leaf, w)
        if broken:
            raise Escape
    be.backward(leaf * leaf, w)
    assert len(seen) == 1


@claim("HOK-03", about="register_hook", needs="backward hooks")
@example(x=1.0, v=5.0, w=7.0, split=False)
@example(x=1.0, v=5.0, w=7.0, split=True)
@given(x=arrays(), v=arrays(), w=arrays(), split=booleans())
def test_a_hook_is_called_once_a_pass_with_the_total(be, x, v, w, split):
    """In each backward pass a hook is called once, with the sum of what all uses of its tensor
    contribute, also from several results; on a leaf that is what the pass adds, not what .grad
    holds.
    """
    leaf, at_leaf, at_y = be.leaf(x), [], []
    be.register_hook(leaf, lambda g: at_leaf.append(g * 1))
    for cotangent in (v, w):
        y = leaf + 1
        be.register_hook(y, lambda g: at_y.append(g * 1))
        roots = [y * y, 5 * y, leaf * leaf]
        if split:
            be.backward(roots, [cotangent] * 3)
        else:
            be.backward(roots[0] + roots[1] + roots[2], cotangent)
    assert len(at_y) == len(at_leaf) == 2
    for to_y, to_leaf, c in zip(at_y, at_leaf, (v, w), strict=True):
        be.check(to_y, Total.of(2 * c * (x + 1), 5 * c))
        be.check(to_leaf, Total.of(2 * c * (x + 1), 5 * c, 2 * c * x))
    be.check(be.grad(leaf), Total.of(*[t * c for c in (v, w) for t in (2 * (x + 1), 5, 2 * x)]))


@claim("HOK-51", about="register_hook", needs="backward hooks")
@given(x=arrays(), v=arrays(), w=arrays())
def test_gradients_of_intermediates_pass_through(be, x, v, w):
    """The gradient of a tensor that is no leaf is computed, shown to hooks and passed on, but it is
    not stored: .grad stays None.
    """
    leaf, seen = be.leaf(x), []
    y = leaf * leaf
    z = be.mul(v, y)
    be.register_hook(y, lambda g: seen.append(g * 1))
    be.backward(z, w)
    # Some libraries warn of whoever looks there.
    with warnings.catch_warnings(action="ignore"):
        assert be.grad(y) is be.grad(z) is None
    assert len(seen) == 1
    be.check(seen[0], w * v)
    be.check(be.grad(leaf), 2 * w * v * x)


@claim("HOK-01", about="register_hook", needs="backward hooks")
@given(x=arrays(), w=arrays())
def test_gradients_of_intermediates_are_released(be, x, w):
    """After backward nothing holds on to the gradient of an intermediate tensor, though the tensor
    itself lives on; with retain_grad its .grad does.
    """
    leaf, seen = be.leaf(x), []
    y, kept = leaf * leaf, leaf * 3
    for tensor in (y, kept):
        be.register_hook(tensor, lambda g: seen.append(weakref.ref(g)))
    be.retain_grad(kept)
    be.backward(y * kept, w)
    assert [gradient() for gradient in seen] == [None, None]
    be.check(be.grad(kept), w * x * x)


# ---- replacing -----------------------------------------------------------------------------------


@workload
def scaled(be, leaf, factors=-0.5, w=1.0):
    """The gradient of a weighted square, replaced on its way by multiples of itself."""
    y = leaf * leaf
    for x in (y, leaf):
        be.register_hook(x, lambda g: be.mul(g, factors))
    be.backward(be.sum(be.mul(y, w)))
    return be.grad(leaf)


@claim("HOK-53", about="register_hook", needs="backward hooks")
@example(x=1.0, w=2.0, c=10.0)
@given(x=arrays(), w=arrays(), c=arrays())
def test_what_a_hook_returns_replaces_the_gradient(be, x, w, c):
    """What a hook returns takes the place of the gradient: for all that is below an intermediate
    tensor, and for what is added to .grad of a leaf. None lets the gradient be.
    """
    be.check(scaled(be, be.leaf(x), c, w), 2 * w * c * x * c)
    leaf = be.leaf(x)
    be.register_hook(leaf, lambda g: be.mul(g, c))
    be.register_hook(leaf, lambda _: None)
    be.register_hook(leaf, lambda g: be.sub(g, w))
    for _ in range(2):
        be.backward(leaf * leaf, w)
    be.check(be.grad(leaf), Total.of(4 * c * w * x, -2 * w))


@claim("HOK-04", about="register_hook", needs="backward hooks", level="contract")
@example(x=np.array(2.0), w=np.array(1.0), computed=False, wrong=lambda _: 1)
@example(x=np.ones(1), w=np.ones(1), computed=True, wrong=lambda g: g[None])
@example(x=np.ones(3), w=np.ones(3), computed=False, wrong=lambda g: g[0])
@given(
    x=arrays(),
    w=arrays(),
    computed=booleans(),
    wrong=sampled_from((lambda g: g[None], lambda _: 1, lambda g: g > 0)),
)
def test_a_hook_cannot_change_what_a_gradient_looks_like(be, x, w, computed, wrong):
    """A pass is refused if a hook returns a tensor of another shape or dtype than its gradient, or
    something that is no tensor; .grad stays.
    """
    leaf = be.leaf(x)
    y = leaf * leaf
    be.register_hook(y if computed else leaf, wrong)
    with be.raises(ErrorKind.INVALID_GRADIENT, ErrorKind.ARGUMENT):
        be.backward(y, w)
    assert be.grad(leaf) is None


@claim(
    "HOK-103", about="register_hook", needs="backward hooks create_graph no_grad", level="contract"
)
@given(x=arrays(), w=arrays(), recorded=booleans(), computed=booleans(), calling=booleans())
def test_a_hook_records_if_its_pass_does(be, x, w, recorded, computed, calling):
    """What a hook computes is recorded in a pass with create_graph, and in no other, whatever the
    caller of backward records.
    """
    leaf, seen = be.leaf(x), []
    y = leaf * leaf
    be.register_hook(y if computed else leaf, lambda g: seen.append(be.requires_grad(g * leaf)))
    with be.enable_grad() if calling else be.no_grad():
        be.backward(y, w, create_graph=recorded)
    be.clear(leaf)
    assert seen == [recorded]


@claim(
    "HOK-120",
    about="register_hook",
    needs="backward hooks leaf_hooks gradients",
    level="contract",
)
@given(x=arrays(), w=arrays(), b=arrays(), c=arrays())
def test_hooks_are_called_in_passes_to_chosen_tensors(be, x, w, b, c):
    """Where a gradient is asked for, or inputs choose who receives, the hooks of what is passed and
    of what is chosen are called, and count, and those of nothing else; a post-accumulate hook is
    called if .grad is added to, and what it computes is not recorded.
    """
    leaf, added, beside = be.leaf(x), [], be.leaf(x)
    be.register_hook(leaf, lambda g: be.mul(g, b))

    def told(tensor):
        added.append(be.grad(tensor) * 1)
        assert not be.requires_grad(tensor * 1)

    be.register_post_accumulate_hook(leaf, told)

    def hooked():
        y = leaf * leaf
        be.register_hook(y, lambda g: be.mul(g, c))
        return y

    def aside():
        z = beside * 2
        for tensor in (beside, z):
            be.register_hook(tensor, lambda _: added.append("aside"))
        return z

    (found,) = be.gradients([hooked() * 3 + aside() * 5, aside()], [leaf], [w, w])
    be.check(found, 6 * w * x * b * c)
    y = hooked()
    (found,) = be.gradients(y * 3, [y], w)
    be.check(found, 3 * w * c)
    assert not added
    be.backward([hooked() * 3 + aside() * 5, aside()], [w, w], inputs=[leaf])
    assert len(added) == 1
    for gradient in (be.grad(leaf), *added):
        be.check(gradient, 6 * w * x * b * c)


@claim("HOK-403", about="register_hook", needs="backward hooks gradients", level="contract")
@given(x=arrays(), w=arrays(), b=arrays(), order=sampled_from(["yx", "xy"]))
def test_what_else_is_asked_for_changes_no_gradient(be, x, w, b, order):
    """The gradient of a tensor with a hook is what the hook has made of it, whatever other
    gradients are asked for.
    """
    leaf = be.leaf(x)
    tensors = {"x": leaf, "y": leaf * 2}
    be.register_hook(tensors["y"], lambda g: be.mul(g, b))
    asked = be.gradients(tensors["y"] * leaf, [tensors[name] for name in order], w)
    found = dict(zip(order, asked, strict=True))
    be.check(found["x"], 2 * w * x * (1 + b), "gradient of what is behind the hook")
    be.check(found["y"], w * x * b, "gradient of what has the hook")


@claim("HOK-104", about="register_hook", needs="backward hooks")
@example(x=1.0, w=2.0, c=5.0, uses=2)
@given(x=arrays(), w=arrays(), c=arrays(), uses=integers(1, 2))
def test_what_a_hook_returns_stays_its_own(be, x, w, c, uses):
    """A tensor that a hook returned is not written by this pass nor by a later one: .grad that was
    made of it has memory of its own.
    """
    leaf, held = be.leaf(x), be.tensor(np.broadcast_to(c, np.shape(x)).copy())
    be.register_hook(leaf, lambda _: held)
    for _ in range(2):
        y = leaf * 2 if uses == 1 else leaf * 2 + leaf * 3
        be.backward(y, w)
    be.check(held, np.broadcast_to(c, np.shape(x)))
    be.check(be.grad(leaf), Total.of(c, c))


@claim("HOK-105", about="register_hook", needs="backward hooks create_graph gradients")
@example(x=2.0, v=1.0, w=1.0)
@given(x=arrays(), v=arrays(), w=arrays())
def test_what_a_hook_returns_is_differentiated(be, x, v, w):
    """In a recorded pass the gradient that a hook on an intermediate tensor returned is
    differentiated together with what the hook computed it from, the gradient that it was called
    with among that.
    """
    leaf = be.leaf(x)
    y = leaf * leaf
    be.register_hook(y, lambda g: be.mul(g, leaf))
    (gradient,) = be.gradients(y * y, [leaf], w, create_graph=True)
    be.check(gradient, 4 * w * x**4)
    (second,) = be.gradients(gradient, [leaf], v)
    # The path through y meets the hook again.
    be.check(second, Total.of(8 * v * w * x**3, 8 * v * w * x**4))


@claim("HOK-106", about="register_hook", needs="backward hooks", level="contract")
@given(x=arrays(), w=arrays(), computed=booleans())
def test_a_hook_may_remove_hooks(be, x, w, computed):
    """A hook that removes itself while it is called is called once; the other hooks of its tensor
    are called in that pass and later.
    """
    leaf, seen = be.leaf(x), []
    y = leaf * leaf

    def once(_):
        seen.append("once")
        handle.remove()

    handle = be.register_hook(y if computed else leaf, once)
    be.register_hook(y if computed else leaf, lambda _: seen.append("always"))
    for _ in range(2):
        be.backward(y * 1, w, retain_graph=True)
    assert seen == ["once", "always", "always"]
    be.check(be.grad(leaf), 4 * w * x)


@claim("HOK-107", about="register_hook", needs="backward hooks", level="contract")
@given(x=arrays(), w=arrays(), c=arrays(), computed=booleans())
def test_a_function_may_be_set_twice(be, x, w, c, computed):
    """A function that is registered as a hook twice is called twice, and once after one of the two
    is removed.
    """
    leaf = be.leaf(x)
    y = leaf * leaf

    def scale(g):
        return be.mul(g, c)

    handles = [be.register_hook(y if computed else leaf, scale) for _ in range(2)]
    be.backward(y * 1, w, retain_graph=True)
    be.check(be.grad(leaf), 2 * w * x * c * c)
    be.clear(leaf)
    handles[0].remove()
    be.backward(y * 1, w)
    be.check(be.grad(leaf), 2 * w * x * c)


# ---- retaining -----------------------------------------------------------------------------------


@claim("HOK-05", about="retain_grad", needs="backward hooks retain_graph", level="contract")
@example(x=2.0, w=1.0, c=10.0, first=True)
@given(x=arrays(), w=arrays(), c=arrays(), first=booleans())
def test_retained_gradients_are_those_after_all_hooks(be, x, w, c, first):
    """retain_grad fills .grad of an intermediate tensor with what is passed on below it, after all
    hooks, in whatever order they came; from pass to pass it adds up as on a leaf, once where inputs
    name the tensor as well.
    """
    leaf = be.leaf(x)
    y = leaf + 1
    if first:
        be.retain_grad(y)
    be.register_hook(y, lambda g: be.mul(g, c))
    if not first:
        be.retain_grad(y)
    for inputs in (None, [y, leaf]):
        be.backward(y * y, w, retain_graph=True, inputs=inputs)
    for tensor in (y, leaf):
        be.check(be.grad(tensor), 4 * w * c * (x + 1))


@claim("HOK-121", about="retain_grad", needs="backward hooks create_graph gradients")
@given(x=arrays(), v=arrays(), w=arrays())
def test_a_retained_gradient_is_differentiated(be, x, v, w):
    """What recorded passes retain is recorded, and so is their sum: it is differentiated like any
    other result.
    """
    leaf = be.leaf(x)
    y = leaf * leaf
    be.retain_grad(y)
    with warnings.catch_warnings(action="ignore"):
        for cotangent in (v, w):
            be.backward(y * y, cotangent, create_graph=True)
    kept = be.grad(y)
    be.clear(leaf)
    be.check(kept, Total.of(2 * v * x * x, 2 * w * x * x))
    (second,) = be.gradients(kept, [leaf], v)
    be.check(second, Total.of(4 * v * v * x, 4 * v * w * x))


@claim(
    "HOK-52",
    about="retain_grad",
    needs="backward hooks inplace mul_ retain_graph",
    level="contract",
)
@example(x=np.array([1.0]), w=np.array([1.0]))
@given(x=arrays(layouts=DENSE), w=arrays())
def test_retain_grad_follows_its_tensor(be, x, w):
    """retain_grad asks once and for all: repeated, or on a leaf, it changes nothing; it follows its
    tensor through writes in place, and comes too late after backward. A tensor that does not
    require grad refuses it.
    """
    leaf = be.leaf(x)
    y = leaf * 2
    for tensor in (leaf, y, y):
        be.retain_grad(tensor)
    be.mul_(y, 3)
    z = y * 5
    be.backward(z, w)
    be.retain_grad(z)
    with be.raises(ErrorKind.NO_GRAPH):
        be.retain_grad(be.tensor(x))
    be.check(be.grad(leaf), 30 * w)
    be.check(be.grad(y), 5 * w)
    assert be.grad(z) is None


@claim("HOK-108", about="retain_grad", needs="backward hooks retain_graph", level="contract")
@given(x=arrays(layouts=DENSE), v=arrays(), w=arrays(layouts=DENSE))
def test_a_retained_gradient_has_memory_of_its_own(be, x, v, w):
    """What is added to one retained gradient shows in no other, nor in the cotangent, even where
    one cotangent passes through unchanged.
    """
    leaf, cotangent = be.leaf(x), be.tensor(w)
    y = leaf + 1
    z = y + 1
    for tensor in (y, z):
        be.retain_grad(tensor)
    be.backward(z, cotangent, retain_graph=True)
    be.backward(y * 1, v)
    be.check(be.grad(z), w)
    be.check(cotangent, w)
    for tensor in (y, leaf):
        be.check(be.grad(tensor), Total.of(w, v))


@claim("HOK-109", about="retain_grad", needs="backward hooks", level="contract")
@given(x=arrays(), w=arrays(), passed=booleans())
def test_what_retains_its_gradient_is_not_kept_by_it(be, x, w, passed):
    """A tensor that retains its gradient lives no longer than its last user, before a pass and
    after it, though the graph lives on.
    """
    leaf = be.leaf(x)
    y = leaf + 1
    be.retain_grad(y)
    z, seen = y + 1, weakref.ref(y)
    if passed:
        be.backward(z, w)
    del y
    assert seen() is None
    if not passed:
        be.backward(z, w)
    be.check(be.grad(leaf), w)


@claim(
    "HOK-111",
    about="retain_grad",
    needs="backward hooks views inplace mul_ select",
    level="contract",
)
@given(
    x=arrays(shape=(2, 3), layouts=DENSE),
    w=arrays(shape=(2, 3)),
    c=arrays(shape=(3,)),
    used=booleans(),
)
def test_retain_grad_follows_a_view(be, x, w, c, used):
    """A view that is written retains the gradient of its new value, as does its base: what is used
    of the base adds nothing to the view, what is used of the view adds to the base.
    """
    leaf = be.leaf(x)
    base = leaf * 1
    be.retain_grad(base)
    view = be.select(base, 0, 1)
    be.retain_grad(view)
    be.mul_(view, be.tensor(c))
    through_base = be.sum(be.mul(w, base))
    if not used:
        be.backward(through_base)
        assert be.grad(view) is None
        be.check(be.grad(base), w)
        return
    be.backward(through_base + be.sum(be.mul(5 * w[0], view)))
    be.check(be.grad(view), 5 * w[0])
    be.check(be.grad(base), Total.of(w, np.stack([0 * c, 5 * w[0]])))
    be.check(be.grad(leaf), Total.of(np.stack([w[0], w[1] * c]), np.stack([0 * c, 5 * w[0] * c])))


@claim("HOK-220", about="register_hook", needs="backward hooks", level="contract")
@given(x=arrays(), g=arrays(layouts=DENSE), w=arrays())
def test_assigning_a_gradient_calls_no_hook(be, x, g, w):
    """Hooks of a leaf hear of gradients that passes bring, and not of what is assigned to .grad:
    one before accumulation hears of the new gradient alone, one after it comes once a pass.
    """
    leaf, heard, after = be.leaf(x), [], []
    be.register_hook(leaf, lambda gradient: heard.append(be.numpy(gradient)))
    be.register_post_accumulate_hook(leaf, after.append)
    be.set_grad(leaf, be.tensor(g))
    assert not heard
    assert not after
    be.check(be.grad(leaf), g)
    be.backward(leaf * 2.0, w)
    assert [each.tolist() for each in heard] == [(2 * w).tolist()]
    be.check(be.grad(leaf), Total.of(g, 2 * w))
    be.set_grad(leaf, None)
    assert len(heard) == len(after) == 1


@claim("HOK-520", about="register_hook", needs="backward hooks", level="contract")
@given(x=arrays(), w=arrays(), passes=integers(1, 5), cleared=booleans())
def test_hooks_are_called_in_every_pass(be, x, w, passes, cleared):
    """However many passes there are, hooks of a leaf are called in each: one before accumulation
    with the gradient of this pass, one after it when .grad is the sum of all since it was cleared.
    """
    leaf, heard, after = be.leaf(x), [], []
    be.register_hook(leaf, lambda gradient: heard.append(be.numpy(gradient)))
    be.register_post_accumulate_hook(leaf, lambda one: after.append(be.numpy(be.grad(one))))
    for count in range(1, passes + 1):
        if cleared:
            be.clear(leaf)
        be.backward(be.sum(be.mul(leaf, w)))
        assert len(heard) == len(after) == count
    for number, (one, total) in enumerate(zip(heard, after, strict=True), 1):
        assert np.array_equal(one, w)
        be.check(be.tensor(total), (1 if cleared else number) * w)


@claim("HOK-240", about="register_hook", needs="backward hooks")
@given(x=arrays(), w=arrays(), passes=integers(5, 9))
def test_a_hook_is_called_as_often_as_there_are_passes(be, x, w, passes):
    """A hook is called in each of many passes, through one graph or through new ones, and what it
    returns counts every time.
    """
    leaf, heard = be.leaf(x), []

    def doubled(gradient):
        heard.append(be.numpy(gradient))
        return be.mul(gradient, 2.0)

    be.register_hook(leaf, doubled)
    kept = be.mul(leaf, 3.0)
    for number in range(passes):
        be.clear(leaf)
        be.backward(kept if number % 2 else be.mul(leaf, 3.0), w, retain_graph=True)
        be.check(be.grad(leaf), 6 * w)
    assert len(heard) == passes
