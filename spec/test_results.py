"""Results: what a call returns, and in which memory."""

from itertools import pairwise, product

import numpy as np

from gradspec.conformance import ErrorKind, Total, claim, every, example, given, workload
from gradspec.conformance.strategies import DENSE, arrays, integers, lists, sampled_from
from gradspec.conformance.strategies.factories import strides
from gradspec.conformance.strategies.numbers import OPERANDS, TENSORS, dtype_of_sum
from gradspec.conformance.strategies.operands import OVER_OPERANDS, whole_numbers
from gradspec.conformance.table import COPIES, DIFFERENTIABLE, WRITABLE, calls, filled
from gradspec.conformance.truth.oracles.jets import Jet


@workload(needs="view t relu")
def activated(be, leaf):
    """The gradient of the activations of all rows for the first ten."""
    rows = be.view(leaf, -1, 10)
    be.backward(be.sum(be.relu(be.matmul(rows, be.t(rows[:10])))))
    return be.grad(leaf)


# ---- tensors or numbers --------------------------------------------------------------------------


@claim(
    "VEW-560",
    about="repeat",
    needs="views repeat flip cat repeat_interleave index_select clone torch",
    level="contract",
)
@given(x=arrays("x", shape=(2, 3), layouts=DENSE))
def test_what_copies_copies_where_nothing_is_to_do(be, x):
    """What copies has memory of its own where there is nothing to do as well: what is repeated
    once, turned along no axis, joined with nothing, or selected as a whole.
    """
    source = be.tensor(x)
    for name, made in {
        "repeat": be.repeat(source, (1, 1)),
        "repeat_interleave": be.repeat_interleave(source, 1, 0),
        "flip": be.flip(source, ()),
        "cat": be.cat([source], 0),
        "index_select": be.index_select(source, 0, be.tensor(np.arange(2))),
        "clone": be.clone(source),
    }.items():
        be.check(made, x, name)
        assert not be.shares_memory(made, source), name


@claim("TEN-63", about="leaf", needs="backward views detach inplace item mul_")
@given(
    x=arrays(layouts=DENSE, min_dims=1, min_size=1),
    w=arrays(shape=()),
    c=arrays(shape=()),
    at=integers(0, 11),
)
def test_one_entry_is_a_tensor_still(be, x, w, c, at):
    """Indexed in every dimension a tensor gives a tensor without dimensions: recorded, on the same
    memory, with a gradient at that one place. item makes a number of it.
    """
    leaf, place = be.leaf(x), tuple(map(int, np.unravel_index(at % x.size, x.shape)))
    entry = leaf[place]
    assert type(entry) is type(leaf)
    assert be.shares_memory(entry, leaf)
    be.check(entry, x[place])
    assert be.item(entry) == x[place]
    be.backward(entry, w)
    only = np.zeros(x.shape)
    only[place] = 1
    be.check(be.grad(leaf), w * only)
    be.mul_(be.detach(leaf)[place], c)
    be.check(leaf, np.where(only, c * x, x))


@claim(
    "TEN-64",
    about="sum max",
    needs="backward numel size dim tolist equal allclose amax max",
    level="contract",
)
@given(x=arrays(min_dims=1, min_size=1))
def test_values_are_tensors_and_answers_are_numbers(be, x):
    """What computes values returns tensors, even a single value, which stays in the graph, or names
    two of them; what answers a question returns a bool, an int or numbers of Python.
    """
    leaf = be.leaf(x)
    for value in (be.sum(leaf), be.mean(leaf), be.amax(leaf), *be.max(leaf, 0)[:1]):
        assert type(value) is type(leaf)
        assert be.requires_grad(value)
    values, places = be.max(leaf, 0).values, be.max(leaf, 0).indices
    be.check(values, x.max(0))
    be.check(places, x.argmax(0))
    for answer in (be.numel(leaf), be.dim(leaf), be.size(leaf, 0)):
        assert type(answer) is int
    assert be.equal(leaf, leaf) is be.allclose(leaf, leaf) is True
    assert be.equal(leaf, leaf + 1) is be.allclose(leaf, leaf + 1) is False
    assert be.tolist(leaf) == x.tolist()


@claim("TEN-108", about="max", needs="max min sort topk median svd torch", level="contract")
@given(x=arrays("matrix", shape=(2, 3)))
def test_several_results_have_names(be, x):
    """What gives several results gives a tuple of them that knows their names as well. is_tensor
    answers with a bool, and result_type with the dtype that a sum has.
    """
    source = be.tensor(x)
    for result in (
        be.max(source, 1),
        be.min(source, 1),
        be.sort(source, 1),
        be.topk(source, 2, 1),
        be.median(source, 1),
    ):
        values, places = result
        assert getattr(result, "values", None) is result[0] is values
        assert getattr(result, "indices", None) is result[1] is places
    factors = be.svd(source)
    for name, factor in zip(("U", "S", "Vh"), factors, strict=True):
        assert getattr(factors, name, None) is factor
    is_tensor, result_type = be.lookup("torch:is_tensor"), be.lookup("torch:result_type")
    assert is_tensor(source) is True
    assert is_tensor(x) is is_tensor(type(source)) is is_tensor([source]) is False
    for first, second in product(TENSORS, OPERANDS):
        operands = [
            each.value if each.form == "number" else be.from_data(each.value, dtype=each.dtype)
            for each in (first, second)
        ]
        found = str(result_type(*operands)).removeprefix("torch.")
        assert found == dtype_of_sum(first, second), f"{first}, {second}"


# ---- memory that is given ------------------------------------------------------------------------


@claim("TEN-74", about="add zeros", needs="backward views zeros torch", level="contract")
@given(x=arrays(), y=arrays())
def test_out_is_what_is_returned(be, x, y):
    """A function told out= writes into that very tensor and returns it, in the dtype it has and on
    the memory it has if that is enough; it refuses to be recorded, and a dtype that it cannot hold.
    """
    a, b, out, leaf = be.tensor(x), be.tensor(y), be.tensor(np.ones(x.shape)), be.leaf(x)
    memory, whole = be.detach(out), be.tensor(np.ones(x.shape, int))
    assert be.add(a, b, out=out) is out
    be.check(out, Total.of(x, y))
    be.same(memory, out)
    bare = be.zeros(0, dtype=be.dtype)
    assert be.add(a, b, out=bare) is bare
    be.same(bare, out)
    assert be.zeros((2, 3), out=whole) is whole
    be.same(whole, np.zeros((2, 3), int))
    with be.raises(ErrorKind.INPLACE_DTYPE):
        be.add(a, b, out=be.tensor(np.ones(x.shape, int)))
    with be.raises(ErrorKind.DTYPE):
        be.zeros(2, out=whole, dtype="float32")
    with be.raises(ErrorKind.NOT_DIFFERENTIABLE):
        be.add(leaf, b, out=out)


@claim("TEN-731", about="lookup", needs="torch", level="contract")
@example(name="torch:mm", at=0, n=1, later=0, seed=0)
@every(name=list(OVER_OPERANDS))
@given(
    at=integers(0, 2),
    n=sampled_from((1, 2, 3, 30)),
    later=sampled_from((0, 1, 0, 7)),
    seed=integers(0, 2**16),
)
def test_a_result_in_place_of_an_operand(be, name, at, n, later, seed):
    """A function told to write into one of its operands, which is of the shape of its result, or
    beginning some entries later, computes what it does otherwise, or refuses before it writes.
    """
    function, (letters, options) = be.lookup(name), OVER_OPERANDS[name]
    numbers = whole_numbers(n, seed)
    tensors = {key: be.tensor(whole) for key, whole in numbers.items()}
    want = be.numpy(function(*(tensors[key] for key in letters), **options)).copy()
    fitting = [key for key in letters if numbers[key].shape == want.shape]
    key = fitting[at % len(fitting)]
    memory = be.tensor(np.append(numbers[key], np.zeros(later)))
    before = be.numpy(memory).copy()
    tensors[key], out = (memory[k : k + want.size].view(want.shape) for k in (0, later))
    try:
        function(*(tensors[key] for key in letters), **options, out=out)
    except RuntimeError:
        be.same(memory, before, name)
    else:
        be.same(out, want, name)


@claim("TEN-84", about="empty_strided", needs="empty_strided views inplace copy_ torch")
@given(layout=strides())
def test_strides_asked_for_are_the_strides(be, layout):
    """empty_strided has the strides it is given: entry (i, j, ...) lies i, j, ... strides into a
    memory that ends with the last entry; as many strides as sizes are wanted.
    """
    made = be.empty_strided(layout.sizes, layout.steps, dtype=be.dtype)
    assert made.shape == layout.sizes
    assert be.strides(made) == layout.steps
    assert made.untyped_storage().nbytes() == layout.extent * made.element_size()
    assert made.is_contiguous() == layout.compact
    be.copy_(made.as_strided((layout.extent,), (1,)), np.arange(float(layout.extent)))
    be.check(made, np.broadcast_to(layout.places, layout.sizes))
    with be.raises(ErrorKind.SHAPE):
        be.empty_strided(layout.sizes, (*layout.steps, 1))


@claim("TEN-81", about="logspace", needs="logspace")
@example(start=0.1, gaps=4, gap=0.225, base=10.0)
@example(start=2.0, gaps=0, gap=0.0, base=2.0)
@every(base=(10.0, 2.0, 0.5, 1.0, 3.0, -2.0, 0.0))
@given(
    start=sampled_from((0.0, 1.0, -1.5, 0.25, 2.0)),
    gaps=sampled_from((0, 1, 2, 4)),
    gap=sampled_from((0.25, 0.0, 0.5, -0.5, 0.125)),
)
def test_logspace_raises_its_base_to_a_linspace(be, start, gaps, gap, base):
    """logspace(a, b, n, base) holds n powers of base, 10 unless given, with evenly spaced exponents
    from a to b; of a negative base only integers give numbers.
    """
    end, exponents = start + gaps * gap, start + gap * np.arange(gaps + 1)
    with np.errstate(all="ignore"):
        powers, tens = (Jet.exact(np.full(gaps + 1, each)) ** exponents for each in (base, 10.0))
    be.check(be.logspace(start, end, gaps + 1, base=base, dtype=be.dtype), powers)
    be.check(be.logspace(start, end, gaps + 1, dtype=be.dtype), tens)
    be.check(be.logspace(start, end, 0, base=base, dtype=be.dtype), np.zeros(0))


# ---- networks ------------------------------------------------------------------------------------


@claim("TEN-66", about="conv2d", needs="conv2d permute")
@example(rows=32, columns=32, kernel=5)
@given(rows=integers(4, 7), columns=integers(4, 7), kernel=sampled_from((1, 2, 3)))
def test_layers_want_channels_before_rows_and_columns(be, rows, columns, kernel):
    """A convolution reads samples, channels, rows and columns: an image whose channels come last is
    refused unless its number of rows is that of the channels, and is right once permuted.
    """
    image = np.arange(3.0 * rows * columns).reshape(1, rows, columns, 3) % 7 - 3
    weight = np.arange(6.0 * kernel * kernel).reshape(2, 3, kernel, kernel) % 5 - 2
    last = be.tensor(image)
    with be.raises(ErrorKind.SHAPE):
        be.conv2d(last, weight)
    made = be.conv2d(be.permute(last, (0, 3, 1, 2)), weight)
    windows = np.lib.stride_tricks.sliding_window_view(image, (kernel, kernel), (1, 2))
    terms = windows[:, None] * weight[None, :, None, None]
    be.check(made, Total.along(terms, (4, 5, 6)))
    misread = be.conv2d(be.tensor(image[:, :3]), weight[..., :1, :1])
    assert be.numpy(misread).shape == (1, 2, columns, 3)


@claim(
    "TEN-109",
    about="conv2d max_pool2d avg_pool2d batch_norm",
    needs="conv2d max_pool2d avg_pool2d batch_norm torch",
    level="contract",
)
@given(x=arrays("image", shape=(2, 3, 4, 5)))
def test_channels_are_the_axis_before_rows(be, x):
    """Convolution and pooling take a single image, without the axis of samples, as a batch of one;
    of a batch pooling keeps samples and channels apart, and batch normalisation brings the entries
    of each channel, over all samples, to mean 0.
    """
    images, kernel = be.tensor(x), be.tensor(np.ones((2, 3, 2, 2)))
    for apply in (
        lambda z: be.conv2d(z, kernel),
        lambda z: be.max_pool2d(z, 2),
        lambda z: be.avg_pool2d(z, 2),
    ):
        for n in range(2):
            be.same(apply(images[n]), apply(images[n : n + 1])[0])
    windows = x[:, :, :, :4].reshape(2, 3, 2, 2, 2, 2)
    be.check(be.max_pool2d(images, 2), windows.max((3, 5)))
    be.check(be.avg_pool2d(images, 2), Total.along(windows / 4, (3, 5)))
    normal = be.numpy(be.batch_norm(images, None, None, training=True))
    away = Jet.exact(x) - Jet.exact(x).mean((0, 2, 3), keepdims=True)
    want = away / np.sqrt((away * away).mean((0, 2, 3), keepdims=True) + 1e-5)
    be.check(be.tensor(normal), want)


@claim("TEN-85", about="layer", needs="backward nn graph relu")
@given(
    widths=lists(integers(1, 4), min_size=2, max_size=4),
    x=arrays(shape=(2, 1)),
    w=sampled_from((1.0, 2.0, -0.5)),
)
def test_what_flows_through_a_network(be, widths, x, w):
    """Parameters of layers are leaves that require grad, inputs are leaves that do not, and what
    lies between them and the output is computed: it has a node and is no leaf.
    """
    given = hidden = be.tensor(np.repeat(x, widths[0], 1))
    parameters = []
    for inputs, outputs in pairwise(widths):
        layer = be.layer("Linear", inputs, outputs)
        parameters += layer.parameters()
        affine = layer(hidden)
        hidden = be.relu(affine)
        for computed in (affine, hidden):
            assert be.requires_grad(computed)
            assert not be.is_leaf(computed)
            assert be.node(computed) is not None
    be.backward(be.sum(be.mul(hidden, np.array(w))))
    for leaf in (given, *parameters):
        assert be.is_leaf(leaf)
        assert be.node(leaf) is None
        assert be.requires_grad(leaf) == (leaf is not given)
        assert (be.grad(leaf) is None) == (leaf is given)


# ---- call after call -----------------------------------------------------------------------------


@claim("GEN-221", needs="inplace copy_", over=COPIES, level="contract", widest=True)
@given(call=filled())
def test_nothing_is_kept_of_earlier_calls(be, call):
    """Tensors that were written over since the last call are taken as they are now, and the result
    of that call stays what it was.
    """
    tensors = [*map(be.tensor, call.tensors)]
    former = call.on(be)(*tensors)
    kept = be.numpy(former)
    other = call.with_tensors([np.flip(x).copy() for x in call.tensors])
    for tensor, x in zip(tensors, other.tensors, strict=True):
        be.copy_(tensor, be.tensor(x))
    again, anew = other.on(be)(*tensors), other.on(be)(*map(be.tensor, other.tensors))
    if other.result.dtype.kind == "f":
        be.check(again, Total.again([be.numpy(anew)], [other.value()]))
    else:
        be.same(again, anew)
    be.same(former, kept, "result of the call before")


@claim("GEN-290", needs="vjp inplace mul_", over=WRITABLE, level="contract", widest=True)
@given(call=calls(smooth=True, small=True))
def test_a_result_may_be_written_to(be, call):
    """What a linear operation returns in memory of its own may be written to in place: what it was
    computed of stays as it is, and its gradients are those of a result that is multiplied.
    """
    sources = [*map(be.tensor, call.tensors)]
    _, pull = be.vjp(lambda *tensors: be.mul_(call.on(be)(*tensors), -2.0), *sources)
    for source, x in zip(sources, call.tensors, strict=True):
        be.same(source, be.tensor(x), "source of what was written to")
    true = call.gradients(-2 * call.cotangent)
    for gradient, each in zip(pull(call.cotangent), true, strict=True):
        be.check_gradient(gradient, each)


@claim("GEN-222", needs="vjp", over=DIFFERENTIABLE, level="contract", widest=True)
@given(call=filled())
def test_gradients_outlast_later_passes(be, call):
    """Gradients stay what they were when another cotangent is pulled back, in the same graph or
    in another one.
    """
    _, pull = be.vjp(call.on(be), *call.tensors)
    found = [gradient for gradient in pull(call.cotangent) if gradient is not None]
    kept = [*map(be.numpy, found)]
    for factor in (-2, 3):
        pull(factor * call.cotangent)
        be.vjp(call.on(be), *call.tensors)[1](5 * factor * call.cotangent)
    for gradient, before in zip(found, kept, strict=True):
        be.same(gradient, before, "gradient of the pass before")


@claim("GEN-223", needs="vjp", over=DIFFERENTIABLE, level="contract", widest=True)
@given(call=filled())
def test_cotangents_have_any_size(be, call):
    """Of a cotangent that is larger or smaller by a power of two, as that of a scaled loss is, the
    gradients are so, too, with as many digits.
    """
    _, pull = be.vjp(call.on(be), *call.tensors)
    for factor in (2.0**60, 2.0**-60):
        cotangent = factor * call.cotangent
        for gradient, true in zip(pull(cotangent), call.gradients(cotangent), strict=True):
            be.check_gradient(gradient, true, f"gradient of {factor} times the cotangent")
