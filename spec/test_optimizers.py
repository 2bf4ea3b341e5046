"""Optimizers: how parameters walk along their gradients."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, every, example, given, workload
from gradspec.conformance.strategies import (
    DENSE,
    arrays,
    booleans,
    integers,
    lists,
    sampled_from,
)
from gradspec.conformance.strategies.optimizers import (
    EVERY,
    Descent,
    check_together,
    descents,
    descents_by_any_options,
)
from gradspec.conformance.truth.oracles.jets import Jet
from gradspec.conformance.truth.oracles.optimizers import STEPS

NAMES = ["SGD", "RMSprop", "Adam"]

# ---- a step --------------------------------------------------------------------------------------


@claim("OPT-01", "OPT-56", about="optimizer", needs="grad_assign optim data version_counter views")
@example(name="SGD", x=np.array([1.0]), g=np.array([-40.0]))
@given(name=sampled_from(NAMES), x=arrays(layouts=DENSE, min_size=1), g=arrays(min_size=1))
def test_a_step_overwrites_the_parameter(be, name, x, g):
    """A step writes into the parameter, once: it stays the same leaf on the same memory, and its
    .grad stays as it was. With a learning rate of 1, descent takes the gradient off.
    """
    leaf, gradient = be.leaf(x), be.tensor(g)
    alias, version = be.data(leaf), be.version_of(leaf)
    be.set_grad(leaf, gradient)
    be.optimizer(name, [leaf], lr=1.0).step()
    be.same(alias, leaf)
    assert be.shares_memory(alias, leaf)
    assert be.version_of(leaf) == version + 1
    assert be.requires_grad(leaf)
    assert be.is_leaf(leaf)
    assert be.grad(leaf) is gradient
    be.check(gradient, g)
    if name == "SGD":
        be.check(leaf, Total.of(x, -g))


@workload(needs="optim detach clone backward")
def optimize(be, leaf, a=0.5, lr=0.25, steps=4):
    """Some steps of descent on a parabola, a pass and a clearing each."""
    w = be.set_requires_grad(be.clone(be.detach(leaf)))
    optimizer = be.optimizer("SGD", [w], lr=lr)
    for _ in range(steps):
        optimizer.zero_grad()
        be.backward(be.sum(be.mul(w * w, a / 2)))
        optimizer.step()
    return w


@claim("OPT-51", about="optimizer", needs="backward optim detach clone data inplace sub_")
@given(
    x=arrays(layouts=DENSE),
    a=sampled_from([0.5, 1.0, -0.25, 3.0]),
    lr=sampled_from([0.01, 0.1, 0.5, 1.0]),
)
def test_descent_takes_the_gradient_times_the_rate_off(be, x, a, lr):
    """Plain descent is w - lr * gradient for every parameter, as it is by hand: on a parabola of
    curvature a, k steps multiply by (1 - lr * a)^k.
    """
    expected, by_hand = Jet.exact(x), be.leaf(x)
    for k in range(1, 13):
        expected = expected - lr * (a * expected)
        be.backward(be.sum(be.mul(by_hand * by_hand, a / 2)))
        be.sub_(be.data(by_hand), be.grad(by_hand) * lr)
        be.clear(by_hand)
        be.check(by_hand, expected.total, f"the parameter after step {k} by hand")
        if k in {1, 2, 12}:
            closed = Jet.exact(x) * float((1 - Fraction(lr) * Fraction(a)) ** k)
            step = optimize(be, be.leaf(x), a, lr, k)
            be.check(step, expected.around(closed), f"the parameter after step {k}")


# ---- walks of many steps -------------------------------------------------------------------------


@claim("OPT-52", about="optimizer", needs="grad_assign optim data zero_")
@example(
    case=Descent(
        "SGD",
        np.ones(1),
        [np.array([g]) for g in (1.0, 2.0, -1.0, 0.5)],
        {"lr": 0.1, "momentum": 0.9},
    )
)
@given(case=descents("SGD"))
def test_momentum_remembers_gradients(be, case):
    """With momentum m a parameter moves by -lr * v, where v is m * v + g, and the first g at first.
    Dampening d scales what is added to 1 - d, though not the first; weight decay c adds c * w to g.
    """
    case.check(be)


@claim("OPT-53", about="optimizer", needs="grad_assign optim data zero_ torch", level="contract")
@given(ahead=descents("SGD, nesterov"), mean=descents("RMSprop"), x=arrays())
def test_nesterov_is_an_option_and_rmsprop_an_optimizer(be, ahead, mean, x):
    """Nesterov momentum is an option of SGD: it moves by -lr * (g + m * v), and wants momentum
    without dampening. RMSprop, so spelled, moves by -lr * g / (root + eps), the root being that of
    a running mean of squares.
    """
    ahead.check(be)
    mean.check(be)
    leaf = be.leaf(x)
    for options in ({}, {"momentum": 0.5, "dampening": 0.5}):
        with be.raises(ErrorKind.ARGUMENT):
            be.optimizer("SGD", [leaf], lr=0.1, nesterov=True, **options)
    for name in ("RMSProp", "Nesterov", "NesterovSGD"):
        with pytest.raises(AttributeError):
            be.lookup(f"torch.optim:{name}")


@claim("OPT-54", about="optimizer", needs="grad_assign optim data zero_")
@given(
    case=descents("Adam"),
    x=arrays(layouts=DENSE),
    g=arrays(),
    scale=sampled_from([1e-8, 1e-3, 1.0, 1e3]),
)
def test_adam_corrects_the_bias_of_its_means(be, case, x, g, scale):
    """Adam moves by -lr * m / (root(s) + eps), m and s being running means of the gradient and of
    its square, each over 1 - beta^k. So the first step is lr * g / (|g| + eps): it has the size of
    lr as long as the gradient is large beside eps, and a gradient of 0 makes none.
    """
    case.check(be)
    leaf, g = be.leaf(x), scale * g.astype(be.dtype).astype(float)
    be.set_grad(leaf, be.tensor(g))
    be.optimizer("Adam", [leaf], lr=0.5).step()
    closed = x - 0.5 * Jet.exact(g) / (np.abs(Jet.exact(g)) + 1e-8)
    step = STEPS["Adam"](Jet.exact(x), Jet.exact(g), {}, lr=0.5)
    be.check(leaf, step.around(closed))


@claim("OPT-101", about="optimizer", needs="grad_assign optim data zero_ torch", level="contract")
@every(case=map(descents, ("SGD, rarer", "RMSprop, rarer", "Adam, rarer", "AdamW")))
def test_rarer_options_of_optimizers(be, case):
    """To maximize is to walk along the negative gradient; weight decay adds the parameter to it,
    but AdamW shrinks the parameter, by a hundredth of the rate if nothing is said. amsgrad divides
    by the largest mean of squares so far, and momentum of RMSprop gathers its steps.
    """
    case.check(be)


@claim("OPT-280", about="optimizer", needs="grad_assign optim data zero_ torch", level="contract")
@every(case=map(descents_by_any_options, EVERY))
@given(together=sampled_from([None, True, False]))
def test_options_of_optimizers_meet(be, case, together):
    """Whatever options meet in an optimizer, each step is as its formula has it, for all parameters
    at once, or for one after the other with the rate in a tensor; what is not said is as
    documented, and so is the rate.
    """
    told = {"foreach": together}
    if together is False and "lr" in case.options:
        told["lr"] = be.backend.tensor(np.array(case.options["lr"]), "float64", be.device)
    case.check(be, **told)


@claim("OPT-103", about="optimizer", needs="grad_assign optim data zero_ torch", level="contract")
@every(case=map(descents, ("SGD", "SGD, nesterov", "Adam", "Adam, rarer", "AdamW", "Adagrad")))
def test_a_step_is_the_same_however_it_is_computed(be, case):
    """A step that is computed for all parameters at once, in one fused kernel, or with the learning
    rate or the betas in tensors is the same step as for one parameter after the other.
    """

    def held(number):
        return be.backend.tensor(np.array(number), "float64", be.device)

    rate, betas = held(case.options["lr"]), map(held, case.options.get("betas", (0.9, 0.999)))
    for way in ({"foreach": True}, {"fused": True}, {"lr": rate, "foreach": False}):
        case.check(be, **way)
    if case.name.startswith("Adam"):
        case.check(be, betas=tuple(betas), foreach=False)


@claim("OPT-190", about="optimizer", needs="grad_assign optim fill_ torch", level="contract")
@given(
    x=arrays(shape=(3,), layouts=DENSE),
    g=arrays("gradient", shape=(3,)),
    rates=lists(sampled_from([1.0, 0.5, 0.25]), min_size=2, max_size=4),
)
def test_a_rate_in_a_tensor_is_read_at_every_step(be, x, g, rates):
    """A learning rate in a tensor is the one that stands there at each step, whatever stood there
    when the optimizer was made.
    """
    leaf = be.leaf(x)
    be.set_grad(leaf, be.tensor(g))
    rate = be.backend.tensor(np.array(8.0), "float64", be.device)
    optimizer = be.optimizer("SGD", [leaf], lr=rate, foreach=False)
    true = Jet.exact(x)
    for each in rates:
        be.fill_(rate, each)
        optimizer.step()
        true = true - each * Jet.exact(g)
    be.check(leaf, true)


@claim("OPT-104", about="optimizer", needs="grad_assign optim data zero_ torch", level="contract")
@every(case=map(descents, ("Adagrad", "Adadelta", "Adamax", "RAdam")))
def test_relatives_of_adam(be, case):
    """Adagrad divides by the root of the sum of all squares, Adadelta by that of their mean and
    multiplies by that of squared steps, Adamax divides by the largest gradient, and RAdam takes the
    variance for open in its first steps: for one parameter after the other, and for all at once.
    """
    for together in (False, True):
        case.check(be, foreach=together)


@claim("OPT-105", about="optimizer", needs="grad_assign optim data zero_ torch", level="contract")
@given(
    x=arrays(shape=(3,), layouts=DENSE),
    first=arrays(shape=(3,)),
    later=arrays(shape=(3,)),
    decay=sampled_from([0.0, 0.5]),
)
def test_nadam_looks_ahead(be, x, first, later, decay):
    """NAdam steps as Adam does, but along the mean of gradients after one more step of momentum,
    which grows from step to step; decay that is decoupled shrinks the parameter.
    """
    options = {"lr": 0.5, "betas": (0.5, 0.75), "eps": 0.25, "momentum_decay": 0.5}
    for decoupled, maximize, together in product((False, True), repeat=3):
        more = {"weight_decay": decay, "decoupled_weight_decay": decoupled, "maximize": maximize}
        case = Descent("NAdam", x, [first, later, later], {**options, **more})
        case.check(be, foreach=together)


@claim("OPT-106", about="optimizer", needs="grad_assign optim data zero_ torch", level="contract")
@given(
    x=arrays(shape=(3,), layouts=DENSE),
    first=arrays(shape=(3,)),
    later=arrays(shape=(3,)),
    decay=sampled_from([0.0, 0.5]),
    together=booleans(),
)
def test_asgd_slows_down(be, x, first, later, decay, together):
    """ASGD shrinks a parameter by lambd times the rate, and takes the rate times the gradient off:
    the rate is lr / (1 + lambd lr k) ** alpha after k steps, whenever it begins with a mean.
    """
    options = {"lr": 0.5, "lambd": 0.5, "alpha": 0.5, "weight_decay": decay}
    for maximize, begun in ((False, 1e6), (True, 1.0)):
        case = Descent("ASGD", x, [first, later, later], {**options, "maximize": maximize})
        case.check(be, foreach=together, t0=begun)


@claim("OPT-57", about="optimizer", needs="grad_assign optim data zero_")
@given(case=descents("SGD", "SGD, nesterov", "RMSprop", "Adam", gaps=True))
def test_a_parameter_without_gradient_is_skipped(be, case):
    """A step leaves a parameter whose .grad is None alone, and all that is remembered of it; to one
    whose .grad is 0 decay, momentum and running means apply.
    """
    case.check(be)


# ---- parameters and groups -----------------------------------------------------------------------


@claim("OPT-720", about="optimizer", needs="grad_assign optim torch", level="contract")
@given(name=sampled_from(NAMES), x=arrays(layouts=DENSE), g=arrays())
def test_parameters_may_be_given_with_their_names(be, name, x, g):
    """Parameters that are given with names are stepped as they are without, and the state tells the
    names of each group.
    """
    named, plain = be.leaf(x), be.leaf(x)
    for leaf in (named, plain):
        be.set_grad(leaf, be.tensor(g))
    optimizer = be.optimizer(name, [("one", named)], lr=0.5)
    for each in (optimizer, be.optimizer(name, [plain], lr=0.5)):
        each.step()
    be.same(named, plain)
    (group,) = optimizer.state_dict()["param_groups"]
    assert group["param_names"] == ["one"]


@claim("OPT-55", about="optimizer", needs="grad_assign optim")
@given(
    name=sampled_from(NAMES),
    x=arrays(layouts=DENSE),
    g=arrays(),
    given=lists(booleans(), min_size=3, max_size=3),
)
def test_an_optimizer_moves_what_it_was_given(be, name, x, g, given):
    """A step moves exactly the parameters that the optimizer was given, each once, or as often as
    its group lists it, of which there is a warning. It refuses to be given none, one in two groups,
    a computed tensor, or a tensor by itself.
    """
    leaves, alone = [be.leaf(x) for _ in given], be.leaf(x)
    for leaf in (*leaves, alone):
        be.set_grad(leaf, be.tensor(g))
    chosen = [leaf for leaf, taken in zip(leaves, given, strict=True) if taken]
    be.optimizer(name, [alone], lr=0.5).step()
    moved = be.numpy(alone)
    if chosen:
        be.optimizer(name, [{"params": [leaf]} for leaf in chosen], lr=0.5).step()
    for leaf, taken in zip(leaves, given, strict=True):
        be.same(leaf, moved if taken else be.tensor(x))
    be.same(alone, moved)
    with pytest.warns(UserWarning, match="duplicate parameters"):
        doubled = be.optimizer("SGD", [alone, alone], lr=0.5, foreach=False)
    start = be.numpy(alone)
    doubled.step()
    be.check(alone, Total.of(start, -0.5 * g, -0.5 * g))
    twice = [{"params": [alone]}, {"params": [alone]}]
    for refused in ([], twice, [alone * 2]):
        with be.raises(ErrorKind.PARAMETERS):
            be.optimizer(name, refused, lr=0.5)
    with be.raises(ErrorKind.ARGUMENT):
        be.optimizer(name, alone, lr=0.5)


@claim("OPT-59", about="optimizer", needs="grad_assign optim", level="contract")
@given(name=sampled_from(NAMES), x=arrays(layouts=DENSE), g=arrays(), lr=sampled_from([1.0, 0.25]))
def test_groups_have_rates_of_their_own(be, name, x, g, lr):
    """A rate given with a group counts there, and that of the optimizer counts elsewhere; where
    none is given SGD and Adam take 0.001, and a negative one is refused.
    """
    own, others, default, small = leaves = [be.leaf(x) for _ in range(4)]
    for leaf in leaves:
        be.set_grad(leaf, be.tensor(g))
    groups = [{"params": [own], "lr": lr}, {"params": [others]}]
    be.optimizer(name, groups, lr=0.5).step()
    be.optimizer("Adam" if name == "Adam" else "SGD", [default]).step()
    be.optimizer("Adam" if name == "Adam" else "SGD", [small], lr=0.001).step()
    be.same(default, small)
    for leaf, rate in ((own, lr), (others, 0.5)):
        be.check(leaf, STEPS[name](Jet.exact(x), Jet.exact(g), {}, lr=rate).total)
    with be.raises(ErrorKind.ARGUMENT):
        be.optimizer(name, [own], lr=-1.0)


@claim("OPT-120", about="optimizer", needs="grad_assign optim serialize", level="contract")
@given(
    descent=lists(descents("SGD", "SGD, nesterov", gaps=True), min_size=2, max_size=3),
    adam=lists(descents("Adam", gaps=True), min_size=2, max_size=3),
    saved=integers(0, 12),
    added=booleans(),
)
def test_groups_have_options_of_their_own(be, descent, adam, saved, added):
    """Each parameter walks by the options of its own group, which may be added later, and counts
    the steps in which it had a gradient; an optimizer that takes over the state walks on.
    """
    for walks in (descent, adam):
        check_together(be, walks, saved, added=added)
