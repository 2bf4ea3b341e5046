"""Modules: what belongs to a network."""

from copy import deepcopy
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, example, given
from gradspec.conformance.strategies import arrays, booleans, integers, lists, sampled_from
from gradspec.conformance.strategies.layers import perceptrons
from gradspec.conformance.strategies.modules import (
    KINDS,
    LAYERS,
    assemble,
    attribute,
    lenet,
    lenet_shapes,
    listed,
    perceptron,
    stack,
    stack_shapes,
)
from gradspec.conformance.truth.oracles import layers as formulas
from gradspec.conformance.truth.oracles.jets import Jet

NO_WORKLOAD = "what is made of modules is at work in the chapter on networks"

HOOKS = ("forward_pre_hook", "forward_hook", "full_backward_pre_hook", "full_backward_hook")

# ---- making one ----------------------------------------------------------------------------------


@claim("NNM-51", about="module", needs="backward nn")
@given(x=arrays(), w=arrays(), kind=sampled_from(["parameter", "Linear", "tensor"]))
def test_a_network_derives_from_the_class_of_modules(be, x, w, kind):
    """A network defines forward, and calling it runs that; backward needs nothing written by hand.
    Before its own __init__ has run it takes no parameter and no module, and cannot be called.
    """

    class Cube(be.module()):
        def forward(self, given):
            return given * given * given

    class Early(Cube):
        def __init__(self):
            self.kept = attribute(be, kind)

    leaf = be.leaf(x)
    y = Cube()(leaf)
    be.backward(y, w)
    be.check(y, x**3)
    be.check(be.grad(leaf), 3 * w * x**2)
    if kind == "tensor":
        early = Early()
        with be.raises(ErrorKind.UNINITIALIZED):
            early(leaf)
    else:
        with be.raises(ErrorKind.UNINITIALIZED):
            Early()
    with pytest.raises(NotImplementedError):
        be.module()()(leaf)


@claim("NNM-53", about="layer", needs="torch nn max_pool2d relu view", level="contract")
@example(
    lines=[
        "Net(",
        "  (conv1): Conv2d(1, 6, kernel_size=(5, 5), stride=(1, 1))",
        "  (conv2): Conv2d(6, 16, kernel_size=(5, 5), stride=(1, 1))",
        "  (fc1): Linear(in_features=400, out_features=120, bias=True)",
        "  (fc2): Linear(in_features=120, out_features=84, bias=True)",
        "  (fc3): Linear(in_features=84, out_features=10, bias=True)",
        ")",
    ]
)
def test_a_module_prints_its_children(be, lines):
    """A module prints as its class and its direct children, each with its name and its sizes."""
    assert repr(lenet(be)).splitlines() == lines


# ---- its parameters ------------------------------------------------------------------------------


@claim("NNM-52", about="layer", needs="nn max_pool2d relu view")
@example(channels=1, total=61706, labels=["Conv2d"])
@example(channels=3, total=62006, labels=["Linear without bias"])
@given(
    channels=sampled_from([1]),
    total=sampled_from([61706]),
    labels=lists(sampled_from(list(LAYERS)), max_size=4),
)
def test_a_parameter_is_a_weight_or_a_bias(be, channels, total, labels):
    """A network lists a parameter for each weight and each bias of its layers, in the order in
    which they became part of it, and nothing for what is not learnt: ten for five layers of both.
    """
    net, other = lenet(be, channels), stack(be, labels)
    for module, shapes in ((net, lenet_shapes(channels)), (other, stack_shapes(labels))):
        named = {name: tuple(be.shape(p)) for name, p in module.named_parameters()}
        assert list(named.items()) == list(shapes.items())
        assert [tuple(be.shape(p)) for p in module.parameters()] == list(shapes.values())
    assert sum(be.numel(p) for p in net.parameters()) == total


@claim("NNM-60", about="module", needs="nn", level="contract")
@example(kinds=["parameter", "tensor", "list", "ParameterList"], twice=True)
@example(kinds=["Linear"], twice=True)
@given(kinds=lists(sampled_from(list(KINDS)), min_size=1, max_size=5), twice=booleans())
def test_assigning_a_parameter_registers_it(be, kinds, twice):
    """A module lists the parameters and modules assigned to its attributes, and those that lists of
    its own kind hold, unless its own are asked for; not plain tensors, nor what lists and dicts of
    Python hold. What is shared is listed once, unless every name is asked for.
    """
    module = assemble(be, kinds, twice=twice)
    once, every = listed(kinds, twice=False), listed(kinds, twice=twice)
    assert [name for name, _ in module.named_parameters()] == once
    assert [name for name, _ in module.named_parameters(remove_duplicate=False)] == every
    for members, own in (
        (module.named_parameters(recurse=False), {"parameter"}),
        (module.named_buffers(), {"buffer"}),
        (module.named_children(), {"Linear", "ParameterList", "ModuleList"}),
    ):
        assert [name for name, _ in members] == [f"a{n}" for n, k in enumerate(kinds) if k in own]
    for members, names in (
        (module.parameters, [name for name in once if "." not in name]),
        (module.buffers, [f"a{n}" for n, kind in enumerate(kinds) if kind == "buffer"]),
    ):
        found = members(recurse=False)
        assert all(a is getattr(module, b) for a, b in zip(found, names, strict=True))
    module.last = be.parameter(be.tensor(np.ones(2)))
    with be.raises(ErrorKind.PARAMETER_ASSIGNMENT):
        module.last = be.tensor(np.ones(2))
    assert "last" in dict(module.named_parameters())
    module.last = None
    assert [name for name, _ in module.named_parameters()] == once


@claim("NNM-103", about="layer", needs="nn torch", level="contract")
@given(x=arrays(shape=(2, 2)), flag=booleans())
def test_what_modules_share_is_listed_once(be, x, flag):
    """A parameter that two modules share is listed once, under the first of its names, and under
    each of them in the state; requires_grad_ sets the flag of every parameter below a module.
    """
    first, second = (be.layer("Linear", 2, 2, bias=False) for _ in range(2))
    second.weight = first.weight
    net = be.layer("Sequential", first, be.layer("Sequential", second, be.layer("Linear", 2, 1)))
    names = ["0.weight", "1.1.weight", "1.1.bias"]
    assert [name for name, _ in net.named_parameters()] == names
    assert len(list(net.parameters())) == len(names)
    assert sorted(net.state_dict()) == sorted([*names, "1.0.weight"])
    assert net.requires_grad_(flag) is net
    assert [be.requires_grad(p) for p in net.parameters()] == [flag] * len(names)
    be.set_data(first.weight, be.tensor(x))
    be.check(second.weight, x)


@claim("NNM-61", about="parameter", needs="backward nn views no_grad")
@given(x=arrays(min_size=1), recording=booleans())
def test_a_parameter_is_a_leaf_on_the_memory_it_was_given(be, x, recording):
    """A parameter is a leaf on the memory of the tensor it is made of, without the history, and
    requires grad even when made under no_grad. What is computed from it is a plain tensor, and
    whole numbers are parameters only if they are not to require grad.
    """
    computed = be.leaf(x) * 2
    with be.enable_grad() if recording else be.no_grad():
        parameter = be.parameter(computed)
    assert be.requires_grad(parameter)
    assert be.is_leaf(parameter)
    assert be.shares_memory(parameter, computed)
    be.same(parameter, computed)
    assert type(parameter * 1) is type(computed)
    assert type(parameter) is not type(computed)
    assert not be.requires_grad(be.parameter(computed, requires_grad=False))
    whole = be.tensor(np.arange(3))
    with be.raises(ErrorKind.INTEGER_REQUIRES_GRAD):
        be.parameter(whole)
    be.same(be.parameter(whole, requires_grad=False), whole)


@claim("NNM-62", about="layer", needs="backward nn data inplace copy_")
@given(
    x=arrays(shape=(4, 2)),
    weight=arrays(shape=(3, 2)),
    bias=arrays(shape=(3,)),
    w=arrays(shape=(4, 3)),
)
def test_parameters_are_the_tensors_themselves(be, x, weight, bias, w):
    """parameters() yields, once, the very tensors a layer computes with: what is written to them
    changes the layer, and gradients appear in them.
    """
    layer = be.layer("Linear", 2, 3)
    listing = layer.parameters()
    found = list(listing)
    assert list(listing) == []
    assert found[0] is layer.weight
    assert found[1] is layer.bias
    for parameter, value in zip(found, (weight, bias), strict=True):
        be.copy_(be.data(parameter), be.tensor(value))
    y = layer(be.tensor(x))
    be.backward(y, w)
    be.check(y, Total.products(formulas.linear, x, weight, bias))
    be.check(be.grad(found[0]), Total.matmul(w.T, x))
    be.check(be.grad(found[1]), Total.along(w, 0))


# ---- running it ----------------------------------------------------------------------------------


@claim("NNM-63", about="layer", needs="nn", level="contract")
@given(x=arrays(shape=(2,)), before=sampled_from([1.0, 2.0, -1.0]), after=sampled_from([3.0, 0.5]))
def test_a_call_runs_hooks_around_forward(be, x, before, after):
    """Calling a module runs the hooks that were set before forward, then forward, then those set
    after it, each of which may replace what it is shown; forward by itself runs no hook.
    """
    layer = be.layer("Linear", 2, 3)
    plain = be.numpy(layer(be.tensor(x)))
    shown = []

    def first(module, inputs):
        shown.append((module, inputs))
        return tuple(before * given for given in inputs)

    def second(module, inputs, output):
        shown.append((module, inputs, output))
        return after * output

    handles = layer.register_forward_pre_hook(first), layer.register_forward_hook(second)
    leaf = be.tensor(x)
    be.same(layer.forward(leaf), plain)
    assert shown == []
    y = layer(leaf)
    assert len(shown) == 2
    (_, (given,)), (_, (scaled,), output) = shown
    assert {entry[0] for entry in shown} == {layer}
    assert given is leaf
    be.check(scaled, before * x)
    be.same(output, layer.forward(scaled))
    be.same(y, after * output)
    for handle in handles:
        handle.remove()
    be.same(layer(leaf), plain)


@claim("NNM-190", about="layer", needs="backward nn torch", level="contract")
@example(x=np.ones(2), w=np.ones(2), ahead=[False, False, True])
@given(x=arrays(shape=(2,)), w=arrays(shape=(2,)), ahead=lists(booleans(), min_size=1, max_size=4))
def test_hooks_of_a_module_run_in_their_order(be, x, w, ahead):
    """Hooks of a call, before forward or after it, and of its backward run in the order in which
    they were set, each on what the one before it returned; one that is prepended runs before all
    that were set until then.
    """
    layer, called, order = be.layer("Linear", 2, 2), {kind: [] for kind in HOOKS}, []

    def scale(kind, n, _, first, *rest):
        shown = rest[0] if kind == "forward_hook" else first[0]
        called[kind].append((n, be.clone(be.detach(shown))))
        return (n + 2) * shown if kind == "forward_hook" else ((n + 2) * shown,)

    for n, first in enumerate(ahead):
        for kind in HOOKS:
            getattr(layer, f"register_{kind}")(partial(scale, kind, n), prepend=first)
        order.insert(0 if first else n, n)
    be.backward(layer(be.leaf(x)), w)
    for shown in called.values():
        assert [n for n, _ in shown] == order
        for (n, before), (_, after) in pairwise(shown):
            be.same(after, (n + 2) * before)


@claim("NNM-720", about="module", needs="nn torch", level="contract")
@given(x=arrays(), factors=lists(sampled_from([None, 2.0, 3.0]), min_size=1, max_size=3))
def test_a_hook_may_change_what_is_given_by_name(be, x, factors):
    """A hook of a call that asks for it is shown what is given by name as well. One before forward
    may return both, and that takes the place of both, for forward and for all hooks after it.
    """
    shown = []

    class Scaled(be.module()):
        def forward(self, a, by):
            return a * by

    def change(factor, _, given, named):
        shown.append(dict(named))
        changed = (given[0] * 5.0,), {"by": named["by"] * (factor or 1.0)}
        return changed if factor else None

    net, rest, want = Scaled(), [factor for factor in factors if factor], [1.0]
    for factor in factors:
        net.register_forward_pre_hook(partial(change, factor), with_kwargs=True)
        want.append(want[-1] * (factor or 1.0))
    net.register_forward_hook(lambda *told: shown.append(dict(told[2])), with_kwargs=True)
    be.check(net(be.tensor(x), by=1.0), 5.0 ** len(rest) * want[-1] * x)
    assert shown == [{"by": by} for by in want]


@claim("HOK-280", about="layer", needs="backward gradients nn torch", level="contract")
@given(
    x=arrays(shape=(2, 2)),
    w=arrays("cotangent", shape=(2, 2)),
    kinds=lists(sampled_from(HOOKS), min_size=1, max_size=4, unique=True),
    named=booleans(),
)
def test_hooks_of_all_modules_are_hooks_of_each(be, x, w, kinds, named):
    """Hooks that are set for all modules are called in the same order, are shown and change the
    same as those that are set on each of them, and neither any more once they are removed.
    """
    place, called = "torch.nn.modules.module:register_module", []
    net = be.layer("Sequential", *[be.layer("Linear", 2, 2) for _ in range(2)])

    def double(kind, module, first, *rest):
        called.append((kind, module, len(rest)))
        if kind == "forward_hook":
            return 2 * rest[-1]
        return tuple(2 * each for each in first)

    found = []
    for everywhere in (True, False, None):
        handles = []
        for kind in kinds:
            hook = partial(double, kind)
            told = {"with_kwargs": named} if kind == "forward_hook" else {}
            if everywhere:
                handles.append(be.lookup(f"{place}_{kind}")(hook, **told))
            elif everywhere is not None:
                setters = [getattr(each, f"register_{kind}") for each in net.modules()]
                handles += [register(hook, **told) for register in setters]
        leaf = be.leaf(x)
        y = net(leaf)
        found.append((y, *be.gradients(y, [leaf, *net.parameters()], be.tensor(w))))
        for handle in handles:
            handle.remove()
        found[-1] += (tuple(called),)
        called.clear()
    assert found[0][-1] == found[1][-1] != found[2][-1] == ()
    for each, other in zip(found[0][:-1], found[1][:-1], strict=True):
        be.same(each, other)


@claim("NNM-400", about="module", needs="nn torch", level="contract")
@example(always=[False, True], at=0, within=True, everywhere=False)
@example(always=[False, True], at=1, within=False, everywhere=True)
@given(
    always=lists(booleans(), min_size=1, max_size=4),
    at=integers(0, 3),
    within=booleans(),
    everywhere=booleans(),
)
def test_a_hook_may_be_called_in_any_case(be, always, at, within, everywhere):
    """A hook after forward that is to be called always is called once, in the order of all, though
    forward or another hook raises; any other then only if it is before that hook.
    """
    called, place = [], "torch.nn.modules.module:register_module_forward_hook"

    class Broken(be.module()):
        def forward(self):
            if within:
                raise LookupError

    def refuse(*_):
        raise LookupError

    net, handles = Broken(), []
    register = be.lookup(place) if everywhere else net.register_forward_hook
    for n, told in enumerate(always):
        if n == at:
            handles.append(register(refuse))
        hook = partial(lambda n, *_: called.append(n), n)
        handles.append(register(hook, always_call=told))
    if within or at < len(always):
        with pytest.raises(LookupError):
            net()
    else:
        net()
    for handle in handles:
        handle.remove()
    last = 0 if within else at
    assert called == [n for n, told in enumerate(always) if told or n < last]


@claim("HOK-160", about="layer", needs="backward gradients nn torch", level="contract")
@given(
    x=arrays(shape=(3, 2)),
    w=arrays("cotangent", shape=(3, 3)),
    scale=sampled_from([1.0, -2.0, 0.5]),
    passes=integers(1, 3),
    recorded=booleans(),
)
def test_a_module_is_shown_its_gradients(be, x, w, scale, passes, recorded):
    """A backward hook of a module is called once a pass, with the gradients of its inputs and those
    of its outputs, of which a hook before it may replace the latter; what it returns is passed on.
    """
    layer, shown = be.layer("Linear", 2, 3), []
    layer.register_full_backward_pre_hook(lambda _, outer: (scale * outer[0],))
    layer.register_full_backward_hook(
        lambda _, inner, outer: (shown.append((inner, outer)), (inner[0] + inner[0],))[1]
    )
    weight = be.numpy(layer.weight)
    for _ in range(passes):
        leaf = be.leaf(x)
        y = layer(leaf + leaf)
        (found,) = be.gradients(y, [leaf], be.tensor(w), create_graph=recorded)
        inner, outer = shown.pop()
        assert shown == []
        be.check(outer[0], Jet.exact(scale * w))
        be.check(inner[0], Jet.exact(scale * w) @ weight)
        be.check(found, 4 * (Jet.exact(scale * w) @ weight))


@claim("HOK-560", about="layer", needs="backward nn torch", level="contract")
@given(
    x=arrays(shape=(3, 2)),
    y=arrays("other", shape=(3, 2)),
    w=arrays("cotangent", shape=(3, 2)),
    scale=sampled_from([1.0, -2.0, 0.5]),
)
def test_a_module_is_shown_the_gradient_of_each_input(be, x, y, w, scale):
    """A backward hook of a module of several inputs is shown their gradients in the order of the
    inputs, and of what it returns each receives its own.
    """
    layer, shown = be.layer("Bilinear", 2, 2, 2, bias=False), []
    layer.register_full_backward_hook(
        lambda _, inner, __: (shown.append(inner), (inner[0], scale * inner[1]))[1]
    )
    leaves, weight = (be.leaf(x), be.leaf(y)), be.numpy(layer.weight).astype(np.float64)
    be.backward(layer(*leaves), w)
    assert len(shown) == 1, f"the hook is called {len(shown)} times"
    formulas_of = ("no,oij,nj->ni", y), ("no,oij,ni->nj", x)
    factors = 1.0, scale
    for leaf, inner, (how, other), factor in zip(leaves, *shown, formulas_of, factors, strict=True):
        true = np.einsum(how, w, weight, other)
        size = np.einsum(how, *map(np.abs, (w, weight, other)))
        be.check(inner, Total(true, size, 6))
        be.check(be.grad(leaf), Total(factor * true, abs(factor) * size, 6))


@claim("HOK-341", about="layer", needs="backward nn torch", level="contract")
@given(x=arrays(shape=(3, 2)), w=arrays("cotangent", shape=(3, 3)), count=integers(1, 3))
def test_a_module_of_constants_is_shown_its_gradients(be, x, w, count):
    """A backward hook of a module whose inputs require no gradients is called with None for each of
    these, and the gradients of its outputs, however many they are.
    """
    layer, shown = be.layer("Linear", 2, 3), []
    layer.register_forward_hook(lambda _, __, y: tuple(n * y for n in range(1, count + 1)))
    layer.register_full_backward_hook(lambda _, inner, outer: shown.append((inner, outer)))
    with pytest.warns(UserWarning, match="no inputs require gradients"):
        be.backward(sum(layer(be.tensor(x))), w)
    ((inner, outer),) = shown
    assert inner == (None,)
    assert len(outer) == count
    for each in outer:
        be.check(each, w)


@claim("NNM-66", about="layer", needs="backward nn data")
@given(case=perceptrons())
def test_a_sequence_runs_its_layers_one_after_the_other(be, case):
    """A sequence of layers applies each to what the one before it returns. It names parameters by
    the places of the layers, which also those without parameters take, and gives out each layer.
    """
    net = perceptron(be, *case.parameters)
    count = len(case.parameters) - 1
    names = [f"{place}.{name}" for place in range(0, count, 2) for name in ("weight", "bias")]
    assert [name for name, _ in net.named_parameters()] == names
    assert len(net) == count
    y = be.tensor(case.x)
    for place in range(count):
        y = net[place](y)
    be.same(net(be.tensor(case.x)), y)
    be.check(y, formulas.perceptron(case.x, *case.parameters))


@claim("NNM-180", about="layer", needs="backward nn", level="contract")
@given(weight=arrays(shape=(2, 2)), w=arrays(shape=(2, 2)), frozen=booleans())
def test_a_deep_copy_of_a_module_is_another_one(be, weight, w, frozen):
    """A deep copy of a module has parameters of its own with the same values and flags, one for
    each, however often it occurs; hooks and the mode are copied, too.
    """
    net = be.layer("Sequential", *[be.layer("Linear", 2, 2, bias=False) for _ in range(2)]).eval()
    seen = []
    net.register_forward_hook(lambda module, *_: seen.append(module))
    net[0].weight = net[1].weight = be.parameter(be.tensor(weight), requires_grad=not frozen)
    copy = deepcopy(net)
    (own,), (former,) = copy.parameters(), net.parameters()
    assert own is copy[0].weight is copy[1].weight is not former
    assert be.requires_grad(own) is not frozen
    assert not be.shares_memory(own, former)
    be.same(own, former)
    be.same(copy(be.tensor(w)), net(be.tensor(w)))
    assert [each is copy for each in seen] == [True, False]
    assert not copy.training
