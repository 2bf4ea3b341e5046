"""Training steps: an optimizer among passes, gradients that are too long, and slopes of a step."""

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, every, example, given
from gradspec.conformance.strategies import DENSE, NONZERO, arrays, booleans, sampled_from
from gradspec.conformance.truth.oracles.jets import Jet
from gradspec.conformance.truth.oracles.optimizers import STEPS

NO_WORKLOAD = "optimizers have a workload of their own"

NAMES = ["SGD", "RMSprop", "Adam"]

# ---- among passes --------------------------------------------------------------------------------


@claim("OPT-102", about="optimizer", needs="backward optim torch", level="contract")
@every(name=list(STEPS))
@given(x=arrays(layouts=DENSE), w=arrays(), quiet=booleans())
def test_a_step_may_compute_the_loss_first(be, name, x, w, quiet):
    """step(closure) calls the closure once, recording even under no_grad, steps along the gradients
    that it made, and returns what it returned; step() returns None. What the closure raises comes
    out of step, which leaves the mode and the parameters as they were.
    """
    leaf, other, losses = be.leaf(x), be.leaf(x), []
    optimizer = be.optimizer(name, [leaf], lr=0.5)

    def closure():
        losses.append(be.sum(leaf * leaf))
        be.backward(losses[-1])
        return losses[-1]

    def refuse():
        raise LookupError

    with be.no_grad() if quiet else be.enable_grad():
        with pytest.raises(LookupError):
            optimizer.step(refuse)
        assert be.requires_grad(leaf * 1) is not quiet
        be.check(leaf, x)
        found = optimizer.step(closure)
    assert [loss is found for loss in losses] == [True]
    be.backward(be.sum(other * other))
    assert be.optimizer(name, [other], lr=0.5).step() is None
    be.same(leaf, other)


@claim("OPT-58", about="optimizer", needs="backward grad_assign optim version_counter")
@given(name=sampled_from(NAMES), x=arrays(layouts=DENSE), g=arrays(layouts=DENSE))
def test_a_step_before_backward_is_detected(be, name, x, g):
    """A step writes into a parameter that a graph may have saved: backward through such a graph is
    refused afterwards, and runs through one that saved nothing.
    """
    leaf = be.leaf(x)
    be.set_grad(leaf, be.tensor(g))
    square, double = leaf * leaf, leaf + leaf
    be.optimizer(name, [leaf], lr=0.5).step()
    with be.raises(ErrorKind.STALE_SAVED_VALUE):
        be.backward(square, be.tensor(np.ones(x.shape)))
    be.backward(double, be.tensor(np.ones(x.shape)))
    be.check(be.grad(leaf), g + 2)


@claim("OPT-60", about="optimizer", needs="backward optim", level="contract")
@given(x=arrays(), w=arrays(), drop=booleans())
def test_an_optimizer_clears_what_is_there(be, x, w, drop):
    """zero_grad of an optimizer copes with parameters that never had a gradient. By hand there is
    nothing to call zero_ of where .grad is None.
    """
    reached, never = be.leaf(x), be.leaf(x)
    be.backward(be.mul(reached, reached), w)
    be.optimizer("SGD", [never, reached], lr=0.5).zero_grad(set_to_none=drop)
    assert be.grad(never) is None
    with pytest.raises(AttributeError):
        be.grad(never).zero_()
    if drop:
        assert be.grad(reached) is None
    else:
        be.check(be.grad(reached), 0 * x)


# ---- gradients that are too long -----------------------------------------------------------------


@claim("OPT-107", about="lookup", needs="grad_assign torch", level="contract")
@given(
    g=arrays(shape=(3,), layouts=DENSE, values=NONZERO),
    h=arrays(shape=(2, 2), layouts=DENSE),
    bound=sampled_from([0.5, 2.0, 100.0]),
    order=sampled_from([2.0, 1.0, np.inf]),
    together=booleans(),
    form=sampled_from([list, tuple, iter, lambda leaves: (leaf for leaf in leaves)]),
)
def test_gradients_are_clipped_together(be, g, h, bound, order, together, form):
    """clip_grad_norm_ returns the norm of all gradients together, and multiplies each of them, in
    place, by the bound over that norm, 1e-6 added, if this is less than one; where there is no
    gradient it makes none. It takes tensors in anything that yields them, and once suffices.
    """
    clip, leaves = be.lookup("torch.nn.utils:clip_grad_norm_"), [be.leaf(g), be.leaf(h), be.leaf(h)]
    gradients = [be.tensor(g), be.tensor(h)]
    for leaf, gradient in zip(leaves, gradients, strict=False):
        be.set_grad(leaf, gradient)
    found = clip(form(leaves), bound, norm_type=order, foreach=together)
    both = np.abs(Jet.exact(np.concatenate([g, h.ravel()])))
    norm = {2.0: np.sqrt((both * both).sum()), 1.0: both.sum(), np.inf: both.max()}[order]
    be.check(found, norm, "norm")
    factor = np.minimum(1.0, bound / (norm + 1e-6))
    for leaf, gradient, before in zip(leaves, gradients, (g, h), strict=False):
        assert be.grad(leaf) is gradient
        be.check(gradient, Jet.exact(before) * factor, "gradient")
    assert be.grad(leaves[2]) is None


@claim("OPT-166", about="lookup", needs="grad_assign torch", level="contract")
@example(g=np.full((3, 2), -8.0).T, far=np.inf, bound=0.5, together=True, alone=False)
@example(g=np.full((2, 3), 8.0), far=np.nan, bound=0.5, together=False, alone=True)
@given(
    g=arrays(shape=(2, 3), layouts=DENSE, values=NONZERO),
    far=sampled_from([np.inf, -np.inf, np.nan]),
    bound=sampled_from([0.5, 100.0]),
    together=booleans(),
    alone=booleans(),
)
def test_gradients_that_are_no_numbers_are_not_clipped(be, g, far, bound, together, alone):
    """clip_grad_norm_ that was told to refuses gradients whose norm is no number, and leaves them;
    clip_grad_value_ brings each entry between less than the bound and the bound, of several tensors
    or of one that is given in no list.
    """
    clip = be.lookup("torch.nn.utils:clip_grad_norm_")
    leaves, parts = [be.leaf(g), be.leaf(g[0])], (g, np.append(g[0, :2], far))
    for leaf, part in zip(leaves, parts, strict=True):
        be.set_grad(leaf, be.tensor(part))
    with pytest.raises(RuntimeError):
        clip(leaves, bound, error_if_nonfinite=True, foreach=together)
    for leaf, part in zip(leaves, parts, strict=True):
        be.same(be.grad(leaf), be.tensor(part))
    for each in leaves if alone else [leaves]:
        be.lookup("torch.nn.utils:clip_grad_value_")(each, bound, foreach=together)
    for leaf, part in zip(leaves, parts, strict=True):
        be.same(be.grad(leaf), be.tensor(np.clip(part, -bound, bound)))


# ---- around and through a step -------------------------------------------------------------------


@claim("OPT-180", about="optimizer", needs="backward grad_assign optim torch", level="contract")
@given(x=arrays(), c=arrays(), w=arrays(), decay=sampled_from([0.0, 0.5]))
def test_a_step_can_be_differentiated(be, x, c, w, decay):
    """An optimizer told to be differentiable records its steps: what they make of a parameter is
    differentiated through the gradient and the parameter as it was.
    """
    leaf = be.leaf(x)
    parameter = leaf * 1
    be.retain_grad(parameter)
    be.set_grad(parameter, be.mul(c, leaf))
    options = {"weight_decay": decay, "differentiable": True}
    be.optimizer("SGD", [parameter], lr=0.25, **options).step()
    be.check(parameter, Total.of(x, -0.25 * c * x, -0.25 * decay * x))
    be.backward(parameter, w)
    be.check(be.grad(leaf), Total.of(w, -0.25 * w * c, -0.25 * decay * w))


@claim("OPT-182", about="optimizer", needs="backward grad_assign optim torch", level="contract")
@given(x=arrays(), c=arrays(), w=arrays())
def test_a_first_step_with_momentum_can_be_differentiated(be, x, c, w):
    """The momentum of SGD begins as the gradient: a step that is told to be differentiable is
    differentiated through it.
    """
    leaf = be.leaf(c)
    parameter = be.leaf(x) * 1
    be.retain_grad(parameter)
    be.set_grad(parameter, leaf * 1)
    be.optimizer("SGD", [parameter], lr=0.25, momentum=0.5, differentiable=True).step()
    be.check(parameter, Total.of(x, -0.25 * c))
    be.backward(parameter, w)
    be.check_gradient(be.grad(leaf), Total.of(-0.25 * w))


@claim("OPT-181", about="optimizer", needs="grad_assign optim torch", level="contract")
@given(name=sampled_from(NAMES), x=arrays(layouts=DENSE, min_size=1), g=arrays(min_size=1))
def test_hooks_around_a_step(be, name, x, g):
    """Hooks of an optimizer are called with it before a step and after it, in the order in which
    they were registered, until they are removed; the first of them meet the former parameter, and
    may return what the step is to be given.
    """
    leaf, seen = be.leaf(x), []
    be.set_grad(leaf, be.tensor(g))
    optimizer = be.optimizer(name, [leaf], lr=0.5)

    def noting(word):
        return lambda of, *_: seen.append((word, of is optimizer, be.numpy(leaf).tolist()))

    before, after = be.numpy(leaf).tolist(), optimizer.register_step_post_hook(noting("after"))
    handles = [optimizer.register_step_pre_hook(noting(n)) for n in range(2)]
    optimizer.step()
    assert seen == [(0, True, before), (1, True, before), ("after", True, be.numpy(leaf).tolist())]
    for handle in (after, *handles):
        handle.remove()
    optimizer.step()
    assert len(seen) == 3
    optimizer.register_step_pre_hook(lambda _, given, named: (given, {**named, "closure": list}))
    assert optimizer.step() == []
