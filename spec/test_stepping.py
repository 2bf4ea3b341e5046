"""Ways to step: steps that are differentiated, fused, or taken over by another optimizer."""

from itertools import product

import numpy as np

from gradspec.conformance import ErrorKind, claim, every, example, given
from gradspec.conformance.strategies import DENSE, NONZERO, arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.optimizers import NOT_NEGATIVE, descents_in_groups
from gradspec.conformance.strategies.stepping import (
    CORRECTED,
    DIFFERENTIABLE,
    LARGEST,
    REMEMBERING,
    USUAL,
    WAYS,
    check_dtypes_together,
    check_ways_in_turn,
    recorded,
)

NO_WORKLOAD = "optimizers have a workload of their own"

# ---- steps that are differentiated ---------------------------------------------------------------


@claim("OPT-300", about="optimizer", needs="backward grad_assign optim torch", level="contract")
@given(seed=integers(0, 2**32))
def test_several_steps_are_differentiated(be, seed):
    """Where several steps of an optimizer that is told to be differentiable lead has the gradient
    of its formula for the parameter, for every gradient on the way, and for the rate of SGD.
    """
    recorded(DIFFERENTIABLE, seed).check(be)


@claim("OPT-301", about="optimizer", needs="backward grad_assign optim torch", level="contract")
@given(seed=integers(0, 2**32))
def test_steps_that_compare_are_differentiated(be, seed):
    """Steps of Adamax and Rprop, and of RMSprop that takes a mean off, are differentiated too."""
    recorded(REMEMBERING, seed).check(be)


@claim("OPT-302", about="optimizer", needs="backward grad_assign optim torch", level="contract")
@given(seed=integers(0, 2**32))
def test_steps_of_adam_are_differentiated(be, seed):
    """Steps of Adam, AdamW and NAdam are differentiated too, those of the first two also for their
    rate.
    """
    recorded(CORRECTED, seed).check(be)


@claim("OPT-303", about="optimizer", needs="backward grad_assign optim torch", level="contract")
@given(seed=integers(0, 2**32))
def test_steps_by_largest_means_are_differentiated(be, seed):
    """Steps of Adam and AdamW by the largest mean of squares so far are differentiated too."""
    recorded(LARGEST, seed).check(be)


@claim("OPT-304", about="optimizer", needs="backward grad_assign optim torch", level="contract")
@given(seed=integers(0, 2**32))
def test_steps_of_adam_have_all_digits(be, seed):
    """Steps of Adam and AdamW are differentiated, and have all digits, whatever the rates of their
    means are.
    """
    recorded(USUAL, seed).check(be)


# ---- one way after another -----------------------------------------------------------------------


@claim("OPT-305", about="optimizer", needs="grad_assign optim serialize torch", level="contract")
@every(name=list(WAYS))
@given(seed=integers(0, 2**32))
def test_ways_of_stepping_take_turns(be, name, seed):
    """A step is computed for one parameter after the other, for all at once, or in one fused
    kernel: an optimizer that takes over a state and goes on in another way takes the same steps.
    """
    check_ways_in_turn(be, name, seed)


@claim("OPT-521", about="optimizer", needs="grad_assign optim torch", level="contract")
@given(
    name=sampled_from(["SGD", "Adam", "AdamW", "RMSprop", "Adadelta", "Adamax"]),
    x=arrays("row", shape=(3,), layouts=DENSE),
    g=arrays("row", shape=(3,)),
    told=booleans(),
    steps=integers(1, 3),
)
def test_groups_that_come_later_take_what_was_told_to_all(be, name, x, g, told, steps):
    """What a group is not told it takes from what the optimizer was told, also if it is added after
    a step: it is moved as in an optimizer that was made with it.
    """
    ways = {"lr": 0.25, "weight_decay": 0.5}
    own = {"lr": 0.5} if told else {}
    early, late, other, twin = (be.leaf(x.copy()) for _ in range(4))
    optimizer = be.optimizer(name, [early], **ways)
    be.set_grad(early, be.tensor(g))
    optimizer.step()
    optimizer.add_param_group({"params": [late], **own})
    whole = be.optimizer(name, [{"params": [other]}, {"params": [twin], **own}], **ways)
    for _ in range(steps):
        for leaf in (late, twin):
            be.set_grad(leaf, be.tensor(g))
        for each in (optimizer, whole):
            each.step()
    be.same(late, twin)


@claim("OPT-340", about="optimizer", needs="grad_assign optim torch", level="contract")
@every(name=list(WAYS))
@given(seed=integers(0, 2**32))
def test_a_step_leaves_gradients_as_they_are(be, name, seed):
    """Whatever options meet in an optimizer, but for Nesterov's momentum, and in whatever way it
    computes, a step writes nothing over the gradients that it takes.
    """
    for walk, way in product(descents_in_groups(name, seed), WAYS[name]):
        leaf = be.leaf(walk.start)
        walk.options.pop("nesterov", None)
        optimizer = be.optimizer(name, [leaf], **walk.options, **way)
        for gradient in (g for g in walk.gradients if g is not None):
            be.set_grad(leaf, be.tensor(gradient))
            optimizer.step()
            be.same(be.grad(leaf), be.tensor(gradient))


@claim("OPT-342", about="optimizer", needs="grad_assign optim torch", level="contract")
@given(g=arrays("gradient", shape=(3,), values=NONZERO), momentum=sampled_from([0.5, 1.0]))
def test_a_step_ahead_leaves_gradients_as_they_are(be, g, momentum):
    """A step by Nesterov's momentum writes nothing over the gradients that it takes."""
    for way in WAYS["SGD"]:
        leaf = be.leaf(0 * g)
        be.set_grad(leaf, be.tensor(g))
        be.optimizer("SGD", [leaf], lr=0.5, momentum=momentum, nesterov=True, **way).step()
        be.same(be.grad(leaf), be.tensor(g), f"gradient by {way}")


@claim("OPT-341", about="optimizer", needs="grad_assign optim torch", level="contract")
@every(name=list(WAYS))
@given(
    seed=integers(0, 2**32),
    dtype=sampled_from(["bfloat16", "float32", "float64"]),
)
def test_a_state_keeps_its_dtypes(be, name, seed, dtype):
    """An optimizer of parameters of any dtype saves a state that it has loaded as it was, to the
    dtype of each tensor in it.
    """
    walk = descents_in_groups(name, seed)[0]
    for way in WAYS[name]:
        leaves = [be.backend.leaf(walk.start, dtype, be.device) for _ in range(2)]
        first, second = (be.optimizer(name, [leaf], **walk.options, **way) for leaf in leaves)
        be.set_grad(leaves[0], be.backend.tensor(np.sin(walk.start), dtype, be.device))
        first.step()
        state = first.state_dict()["state"]
        second.load_state_dict(first.state_dict())
        again = second.state_dict()["state"]
        assert again.keys() == state.keys()
        for key, value in state.get(0, {}).items():
            if value is not None:
                be.same(again[0][key], value, key)


@claim("OPT-306", about="optimizer", needs="grad_assign optim torch", level="contract")
@example(name="Adam", g=np.ones(5), h=np.ones(5), gap=0)
@every(name=list(WAYS))
@given(
    g=arrays("gradient", shape=(5,)),
    h=arrays("gradient", shape=(5,)),
    gap=integers(0, 3),
)
def test_parameters_of_several_dtypes_step_together(be, name, g, h, gap):
    """Parameters of several dtypes and sizes, of which some may have no gradient at times, are
    stepped by one optimizer as each is by one of its own, whatever way it computes in.
    """
    for way in WAYS[name]:
        check_dtypes_together(be, name, way, (g, h, g), gap)


# ---- what is refused -----------------------------------------------------------------------------


@claim("OPT-830", about="optimizer", needs="optim torch", level="contract", widest=True)
@every(name=list(NOT_NEGATIVE))
@given(amount=sampled_from([1e-9, 0.5, 2.0]))
def test_the_numbers_of_an_optimizer_are_not_negative(be, name, amount):
    """A rate, a decay, a momentum or an eps of an optimizer may be 0, and is refused where it is
    negative.
    """
    leaf = be.leaf(np.ones((2, 2)))
    for word in NOT_NEGATIVE[name].split():
        made = be.optimizer(name, [leaf], **{"lr": 0.5, word: 0.0})
        assert made.param_groups[0][word] == 0
        with be.raises(ErrorKind.ARGUMENT):
            be.optimizer(name, [leaf], **{"lr": 0.5, word: -amount})


@claim("OPT-831", about="optimizer", needs="optim torch", level="contract", widest=True)
@every(name=["Adam", "AdamW", "Adamax", "NAdam", "RAdam"])
@given(share=sampled_from([0.0, 0.5, 0.999]), wrong=sampled_from([-0.5, -1e-9, 1.0, 1.5]))
def test_betas_are_shares(be, name, share, wrong):
    """Each of the betas of an optimizer may be 0, and is refused where it is negative or not under
    1, whatever the other is.
    """
    leaf = be.leaf(np.ones(2))
    assert be.optimizer(name, [leaf], betas=(share, 0.0)).param_groups[0]["betas"] == (share, 0.0)
    assert be.optimizer(name, [leaf], betas=(0.0, share)).param_groups[0]["betas"] == (0.0, share)
    for betas in ((share, wrong), (wrong, share)):
        with be.raises(ErrorKind.ARGUMENT):
            be.optimizer(name, [leaf], betas=betas)
