"""Schedules and averages: rates that change from step to step, and parameters that are averaged."""

import numpy as np

from gradspec.conformance import ErrorKind, claim, every, example, given
from gradspec.conformance.strategies import DENSE, arrays, booleans, integers, lists, sampled_from
from gradspec.conformance.strategies.schedules import (
    CHOICES,
    CYCLES,
    LOSSES,
    MOMENTA,
    NEARLY,
    PLACE,
    PLACES,
    RATES,
    STARTED_LATE,
    advanced,
    plateaus,
    rates_of,
    reload,
    resume,
    scheduled,
)
from gradspec.conformance.truth.oracles.jets import Jet
from gradspec.conformance.truth.oracles.plateaus import plateaued

NO_WORKLOAD = "a schedule sets numbers, and is quick everywhere"


# ---- rates ---------------------------------------------------------------------------------------


@claim("OPT-160", about="lookup", needs="optim torch", level="contract")
@example(steps=19, rates=[1.0, 0.5], tensors=False)
@given(
    steps=integers(0, 19),
    rates=lists(sampled_from([1.0, 0.5, 4.0]), min_size=1, max_size=2),
    tensors=booleans(),
)
def test_a_rate_follows_its_schedule(be, steps, rates, tensors):
    """The rate of each group, a number or a tensor, is what the schedule's formula has for the
    number of steps: a multiple of the first one, or one between two bounds. What the schedule has
    said of it stays as it is.
    """
    for name in RATES:
        made = [be.backend.tensor(np.array(rate), "float64", be.device) for rate in rates]
        optimizer, schedule = scheduled(be, name, made if tensors else rates)
        said = []
        for step in range(steps + 1):
            found = [float(group["lr"]) for group in optimizer.param_groups]
            true = rates_of(name, rates, step)
            assert np.allclose(found, true, rtol=1e-12, atol=1e-15), (name, step)
            said.append((schedule.get_last_lr(), found))
            optimizer.step()
            schedule.step()
        assert all([float(rate) for rate in last] == found for last, found in said), name


@claim("OPT-161", about="lookup", needs="optim torch", level="contract")
@example(name="SequentialLR", before=5, after=3, like=True, ahead=0)
@example(name="SequentialLR", before=1, after=5, like=False, ahead=5)
@example(name="StepLR", before=2, after=3, like=True, ahead=0)
@example(name="CyclicLR, exp_range", before=2, after=3, like=False, ahead=0)
@example(name="LambdaLR, an object", before=2, after=3, like=False, ahead=4)
@example(name="ChainedScheduler", before=2, after=3, like=True, ahead=0)
@every(name=list(RATES))
@given(
    before=integers(0, 9),
    after=integers(0, 6),
    like=booleans(),
    ahead=integers(0, 5),
)
def test_a_schedule_that_is_loaded_goes_on(be, name, before, after, like, ahead):
    """A schedule and an optimizer that load the states of others go on as these do, whatever they
    were made with, as far as it is no function, and however many steps they have taken.
    """
    optimizer, schedule = advanced(be, name, before)
    other, follower = advanced(be, name, ahead, like=like)
    other.load_state_dict(optimizer.state_dict())
    follower.load_state_dict(schedule.state_dict())
    for step in range(after + 1):
        found, true = (
            [{**group, "params": ...} for group in each.param_groups] for each in (other, optimizer)
        )
        assert found == true, f"{found} after {step} steps, expected {true}"
        for each in (optimizer, schedule, other, follower):
            each.step()


@claim("OPT-162", about="lookup", needs="optim torch", level="contract")
@example(before=3, after=0)
@given(before=integers(1, 9), after=integers(0, 6))
def test_schedules_in_a_row_that_start_late_go_on(be, before, after):
    """Schedules one after the other that are told the index of the last epoch, for an optimizer
    that has loaded its state, go on with the epoch that follows.
    """
    resume(be, "SequentialLR", before, after)


@claim("OPT-283", about="lookup", needs="optim torch", level="contract")
@given(before=integers(1, 9), after=integers(0, 6))
def test_a_schedule_that_starts_late_goes_on(be, before, after):
    """A schedule by a formula that is told the index of the last epoch, for an optimizer that has
    loaded its state, goes on with the epoch that follows.
    """
    resume(be, "LambdaLR", before, after)


@claim("OPT-730", about="lookup", needs="optim torch", level="contract")
@example(name="StepLR", before=4, after=3)
@example(name="CosineAnnealingWarmRestarts, longer", before=4, after=3)
@example(name="SWALR, linear", before=2, after=3)
@every(name=STARTED_LATE)
@given(before=integers(1, 9), after=integers(0, 6))
def test_a_schedule_that_is_made_first_goes_on(be, name, before, after):
    """A schedule that is told the index of the last epoch and is made before its optimizer loads
    the state of another goes on with the epoch that follows.
    """
    resume(be, name, before, after, first=True)


@claim("OPT-520", about="lookup", needs="optim torch", level="contract")
@given(
    name=sampled_from(["LambdaLR", "MultiplicativeLR"]),
    rates=lists(sampled_from([1.0, 0.5]), min_size=2, max_size=3),
    steps=integers(1, 5),
)
def test_each_group_has_a_formula_of_its_own(be, name, rates, steps):
    """Told a list of functions, a schedule has one for each group, whose rate follows it alone."""
    factors = [0.5, 0.25, 0.75][: len(rates)]
    optimizer = be.optimizer(
        "SGD", [{"params": [be.leaf(np.ones(1))], "lr": rate} for rate in rates]
    )
    once = name == "MultiplicativeLR"
    schedule = be.lookup(f"torch.optim.lr_scheduler:{name}")(
        optimizer, [lambda t, f=factor: f if once else f**t for factor in factors]
    )
    for step in range(steps + 1):
        found = [group["lr"] for group in optimizer.param_groups]
        assert found == [r * f**step for r, f in zip(rates, factors, strict=True)], step
        optimizer.step()
        schedule.step()


@claim("OPT-170", about="lookup", needs="optim torch", level="contract")
@example(name="CyclicLR, triangular", before=2)
@given(name=sampled_from(CYCLES), before=integers(0, 9))
def test_loading_leaves_the_state_of_a_cycle(be, name, before):
    """The state of a cyclic schedule stays as it was when one loads it, so that another can, and
    when what has loaded it goes on.
    """
    reload(be, name, before)


@claim("OPT-284", about="lookup", needs="optim torch", level="contract")
@example(name="StepLR", before=2)
@every(name=[n for n in RATES if n not in CYCLES])
@given(before=integers(0, 9))
def test_loading_leaves_the_state_of_a_schedule(be, name, before):
    """The state of any other schedule stays as it was when one loads it, so that another can, and
    when what has loaded it goes on.
    """
    reload(be, name, before)


@claim("OPT-191", about="lookup", needs="optim torch", level="contract")
@example(
    losses=[1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0],
    options={"factor": 0.5, "patience": 1, "cooldown": 2},
    saved=12,
)
@example(
    losses=[-0.75, -0.5, 0.0, 1.0], options={"mode": "max", "factor": 0.5, "patience": 0}, saved=12
)
@example(losses=[1.0] * 4, options={"factor": 0.5, "patience": 0, "min_lr": [0.5, 0.25]}, saved=12)
@example(
    losses=[0.5, 0.5, 0.6875, 1.0],
    options={**NEARLY, "mode": "max", "threshold_mode": "abs"},
    saved=12,
)
@example(
    losses=[0.5, 0.5, 0.6875, 1.0],
    options={**NEARLY, "mode": "max", "threshold_mode": "rel"},
    saved=12,
)
@example(
    losses=[0.5, 0.5, 0.3125, 0.0],
    options={**NEARLY, "mode": "min", "threshold_mode": "abs"},
    saved=12,
)
@example(losses=[1.0] * 6, options={"factor": 0.5, "patience": 0, "eps": 0.25}, saved=12)
@example(losses=[1.0] * 7, options={"factor": 0.5, "patience": 0, "cooldown": 2}, saved=2)
@given(
    losses=lists(sampled_from(LOSSES), min_size=3, max_size=12),
    options=plateaus(),
    saved=integers(0, 12),
)
def test_a_rate_falls_where_a_loss_does_not(be, losses, options, saved):
    """The rate of each group is multiplied by a factor, down to its least one, when a loss has not
    become better by more than a threshold for more steps than there is patience; steps of a
    cooldown do not count. A rate that would fall by no more than eps stays, and a schedule that
    loads the state of another goes on as that would, whatever it was made with.
    """

    def made(**options):
        groups = [{"params": [be.leaf(np.ones(1))], "lr": rate} for rate in (1.0, 2.0)]
        optimizer = be.optimizer("SGD", groups, lr=1.0)
        return optimizer, be.lookup(f"{PLACE}:ReduceLROnPlateau")(optimizer, **options)

    (optimizer, schedule), found = made(**options), []
    for n, loss in enumerate(losses):
        if n == saved:
            states = [each.state_dict() for each in (optimizer, schedule)]
            optimizer, schedule = made(factor=0.125, patience=5)
            for each, state in zip((optimizer, schedule), states, strict=True):
                each.load_state_dict(state)
        schedule.step(loss)
        found.append([group["lr"] for group in optimizer.param_groups])
    leasts = np.broadcast_to(options.get("min_lr", 0.0), 2)
    for rates, rate, least in zip(zip(*found, strict=True), (1.0, 2.0), leasts, strict=True):
        assert list(rates) == plateaued(rate, losses, **{**options, "min_lr": least})


@claim("OPT-192", about="lookup", needs="optim torch", level="contract")
@given(name=sampled_from(list(MOMENTA)), steps=integers(0, 12))
def test_momentum_goes_the_other_way(be, name, steps):
    """A schedule that lets the rate rise and fall lets momentum fall and rise, from its largest
    value to its least one and back.
    """
    optimizer, schedule = scheduled(be, name, [1.0, 0.5])
    for step in range(steps + 1):
        found = [group["momentum"] for group in optimizer.param_groups]
        assert np.allclose(found, MOMENTA[name](step), rtol=1e-12), step
        optimizer.step()
        schedule.step()


@claim("OPT-350", about="lookup", needs="optim torch", level="contract")
@given(name=sampled_from(list(MOMENTA)), steps=integers(0, 12), second=sampled_from([0.75, 0.5]))
def test_the_first_beta_goes_the_other_way(be, name, steps, second):
    """Where an optimizer has two betas, the first falls and rises as momentum does, and the second
    stays as it is.
    """
    optimizer, schedule = scheduled(be, name, [1.0, 0.5], kind="Adam")
    for group in optimizer.param_groups:
        group["betas"] = (group["betas"][0], second)
    for step in range(steps + 1):
        for group in optimizer.param_groups:
            assert np.allclose(group["betas"], (MOMENTA[name](step), second), rtol=1e-12), step
        optimizer.step()
        schedule.step()


@claim("OPT-351", about="lookup", needs="optim torch", level="contract")
@example(period=1, factor=2, epochs=[6.5, None, 0.25])
@example(period=2, factor=1, epochs=[3.5, None, None])
@example(period=1, factor=3, epochs=[121, None])
@given(
    period=integers(1, 4),
    factor=integers(1, 3),
    epochs=lists(sampled_from([None, *(n / 8 for n in range(97))]), min_size=1, max_size=6),
)
def test_a_schedule_restarts_by_the_epoch_it_is_told(be, period, factor, epochs):
    """CosineAnnealingWarmRestarts that is told an epoch, whole or not, has the rate of that epoch,
    whichever came before, and goes on from there.
    """
    optimizer = be.optimizer("SGD", [be.leaf(np.ones(1))], lr=2.0)
    name = f"{PLACE}:CosineAnnealingWarmRestarts"
    schedule = be.lookup(name)(optimizer, T_0=period, T_mult=factor, eta_min=0.5)
    optimizer.step()
    epoch = 0.0
    for told in epochs:
        schedule.step(told)
        epoch = epoch + 1 if told is None else told
        start, length = 0, period
        while epoch >= start + length:
            start, length = start + length, length * factor
        rate = 0.5 + 1.5 * (1 + np.cos(np.pi * (epoch - start) / length)) / 2
        assert np.isclose(optimizer.param_groups[0]["lr"], rate, rtol=1e-12), epoch


@claim("OPT-832", about="lookup", needs="optim torch", level="contract", widest=True)
@every(choice=CHOICES)
@given(rate=sampled_from([1.0, 0.5]))
def test_schedules_refuse_what_has_no_meaning(be, choice, rate):
    """A factor that is over 1 or negative, a length that is no positive whole number, and a way
    that there is not are refused by a schedule, which takes those at the bounds.
    """
    name, others, option, legal, wrong = choice
    schedule = be.lookup(f"{PLACES.get(name, PLACE)}:{name}")
    optimizer = be.optimizer("SGD", [be.leaf(np.ones(2))], lr=rate, momentum=0.5)
    for value in legal:
        assert schedule(optimizer, **{**others, option: value})
    for value in wrong:
        with be.raises(ErrorKind.ARGUMENT):
            schedule(optimizer, **{**others, option: value})


@claim("OPT-833", about="lookup", needs="optim torch", level="contract", widest=True)
@given(rate=sampled_from([1.0, 0.5]), last=booleans())
def test_schedules_in_a_row_share_an_optimizer(be, rate, last):
    """SequentialLR and ChainedScheduler refuse to be made of no schedule, of one that belongs to
    another optimizer, whichever of them that is, and of one that has to be told a loss.
    """
    mine, foreign = (be.optimizer("SGD", [be.leaf(np.ones(2))], lr=rate) for _ in range(2))
    halved, plateau = (be.lookup(f"{PLACE}:{n}") for n in ("ConstantLR", "ReduceLROnPlateau"))
    chained, row = (be.lookup(f"{PLACE}:{n}") for n in ("ChainedScheduler", "SequentialLR"))
    assert row(mine, [halved(mine), halved(mine)], milestones=[1])
    assert chained([halved(mine), halved(mine)], optimizer=mine)
    for wrong in (halved(foreign), plateau(mine)):
        both = [halved(mine), wrong] if last else [wrong, halved(mine)]
        with be.raises(ErrorKind.ARGUMENT):
            row(mine, both, milestones=[1])
        with be.raises(ErrorKind.ARGUMENT):
            chained(both, optimizer=mine)
    with be.raises(ErrorKind.ARGUMENT):
        row(mine, [halved(mine), halved(mine)], milestones=[1, 2])
    with be.raises(ErrorKind.ARGUMENT):
        row(mine, [], milestones=[])
    with be.raises(ErrorKind.ARGUMENT):
        chained([], optimizer=mine)


# ---- averages ------------------------------------------------------------------------------------


@claim("OPT-163", about="lookup", needs="nn torch no_grad", level="contract")
@example(values=np.arange(6.0).reshape(3, 2), decay=0.0, together=True)
@given(
    values=arrays("averaged", shape=(4, 2), layouts=DENSE),
    decay=sampled_from([0.0, 0.5, 0.75]),
    together=booleans(),
)
def test_parameters_are_averaged(be, values, decay, together):
    """An averaged model holds the mean of the parameters that it was shown, or, with a decay, d
    times what it holds and 1 - d times what it is shown; the model itself stays as it is.
    """
    utils = "torch.optim.swa_utils"
    model = be.layer("Linear", 2, 1, bias=False)
    kind = "multi_avg_fn" if together else "avg_fn"
    made = be.lookup(f"{utils}:get_{'ema' if decay else 'swa'}_{kind}")
    rule = {kind: made(decay) if decay else made()}
    average = be.lookup(f"{utils}:AveragedModel")(model, **rule)
    true = None
    for n, row in enumerate(values):
        with be.no_grad():
            be.copy_(model.weight, be.tensor(row[None]))
        average.update_parameters(model)
        new = Jet.exact(row[None])
        held = new if true is None else true
        true = decay * held + (1 - decay) * new if decay else held + (new - held) / (n + 1)
        be.check(average.module.weight, true, f"the average of {n + 1}")
        be.same(model.weight, be.tensor(row[None]))


@claim("OPT-281", about="lookup", needs="nn torch no_grad", level="contract")
@given(
    values=arrays("averaged", shape=(3, 2, 2), layouts=DENSE),
    buffers=booleans(),
    decay=sampled_from([0.5, None]),
)
def test_buffers_are_averaged_if_asked_for(be, values, buffers, decay):
    """With use_buffers an averaged model holds the means of buffers as well, otherwise those of the
    model, in memory of its own; it is called as the model is.
    """
    utils = "torch.optim.swa_utils"
    model = be.layer("BatchNorm1d", 2, affine=True).eval()
    rule = {"avg_fn": be.lookup(f"{utils}:get_ema_avg_fn")(decay)} if decay else {}
    rule |= {"use_buffers": True} if buffers else {}
    average = be.lookup(f"{utils}:AveragedModel")(model, **rule)
    weights, means = [], []
    for n, (weight, mean) in enumerate(values):
        with be.no_grad():
            be.copy_(model.weight, be.tensor(weight))
            be.copy_(model.running_mean, be.tensor(mean))
            be.fill_(model.num_batches_tracked, 3 * n)
        average.update_parameters(model)
        for held, new in ((weights, weight), (means, mean)):
            old, each = held[-1] if held else Jet.exact(new), Jet.exact(new)
            share = 1 - decay if decay else 1 / (n + 1)
            held.append(old + (each - old) * share)
        if not buffers:
            for mine, its in zip(average.module.buffers(), model.buffers(), strict=True):
                be.same(mine, its)
    be.check(average.module.weight, weights[-1], "weight")
    be.check(average.module.running_mean, means[-1] if buffers else values[-1, 1], "mean")
    for mine, its in zip(average.module.buffers(), model.buffers(), strict=True):
        assert not be.shares_memory(mine, its)
    be.same(average(be.tensor(values[0])), average.module(be.tensor(values[0])))


@claim("OPT-164", about="lookup", needs="nn torch", level="contract")
@given(x=arrays("batch", shape=(6, 3)), momentum=sampled_from([0.1, None]))
def test_statistics_of_an_average_are_taken_anew(be, x, momentum):
    """update_bn gives batch normalizations the means and variances of the batches alone, whatever
    was in them, and leaves mode and momentum as they were.
    """
    layer = be.layer("BatchNorm1d", 3, momentum=momentum)
    model = be.layer("Sequential", layer, be.layer("BatchNorm1d", 3, momentum=0.5))
    model(be.tensor(x + 5))
    model.eval()
    be.lookup("torch.optim.swa_utils:update_bn")([be.tensor(x[:3]), be.tensor(x[3:])], model)
    halves = [Jet.exact(x[:3]), Jet.exact(x[3:])]
    be.check(layer.running_mean, sum(half.sum(0) / 3 for half in halves) / 2, "mean")
    spread = [((half - half.sum(0) / 3) ** 2).sum(0) / 2 for half in halves]
    be.check(layer.running_var, (spread[0] + spread[1]) / 2, "variance")
    assert [each.momentum for each in model] == [momentum, 0.5]
    assert not any(each.training for each in (model, *model))
