"""Devices: where tensors lie, how they move, and what refuses to be mixed."""

import warnings

import numpy as np

from gradspec.conformance import ErrorKind, Total, claim, example, given, workload
from gradspec.conformance.strategies import DENSE, arrays, integers, permutations, sampled_from
from gradspec.conformance.strategies.devices import (
    FLOATS,
    INTEGERS,
    full_numbers,
    settings_told,
)
from gradspec.conformance.strategies.modules import fill
from gradspec.conformance.truth.oracles import layers
from gradspec.conformance.truth.oracles.jets import Jet


@workload
def cube(be, leaf):
    """The gradient of a sum of cubes: little work for each entry that is moved."""
    be.backward(be.sum(be.mul(leaf * leaf, leaf)))
    return be.grad(leaf)


# ---- which devices there are ---------------------------------------------------------------------


@claim("DEV-51", about="lookup", needs="torch", level="contract")
@example(index=0, text="gpu")
@given(index=integers(0, 127), text=sampled_from(["gpu", "cuda:-1", "cuda:", "", "cpu:x"]))
def test_a_device_is_a_type_and_perhaps_an_index(be, index, text):
    """A device is parsed from its name and printed as it, without any hardware: a type, which is a
    string, and an index, which is None where none is given, so cuda and cuda:0 are not equal; a
    name of another form is refused.
    """
    device = be.lookup("torch:device")
    numbered, bare = device(f"cuda:{index}"), device("cuda")
    assert (type(numbered.type), numbered.type, numbered.index) == (str, "cuda", index)
    assert (bare.type, bare.index) == ("cuda", None)
    assert (str(numbered), str(bare)) == (f"cuda:{index}", "cuda")
    assert numbered == device("cuda", index) == device(str(numbered))
    assert numbered != bare
    with be.raises(ErrorKind.ARGUMENT):
        device(text)


@claim("DEV-52", about="lookup", needs="torch devices", level="contract")
@given(x=arrays())
def test_the_device_chosen_by_what_is_available_works(be, x):
    """The device cuda if torch.cuda.is_available(), else cpu, takes tensors and computes on them;
    the answer is a bool, and counts no more devices than there are.
    """
    available = be.lookup("torch.cuda:is_available")()
    assert type(available) is bool
    assert available == (be.lookup("torch.cuda:device_count")() > 0)
    chosen = "cuda" if available else "cpu"
    gradient = cube(be, be.leaf(x, chosen))
    be.check(gradient, 3 * x**2)
    assert be.device_of(gradient) == chosen


@claim("DEV-01", "DEV-57", about="to", needs="torch devices nn empty", level="contract")
@example(index=0)
@example(index=100)
def test_a_device_is_there_or_refused(be, index):
    """A CUDA device within device_count() can be asked for, one beyond it is refused, by whatever
    asks: to() or cuda() of a tensor or of a layer, or a factory; nothing falls back to the host.
    """
    there = index < be.lookup("torch.cuda:device_count")()
    tensor, layer = be.tensor(np.ones(2)), be.layer("Linear", 2, 1)
    target = f"cuda:{index}"
    for ask in (
        lambda: be.to(tensor, target),
        lambda: be.to(layer, target).weight,
        lambda: tensor.cuda(index),
        lambda: layer.cuda(index).weight,
        lambda: be.backend.functions["empty"](2, device=target),
        lambda: be.backend.tensor(np.ones(2), be.dtype, target),
    ):
        if there:
            assert be.device_of(ask()) == "cuda"
        else:
            with be.raises(ErrorKind.DEVICE):
                ask()


@claim("DEV-58", about="to", needs="torch devices", level="contract", device="cuda")
@given(x=arrays())
def test_a_device_without_index_is_the_current_one(be, x):
    """In a block of torch.cuda.device(k), for every device k that there is, the name cuda means
    cuda:k for transfers and factories alike, and a name with an index what it says; what is made
    there with requires_grad is a leaf, what was brought there is not.
    """
    source = be.leaf(x, "cpu")
    for k in range(be.lookup("torch.cuda:device_count")()):
        with be.lookup("torch.cuda:device")(k):
            made, brought, called = be.leaf(x), be.to(source, "cuda"), source.cuda()
            first = be.to(source, "cuda:0")
        for there, index in ((made, k), (brought, k), (called, k), (first, 0)):
            assert (there.device.type, there.device.index) == ("cuda", index)
            be.check(there, x)
        assert [be.is_leaf(there) for there in (made, brought, called)] == [True, False, False]


# ---- tensors move out of place -------------------------------------------------------------------


@claim("DEV-53", about="to", needs="devices views")
@given(x=arrays(), order=permutations(["float32", "float64", "float16"]))
def test_conversion_is_out_of_place(be, x, order):
    """Brought to the dtype and device that it has, a tensor is returned itself, or a copy where one
    is asked for; brought to another dtype it is a new tensor, and the source stays as it was.
    """
    source = be.tensor(x)
    assert be.to(source, be.dtype) is source
    assert be.to(source, be.device) is source
    copied = be.to(source, be.dtype, copy=True)
    assert copied is not source
    assert not be.shares_memory(copied, source)
    be.same(copied, source)
    for dtype in order:
        be.same(be.to(source, dtype), x.astype(dtype))
        be.same(source, x.astype(be.dtype))


@claim("DEV-54", about="to", needs="devices backward", level="contract")
@example(x=np.ones(2), w=np.full(2, 3.0), dtype="float64")
@given(x=arrays(), w=arrays(), dtype=sampled_from(["float32", "float64"]))
def test_conversion_is_recorded(be, x, w, dtype):
    """Conversion to another dtype is recorded: its result is no leaf, and the gradient arrives at
    the source, in the dtype of the source.
    """
    leaf = be.leaf(x)
    converted = be.to(leaf, dtype)
    assert be.is_leaf(converted) == (dtype == be.dtype)
    be.backward(be.sum(converted * converted * be.to(be.tensor(w), dtype)))
    be.check(be.grad(leaf), 2 * w * x)


@claim("DEV-02", about="to", needs="devices backward", device="cuda")
@given(x=arrays())
def test_transfer_is_out_of_place(be, x):
    """Transfer makes a new tensor of the same values on the other device, and leaves its source
    where it was; the copy of a leaf that requires grad is no leaf.
    """
    source = be.leaf(x, "cpu")
    there = be.to(source, be.device)
    assert (be.device_of(source), be.device_of(there)) == ("cpu", be.device)
    assert (be.is_leaf(source), be.is_leaf(there)) == (True, False)
    assert be.to(there, be.device) is there
    be.check(there, x)
    be.check(source, x)


@claim("DEV-05", about="to", needs="devices backward", device="cuda")
@given(x=arrays(), v=arrays(), w=arrays())
def test_gradients_cross_transfers(be, x, v, w):
    """The gradient of what was computed on another device arrives at the leaf, on the leaf's own
    device, and adds to what was computed there.
    """
    leaf = be.leaf(x, "cpu")
    there = be.to(leaf, be.device)
    be.backward(there * there, w)
    be.backward(leaf * leaf, be.tensor(v, "cpu"))
    be.check(be.grad(leaf), Total.of(2 * w * x, 2 * v * x))
    assert be.device_of(be.grad(leaf)) == "cpu"


@claim("DEV-61", about="to", needs="devices numpy_interop", level="contract", device="cuda")
@example(x=np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45, 1 / 3]))
@given(x=arrays())
def test_the_way_back_is_exact(be, x):
    """Brought to the device and back, a tensor has the same values, dtype and strides: of floats,
    complex numbers, signed integers, bytes and truth values. Only on the host is it handed out to
    numpy.
    """
    for dtype in (*FLOATS, "complex64", "complex128", *INTEGERS, "bool"):
        source = be.to(
            be.tensor(x if dtype in FLOATS else np.nan_to_num(x, posinf=7, neginf=-7), "cpu"), dtype
        )
        there = be.to(source, be.device)
        with be.raises(ErrorKind.DEVICE):
            be.to_numpy(there)
        back = be.to(there, "cpu")
        be.same(back, source, dtype)
        assert (be.dtype_of(back), be.device_of(there)) == (dtype, be.device)
        assert be.to(back, "cpu") is back


@claim("DEV-62", about="pin", needs="devices", level="contract", device="cuda")
@given(x=arrays(layouts=DENSE, min_size=1))
def test_pinned_memory_changes_no_value(be, x):
    """A tensor on the host is copied to pinned memory on request: it says so, its source does not,
    and neither its values nor those of a copy made from it without waiting are changed.
    """
    source = be.tensor(x, "cpu")
    pinned = be.pin(source)
    assert (be.is_pinned(pinned), be.is_pinned(source)) == (True, False)
    there = be.to(pinned, be.device, non_blocking=True)
    be.synchronize(be.device)
    be.check(pinned, x)
    be.check(there, x)


@claim("DEV-101", about="loader", needs="devices datasets torch", level="contract")
@given(x=arrays(layouts=DENSE, min_dims=1, min_size=1), size=integers(1, 3))
def test_memory_is_pinned_where_a_gpu_is(be, x, size):
    """A loader asked for pinned memory gives the same batches, pinned if there is a GPU. Where
    there is no accelerator it warns and pins nothing, and to pin a tensor is refused.
    """
    source = [be.tensor(row, "cpu") for row in x]
    gpu, accelerator = "cuda" in be.devices(), be.lookup("torch.accelerator:is_available")()
    options = {"batch_size": size, "generator": be.generator(0)}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        batches = list(be.loader(source, pin_memory=True, **options))
    assert any("no accelerator is found" in str(each.message) for each in told) is not accelerator
    for k, got in enumerate(batches):
        be.same(got, x[k * size : (k + 1) * size].astype(be.dtype))
        assert be.is_pinned(got) is gpu
    if gpu:
        be.check(be.pin(source[0]), x[0])
    if not accelerator:
        with be.raises(ErrorKind.DEVICE):
            be.pin(source[0])


# ---- how exact a device computes -----------------------------------------------------------------


@claim("DEV-102", about="matmul", needs="vjp", level="contract")
@example(seed=0)
def test_products_have_the_accuracy_of_their_dtype(be, seed):
    """Products of matrices whose entries have all the digits of their dtype are as exact as sums of
    products rounded to that dtype, and so are their gradients; no digit is left out to be faster.
    """
    x, y, w = full_numbers(be, seed, (16, 32), (32, 16), (16, 16))
    with settings_told(be):
        value, pull = be.vjp(be.matmul, x, y)
        be.check(value, Total.matmul(x, y))
        for gradient, sides in zip(pull(w), ((w, y.T), (x.T, w)), strict=True):
            be.check(gradient, Total.matmul(*sides), "the gradient")


@claim("DEV-103", about="conv2d", needs="vjp conv2d", level="contract")
@example(seed=0)
def test_convolutions_have_the_accuracy_of_their_dtype(be, seed):
    """Convolutions of such images with such kernels are as exact as sums of products rounded to
    their dtype, and so are their gradients.
    """
    x, k, w = full_numbers(be, seed, (2, 8, 6, 6), (8, 8, 3, 3), (2, 8, 4, 4))
    with settings_told(be):
        value, pull = be.vjp(be.conv2d, x, k)
        be.check(value, Total.products(layers.conv2d, x, k, np.zeros(8)))
        into_images, into_kernels = pull(w)
        be.check(into_images, Total.products(layers.conv2d_input_gradient, x, k, w))
        be.check(into_kernels, Total.products(layers.conv2d_weight_gradient, x, k, w))


# ---- layers move in place ------------------------------------------------------------------------


@claim("DEV-55", about="to", needs="devices nn backward", level="contract")
@given(x=arrays(shape=(4, 3)), w=arrays(shape=(4, 2)), dtype=sampled_from(["float16", "float64"]))
def test_a_layer_is_converted_in_place(be, x, w, dtype):
    """A layer brought to a dtype of floats is returned itself: each parameter of its tree stays the
    same object, and is converted together with its gradient and with every buffer of floats;
    buffers of integers and tensors kept as plain attributes are left alone.
    """
    deep = be.layer("Sequential", be.layer("BatchNorm1d", 2))
    net = be.layer("Sequential", be.layer("Linear", 3, 2), deep)
    net.register_buffer("scratch", be.tensor(x), persistent=False)
    deep.plain, deep.listed = be.tensor(x), [be.tensor(x)]
    be.backward(net(be.tensor(x)), be.tensor(w))
    parameters, values = list(net.parameters()), [be.numpy(p) for p in net.parameters()]
    gradients = [be.numpy(be.grad(p)) for p in parameters]
    with be.raises(ErrorKind.DTYPE):
        be.to(net, "int64")
    assert be.to(net, dtype) is net
    for new, old, value, gradient in zip(
        net.parameters(), parameters, values, gradients, strict=True
    ):
        assert new is old
        be.same(new, value.astype(dtype))
        be.same(be.grad(new), gradient.astype(dtype))
    kinds = {name: be.dtype_of(buffer) for name, buffer in net.named_buffers()}
    assert kinds.pop("1.0.num_batches_tracked") == "int64"
    assert list(kinds.values()) == [dtype] * 3
    assert be.dtype_of(deep.plain) == be.dtype_of(deep.listed[0]) == be.dtype


@claim("DEV-03", about="to", needs="devices nn", level="contract", device="cuda")
@given(w=arrays(shape=(2, 3)), b=arrays(shape=(2,)))
def test_a_layer_is_transferred_in_place(be, w, b):
    """A layer brought to another device is returned itself, with its parameters, the same objects
    as before, and its buffers there: nothing is to be assigned, and optimizers stay valid.
    """
    linear = fill(be, be.layer("Linear", 3, 2), w, b)
    net = be.layer("Sequential", linear, be.layer("BatchNorm1d", 2))
    parameters = list(net.parameters())
    for device in ("cpu", be.device):
        assert be.to(net, device) is net
        assert all(p is q for p, q in zip(net.parameters(), parameters, strict=True))
        assert {be.device_of(x) for x in (*net.parameters(), *net.buffers())} == {device}
        be.check(linear.weight, w)
        be.check(linear.bias, b)


@claim("DEV-59", about="to", needs="devices nn torch", level="contract")
@given(x=arrays(shape=(4, 3)), y=arrays(shape=(4, 3)))
def test_a_loss_moves_if_it_holds_tensors(be, x, y):
    """A loss without weights holds no tensor, so moving it changes nothing; the weights of classes
    are a buffer, which moves with the loss, which then refuses data left behind.
    """
    plain = be.layer("MSELoss")
    weighted = be.layer("CrossEntropyLoss", be.tensor(np.ones(3)))
    assert [*plain.parameters(), *plain.buffers()] == []
    assert [name for name, _ in weighted.named_buffers()] == ["weight"]
    be.to(plain, "meta")
    away = Jet.exact(x) - y
    be.check(plain(be.tensor(x), be.tensor(y)), (away * away).mean())
    be.to(weighted, "meta")
    with be.raises(ErrorKind.DEVICE):
        weighted(be.tensor(x), be.tensor(np.zeros(4, int)))


# ---- what is not to be mixed ---------------------------------------------------------------------


@claim("DEV-04", about="to", needs="devices nn torch", level="contract")
@given(x=arrays(min_dims=1), scalar=arrays(shape=()))
def test_shapes_alone_do_not_mix_with_values(be, x, scalar):
    """A tensor on the device meta, which keeps shapes only, is refused in a sum or a layer beside
    one that holds values, unless that is a single number on the host.
    """
    here, shape = be.tensor(x), be.to(be.tensor(x), "meta")
    for left, right in ((here, shape), (shape, here)):
        with be.raises(ErrorKind.DEVICE):
            be.add(left, right)
    with be.raises(ErrorKind.DEVICE):
        be.to(be.layer("Linear", 3, 2), "meta")(be.tensor(np.ones((2, 3))))
    assert be.device_of(be.add(shape, be.tensor(scalar, "cpu"))) == "meta"


@claim("DEV-56", about="add", needs="devices nn", level="contract", device="cuda")
@given(x=arrays(min_dims=1), scalar=arrays(shape=()))
def test_devices_do_not_mix(be, x, scalar):
    """Tensors on different devices are refused as terms of one sum, and data on another device by
    a layer; a single number on the host joins tensors anywhere.
    """
    here, there = be.tensor(x, "cpu"), be.tensor(x)
    for left, right in ((here, there), (there, here)):
        with be.raises(ErrorKind.DEVICE):
            be.add(left, right)
    with be.raises(ErrorKind.DEVICE):
        be.layer("Linear", 3, 2)(be.tensor(np.ones((2, 3)), "cpu"))
    total = be.add(there, be.tensor(scalar, "cpu"))
    assert be.device_of(total) == be.device
    be.check(total, Total.of(x, scalar))
