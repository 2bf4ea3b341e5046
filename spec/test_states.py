"""States: the tensors of a module or of an optimizer by name, taken out and put in."""

from copy import deepcopy
from functools import partial
from pathlib import Path

import numpy as np

from gradspec.conformance import ErrorKind, Total, claim, example, given, workload
from gradspec.conformance.strategies import (
    DENSE,
    NONZERO,
    arrays,
    booleans,
    integers,
    lists,
    sampled_from,
)
from gradspec.conformance.strategies.files import round_trip
from gradspec.conformance.strategies.modules import fill
from gradspec.conformance.strategies.states import grown, keys, trees

# ---- of modules ----------------------------------------------------------------------------------


@claim("SER-51", about="layer", needs="backward nn serialize torch", level="contract")
@example(tree={"fc": "Linear", "bn": "BatchNorm1d"}, x=np.ones(3), frozen=True, registered=False)
@given(tree=trees(), x=arrays(), frozen=booleans(), registered=booleans())
def test_a_state_holds_parameters_and_buffers(be, tree, x, frozen, registered):
    """The state of a module maps the dotted name of every parameter, frozen or not, and of every
    buffer, registered or assigned as one, to its tensor, none of which requires grad, in the order
    of registration. Buffers that are not persistent, as it was said last, and plain attributes are
    left out.
    """
    module = grown(be, tree)
    for parameter in module.parameters():
        be.set_requires_grad(parameter, not frozen)
    outer = be.layer("ModuleDict", {"inner": module})
    if registered:
        outer.register_buffer("kept", be.tensor(x))
        outer.register_buffer("scratch", be.tensor(x), persistent=False)
    else:
        make = be.lookup("torch.nn:Buffer")
        outer.kept, outer.scratch = make(be.tensor(x)), make(be.tensor(x), persistent=False)
    outer.note = be.tensor(x)
    state = outer.state_dict()
    assert [name for name, _ in outer.named_buffers(recurse=False)] == ["kept", "scratch"]
    assert list(state) == ["kept", *(f"inner.{key}" for key in keys(tree))]
    assert not any(map(be.requires_grad, state.values()))
    be.same(state["kept"], x.astype(be.dtype))
    for name, parameter in outer.named_parameters():
        be.same(state[name], parameter)
    outer.register_buffer("kept", be.tensor(x), persistent=False)
    outer.register_buffer("scratch", be.tensor(x))
    assert next(iter(outer.state_dict())) == "scratch"
    assert "kept" not in outer.state_dict()


@claim("SER-52", about="layer", needs="backward nn optim serialize views data", level="contract")
@given(
    x=arrays(shape=(4, 3)),
    weight=arrays(shape=(2, 3), layouts=DENSE),
    bias=arrays(shape=(2,), layouts=DENSE),
    w=arrays(shape=(4, 2)),
)
def test_a_state_is_on_the_memory_of_the_module(be, x, weight, bias, w):
    """A state is on the memory of its module, so that later steps show in it: only a copy keeps the
    values of the moment. With keep_vars=True it holds the parameters and buffers
    themselves.
    """
    module = fill(be, be.layer("Linear", 3, 2), weight, bias)
    state = module.state_dict()
    copy = deepcopy(state)
    be.backward(module(be.tensor(x)), w)
    be.optimizer("SGD", list(module.parameters()), lr=0.5).step()
    assert be.shares_memory(state["weight"], module.weight)
    be.same(state["weight"], module.weight)
    be.same(state["bias"], module.bias)
    be.check(module.bias, Total.of(bias, *(-0.5 * w)))
    be.check(copy["weight"], weight)
    be.check(copy["bias"], bias)
    assert not be.requires_grad(state["weight"])
    whole = be.layer("Sequential", module, be.layer("BatchNorm1d", 2))
    kept = whole.state_dict(keep_vars=True)
    for name, tensor in (*whole.named_parameters(), *whole.named_buffers()):
        assert kept[name] is tensor


@workload(needs="nn serialize zeros_like")
def taken_over(be, leaf):
    """A parameter that has taken the values of the leaf out of a state."""
    module = be.layer("ParameterList", [be.parameter(be.zeros_like(leaf))])
    module.load_state_dict({"0": leaf})
    return module[0]


@claim("SER-55", about="layer", needs="backward nn serialize torch zeros_like", level="contract")
@given(x=arrays(), wrong=sampled_from(["state.pt", Path("state.pt"), [], None, 3]))
def test_a_state_is_given_as_a_mapping(be, x, wrong):
    """load_state_dict is a method of modules, given a mapping of names to tensors, which stays as
    it is; a path or anything else is refused, and the library has no function of that name.
    """
    leaf = be.leaf(x)
    be.same(taken_over(be, leaf), leaf)
    given = {"weight": be.tensor(np.ones(2))}
    be.layer("BatchNorm1d", 2).load_state_dict(given, strict=False)
    assert list(given) == ["weight"]
    with be.raises(ErrorKind.ARGUMENT):
        be.layer("Linear", 3, 2).load_state_dict(wrong)
    assert not be.exports("load_state_dict")


@claim("SER-56", about="layer", needs="nn serialize fill_", level="contract")
@example(gone=[1], extra=["fc.scale"], wide="weight", size=3)
@example(gone=[1], extra=["fc.scale"], wide="weight", size=1)
@given(
    gone=lists(sampled_from(range(5)), min_size=1, max_size=2, unique=True).map(sorted),
    extra=lists(sampled_from(["other", "scale", "0.weight"]), min_size=1, unique=True),
    wide=sampled_from(["weight", "bias", "running_mean"]),
    size=sampled_from([1, 3]),
)
def test_a_state_has_to_fit(be, gone, extra, wide, size):
    """A state is refused that lacks a name, has one too many, or a tensor of another shape. With
    strict=False missing and unexpected names are reported, and the others loaded, but the shapes
    have to fit all the same.
    """
    one, other = be.layer("BatchNorm1d", 2), be.layer("BatchNorm1d", 2)
    names = list(one.state_dict())
    for n, name in enumerate(names):
        be.fill_(one.state_dict()[name], n + 2)
    poor, rich, both, wrong = (one.state_dict() for _ in range(4))
    for state in (poor, both):
        for n in gone:
            del state[names[n]]
    for state in (rich, both):
        state.update({name: be.tensor(np.ones(2)) for name in extra})
    wrong[wide] = be.tensor(np.ones(size))
    for state in (poor, rich):
        with be.raises(ErrorKind.STATE):
            be.layer("BatchNorm1d", 2).load_state_dict(state)
    for strict in (True, False):
        with be.raises(ErrorKind.SHAPE):
            be.layer("BatchNorm1d", 2).load_state_dict(wrong, strict=strict)
    before = {name: be.numpy(value) for name, value in other.state_dict().items()}
    report = other.load_state_dict(both, strict=False)
    assert (report.missing_keys, report.unexpected_keys) == ([names[n] for n in gone], extra)
    for name, value in other.state_dict().items():
        be.same(value, be.numpy(both[name]) if name in both else before[name])


@claim("SER-61", about="layer", needs="nn serialize", level="contract")
@given(saved=booleans(), there=booleans())
def test_a_state_has_no_mode(be, saved, there):
    """Loading a state leaves training or evaluation mode as it was, and that is training in a
    module just made.
    """
    one, other = be.layer("BatchNorm1d", 2), be.layer("BatchNorm1d", 2)
    assert one.training
    one.train(saved)
    other.train(there)
    other.load_state_dict(round_trip(be, one.state_dict()))
    assert other.training is there


# ---- of optimizers -------------------------------------------------------------------------------


@claim("SER-53", about="optimizer", needs="backward optim serialize", level="contract")
@given(x=arrays(layouts=DENSE), w=arrays(), name=sampled_from(["SGD", "Adam"]))
def test_an_optimizer_keeps_groups_and_moments(be, x, w, name):
    """The state of an optimizer is its groups, with their options and a running number for each
    parameter, and by that number what it has gathered: nothing before the first step, and never the
    parameter itself. It is live, fits only an optimizer with the same groups, and is left as it was
    by one that loads it.
    """
    one, two, idle = (be.leaf(x) for _ in range(3))
    options = {"SGD": {"momentum": 0.5}, "Adam": {"betas": (0.5, 0.75)}}[name]
    groups = [{"params": [one]}, {"params": [two, idle], "lr": 0.25}]
    optimizer = be.optimizer(name, groups, lr=0.5, **options)
    assert optimizer.state_dict()["state"] == {}
    assert optimizer.state_dict().keys() == {"state", "param_groups"}
    kept = [(g["params"], g["lr"]) for g in optimizer.state_dict()["param_groups"]]
    assert kept == [([0], 0.5), ([1, 2], 0.25)]
    be.backward(be.mul(one, two), w)
    optimizer.step()
    state = optimizer.state_dict()["state"]
    optimizer.step()
    want = {
        "SGD": {"momentum_buffer": 1.5 * w * x},
        "Adam": {"step": 2.0, "exp_avg": 0.75 * w * x, "exp_avg_sq": 0.4375 * (w * x) ** 2},
    }[name]
    assert state.keys() == {0, 1}
    for gathered in state.values():
        assert gathered.keys() == want.keys()
        for key, value in want.items():
            assert np.array_equal(be.numpy(gathered[key]), value)
    for others in ([be.leaf(x)], [{"params": [be.leaf(x)]}, {"params": [be.leaf(x)]}]):
        with be.raises(ErrorKind.STATE):
            be.optimizer(name, others).load_state_dict(optimizer.state_dict())
    state, others = optimizer.state_dict(), [be.leaf(x) for _ in range(3)]
    kept = deepcopy(state["param_groups"])
    groups = [{"params": others[:1]}, {"params": others[1:]}]
    be.optimizer(name, groups, lr=0.5).load_state_dict(state)
    assert state["param_groups"] == kept


@claim("SER-400", about="optimizer", needs="optim serialize torch", level="contract")
@given(
    ahead=lists(booleans(), min_size=1, max_size=4),
    kind=sampled_from(
        ["state_dict_pre", "state_dict_post", "load_state_dict_pre", "load_state_dict_post"]
    ),
)
def test_hooks_around_a_state_run_in_their_order(be, ahead, kind):
    """Hooks that an optimizer has before or after its state is taken out or put in are called with
    it in the order in which they were set, one that is prepended before all that were set until
    then, until they are removed.
    """
    optimizer, called, order, handles = be.optimizer("SGD", [be.leaf(np.ones(2))]), [], [], []

    def note(n, of, *_):
        called.append((n, of is optimizer))

    for n, first in enumerate(ahead):
        register = getattr(optimizer, f"register_{kind}_hook")
        handles.append(register(partial(note, n), prepend=first))
        order.insert(0 if first else n, n)
    optimizer.load_state_dict(optimizer.state_dict())
    assert called == [(n, True) for n in order]
    for handle in handles:
        handle.remove()
    optimizer.load_state_dict(optimizer.state_dict())
    assert len(called) == len(ahead)


@claim("SER-720", about="layer", needs="nn serialize torch", level="contract")
@given(
    count=integers(1, 3),
    inner=booleans(),
    kind=sampled_from(
        ["state_dict_pre", "state_dict_post", "load_state_dict_pre", "load_state_dict_post"]
    ),
)
def test_hooks_around_a_state_of_a_module(be, count, inner, kind):
    """Hooks that a module has before or after its state is taken out or put in, by itself or within
    that of another, are called with it, each once and in their order, until they are removed.
    """
    net, called = be.layer("Sequential", be.layer("Linear", 2, 2)), []
    module = net[0] if inner else net

    def note(n, of, *_):
        called.append((n, of is module))

    register = getattr(module, f"register_{kind}_hook")
    handles = [register(partial(note, n)) for n in range(count)]
    net.load_state_dict(net.state_dict())
    assert called == [(n, True) for n in range(count)]
    for handle in handles:
        handle.remove()
    net.load_state_dict(net.state_dict())
    assert len(called) == count


@claim("SER-170", about="optimizer", needs="data grad_assign optim serialize", level="contract")
@example(x=np.ones(2), g=np.ones(2), other=-2 * np.ones(2), name="SGD")
@given(
    x=arrays("x", shape=(2,), layouts=DENSE),
    g=arrays("g", shape=(2,)),
    other=arrays("other", shape=(2,), values=NONZERO),
    name=sampled_from(["SGD", "RMSprop", "Adam"]),
)
def test_what_has_loaded_a_state_goes_its_own_way(be, x, g, other, name):
    """An optimizer goes on from the state that it has loaded, whatever the one that gave it does
    afterwards.
    """
    options = {} if name == "Adam" else {"momentum": 0.5}
    leaves = [be.leaf(x.copy()) for _ in range(3)]
    giver, heir, twin = (be.optimizer(name, [leaf], lr=0.5, **options) for leaf in leaves)

    def step(optimizer, leaf, gradient):
        be.set_grad(leaf, be.tensor(gradient))
        optimizer.step()

    step(giver, leaves[0], g)
    step(twin, leaves[2], g)
    heir.load_state_dict(giver.state_dict())
    step(giver, leaves[0], other)
    for optimizer, leaf in ((heir, leaves[1]), (twin, leaves[2])):
        be.copy_(be.data(leaf), be.tensor(x))
        step(optimizer, leaf, g)
    be.same(leaves[1], leaves[2])
