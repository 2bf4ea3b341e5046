"""Module tools: parameters in one vector, layers that wait for their sizes."""

import numpy as np

from gradspec.conformance import claim, every, example, given
from gradspec.conformance.strategies import (
    arrays,
    booleans,
    integers,
    lists,
    sampled_from,
    tuples,
)
from gradspec.conformance.strategies.arrays import COMPACT, transposed
from gradspec.conformance.strategies.containers import (
    OF_A_DICT,
    OF_A_LIST,
    check_dict,
    check_list,
    steps,
)
from gradspec.conformance.strategies.fusing import SHAPES, check_fused
from gradspec.conformance.strategies.module_tools import LAZY, lazy

NO_WORKLOAD = "these are tools, and not what takes time"

# ---- parameters in one vector --------------------------------------------------------------------


@claim("NNM-300", about="lookup", needs="backward nn torch", level="contract")
@given(
    x=arrays("matrix", shape=(2, 3), layouts=COMPACT),
    y=arrays("row", shape=(2,), layouts=COMPACT),
    z=arrays("number", shape=()),
    w=arrays("vector", shape=(9,), layouts=COMPACT),
    frozen=booleans(),
)
def test_parameters_are_laid_into_a_vector_and_back(be, x, y, z, w, frozen):
    """parameters_to_vector lays parameters one after the other, row by row, into a vector that
    gradients flow through; vector_to_parameters gives them the entries of one in the same order,
    frozen ones too, and they stay leaves.
    """
    tools = "torch.nn.utils"
    leaves = [be.leaf(x), be.leaf(z), be.leaf(y)]
    vector = be.lookup(f"{tools}:parameters_to_vector")(leaves)
    be.check(vector, np.concatenate([x.ravel(), [z], y]))
    slopes = be.gradients(vector, leaves, be.tensor(w))
    be.set_requires_grad(leaves[0], not frozen)
    be.lookup(f"{tools}:vector_to_parameters")(be.tensor(w), iter(leaves))
    parts = (w[:6].reshape(2, 3), w[6], w[7:])
    for leaf, slope, part in zip(leaves, slopes, parts, strict=True):
        be.check(leaf, part, "parameter")
        be.check_gradient(slope, part)
        assert be.is_leaf(leaf)
        assert be.requires_grad(leaf) is (leaf is not leaves[0] or not frozen)


@claim("NNM-310", about="lookup", needs="nn torch", level="contract")
@given(x=arrays("matrix", shape=(2, 3), layouts=(transposed,)))
def test_parameters_in_a_vector_may_lie_in_any_way(be, x):
    """A parameter whose columns are contiguous in memory is laid row by row into a vector, too."""
    vector = be.lookup("torch.nn.utils:parameters_to_vector")([be.leaf(x)])
    be.check(vector, x.ravel())


# ---- layers that wait for their sizes ------------------------------------------------------------


@claim("NNM-302", about="layer", needs="backward nn random torch", level="contract")
@every(name=sorted(LAZY))
@given(seed=integers(0, 2**32), training=booleans())
def test_a_lazy_layer_becomes_an_eager_one(be, name, seed, training):
    """A lazy layer takes the size that it was not told from its first input, and is then of the
    class of the layer that was told all of them, with its parameters, buffers and options. That one
    loads its state, and, but for instance normalizations, another lazy one before its first call.
    """
    lazy(name, seed).check(be, training=training)


@claim("NNM-303", about="layer", needs="nn torch", level="contract")
@example(name="BatchNorm", axes=1, count=2)
@given(name=sampled_from(["BatchNorm", "InstanceNorm"]), axes=integers(1, 3), count=integers(1, 4))
def test_a_lazy_normalization_without_tensors_takes_its_size(be, name, axes, count):
    """A lazy normalization that has neither parameters nor buffers, too, takes its number of
    channels from its first input.
    """
    layer = be.layer(f"Lazy{name}{axes}d", affine=False, track_running_stats=False)
    layer(be.tensor(np.ones((2, count, *[2] * axes))))
    assert layer.num_features == count


@claim("NNM-311", about="layer", needs="nn torch", level="contract")
@example(name="BatchNorm", axes=1, count=2)
@given(name=sampled_from(["BatchNorm", "InstanceNorm"]), axes=integers(1, 3), count=integers(1, 4))
def test_a_lazy_normalization_that_loads_a_state_takes_its_size(be, name, axes, count):
    """A lazy normalization that has loaded a state can be called, and has as many channels as that
    is for.
    """
    options = {"affine": True, "track_running_stats": True}
    layer = be.layer(f"Lazy{name}{axes}d", **options)
    layer.load_state_dict(be.layer(f"{name}{axes}d", count, **options).state_dict())
    layer(be.tensor(np.ones((2, count, *[2] * axes))))
    assert layer.num_features == count


@claim("NNM-309", about="layer", needs="nn torch", level="contract")
@given(axes=integers(1, 3))
def test_a_lazy_instance_norm_has_the_defaults_of_the_eager_one(be, axes):
    """A lazy instance normalization has, if nothing is said, the options of one that is told its
    size: neither parameters nor buffers.
    """
    layer = be.layer(f"LazyInstanceNorm{axes}d")
    layer(be.tensor(np.ones((2, 3, *[2] * axes))))
    assert list(layer.state_dict()) == list(be.layer(f"InstanceNorm{axes}d", 3).state_dict()) == []


# ---- normalizations without statistics -----------------------------------------------------------


@claim("NNM-304", about="lookup", needs="nn torch", level="contract")
@given(x=arrays("x", shape=(3, 2, 4)), nested=booleans(), track=booleans())
def test_normalizations_stop_keeping_statistics(be, x, nested, track):
    """replace_all_batch_norm_modules_ makes all batch normalizations of a module, itself included,
    go by the statistics of each batch, in evaluation too, and keep none.
    """
    norm = be.layer("BatchNorm1d", 2, track_running_stats=track, eps=0.25)
    module = be.layer("Sequential", be.layer("Sequential", norm)) if nested else norm
    true = norm.train()(be.tensor(x))
    found = be.lookup("torch.func:replace_all_batch_norm_modules_")(module)
    assert found is module
    assert norm.running_mean is norm.running_var is norm.num_batches_tracked is None
    be.same(module.eval()(be.tensor(x)), true)
    assert list(module.buffers()) == []


# ---- containers of parameters --------------------------------------------------------------------


@claim("NNM-327", about="layer", needs="nn torch", level="contract")
@given(program=steps(OF_A_DICT))
def test_a_dict_of_parameters_is_a_dict(be, program):
    """A ParameterDict has the keys of a dict that was changed alike, in the same order, and each of
    its values once among its parameters: a tensor becomes one, and a parameter stays what it was.
    """
    check_dict(be, program)


@claim("NNM-328", about="layer", needs="nn torch", level="contract")
@given(program=steps(OF_A_LIST))
def test_a_list_of_parameters_is_a_list(be, program):
    """A ParameterList has the parameters of a list that was changed alike, by their places: a
    tensor becomes one, and a parameter stays what it was. Slices of it are such lists,
    of the same parameters.
    """
    check_list(be, program)


@claim("NNM-341", about="layer", needs="nn torch", level="contract")
@given(
    kind=sampled_from(["ModuleList", "Sequential"]),
    changes=lists(tuples(sampled_from(["del", "insert", "append"]), integers(-3, 3)), max_size=6),
)
def test_a_list_of_modules_is_numbered(be, kind, changes):
    """A ModuleList or a Sequential has the modules of a list that was changed alike, and numbers
    them by their places, in its state as well.
    """
    plain = [be.layer("Linear", 1, size, bias=False) for size in (1, 2, 3)]
    layers = be.layer(kind, *(plain if kind == "Sequential" else [plain]))
    for change, place in changes:
        size = len(plain)
        if change == "del":
            if -size <= place < size:
                del plain[place], layers[place]
        else:
            new = be.layer("Linear", 1, 1, bias=False)
            for each in (plain, layers):
                each.append(new) if change == "append" else each.insert(min(abs(place), size), new)
    assert all(a is b for a, b in zip(layers, plain, strict=True))
    assert list(layers.state_dict()) == [f"{n}.weight" for n in range(len(plain))]


@claim("NNM-340", about="layer", needs="backward nn torch", level="contract")
@given(
    x=arrays(shape=(3, 2)),
    to=sampled_from(["float32", "float64", "bfloat16"]),
    word=sampled_from(["to", "type", "float", "double", "bfloat16"]),
)
def test_a_module_is_cast_as_a_whole(be, x, to, word):
    """A module that is cast, by to, type or the name of a dtype, casts the parameters of its layers
    with their gradients, and their floating buffers of any shape; buffers of integers stay as they
    are, but by type.
    """
    to = {"float": "float32", "double": "float64", "bfloat16": "bfloat16"}.get(word, to)
    layer = be.layer("Linear", 2, 2)
    layer.register_buffer("number", be.tensor(np.array(0.5)))
    layer.register_buffer("count", be.from_data(3))
    be.backward(be.sum(layer(be.tensor(x)) * layer(be.tensor(x))))
    kept = [*layer.parameters(), *map(be.grad, layer.parameters()), layer.number]
    true = [be.cast(be.detach(each), to) for each in kept]
    whole, dtype = be.layer("Sequential", layer), getattr(be.lookup("torch"), to)
    assert getattr(whole, word)(*[dtype] * (word in ("to", "type"))) is whole
    found = [*layer.parameters(), *map(be.grad, layer.parameters()), layer.number]
    for got, want in zip(found, true, strict=True):
        be.same(be.detach(got), want)
    be.same(layer.count, be.cast(be.from_data(3), to) if word == "type" else be.from_data(3))


# ---- layers and normalizations in one ------------------------------------------------------------


@claim("NNM-329", about="layer", needs="backward nn torch", level="contract")
@every(name=sorted(SHAPES))
@given(
    seed=integers(0, 2**32),
    grouped=booleans(),
    biased=booleans(),
    affine=booleans(),
)
def test_a_layer_is_fused_with_its_normalization(be, name, seed, grouped, biased, affine):
    """In evaluation a linear map or a convolution fused with the normalization after it is one
    layer of its class that computes what both do, with the same gradient; both stay as they were.
    """
    groups = 2 if grouped and "Transpose" not in name else 1
    check_fused(be, name, seed, groups=groups, biased=biased, affine=affine or name == "Linear")


@claim("NNM-330", about="layer", needs="backward nn torch", level="contract")
@given(axes=integers(1, 3), seed=integers(0, 2**32))
def test_a_transposed_convolution_of_groups_is_fused(be, axes, seed):
    """A transposed convolution of several groups is fused with a normalization, too."""
    check_fused(be, f"ConvTranspose{axes}d", seed, groups=2)


@claim("NNM-331", about="layer", needs="backward nn torch", level="contract")
@given(seed=integers(0, 2**32), biased=booleans())
def test_a_linear_map_is_fused_with_a_plain_normalization(be, seed, biased):
    """A linear map is fused with a normalization without parameters, too."""
    check_fused(be, "Linear", seed, biased=biased, affine=False)
