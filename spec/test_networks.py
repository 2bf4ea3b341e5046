"""Networks: gradients through layers that work together."""

from contextlib import nullcontext

import numpy as np

from gradspec.conformance import ErrorKind, Total, claim, example, given, workload
from gradspec.conformance.speed.workloads import constant
from gradspec.conformance.strategies import integers, sampled_from, tuples
from gradspec.conformance.strategies.layers import perceptrons, several
from gradspec.conformance.strategies.modules import (
    SLOPES,
    WAYS,
    dynamic_net,
    fill,
    lenet,
    lenet_values,
    perceptron,
    ternary,
)
from gradspec.conformance.strategies.transformers import transformer, unrecorded
from gradspec.conformance.truth.oracles import layers as formulas
from gradspec.conformance.truth.oracles.steps import directional_derivative, gradients


@workload(
    sizes=(4, 64, 1024),
    operands=lambda be, n: [lenet(be), constant(be, n, 1, 32, 32)],
    needs="backward nn max_pool2d relu view",
)
def scored(be, net, images):
    """The scores of images by the notes' convolutional net, and its gradients."""
    y = net(images)
    be.backward(be.sum(y))
    return y


# ---- every parameter -----------------------------------------------------------------------------


@claim("NNM-02", about="layer", needs="backward nn data relu")
@given(case=perceptrons())
def test_backward_from_a_loss_fills_the_parameters(be, case):
    """Backward from a loss gives each parameter that the loss depends on the derivative by each of
    its entries; the parameters of a layer that was not used keep None.
    """
    net, unused = perceptron(be, *case.parameters), be.layer("Linear", 2, 2)
    loss = be.layer("MSELoss", reduction="sum")
    be.backward(loss(net(be.tensor(case.x)), be.tensor(case.wanted)))
    derivatives = gradients(
        lambda *parameters: ((formulas.perceptron(case.x, *parameters) - case.wanted) ** 2).sum(),
        *case.parameters,
    )
    for parameter, expected in zip(net.parameters(), derivatives, strict=True):
        be.check(be.grad(parameter), expected)
    assert all(be.grad(parameter) is None for parameter in unused.parameters())


@claim("NNM-58", "NNM-59", about="layer", needs="backward nn data max_pool2d relu view")
@example(channels=1, seed=0)
@example(channels=3, seed=1)
@given(channels=sampled_from([1, 3]), seed=integers(0, 2**32 - 1))
def test_a_cotangent_flows_back_to_every_layer(be, channels, seed):
    """A cotangent in the shape of the result reaches every parameter that the result depends on,
    linearly: until then their gradients are None. Without one, only a single number will do.
    """
    values, moves = lenet_values(seed, channels), lenet_values(seed + 1, channels, share=0.8)
    (x,), (v, w) = ternary(seed, (1, channels, 32, 32)), ternary(seed, (1, 10), (1, 10), share=0.8)
    net = fill(be, lenet(be, channels), *values)
    parameters = list(net.parameters())
    assert all(be.grad(parameter) is None for parameter in parameters)
    with be.raises(ErrorKind.NONSCALAR_BACKWARD):
        be.backward(net(be.tensor(x)))
    passes = []
    for cotangent in (v, w, v + w):
        y = net(be.tensor(x))
        be.backward(y, cotangent)
        assert all(be.grad(parameter) is not None for parameter in parameters)
        passes.append([be.numpy(be.grad(parameter)).astype(float) for parameter in parameters])
        net.zero_grad()
    most = formulas.lenet(np.abs(x), *map(np.abs, values))
    terms = sum(value[0].size + 1 for value in values[::2])
    be.check(y, Total(formulas.lenet(x, *values), most, terms))
    assert [g.shape for g in passes[0]] == [value.shape for value in values]
    known = range(len(values))
    if not np.array_equal(be.numpy(y), formulas.lenet(x, *values)):
        # Every number here is whole, so convolutions that round have been computed by a transform.
        # They may part what is equal, and so send gradients of pooling elsewhere.
        known = range(len(values))[-2:]
    roundings = 2**8 * np.finfo(be.dtype).eps * (len(known) < len(values))
    for a, b, both in zip(*passes, strict=True):
        assert np.abs(a + b - both).max() <= roundings * np.abs(both).max()
    still = [move if n in known else 0 * move for n, move in enumerate(moves)]
    parts = np.concatenate([(g * m).ravel() for g, m in zip(passes[0], still, strict=True)])
    rate = directional_derivative(lambda *moved: formulas.lenet(x, *moved), values, still)
    assert abs(parts.sum() - (v * rate).sum()) <= roundings * np.abs(parts).sum()


# ---- shapes --------------------------------------------------------------------------------------


@claim("NNM-57", about="layer", needs="nn max_pool2d relu view")
@example(sizes=(32, 32), images=1)
@example(sizes=(28, 28), images=1)
@example(sizes=(33, 35), images=0)
@given(
    sizes=tuples(*[sampled_from([*range(32, 36)] * 8 + [*range(20, 45)])] * 2),
    images=integers(0, 2),
)
def test_images_fit_if_their_features_do(be, sizes, images):
    """A net whose affine layer takes 16 maps of 5 x 5 accepts images whose sides are 32 to 35, each
    by itself: ((side - 4) / 2 - 4) / 2, rounded down twice, has to be 5.
    """
    fits = all(((side - 4) // 2 - 4) // 2 == 5 for side in sizes)
    assert fits == all(32 <= side <= 35 for side in sizes)
    with nullcontext() if fits else be.raises(ErrorKind.SHAPE):
        assert be.numpy(lenet(be)(be.tensor(np.ones((images, 1, *sizes))))).shape == (images, 10)
    with be.raises(ErrorKind.SHAPE):
        lenet(be)(be.tensor(np.ones((1, *sizes))))


# ---- anything goes -------------------------------------------------------------------------------


@claim("NNM-68", about="layer", needs="backward nn data relu")
@given(
    values=several((2, 3), (2,), (2, 2), (2,), (2, 2), (2,), (3, 3), (3, 2)), times=integers(0, 3)
)
def test_a_layer_used_often_is_listed_once(be, values, times):
    """A network has the same parameters however often it uses one of its layers: what is used
    receives the derivative through all its uses, and what is not used keeps None.
    """
    *parameters, x, w = values
    net = dynamic_net(be, *parameters)
    be.backward(net(be.tensor(x), times), w)
    first, middle, last = parameters[:2], parameters[2:4], parameters[4:]

    def weighted(a, b, c, d, *rest):
        return (w * formulas.perceptron(x, a, b, *[c, d] * times, *rest)).sum()

    derivatives = gradients(weighted, *first, *middle, *last)
    listing = list(net.parameters())
    assert len(listing) == 6
    for n, (parameter, expected) in enumerate(zip(listing, derivatives, strict=True)):
        if times == 0 and n in {2, 3}:
            assert be.grad(parameter) is None
        else:
            be.check(be.grad(parameter), expected)


@claim(
    "NNM-70",
    about="layer",
    needs="backward nn data detach dim item ones_like one_hot argmax shape",
)
@given(
    way=sampled_from(list(WAYS)),
    values=several((2, 3), (2,), (4, 2), (4,), (5, 3), (5, 4)),
)
def test_gradients_go_as_far_as_operations_are_differentiable(be, way, values):
    """A network may do anything between its layers. What Python has decided counts as it happened,
    and what leaves the tensors, such as item, or has no derivative, such as argmax, lets nothing of
    a gradient through to the layers before it.
    """
    *parameters, x, w = values
    first = fill(be, be.layer("Linear", 3, 2), *parameters[:2])
    second = fill(be, be.layer("Linear", 2, 4), *parameters[2:])
    hidden = formulas.linear(x, *parameters[:2])
    be.backward(second(WAYS[way](be, first(be.tensor(x)))), w)
    be.check(be.grad(second.bias), Total.along(w, 0))
    if way in SLOPES:
        g = (w @ parameters[2]) * SLOPES[way](hidden)
        be.check(be.grad(first.weight), Total.matmul(g.T, x))
        be.check(be.grad(first.bias), Total.along(g, 0))
    else:
        assert be.grad(first.weight) is be.grad(first.bias) is None


# ---- transformers --------------------------------------------------------------------------------


@claim("NNM-295", about="layer", needs="backward nn no_grad torch", level="contract")
@given(seed=integers(0, 2**32))
def test_a_transformer_is_what_it_is_made_of(be, seed):
    """Whatever options meet in a layer of a transformer, it adds to rows what attention and two
    linear layers make of them, and an encoder or decoder applies one such layer after the other:
    results and gradients are those of the parts, under masks, recorded or in evaluation.
    """
    transformer(seed).check(be)


@claim("NNM-296", about="layer", needs="backward nn no_grad torch", level="contract")
@given(seed=integers(0, 2**32))
def test_masks_of_encoders_may_be_added(be, seed):
    """An encoder that is not recorded is made of the same parts under a mask of finite numbers."""
    unrecorded(seed).check(be)
