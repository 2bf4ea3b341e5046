"""Memory formats: in which order the entries of a tensor lie in memory."""

import numpy as np

from gradspec.conformance import claim, given
from gradspec.conformance.strategies import arrays, booleans, permutations, sampled_from
from gradspec.conformance.table import GIVEN_ARRAYS, LYING_ALIKE, points, told

NO_WORKLOAD = "what a memory format is worth hangs on the kernels of the device"

STEPS = (18, 1, 9, 3)
"""The strides of two images of three channels, two rows and three columns, with channels last."""


@claim("VEW-105", about="contiguous clone", needs="views contiguous clone torch", level="contract")
@given(x=arrays("image", shape=(2, 3, 2, 3)))
def test_channels_may_lie_last(be, x):
    """Memory may hold the channels of an image next to each other, while the axes stay in their
    order: contiguous in this format has the strides of the axes so ordered, which clone and
    arithmetic keep, and in which nothing but the strides differs.
    """
    last, source = be.lookup("torch:channels_last"), be.tensor(x.copy())
    turned = be.contiguous(source, memory_format=last)
    be.check(turned, x)
    for each in (turned, be.clone(turned), turned + 1.0, be.contiguous(turned, memory_format=last)):
        assert be.strides(each) == STEPS
        assert each.is_contiguous(memory_format=last)
        assert not each.is_contiguous()
    assert be.contiguous(turned, memory_format=last) is turned
    assert be.strides(be.contiguous(turned)) == be.strides(source)
    assert be.strides(be.clone(turned, memory_format=be.lookup("torch:contiguous_format"))) == (
        be.strides(source)
    )


@claim("VEW-700", about="lookup", needs="backward views torch", level="contract")
@given(
    x=arrays("image", shape=(2, 3, 2, 3)),
    w=arrays("cotangent", shape=(2, 3, 2, 3)),
    copy=booleans(),
)
def test_what_is_laid_out_anew_passes_its_gradient_on(be, x, w, copy):
    """A tensor that is brought into a memory format, copied on the way or not, has the values of
    what it was, and what it was receives its gradient.
    """
    last, leaf = be.lookup("torch:channels_last"), be.leaf(x)
    turned = be.lookup("torch:Tensor.to")(leaf, memory_format=last, copy=copy)
    be.check(turned, x)
    be.backward(turned, w)
    be.check(be.grad(leaf), w)


@claim("VEW-280", about="clone cast exp", needs="views permute clone cast exp", level="contract")
@given(x=arrays(shape=(2, 3, 4)), order=permutations(range(3)), tracked=booleans())
def test_a_result_lies_as_its_operand_does(be, x, order, tracked):
    """What is computed entry by entry of a tensor that fills its memory, in whatever order of its
    axes, lies in this order, too, and so do a copy and one in another dtype.
    """
    source = be.permute(be.tensor(x.copy()), order)
    leaf = be.set_requires_grad(source) if tracked else source
    for result in (
        be.clone(leaf),
        be.cast(leaf, "float32" if be.dtype == "float64" else "float64"),
        be.exp(leaf),
        leaf + 1.0,
        leaf * source,
        2.0 - leaf,
    ):
        assert be.strides(result) == be.strides(source)


@claim("GEN-720", needs="views permute torch", over=LYING_ALIKE, level="contract")
@given(grid=points("close"))
def test_results_lie_as_their_operands_do(be, grid):
    """Of tensors that fill their memory in one order of the axes the result of what is computed
    entry by entry does so in the same order.
    """
    cubes = (np.resize(x, (3, 2, 4)) for x in grid.tensors)
    operands = [be.permute(be.tensor(x), (2, 0, 1)) for x in cubes]
    assert be.strides(grid.on(be)(*operands)) == be.strides(operands[0])


@claim("GEN-260", needs="vjp", over=GIVEN_ARRAYS, level="contract", widest=True)
@given(call=told())
def test_indices_and_masks_may_lie_anyhow(be, call):
    """Indices, masks, labels and weights count by their entries, however these lie in memory: an
    operation that is told by them has the values and the gradients that it is defined to have.
    """
    call.check(be, call.on(be)(*map(be.tensor, call.tensors)))
    if call.operation.differentiable:
        _, pull = be.vjp(call.on(be), *call.tensors)
        for gradient, true in zip(pull(call.cotangent), call.gradients(), strict=True):
            be.check_gradient(gradient, true)


@claim("NNM-291", about="layer", needs="backward nn contiguous torch", level="contract")
@given(
    x=arrays("image", shape=(2, 3, 2, 3)),
    kind=sampled_from(["Conv2d", "BatchNorm2d", "ReLU", "AvgPool2d"]),
    turned=booleans(),
)
def test_layers_take_images_with_channels_last(be, x, kind, turned):
    """A layer for images may have its weights with channels last, which changes no value and no
    other parameter. Images with channels last come out with channels last, but of a convolution of
    float64 on an accelerator.
    """
    last = be.lookup("torch:channels_last")
    sizes = {"Conv2d": (3, 2, 2), "BatchNorm2d": (3,), "ReLU": (), "AvgPool2d": ((1, 2),)}[kind]
    layer = be.layer(kind, *sizes).eval()
    before = {name: be.clone(value) for name, value in layer.state_dict().items()}
    if turned:
        assert layer.to(memory_format=last) is layer
    for name, value in layer.state_dict().items():
        be.same(value, before[name])
        if turned and len(be.shape(value)) == 4:
            assert value.is_contiguous(memory_format=last)
        else:
            assert be.strides(value) == be.strides(before[name])
    result = layer(be.contiguous(be.tensor(x), memory_format=last))
    if kind != "Conv2d" or be.device == "cpu" or be.dtype != "float64":
        assert result.is_contiguous(memory_format=last)
    assert be.shape(result) == be.shape(layer(be.tensor(x)))
