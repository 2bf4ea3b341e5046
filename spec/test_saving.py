"""Saving: what a file keeps, and what loading it does."""

import tarfile
import zipfile
from pathlib import Path
from pickle import PicklingError
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, claim, example, given, workload
from gradspec.conformance.strategies import arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.files import Trap, passing_class, round_trip, safe_classes
from gradspec.conformance.strategies.modules import fill
from gradspec.conformance.strategies.states import Course

# ---- tensors -------------------------------------------------------------------------------------


@workload(needs="serialize")
def stored(be, leaf):
    """The leaf, written to a file and read again."""
    return round_trip(be, leaf)


@claim(
    "SER-62", about="save load", needs="backward views graph serialize unsqueeze", level="contract"
)
@example(x=np.arange(6.0).reshape(2, 3).T, w=np.ones((3, 2)), dtype="int64")
@given(x=arrays(), w=arrays(), dtype=sampled_from(["bool", "uint8", "int32", "int64"]))
def test_what_comes_back_from_a_file(be, x, w, dtype):
    """A tensor comes back with its values, dtype, shape and strides, on its device or where
    map_location puts it, requiring grad if it did, as a leaf without gradient or graph. What was
    saved together shares memory as before, and none with what was saved.
    """
    leaf, constant = be.leaf(x), be.tensor(x)
    y = be.mul(leaf, w)
    be.backward(y, w)
    saved = [leaf, y, constant, be.unsqueeze(constant, 0), be.tensor(x.astype(dtype))]
    places = []
    loaded = round_trip(be, saved)
    named = round_trip(be, saved, map_location=lambda memory, at: places.append(at) or memory)
    for n, (got, original) in enumerate(zip(loaded, saved, strict=True)):
        be.same(got, original)
        be.same(named[n], original)
        assert be.strides(got) == be.strides(original)
        assert be.requires_grad(got) is be.requires_grad(original) is (n < 2)
        assert be.is_leaf(got)
        assert be.node(got) is be.grad(got) is None
        assert not be.shares_memory(got, original)
        shared = [be.shares_memory(original, each) for each in saved]
        assert [be.shares_memory(got, each) for each in loaded] == shared
    be.check(be.add(loaded[2], constant), 2 * x)
    be.same(stored(be, leaf), leaf)
    assert places
    assert all(place.startswith(be.device) for place in places)


@claim("SER-59", about="save", needs="serialize", level="contract")
@given(x=arrays(), suffix=sampled_from([".pth", ".tar", ".zip", ".txt", ""]))
def test_the_ending_of_a_name_means_nothing(be, x, suffix):
    """The ending of a file's name, .pt or .pth or .tar, is for people: the file is the same zip
    archive under any of them, and is read under any of them.
    """
    with TemporaryDirectory() as folder:
        plain, file = Path(folder, "state.pt"), Path(folder, f"state{suffix}")
        be.save({"x": be.tensor(x)}, plain)
        be.save({"x": be.tensor(x)}, file)
        assert zipfile.is_zipfile(file)
        assert not tarfile.is_tarfile(file)
        assert file.read_bytes() == plain.read_bytes()
        be.same(be.load(file)["x"], x.astype(be.dtype))


# ---- modules and their states --------------------------------------------------------------------


@claim("SER-57", about="load", needs="nn serialize data torch", level="contract")
@given(x=arrays(shape=(4, 3)), weight=arrays(shape=(2, 3)), bias=arrays(shape=(2,)))
def test_only_a_trusted_file_runs_code(be, x, weight, bias):
    """A file that names code to be run, as that of a whole module names its class, is refused
    before any of it runs. Where all that it names is declared safe, or with weights_only=False, it
    runs, and the module comes back as it was, if its class is still there.
    """
    module = fill(be, be.layer("Linear", 3, 2), weight, bias).eval()
    Trap.sprung.clear()
    with TemporaryDirectory() as folder:
        whole, trap = Path(folder, "whole.pt"), Path(folder, "trap.pt")
        be.save(module, whole)
        be.save({"weight": be.tensor(weight), "name": Trap()}, trap)
        for file in (whole, trap):
            with be.raises(ErrorKind.UNTRUSTED):
                be.load(file)
        assert not Trap.sprung
        with safe_classes(be, whole):
            declared = be.load(whole)
            with be.raises(ErrorKind.UNTRUSTED):
                be.load(trap)
        with be.raises(ErrorKind.UNTRUSTED):
            be.load(whole)
        loaded = be.load(whole, weights_only=False)
        with passing_class(be.module()) as passing:
            be.save(passing(), Path(folder, "passing.pt"))
            be.load(Path(folder, "passing.pt"), weights_only=False)
        with pytest.raises(AttributeError, match="Passing"):
            be.load(Path(folder, "passing.pt"), weights_only=False)
        assert be.load(trap, weights_only=False)["name"] == "sprung"
    assert Trap.sprung == ["sprung"]
    for each in (declared, loaded):
        assert type(each) is type(module)
        assert not each.training
        be.same(each(be.tensor(x)), module(be.tensor(x)))


@claim("SER-58", about="save", needs="nn serialize", level="contract")
@example(width=2)
@example(width=200)
def test_a_state_needs_no_class(be, width):
    """The file of a state holds tensors by name and no class: it is smaller than that of the whole
    module, by little if the module is large. A module whose class cannot be imported cannot be
    saved, but its state can.
    """
    layer = be.layer("Sequential", be.layer("Linear", 3, width), be.layer("BatchNorm1d", width))
    net = type("Local", (be.module(),), {})()
    net.layer = layer
    with TemporaryDirectory() as folder:
        state, whole, local = (Path(folder, name) for name in ("state", "whole", "local"))
        be.save(layer.state_dict(), state)
        be.save(layer, whole)
        assert state.stat().st_size < whole.stat().st_size < state.stat().st_size + 10_000
        with pytest.raises((AttributeError, PicklingError), match="pickle"):
            be.save(net, local)
        be.save(net.state_dict(), local)
        assert list(be.load(local)) == [f"layer.{key}" for key in be.load(state)]


@claim("SER-190", about="save load", needs="nn serialize torch", level="contract")
@given(x=arrays(), trained=booleans())
def test_a_parameter_comes_back_as_one(be, x, trained):
    """A parameter that is saved by itself comes back as a parameter, which a module takes for its
    own, with the flag that it had.
    """
    layer = be.layer("Linear", 1, 1, bias=False)
    loaded = round_trip(be, be.parameter(be.tensor(x), requires_grad=trained))
    layer.weight = loaded
    (own,) = layer.parameters()
    assert own is loaded
    assert be.requires_grad(loaded) is trained
    be.check(loaded, x)


@claim("SER-54", about="load", needs="backward nn serialize views data fill_", level="contract")
@given(
    x=arrays(shape=(4, 3)),
    weight=arrays(shape=(2, 3)),
    bias=arrays(shape=(2,)),
    slope=arrays(shape=(2,)),
)
def test_a_loaded_state_makes_the_same_function(be, x, weight, bias, slope):
    """A module that loads the state of another one computes the same function, bit for bit, in the
    parameters that it had: they take the values as copies, in their own dtype, or with assign=True
    the loaded tensors take their place. Either way those require grad that did before.
    """
    one, other, third, fourth = modules = [
        be.layer("Sequential", be.layer("Linear", 3, 2), be.layer("BatchNorm1d", 2))
        for _ in range(4)
    ]
    # In row-major memory, as the others': over other strides PyTorch may round in another order.
    fill(be, one, *(each.copy() for each in (weight, bias, slope, bias)))
    be.fill_(one[1].running_mean, 0.5)
    for module in modules[1:]:
        be.set_requires_grad(module[0].bias, False)
    state, parameters = round_trip(be, one.state_dict()), list(other.parameters())
    other.load_state_dict(state)
    third.load_state_dict(state, assign=True)
    named = {name: be.parameter(state[name].clone()) for name, _ in one.named_parameters()}
    fourth.load_state_dict({**state, **named}, assign=True)
    assert all(parameter is named[name] for name, parameter in fourth.named_parameters())
    said = one.eval()(be.tensor(x))
    for module in modules[1:]:
        be.same(module.eval()(be.tensor(x)), said)
        be.same(module[0].weight, weight.astype(be.dtype))
        assert [be.requires_grad(p) for p in module.parameters()] == [True, False, True, True]
    assert all(map(lambda p, q: p is q, other.parameters(), parameters))
    for key, value in state.items():
        assert be.shares_memory(third.state_dict()[key], value)
        assert not be.shares_memory(other.state_dict()[key], value)
        assert not be.shares_memory(other.state_dict()[key], one.state_dict()[key])
    other[0].load_state_dict({"weight": be.tensor(np.ones((2, 3), int)), "bias": be.tensor(bias)})
    be.check(other[0].weight, np.ones((2, 3)))


@claim("SER-730", about="load", needs="nn serialize", level="contract")
@given(weight=arrays(shape=(2, 3)))
def test_a_state_may_be_loaded_again(be, weight):
    """A state is left as it was by whoever loads it: loaded with assign=True by one module, it is
    copied by the next one that is not told so, whose parameters stay where they are.
    """
    one, other, third = (be.layer("Linear", 3, 2) for _ in range(3))
    fill(be, one, weight, np.ones(2))
    state, kept = round_trip(be, one.state_dict()), third.weight
    other.load_state_dict(state, assign=True)
    third.load_state_dict(state)
    be.same(third.weight, weight.astype(be.dtype))
    assert third.weight is kept, "a state is assigned again"
    assert not be.shares_memory(third.weight, other.weight)


# ---- checkpoints ---------------------------------------------------------------------------------


@claim("SER-60", about="save load", needs="backward nn optim random serialize", level="contract")
@given(seed=integers(0, 2**32), before=integers(1, 3), after=integers(1, 3))
def test_a_checkpoint_resumes_the_run(be, seed, before, after):
    """A run that is stopped and resumed from the states of its models, of its optimizers and of the
    generator goes on, bit for bit, as if it had not been stopped, whatever the new optimizers were
    made with. Without the states of the optimizers it goes another way.
    """
    rows = np.random.default_rng(seed).normal(size=(before + after, 4, 3))
    with be.fork_random():
        be.manual_seed(seed)
        straight, stopped = Course(be, rate=0.125), Course(be, rate=0.125)
        said = straight.learn(rows)
        be.manual_seed(seed)
        stopped.learn(rows[:before])
        checkpoint = round_trip(be, stopped.checkpoint())
        resumed = Course(be, rate=0.5)
        resumed.resume(checkpoint)
        assert np.array_equal(resumed.learn(rows[before:]), said[before:])
        poorer = {key: part for key, part in checkpoint.items() if "optimizer" not in key}
        forgetful = Course(be, rate=0.125)
        forgetful.resume(poorer)
        forgetful.learn(rows[before:])
    for name in ("model A", "model B"):
        ends = [course.parts[name].state_dict() for course in (straight, resumed, forgetful)]
        assert all(np.array_equal(be.numpy(ends[0][k]), be.numpy(ends[1][k])) for k in ends[0])
        assert not all(np.array_equal(be.numpy(ends[0][k]), be.numpy(ends[2][k])) for k in ends[0])
