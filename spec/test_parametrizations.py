"""Parametrizations: weights that are computed of other parameters."""

from contextlib import suppress
from functools import partial
from itertools import product

import numpy as np
import pytest

from gradspec.conformance import Total, claim, every, example, given
from gradspec.conformance.strategies import (
    NONZERO,
    arrays,
    booleans,
    integers,
    lists,
    permutations,
    sampled_from,
)
from gradspec.conformance.strategies.arrays import POSITIVE
from gradspec.conformance.strategies.complexes import parts
from gradspec.conformance.strategies.distributions import around
from gradspec.conformance.strategies.modes import Escape
from gradspec.conformance.strategies.modules import fill
from gradspec.conformance.strategies.parametrizations import (
    LAYERS,
    check_weight,
    computed_from_now_on,
    older,
    orthogonal,
    parameters_of,
    parametrized,
)
from gradspec.conformance.strategies.random_numbers import seeds
from gradspec.conformance.truth.oracles import parametrizations
from gradspec.conformance.truth.oracles.jets import Jet

NO_WORKLOAD = "what is made of modules is at work in the chapter on networks"

twelve = partial(arrays, shape=(12,), values=NONZERO)
"""Draw the entries of a weight, or of what weighs them."""


@claim("NNM-160", about="layer", needs="backward nn torch", level="contract")
@given(
    kind=sampled_from(list(LAYERS)),
    weight=twelve("weight"),
    w=twelve("cotangent"),
    axis=sampled_from([0, 1, None]),
    training=booleans(),
)
def test_a_weight_with_lengths_of_their_own(be, kind, weight, w, axis, training):
    """A weight under weight_norm has a direction, and each of its slices along an axis, or all of
    it, has a length. Both are parameters that begin as the weight did, and gradients reach both.
    """
    layer = parametrized(be, kind, weight, "weight_norm", dim=axis).train(training)
    of, (size, way) = parameters_of(be, layer)
    first = parametrizations.weight_norm(size, way, axis)
    be.check(layer.weight, first.around(Jet.exact(weight.reshape(way.shape))))
    with be.no_grad():
        be.mul_(of[0], 2.0)
        be.mul_(of[1], 4.0)
    of, seeds = parameters_of(be, layer)
    check_weight(be, layer, of, seeds, parametrizations.weight_norm(*seeds, axis), w)


@claim("NNM-285", about="layer", needs="backward nn torch", level="contract")
@given(
    kind=sampled_from(list(LAYERS)),
    weight=twelve("weight"),
    w=twelve("cotangent"),
    axis=sampled_from([None, 0, 1, -1]),
    iterations=integers(1, 3),
    training=booleans(),
)
def test_a_weight_of_norm_one(be, kind, weight, w, axis, iterations, training):
    """A weight under spectral_norm is divided by the largest stretch of the matrix with one axis
    for its rows, as two vectors find it that are no part of the gradient. In training each use
    improves them by power iterations.
    """
    options = {"n_power_iterations": iterations, "dim": axis}
    layer = parametrized(be, kind, weight, "spectral_norm", **options).train(training)
    of, (own,) = parameters_of(be, layer)
    position = (1 if kind == "ConvTranspose1d" else 0) if axis is None else axis % own.ndim
    u, v = (be.numpy(vector).astype(np.float64) for vector in layer.buffers())
    computed, u, v = parametrizations.spectral_norm(
        own, u, v, axis=position, iterations=iterations if training else 0
    )
    check_weight(be, layer, of, [own], computed, w)
    for vector, expected in zip(layer.buffers(), (u, v), strict=True):
        be.check(vector, expected)


@claim("NNM-852", about="lookup", needs="nn random torch", level="contract")
@given(
    gaps=arrays("gaps", shape=(3,), values=POSITIVE),
    turns=arrays("turns", shape=(3, 3)),
    seed=seeds(),
)
def test_a_weight_has_norm_one_from_the_start(be, gaps, turns, seed):
    """A weight whose largest singular value is twice the next, or more, has a norm of one up to a
    thousandth as soon as spectral_norm computes it.
    """
    (left, _), (right, _) = (np.linalg.qr(x + 9 * np.eye(3)) for x in (turns, turns.T[::-1]))
    first, second, third = np.sort(gaps / (gaps.max() + 1))[::-1]
    layer = be.layer("Linear", 3, 3, bias=False)
    with be.no_grad(), be.fork_random():
        be.copy_(layer.weight, be.tensor(left @ np.diag([2 + first, second, third]) @ right))
        be.manual_seed(seed)
        be.lookup("torch.nn.utils.parametrizations:spectral_norm")(layer)
    norm = np.linalg.norm(be.numpy(layer.eval().weight).astype(np.float64), 2)
    assert abs(norm - 1) < 1e-3, norm


@claim("NNM-286", about="layer", needs="backward nn torch", level="contract")
@example(
    shape=(2, 3),
    way="cayley",
    weight=np.eye(3),
    ways=np.ones((3, 3)),
    w=np.arange(9.0).reshape(3, 3),
    based=False,
)
@given(
    shape=sampled_from([(2, 2), (3, 3), (2, 3), (3, 2), (3, 1)]),
    way=sampled_from(["householder", "matrix_exp", "cayley", None]),
    weight=arrays("weight", shape=(3, 3), values=NONZERO),
    ways=arrays(shape=(3, 3), values=NONZERO),
    w=arrays("cotangent", shape=(3, 3)),
    based=booleans(),
)
def test_a_weight_that_is_orthogonal(be, shape, way, weight, ways, w, based):
    """A weight under orthogonal has orthonormal rows, or columns if these are fewer: by reflections
    along a parameter's columns, by the exponential of what its lower triangle makes, or by Cayley's
    transform of that, and from a fixed orthogonal matrix on if there is one.
    """
    place = tuple(map(slice, shape))
    layer = computed_from_now_on(
        be,
        be.layer("Linear", *reversed(shape), bias=False),
        (weight + 8 * np.eye(3))[place],
        "orthogonal",
        orthogonal_map=way,
        use_trivialization=based,
    )
    # Where entries are small matrix_exp is known to lose digits, which has a claim of its own.
    ways = ways + np.sign(ways)
    way = way or ("matrix_exp" if shape[0] == shape[1] else "householder")
    (parameter,) = layer.parametrizations.weight.parameters()
    with be.no_grad():
        signs = be.numpy(parameter) * np.eye(3)[place]
        be.copy_(parameter, be.tensor(signs + (ways * (1 - np.eye(3)))[place]))
    of, (own,) = parameters_of(be, layer)
    base = next((be.numpy(buffer).astype(np.float64) for buffer in layer.buffers()), None)
    computed = parametrizations.orthogonal(own, way, base)
    check_weight(be, layer, of, [own], computed, w[place])
    be.check(layer(be.tensor(np.eye(shape[1]))), computed.T)
    found = be.numpy(layer.weight)
    columns = found if shape[0] >= shape[1] else found.T
    assert np.allclose(columns.T @ columns, np.eye(min(shape)), atol=1e-5)


@claim("NNM-851", about="lookup", needs="gradients nn random complex_numbers torch", widest=True)
@every(
    case=[
        *product(("householder", "matrix_exp", "cayley"), (False,), (False, True)),
        *product(("matrix_exp", "cayley"), (True,), (False, True)),
    ]
)
@given(shape=sampled_from([(2, 2), (3, 3), (2, 3), (3, 2)]), seed=integers(0, 2**32))
def test_weights_of_several_axes_are_orthogonal_each(be, case, shape, seed):
    """A weight of several axes under orthogonal is made of matrices, each of which is computed as
    if it were alone, has its gradient, and has orthonormal rows or columns; a complex one is
    unitary.
    """
    way, turned, based = case
    # What completes fewer columns to a base is random.
    shape = (max(shape),) * 2 if based else shape
    rng = np.random.default_rng(seed)
    x, w, *imaginary = rng.uniform(-1, 1, (4 if turned else 2, 2, *shape))
    # Where entries are small matrix_exp is known to lose digits, which has a claim of its own.
    x = x + np.sign(x)
    if imaginary:
        x, w = x + 1j * imaginary[0], w + 1j * imaginary[1]
    values, gradients = [], []
    for number, cotangent in ((x, w), *zip(x, w, strict=True)):
        module = orthogonal(be, number, way, based=based)
        weight, of = module.weight, list(module.parameters())
        values.append(be.numpy(weight))
        (gradient,) = be.gradients(weight, of, be.tensor(cotangent))
        gradients.append(be.numpy(gradient))
    for whole, *alone in (values, gradients):
        be.check(be.tensor(parts(whole)), around(parts(np.stack(alone)), 256))
    long = shape[0] >= shape[1]
    for each in values[0]:
        product_of = each.conj().T @ each if long else each @ each.conj().T
        be.check(be.tensor(parts(product_of)), around(parts(np.eye(min(shape))), 64))


@claim("NNM-342", about="layer", needs="backward nn torch", level="contract")
@given(
    order=permutations(range(1, 13)),
    amounts=lists(integers(1, 4), min_size=1, max_size=3),
    w=twelve("cotangent"),
    kept=booleans(),
)
def test_a_weight_that_is_pruned(be, order, amounts, w, kept):
    """A weight that is pruned several times is zero where it was smallest, each time among what was
    left, and gradients reach the rest; what is removed from a layer leaves what was computed.
    """
    weight, prune = np.array(order, float), "torch.nn.utils.prune"
    layer = fill(be, be.layer("Linear", 4, 3, bias=False), weight.reshape(3, 4))
    for amount in amounts:
        be.lookup(f"{prune}:l1_unstructured")(layer, "weight", amount)
    left = (weight > sum(amounts)).reshape(3, 4)
    be.check(layer.weight, weight.reshape(3, 4) * left)
    (leaf,) = layer.parameters()
    be.backward(layer(be.tensor(np.eye(4))), w.reshape(3, 4).T)
    be.check(be.grad(leaf), w.reshape(3, 4) * left)
    if kept:
        be.lookup(f"{prune}:remove")(layer, "weight")
        assert [name for name, _ in layer.named_parameters()] == ["weight"]
        be.check(layer.weight, weight.reshape(3, 4) * left)


@claim("NNM-191", about="layer", needs="backward nn torch", level="contract")
@given(weight=arrays("weight", shape=(2, 3)), x=arrays(shape=(4, 3)), kept=booleans())
def test_a_computed_weight_becomes_a_parameter_again(be, weight, x, kept):
    """A weight that is no longer computed, by whatever steps, is the parameter that it was made of,
    with the value that was computed last if this is to be kept, and with its own one otherwise.
    """
    layer, place = be.layer("Linear", 3, 2, bias=False), "torch.nn.utils.parametrize"
    own = layer.weight
    with be.no_grad():
        be.copy_(own, be.tensor(weight))
    for step in (be.layer("ReLU"), be.layer("Hardtanh"), be.layer("Threshold", 0.5, 2.0)):
        be.lookup(f"{place}:register_parametrization")(layer, "weight", step)
    computed = np.clip(weight, 0, 1)
    computed[computed <= 0.5] = 2
    be.check(layer.weight, computed)
    be.lookup(f"{place}:remove_parametrizations")(layer, "weight", leave_parametrized=kept)
    assert [name for name, _ in layer.named_parameters()] == ["weight"]
    assert layer.weight is own
    be.check(own, computed if kept else weight)
    be.check(layer(be.tensor(x)), Total.matmul(x, (computed if kept else weight).T))


@claim("NNM-287", about="layer", needs="backward nn torch", level="contract")
@given(
    weight=twelve("weight"),
    w=twelve("cotangent"),
    name=sampled_from(["weight_norm", "spectral_norm"]),
    uses=sampled_from([1, 2, 4]),
    fails=booleans(),
)
def test_a_weight_that_is_computed_once(be, weight, w, name, uses, fails):
    """Within parametrize.cached a weight is computed when it is first used, and is the same tensor
    until the outermost of these contexts ends, by an exception too; in the next one it is that of
    what its parameters became. Gradients of all uses reach its parameters.
    """
    layer, place = parametrized(be, "Linear", weight, name), "torch.nn.utils.parametrize:cached"
    layer.eval()
    of, leaf = list(layer.parametrizations.weight.parameters()), be.tensor(np.eye(4))
    with suppress(Escape), be.lookup(place)():
        first = layer.weight
        with suppress(Escape), be.lookup(place)():
            assert layer.weight is first
            if fails:
                raise Escape
        assert layer.weight is first
        total = sum((layer(leaf) for _ in range(uses - 1)), start=layer(leaf))
        if fails:
            raise Escape
    again = layer.weight
    assert again is not first
    be.same(again, first)
    assert layer.weight is not again
    every = be.gradients(total, of, be.tensor(w.reshape(3, 4).T))
    for found, part in zip(every, be.gradients(again, of, be.tensor(w.reshape(3, 4))), strict=True):
        be.same(found, uses * part)
    with be.no_grad():
        be.add_(of[0], 1)
    with be.lookup(place)():
        once = layer.weight
    assert once is not first
    be.same(once, layer.weight)


@claim("NNM-401", about="layer", needs="backward nn torch", level="contract")
@example(weight=np.ones((2, 3)), new=np.zeros((2, 3)), w=np.ones((2, 3)), order=[0, 1])
@given(
    weight=arrays("weight", shape=(2, 3)),
    new=arrays("new", shape=(2, 3)),
    w=arrays("cotangent", shape=(2, 3)),
    order=lists(integers(0, 1), min_size=1, max_size=3),
)
def test_a_computed_weight_may_be_assigned(be, weight, new, w, order):
    """A weight that is computed by steps with a right inverse takes any value that is assigned to
    it, which goes back through them from the last to the first, into the parameter that it was
    made of. What is computed by one step has the value that it had before.
    """
    steps = [(lambda a: a * 4, lambda a: a * 0.25), (lambda a: a + 1, lambda a: a - 1)]

    class Step(be.module()):
        def __init__(self, there, back):
            super().__init__()
            self.there, self.right_inverse = there, back

        def forward(self, a):
            return self.there(a)

    layer = fill(be, be.layer("Linear", 3, 2, bias=False), weight)
    own, place = layer.weight, "torch.nn.utils.parametrize:register_parametrization"
    for n in order:
        be.lookup(place)(layer, "weight", Step(*steps[n]))
    shifts = [s * 4.0**k for k in range(4) for s in (1, -1)]
    if len(order) == 1:
        be.check(layer.weight, Total.of(weight, *shifts))
    layer.weight = be.tensor(new)
    be.check(layer.weight, Total.of(new, *shifts))
    assert layer.parametrizations.weight.original is own
    be.backward(layer.weight, w)
    be.check(be.grad(own), 4.0 ** order.count(0) * w)


@claim("NNM-333", about="layer", needs="backward nn torch", level="contract")
@given(
    kind=sampled_from(list(LAYERS)),
    weight=twelve("weight"),
    w=twelve("cotangent"),
    name=sampled_from(["weight_norm", "spectral_norm"]),
    axis=sampled_from([0, 1]),
)
def test_an_older_norm_is_removed(be, kind, weight, w, name, axis):
    """A layer whose weight the older weight_norm or spectral_norm computes before each call has the
    other parameters of it; once it is removed the weight is a leaf again, with the value that was
    computed, and nothing is left to remove.
    """
    arguments, shape = LAYERS[kind]
    layer = fill(be, be.layer(kind, *arguments, bias=False), weight.reshape(shape)).eval()
    with be.fork_random():
        be.manual_seed(0)
        older(be, name)(layer, dim=axis)
    inputs = [be.tensor(np.ones((2, arguments[n], 3)[: 3 if "Conv" in kind else 2]))
              for n in range(2 if kind == "Bilinear" else 1)]  # fmt: skip
    y, own = layer(*inputs), list(layer.parameters())
    if name == "weight_norm":
        seeds = Jet.seeds([be.numpy(parameter).astype(np.float64) for parameter in own])
        check_weight(be, layer, own, seeds, parametrizations.weight_norm(*seeds, axis), w)
    computed = be.numpy(layer.weight)
    be.lookup(f"torch.nn.utils:remove_{name}")(layer)
    assert [name for name, _ in layer.named_parameters()] == ["weight"]
    assert list(layer.buffers()) == []
    assert be.is_leaf(layer.weight)
    assert be.requires_grad(layer.weight)
    be.same(layer.weight, computed)
    be.same(layer(*inputs), y)
    with pytest.raises(ValueError, match="not found"):
        be.lookup(f"torch.nn.utils:remove_{name}")(layer)


@claim("NNM-334", about="layer", needs="nn torch", level="contract")
@given(
    weight=arrays("weight", shape=(2, 3)),
    bias=arrays("bias", shape=(2,)),
    x=arrays("x", shape=(4, 3)),
    named=booleans(),
)
def test_what_computes_a_weight_is_transferred(be, weight, bias, x, named):
    """transfer_parametrizations_and_params lets another module compute what is computed in one, or
    only the parameter that is named, of the same parameters; its class is asked for as it was
    before, and what is not computed stays its own.
    """
    place = "torch.nn.utils.parametrize"
    first, second = (be.layer("Linear", 3, 2) for _ in range(2))
    fill(be, first, weight, bias)
    fill(be, second, np.zeros((2, 3)), np.zeros(2))
    usual = type(first)
    for parameter in ("weight", "bias"):
        step = be.layer("Hardtanh", -1.5, 1.5)
        be.lookup(f"{place}:register_parametrization")(first, parameter, step)
    told = ("weight",) if named else ()
    found = be.lookup(f"{place}:transfer_parametrizations_and_params")(first, second, *told)
    assert found is second
    computed = {"weight": True, "bias": not named}
    asked = be.lookup(f"{place}:is_parametrized")
    assert {name: asked(second, name) for name in computed} == computed
    assert asked(second)
    assert be.lookup(f"{place}:type_before_parametrizations")(second) is usual
    assert type(second) is not usual
    clipped = np.clip(weight, -1.5, 1.5), np.clip(bias, -1.5, 1.5) * computed["bias"]
    be.check(second.weight, clipped[0])
    be.check(second.bias, clipped[1])
    own = [module.parametrizations.weight.original for module in (first, second)]
    assert own[0] is own[1]
    terms = (
        np.concatenate([x, np.ones((4, 1))], 1),
        np.concatenate([clipped[0].T, clipped[1][None]]),
    )
    be.check(second(be.tensor(x)), Total.matmul(*terms))
