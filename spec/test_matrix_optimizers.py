"""Matrix optimizers: those that look at rows and columns, and groups of parameters in any."""

from itertools import permutations

import numpy as np
import pytest

from gradspec.conformance import claim, every, given
from gradspec.conformance.strategies import DENSE, NONZERO, arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.optimizers import (
    EVERY,
    check_beside_nothing,
    check_together,
    descent_of_a_matrix,
    descents_in_groups,
)
from gradspec.conformance.truth.oracles.jets import Jet
from gradspec.conformance.truth.oracles.optimizers import OF_MATRICES, STEPS

NO_WORKLOAD = "optimizers have a workload of their own"

# ---- walks ---------------------------------------------------------------------------------------


@claim("OPT-290", about="optimizer", needs="grad_assign optim data zero_ torch", level="contract")
@given(seed=integers(0, 2**32), way=sampled_from(["each", "foreach", "rate"]))
def test_adafactor_keeps_squares_by_rows_and_columns(be, seed, way):
    """Adafactor divides by the root of a mean of squares that the means of rows and columns stand
    for, or of one for each entry of a vector, and bounds the size of a step by that of the
    parameter: whatever options meet, each step is as the formula has it.
    """
    case = descent_of_a_matrix("Adafactor", seed)
    rate = np.array(case.options.get("lr", 0.01))
    tensor = {"lr": be.backend.tensor(rate, "float64", be.device)}
    case.check(be, **(tensor if way == "rate" else {"foreach": way == "foreach"}))


@claim("OPT-291", about="optimizer", needs="grad_assign optim data zero_ torch", level="contract")
@given(seed=integers(0, 2**32), tensor=booleans())
def test_muon_steps_by_matrices_that_are_nearly_orthogonal(be, seed, tensor):
    """Muon steps by what some iterations with 8 bits make of a mean gradient over its length, at a
    rate by the sizes of the matrix, from a parameter that has shrunk by the rate times the decay:
    whatever options meet, each step is as the formula has it.
    """
    case = descent_of_a_matrix("Muon", seed)
    rate = np.array(case.options.get("lr", 0.001))
    case.check(be, **({"lr": be.backend.tensor(rate, "float64", be.device)} if tensor else {}))


# ---- parameters, groups and closures -------------------------------------------------------------


@claim("OPT-292", about="optimizer", needs="grad_assign optim serialize torch", level="contract")
@every(name=sorted({*EVERY, *OF_MATRICES} - {"Adagrad"}))
@given(
    seed=integers(0, 2**32),
    saved=integers(0, 6),
    added=booleans(),
)
def test_groups_of_any_optimizer_go_on_after_a_save(be, name, seed, saved, added):
    """In any optimizer each parameter walks by the options of its own group, which may be added
    later, and remembers the steps in which it had a gradient; an optimizer that takes over the
    state walks on.
    """
    check_together(be, descents_in_groups(name, seed), saved, added=added)


@claim("OPT-298", about="optimizer", needs="grad_assign optim serialize torch", level="contract")
@given(seed=integers(0, 2**32), saved=integers(0, 6), added=booleans())
def test_groups_of_adagrad_have_options_of_their_own(be, seed, saved, added):
    """Adagrad too has groups with options of their own, which may be added later."""
    check_together(be, descents_in_groups("Adagrad", seed), saved, added=added)


@claim("OPT-293", about="optimizer", needs="backward optim torch", level="contract")
@given(
    name=sampled_from(["Adafactor", "Muon"]),
    x=arrays(shape=(2, 3), layouts=DENSE),
    quiet=booleans(),
)
def test_optimizers_of_matrices_take_closures(be, name, x, quiet):
    """Adafactor and Muon too call a closure once, recording even under no_grad, step along the
    gradients that it made, and return what it returned.
    """
    leaf, other, losses = be.leaf(x), be.leaf(x), []

    def closure():
        losses.append(be.sum(leaf * leaf))
        be.backward(losses[-1])
        return losses[-1]

    with be.no_grad() if quiet else be.enable_grad():
        found = be.optimizer(name, [leaf], lr=0.5).step(closure)
    assert [loss is found for loss in losses] == [True]
    be.backward(be.sum(other * other))
    be.optimizer(name, [other], lr=0.5).step()
    be.same(leaf, other)


@claim("OPT-294", about="optimizer", needs="grad_assign optim torch", level="contract")
@every(name=list(STEPS))
@given(wide=booleans(), together=booleans())
def test_a_parameter_may_have_no_entries(be, name, wide, together):
    """A step copes with a parameter that has no entries: those beside it are stepped as if they
    were alone.
    """
    check_beside_nothing(be, name, (0, 2) if wide else (2, 0), foreach=together)


@claim("OPT-297", about="optimizer", needs="grad_assign optim torch", level="contract")
@given(name=sampled_from(list(OF_MATRICES)), wide=booleans())
def test_a_matrix_may_have_no_entries(be, name, wide):
    """A step of Adafactor or Muon too copes with a matrix that has no entries."""
    check_beside_nothing(be, name, (0, 2) if wide else (2, 0))


# ---- norms ---------------------------------------------------------------------------------------


@claim("OPT-295", about="lookup", needs="grad_assign torch", level="contract")
@given(
    g=arrays(shape=(3,), layouts=DENSE, values=NONZERO),
    h=arrays(shape=(2, 2), layouts=DENSE),
    order=sampled_from([2.0, 1.0, 3.0, np.inf, -np.inf]),
    bound=sampled_from([0.5, 2.0, 100.0]),
    told=sampled_from([0.25, 1.0, 64.0]),
    together=booleans(),
)
def test_a_norm_is_taken_and_applied_apart(be, g, h, order, bound, told, together):
    """get_total_norm returns the norm of all entries of some tensors, and clip_grads_with_norm_
    multiplies gradients, in place, by the bound over the norm that it is told, 1e-6 added, if this
    is less than one.
    """
    total, clip = (
        be.lookup(f"torch.nn.utils:{name}") for name in ("get_total_norm", "clip_grads_with_norm_")
    )
    both = np.abs(Jet.exact(np.concatenate([g, h.ravel()])))
    norms = {1.0: both.sum(), np.inf: both.max(), -np.inf: both.min()}
    norm = norms[order] if order in norms else (both**order).sum() ** (1 / order)
    leaves, gradients = [be.leaf(g), be.leaf(h), be.leaf(h)], [be.tensor(g), be.tensor(h)]
    be.check(total(iter(gradients), order, foreach=together), norm, "norm")
    for leaf, gradient in zip(leaves, gradients, strict=False):
        be.set_grad(leaf, gradient)
    clip(iter(leaves), bound, be.tensor(np.array(told)), foreach=together)
    for leaf, gradient, before in zip(leaves, gradients, (g, h), strict=False):
        assert be.grad(leaf) is gradient
        be.check(gradient, np.minimum(1.0, bound / Jet.exact(told + 1e-6)) * before, "gradient")


@claim("OPT-352", about="lookup", needs="grad_assign cast torch", level="contract")
@given(
    parts=arrays("gradients", shape=(3, 2)),
    order=sampled_from([np.inf, -np.inf]),
    dtypes=sampled_from(list(permutations(["float64", "float32", "bfloat16"]))),
    together=booleans(),
)
def test_norms_are_taken_across_dtypes(be, parts, order, dtypes, together):
    """The norm of infinite order of gradients of several dtypes, taken apart or on clipping, is the
    largest absolute value among all of them, or the least.
    """
    gradients = [be.cast(be.tensor(p), dtype) for p, dtype in zip(parts, dtypes, strict=True)]
    entries = np.abs([be.numpy(be.cast(gradient, "float64")) for gradient in gradients])
    want = entries.max() if order > 0 else entries.min()
    leaves = [be.set_requires_grad(be.clone(gradient)) for gradient in gradients]
    for leaf, gradient in zip(leaves, gradients, strict=True):
        be.set_grad(leaf, gradient)
    utils = "torch.nn.utils"
    apart = be.lookup(f"{utils}:get_total_norm")(gradients, order, foreach=together)
    clipping = be.lookup(f"{utils}:clip_grad_norm_")(leaves, 1.0, order, foreach=together)
    assert [float(apart), float(clipping)] == [want, want]


@claim("OPT-296", about="lookup", needs="grad_assign torch", level="contract")
@given(
    g=arrays(shape=(3,), layouts=DENSE, values=NONZERO),
    far=sampled_from([np.inf, -np.inf, np.nan]),
    order=sampled_from([2.0, 1.0, np.inf]),
    together=booleans(),
)
def test_a_total_norm_may_be_refused(be, g, far, order, together):
    """get_total_norm that was told to refuses a norm that is no number, which it returns if
    nothing is said; that of no tensors is 0.
    """
    total = be.lookup("torch.nn.utils:get_total_norm")
    tensors = [be.tensor(g), be.tensor(np.append(g[:2], far))]
    with pytest.raises(RuntimeError):
        total(tensors, order, error_if_nonfinite=True, foreach=together)
    be.check(total(tensors, order, foreach=together), abs(far), "norm")
    assert float(total([], order)) == 0
