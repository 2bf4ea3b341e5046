"""Layers: what each one computes."""

import numpy as np
import pytest

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
from gradspec.conformance.strategies.attentions import attention
from gradspec.conformance.strategies.distributions import around
from gradspec.conformance.strategies.layer_twins import layers_with_twins
from gradspec.conformance.strategies.layers import classified, convolutions, poolings
from gradspec.conformance.strategies.modules import fill
from gradspec.conformance.strategies.recurrent_layers import recurrent
from gradspec.conformance.table.labelled import of_scores
from gradspec.conformance.truth.oracles.backpropagation import pulled_back
from gradspec.conformance.truth.oracles.jets import Jet
from gradspec.conformance.truth.oracles.layers import (
    conv2d,
    conv2d_input_gradient,
    conv2d_weight_gradient,
    cross_entropy_terms,
    linear,
    max_pool2d,
    max_pool2d_gradient,
    softmax,
)

# ---- affine maps ---------------------------------------------------------------------------------


@claim("NNM-56", about="layer", needs="backward nn data")
@example(
    x=np.array([[1.0, 2.0]]),
    weight=np.array([[1.0, 2.0], [-3.0, 0.5], [0.0, 1.0]]),
    bias=np.array([1.0, 0.0, -1.0]),
    w=np.array([[1.0, -1.0, 2.0]]),
    lead=(1,),
)
@given(
    x=arrays(shape=(6, 2)),
    weight=arrays(shape=(3, 2)),
    bias=arrays(shape=(3,)),
    w=arrays(shape=(6, 3)),
    lead=sampled_from([(6,), (2, 3), (1, 6), (3, 1, 2)]),
)
def test_an_affine_layer_multiplies_by_the_transposed_weight(be, x, weight, bias, w, lead):
    """An affine layer of i inputs and o outputs keeps a weight of shape (o, i) and returns
    x W^T + b, along the last axis of what may have any number of axes.
    """
    layer = fill(be, be.layer("Linear", 2, 3), weight, bias)
    leaf = be.leaf(x.reshape(*lead, 2))
    y = layer(leaf)
    be.backward(y, w.reshape(*lead, 3))
    be.check(y, Total.products(linear, x.reshape(*lead, 2), weight, bias))
    be.check(be.grad(leaf), Total.products(np.matmul, w.reshape(*lead, 3), weight))
    be.check(be.grad(layer.weight), Total.matmul(w.T, x))
    be.check(be.grad(layer.bias), Total.along(w, 0))
    be.check(layer(be.tensor(x[0])), Total.products(linear, x[0], weight, bias))


# ---- convolutions --------------------------------------------------------------------------------


@workload(needs="nn reshape")
def convolve(be, leaf, layer=None, w=1.0, shape=(-1, 1, 10, 10)):
    """Images against small kernels, and back to the images."""
    layer = layer or be.layer("Conv2d", 1, 4, 3)
    be.backward(be.sum(be.mul(layer(be.reshape(leaf, shape)), w)))
    return be.grad(leaf)


@claim("NNM-54", about="layer", needs="backward nn data reshape")
@given(case=convolutions())
def test_a_convolution_correlates_images_with_kernels(be, case):
    """A convolution adds, for each place where the kernel fits, the products of the image with the
    kernel as it lies there, not reversed, over the channels of its group, and a bias.
    """
    layer = fill(be, be.layer("Conv2d", *case.sizes, **case.options), case.weight, case.bias)
    leaf = be.leaf(case.x)
    be.check(layer(leaf), Total.products(conv2d, case.x, case.weight, case.bias, **case.options))
    given = case.x, case.weight, case.cotangent
    into_images = Total.products(conv2d_input_gradient, *given, **case.options)
    into_kernels = Total.products(conv2d_weight_gradient, *given, **case.options)
    be.check(convolve(be, leaf, layer, case.cotangent, case.x.shape), into_images)
    be.check(be.grad(layer.weight), into_kernels)
    be.check(be.grad(layer.bias), Total.along(case.cotangent, (0, 2, 3)))


@claim("NNM-01", about="layer", needs="nn permute")
@example(channels=3, shape=(10, 32, 32, 3))
@given(
    channels=integers(1, 4),
    shape=sampled_from([(2, 5, 4, 3), (1, 3, 4, 2), (2, 4, 5, 1), (3, 6, 6, 4), (2, 3, 3, 3)]),
)
def test_channels_come_second(be, channels, shape):
    """A convolution takes batches of (images, channels, rows, columns), or one image without the
    first axis, and refuses what has another number of channels there: where channels come last,
    they have to be moved. With depth, as for Conv3d, that comes after the channels.
    """
    layer = be.layer("Conv2d", channels, 2, 1)
    images = be.tensor(np.ones(shape))
    n, columns, rows, last = shape
    moved = be.permute(images, (0, 3, 2, 1))
    deep = be.layer("Conv3d", channels, 2, 1)
    for batch, length, rest in ((images, columns, (rows, last)), (moved, last, (rows, columns))):
        volume = be.tensor(np.ones((n, length, 2, *rest)))
        for kind, batch_or_one, made in (
            (layer, batch, (n, 2, *rest)),
            (layer, batch[0], (2, *rest)),
            (deep, volume, (n, 2, 2, *rest)),
            (deep, volume[0], (2, 2, *rest)),
        ):
            if length == channels:
                assert be.numpy(kind(batch_or_one)).shape == made
            else:
                with be.raises(ErrorKind.SHAPE):
                    kind(batch_or_one)
    with be.raises(ErrorKind.SHAPE):
        layer(be.tensor(np.ones((1, n, channels, rows, columns))))


@claim("NNM-69", about="layer", needs="nn")
@example(width=1, other=2)
@given(width=integers(1, 4), other=integers(1, 4))
def test_widths_match_from_layer_to_layer(be, width, other):
    """What one convolution puts out, the next one has to take in: any number of channels will do,
    if it is the same for both.
    """
    first, second = be.layer("Conv2d", 3, width, 3), be.layer("Conv2d", other, 2, 3)
    made = first(be.tensor(np.ones((1, 3, 6, 6))))
    assert be.numpy(made).shape == (1, width, 4, 4)
    if width == other:
        assert be.numpy(second(made)).shape == (1, 2, 2, 2)
    else:
        with be.raises(ErrorKind.SHAPE):
            second(made)


# ---- pooling and clamping ------------------------------------------------------------------------


@claim("NNM-55", about="layer", needs="backward nn max_pool2d")
@given(case=poolings())
def test_a_square_window_is_given_by_one_number(be, case):
    """Max pooling takes the largest entry of each window, which receives the whole gradient. One
    number stands for a square; windows lie side by side unless told otherwise, and incomplete ones
    are left out.
    """
    leaf = be.leaf(case.x)
    y = be.layer("MaxPool2d", case.size, stride=case.stride)(leaf)
    be.backward(y, case.cotangent)
    be.check(y, max_pool2d(case.x, case.size, case.stride))
    routed = [case.x, case.cotangent, case.size, case.stride]
    be.check(be.grad(leaf), max_pool2d_gradient(*routed))
    be.check(be.layer("MaxPool2d", case.size)(leaf), max_pool2d(case.x, case.size))
    be.check(be.max_pool2d(leaf, case.size), max_pool2d(case.x, case.size))
    side = case.size[0]
    if side <= case.x.shape[3]:
        for y in (be.max_pool2d(leaf, side), be.layer("MaxPool2d", side)(leaf)):
            be.check(y, max_pool2d(case.x, (side, side)))


@claim(
    "NNM-67", about="clamp relu maximum", needs="backward clamp relu maximum", level="convention"
)
@example(x=np.array([-1.0, 0.0, 2.0, np.nan, np.inf]), w=np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
@given(x=arrays(), w=arrays())
def test_a_clamp_at_zero_is_no_relu(be, x, w):
    """relu(x), clamp(x, min=0) and maximum(x, 0) have the same values. At 0 the first passes on
    nothing of a gradient, the second all and the third half; at nan only the second passes nothing.
    """
    beyond = (x > 0) | np.isnan(x)
    for function, slope in (
        (be.relu, beyond),
        (lambda leaf: be.clamp(leaf, 0.0, None), x >= 0),
        (lambda leaf: be.maximum(leaf, be.tensor(np.zeros(()))), np.where(x == 0, 0.5, beyond)),
    ):
        leaf = be.leaf(x)
        y = function(leaf)
        be.backward(y, w)
        be.check(y, np.maximum(x, 0))
        be.check(be.grad(leaf), w * slope)


# ---- losses --------------------------------------------------------------------------------------


@claim("NNM-64", about="layer", needs="backward nn")
@example(
    x=np.array([[1.0, 2.0]]), t=np.array([[0.0, 4.0]]), w=np.array([[1.0, -2.0]]), reduction="mean"
)
@given(
    x=arrays(min_size=1),
    t=arrays(min_size=1),
    w=arrays(min_size=1),
    reduction=sampled_from(["none", "sum", "mean"]),
)
def test_squared_errors_are_averaged_over_all_entries(be, x, t, w, reduction):
    """The squared error is the mean of (x - t)^2 over all entries, their sum, or every one of them;
    both arguments receive its gradient. The mean of nothing is nan; no other reduction is known.
    """
    output, target = be.leaf(x), be.leaf(t)
    loss = be.layer("MSELoss", reduction=reduction)(output, target)
    away, parts = Jet.exact(x) - t, x.size if reduction == "mean" else 1
    squares = away * away / parts
    cotangent = w if reduction == "none" else np.array(w.flat[0])
    be.backward(loss, cotangent)
    be.check(loss, squares if reduction == "none" else squares.sum())
    be.check(be.grad(output), 2 * away * cotangent / parts)
    be.check(be.grad(target), -2 * away * cotangent / parts)
    nothing = be.tensor(np.zeros(0))
    be.check(be.layer("MSELoss")(nothing, nothing), np.nan)
    with be.raises(ErrorKind.ARGUMENT):
        be.layer("MSELoss", reduction="avg")(output, target)


@claim("NNM-65", about="layer", needs="backward nn", level="contract")
@given(case=classified(), shift=sampled_from([0.0, 1.0, -8.0, 64.0]), w=arrays(shape=()))
def test_cross_entropy_takes_scores_not_probabilities(be, case, shift, w):
    """Cross entropy of scores z and labels y is the mean of -log softmax(z)[y] over the rows that
    are not labelled -100: a constant added to a row changes nothing, and equal scores give ln C.
    Labels are of int64 or bytes; rows of floats are shares of the classes.
    """
    loss = be.layer("CrossEntropyLoss")
    given = case.targets, case.weights
    labels = be.tensor(np.where(case.ignored, -100, case.labels))
    z = case.scores + shift
    leaf = be.leaf(z)
    y = loss(leaf, labels)
    be.backward(y, w)
    scores = Jet.exact(z)
    be.check(y, cross_entropy_terms(scores, *given).sum())
    be.check(be.grad(leaf), (softmax(scores) - case.targets) * case.weights * w)
    even = loss(be.tensor(0 * z), labels)
    be.check(even, np.log(Jet.exact(np.full(len(z), z.shape[1]))).mean())
    rows = np.full((len(z), 1), 1 / len(z))
    shares = be.tensor(case.targets)
    be.check(loss(leaf, shares), cross_entropy_terms(scores, case.targets, rows).sum())
    be.same(loss(leaf, be.tensor(case.labels.astype("uint8"))), loss(leaf, be.tensor(case.labels)))
    for dtype in (float, "int32", "int16", "bool"):
        with be.raises(ErrorKind.DTYPE):
            loss(leaf, be.tensor(case.labels.astype(dtype)))


@claim("NNM-101", about="layer", needs="nn index_checks", level="contract")
@given(case=classified(), stray=sampled_from([-1, -99, 0, 7]))
def test_labels_of_no_class_are_refused(be, case, stray):
    """Cross entropy refuses a label below 0 or beyond the last class, if it is not the one that
    says to leave the row out.
    """
    classes = case.scores.shape[1]
    labels = np.where(case.ignored, -100, case.labels)
    labels[0] = stray if stray < 0 else classes + stray
    with be.raises(ErrorKind.INDEX_RANGE):
        be.layer("CrossEntropyLoss")(be.tensor(case.scores), be.tensor(labels))


# ---- attention -----------------------------------------------------------------------------------


@claim("NNM-104", about="layer", needs="backward nn no_grad copy_ torch", level="contract")
@given(
    x=arrays(shape=(2, 4, 4), layouts=DENSE),
    w=arrays(shape=(2, 4, 4), layouts=DENSE),
    kept=lists(integers(1, 15), min_size=4, max_size=4),
    mask=sampled_from(["key_padding_mask", "attn_mask"]),
)
def test_attention_without_a_preference_is_a_mean(be, x, w, kept, mask):
    """Where all scores are equal, attention gives each query the mean of the values that its mask
    admits, with its gradient when recorded, and the same mean on the faster path of evaluation
    under no_grad.
    """
    attention = be.layer("MultiheadAttention", 4, 2, bias=False, batch_first=True).eval()
    with be.no_grad():
        be.copy_(attention.in_proj_weight, be.tensor(np.eye(12, 4, k=-8)))
        be.copy_(attention.out_proj.weight, be.tensor(np.eye(4)))
    rows = np.array(kept)[:, None] >> np.arange(4) & 1 == 1
    kept_by = rows[None] if mask == "attn_mask" else rows[:2, None]
    shares = np.broadcast_to(kept_by / kept_by.sum(-1, keepdims=True), (2, 4, 4))
    left_out = be.tensor(~(rows if mask == "attn_mask" else rows[:2]))
    leaf = be.leaf(x)
    result, _ = attention(leaf, leaf, leaf, **{mask: left_out})
    be.check(result, Total.matmul(shares, x))
    be.backward(result, w)
    be.check(be.grad(leaf), Total.matmul(shares.transpose(0, 2, 1), w), "gradient")
    with be.no_grad():
        quick, _ = attention(leaf, leaf, leaf, **{mask: left_out})
    be.check(quick, Total.matmul(shares, x), "result that is not recorded")


@claim("NNM-161", about="layer", needs="backward nn no_grad copy_ torch", level="contract")
@example(x=np.ones((2, 4, 4)), w=np.ones((2, 4, 4)), kept=[0, 1, 1, 1], mask="attn_mask")
@given(
    x=arrays(shape=(2, 4, 4), layouts=DENSE),
    w=arrays(shape=(2, 4, 4), layouts=DENSE),
    kept=lists(integers(0, 15), min_size=4, max_size=4),
    mask=sampled_from(["key_padding_mask", "attn_mask"]),
)
def test_attention_is_the_same_with_its_weights(be, x, w, kept, mask):
    """Attention has the same result and the same gradient whether its weights are asked for or not,
    also where a mask leaves out every key of a query.
    """
    attention = be.layer("MultiheadAttention", 4, 2, bias=False, batch_first=True)
    with be.no_grad():
        be.copy_(attention.in_proj_weight, be.tensor(np.eye(12, 4) + np.eye(12, 4, k=-8)))
        be.copy_(attention.out_proj.weight, be.tensor(np.eye(4)))
    rows = np.array(kept)[:, None] >> np.arange(4) & 1 == 0
    found = []
    for asked in (False, True):
        leaf = be.leaf(x)
        left_out = be.tensor(rows if mask == "attn_mask" else rows[:2])
        result, _ = attention(leaf, leaf, leaf, need_weights=asked, **{mask: left_out})
        be.backward(result, w)
        found.append((result, be.grad(leaf)))
    admitted = np.where(rows.all(-1, keepdims=True), True, ~rows)
    shares = admitted / admitted.sum(-1, keepdims=True)
    shares = np.broadcast_to(shares[None] if mask == "attn_mask" else shares[:2, None], (2, 4, 4))
    terms = (shares, x), (shares.transpose(0, 2, 1), w)
    for without, asked, factors in zip(*found, terms, strict=True):
        be.check(asked, Total.again([be.numpy(without)], [Total.matmul(*factors)]))


@claim("NNM-460", about="layer", needs="backward nn no_grad torch", level="contract")
@example(kept=[0, 1, 1, 1], mask="attn_mask")
@given(
    kept=lists(integers(0, 15), min_size=4, max_size=4),
    mask=sampled_from(["key_padding_mask", "attn_mask"]),
)
def test_attention_is_the_same_recorded_or_not(be, kept, mask):
    """In evaluation attention that is not asked for its weights has the same result whether it is
    recorded or not, also where a mask leaves out every key of a query.
    """
    attention = be.layer("MultiheadAttention", 4, 2, batch_first=True).eval()
    x = be.tensor(np.sin(np.arange(32.0)).reshape(2, 4, 4))
    rows = np.array(kept)[:, None] >> np.arange(4) & 1 == 0
    told = {mask: be.tensor(rows if mask == "attn_mask" else rows[:2]), "need_weights": False}
    recorded, _ = attention(x, x, x, **told)
    with be.no_grad():
        result, _ = attention(x, x, x, **told)
    be.check(result, around(be.numpy(recorded), 16.0, times=16))


@claim("NNM-461", about="layer", needs="backward nn random torch", level="contract")
@given(hidden=sampled_from([0, 2, 3]), seed=integers(0, 2**32), asked=booleans(), padded=booleans())
def test_dropout_brings_back_nothing_that_is_masked(be, hidden, seed, asked, padded):
    """Attention that drops shares gives none to a key that its mask leaves out, in its result, its
    weights and its gradient.
    """
    attention = be.layer("MultiheadAttention", 4, 2, dropout=0.5, batch_first=True)
    x = np.sin(np.arange(32.0) + seed % 100).reshape(2, 4, 4)
    left_out = np.arange(4) == hidden
    mask = np.tile(left_out, (2, 1) if padded else (4, 1))
    told = {"key_padding_mask" if padded else "attn_mask": be.tensor(mask), "need_weights": asked}
    query, value = be.tensor(x), be.leaf(x)
    with be.fork_random():
        be.manual_seed(seed)
        result, weights = attention(query, value, value, **told)
    be.backward(result, np.ones((2, 4, 4)))
    be.check(be.select(be.grad(value), 1, hidden), np.zeros((2, 4)), "gradient")
    if asked:
        be.check(be.select(weights, 2, hidden), np.zeros((2, 4)), "weights")


# ---- layers and functions ------------------------------------------------------------------------


@claim("NNM-280", about="layer lookup", needs="backward nn random clone torch", level="contract")
@example(seed=0)
@example(seed=1)
@example(seed=2)
@example(seed=3)
@given(seed=integers(0, 2**32))
def test_a_layer_computes_what_its_function_does(be, seed):
    """Whatever options meet in a layer, it has the result, the gradients and the new statistics
    that the function of its name has with these options, its parameters and the same random
    numbers, in either mode, for a batch or one item.
    """
    for case in layers_with_twins(seed):
        case.check(be)


@claim(
    "NNM-281", about="layer lookup", needs="backward nn random cat stack torch", level="contract"
)
@given(seed=integers(0, 2**32))
def test_a_recurrent_layer_takes_the_steps_of_its_cells(be, seed):
    """Whatever options meet in a recurrent layer, results, last states and gradients are those of
    its cells taken step by step, layer upon layer, forward and backward, for a batch, one item, or
    items of several lengths; a cell by itself takes such a step.
    """
    with be.full_precision():
        for layer in recurrent(seed):
            layer.check(be)


@claim("NNM-282", about="layer lookup", needs="backward nn no_grad cat torch", level="contract")
@given(seed=integers(0, 2**32))
def test_attention_is_what_it_is_made_of(be, seed):
    """Whatever options meet in attention, results, weights and gradients are those of its formula,
    of queries that look at themselves, at keys that are the values, or at keys with values of other
    widths, under masks, for a batch or one item, recorded or not.
    """
    attention(seed).check(be)


@claim("NNM-283", about="layer", needs="backward nn random torch", level="contract")
@given(
    axes=integers(1, 3),
    stride=integers(1, 3),
    padding=integers(0, 2),
    more=integers(0, 1),
    dilation=integers(1, 2),
    groups=sampled_from([1, 2]),
)
def test_a_transposed_convolution_has_the_size_asked_for(be, axes, stride, padding, more, dilation,
                                                         groups):  # fmt: skip
    """A transposed convolution that is asked for a size has that size, and computes what one with
    the padding of the output that leads there does; sizes that nothing leads to are refused.
    """
    sizes, options = (2, 4, 3), {"padding": padding, "dilation": dilation, "groups": groups}
    more = min(more, max(stride, dilation) - 1)
    layer, other = (
        be.layer(f"ConvTranspose{axes}d", *sizes, stride=stride, output_padding=end, **options)
        for end in (0, more)
    )
    other.load_state_dict(layer.state_dict())
    x = be.tensor(np.arange(2.0 * 4**axes).reshape(1, 2, *[4] * axes))
    y = other(x)
    size = 3 * stride - 2 * padding + 2 * dilation + 1 + more
    assert y.shape == (1, 4, *[size] * axes)
    if more < stride:
        be.same(layer(x, output_size=[size] * axes), y)
        be.same(layer(x, output_size=list(y.shape)), y)
    with pytest.raises(ValueError, match="output size"):
        layer(x, output_size=[size - more + stride] * axes)


@claim("NNM-284", about="layer lookup", needs="nn torch", level="contract")
@given(
    kind=sampled_from(["Linear", "Conv1d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d"]),
    values=arrays("values", shape=(5, 4), values=NONZERO),
    bias=booleans(),
)
def test_a_layer_takes_in_the_normalization_after_it(be, kind, values, bias):
    """A layer that is fused with the batch normalization after it computes, in evaluation, what
    both compute one after the other.
    """
    axes = 1 if kind == "Linear" else int(kind[-2])
    layer = be.layer(kind, 3, 4, *([] if kind == "Linear" else [2]), bias=bias).eval()
    norm = be.layer(f"BatchNorm{axes}d", 4, eps=0.25).eval()
    places = (norm.weight, norm.bias, norm.running_mean, norm.running_var)
    for place, row in zip(places, values, strict=False):
        be.set_data(place, be.tensor(row if place is not norm.running_var else np.abs(row)))
    shape = (2, 3) if kind == "Linear" else (2, 3, *[3] * axes)
    x = be.tensor(np.resize([1.0, -1.0, 2.0, 0.5, -0.25], shape))
    fuse = "fuse_linear_bn_eval" if kind == "Linear" else "fuse_conv_bn_eval"
    turned = {"transpose": True} if "Transpose" in kind else {}
    fused = be.lookup(f"torch.nn.utils.fusion:{fuse}")(layer, norm, **turned)
    true = be.numpy(norm(layer(x)))
    size = np.abs(true).max() + 64 * np.abs(values).max() ** 2
    be.check(fused(x), around(true, size, times=64))


@claim("NNM-288", about="lookup", needs="backward nn torch", level="contract")
@given(
    x=arrays("x", shape=(5, 3)),
    weight=arrays("weight", shape=(4, 3)),
    bias=arrays("bias", shape=(4,)),
    w=arrays("cotangent", shape=(5,)),
    labels=lists(integers(0, 3), min_size=4, max_size=4),
    ignored=sampled_from([-100, 0]),
    reduction=sampled_from(["mean", "sum", "none"]),
    smoothing=sampled_from([0.0, 0.25]),
    rows=sampled_from([None, 1, 2, 3, 8]),
)
def test_scores_of_a_loss_need_not_be_there_at_once(
    be, x, weight, bias, w, labels, ignored, reduction, smoothing, rows
):
    """Cross-entropy of scores that are linear in features has the same value and gradients if the
    scores are computed for some rows at a time, as a function and as a layer.
    """
    options, labels = {"ignore_index": ignored, "reduction": reduction}, np.array([*labels, 3])
    options["label_smoothing"] = smoothing
    seeds = Jet.seeds([x / 4, weight / 4, bias])
    scores = seeds[0] @ seeds[1].T + seeds[2]
    counts = np.array([1.0, 0.5, 2.0, 0.25])
    expected = of_scores(scores, labels, weight=counts, **options)
    w = w if reduction == "none" else w[:1]
    some = be.lookup("torch.nn:LinearCrossEntropyOptions")(batch_chunk_size=rows)
    options |= {"weight": be.tensor(counts), "options": None if smoothing else some}
    layer = fill(
        be, be.layer("LinearCrossEntropyLoss", 3, 4, bias=True, **options), weight / 4, bias
    )
    leaves, index = [be.leaf(x / 4), be.leaf(weight / 4), be.leaf(bias)], be.tensor(labels)
    first, *others = leaves
    function = be.lookup("torch.nn.functional:linear_cross_entropy")
    for y, of in (
        (function(first, others[0], index, linear_bias=others[1], **options), leaves),
        (layer(first, index), [first, *layer.parameters()]),
    ):
        be.check(y, expected)
        found = be.gradients(y, of, be.tensor(w.reshape(expected.shape)))
        for gradient, right in zip(found, pulled_back(expected, w, seeds), strict=True):
            be.check(gradient, right)
