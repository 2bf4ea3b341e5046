"""Dtypes and defaults: what a tensor is when little is said."""

import numpy as np

from gradspec.conformance import ErrorKind, claim, example, given
from gradspec.conformance.strategies import arrays, sampled_from
from gradspec.conformance.strategies.crossing import GAPLESS, carried
from gradspec.conformance.strategies.factories import ALIASES, DISCRETE, FACTORIES, FLOATING
from gradspec.conformance.strategies.numbers import DTYPES, sizes

NO_WORKLOAD = "what a tensor is when little is said takes no time that grows with it"


# ---- dtypes --------------------------------------------------------------------------------------


@claim("TEN-54", about=FACTORIES, needs=f"{FACTORIES} torch", level="contract")
@given(dtype=sampled_from(("float64", "float16", "bfloat16", "float32")))
def test_floats_take_the_default_dtype(be, dtype):
    """Without a dtype every factory makes floats of the default dtype, whichever floating dtype
    that is, while integers stay int64 and bools bool; no other dtype can be the default.
    """
    with be.defaults(dtype=dtype):
        for name, arguments in FLOATING.items():
            assert be.dtype_of(getattr(be, name)(*arguments)) == dtype
        for name, arguments in DISCRETE.items():
            assert be.dtype_of(getattr(be, name)(*arguments)) == "int64"
        assert be.dtype_of(be.from_data([True])) == "bool"
    assert be.dtype_of(be.zeros(2)) == "float32"
    with be.raises(ErrorKind.DTYPE), be.defaults(dtype="int64"):
        pass


@claim("TEN-86", about="zeros", needs="zeros torch", level="contract")
@given(alias=sampled_from(sorted(ALIASES)))
def test_a_dtype_of_two_names_is_one_object(be, alias):
    """float, double, half, short, int, long, cfloat and cdouble are second names of the very
    objects float32, float64, float16, int16, int32, int64, complex64 and complex128.
    """
    by_alias, by_name = be.zeros(2, dtype=alias), be.zeros(2, dtype=ALIASES[alias])
    assert by_alias.dtype is by_name.dtype
    assert be.dtype_of(by_alias) == ALIASES[alias]
    be.same(by_alias, np.zeros(2, ALIASES[alias]))


@claim("TEN-75", about="full full_like", needs="full full_like", level="contract")
@example(sizes=(2, 3), value=3.141592, dtype="float32")
@example(sizes=(2,), value=3, dtype="float64")
@given(
    sizes=sizes(),
    value=sampled_from((2.5, 3, True, 1.5j, -4, False, -0.5)),
    dtype=sampled_from(("int64", "int8", "float16", "float64", "complex64")),
)
def test_full_takes_its_dtype_from_the_value(be, sizes, value, dtype):
    """full holds one value everywhere, in the dtype of that kind of number unless another one is
    given; full_like casts the value to the dtype of its model. Neither wraps a value out of range.
    """
    kind = {bool: "bool", int: "int64", float: "float32", complex: "complex64"}[type(value)]
    be.same(be.full(sizes, value), np.full(sizes, value, kind))
    model, real = be.full(sizes, 1, dtype=dtype), value.real
    be.same(be.full(sizes, real, dtype=dtype), np.full(sizes, real).astype(dtype))
    be.same(be.full_like(model, real), np.full(sizes, real).astype(dtype))
    with be.raises(ErrorKind.OVERFLOW):
        be.full((1,), 300, dtype="uint8")
    with be.raises(ErrorKind.OVERFLOW):
        be.full_like(be.full((1,), 3), 300, dtype="uint8")


@claim("TEN-71", about="zeros ones full eye empty", needs=f"{FACTORIES} backward", level="contract")
@given(
    sizes=sizes(),
    name=sampled_from(("zeros", "ones", "empty", "eye")),
    dtype=sampled_from(DTYPES),
)
def test_only_floating_dtypes_are_made_to_require_grad(be, sizes, name, dtype):
    """A factory told a dtype makes a tensor that does not require grad; told requires_grad as well,
    it makes a leaf that does if the dtype is floating or complex, and else refuses.
    """
    make, arguments = getattr(be, name), (3,) if name == "eye" else (sizes,)
    assert not be.requires_grad(make(*arguments, dtype=dtype))
    assert not be.requires_grad(be.from_data([1, 0], dtype=dtype))
    if np.dtype(dtype).kind in "fc":
        assert be.requires_grad(make(*arguments, dtype=dtype, requires_grad=True))
        assert be.requires_grad(be.from_data([1, 0], dtype=dtype, requires_grad=True))
    else:
        with be.raises(ErrorKind.INTEGER_REQUIRES_GRAD):
            make(*arguments, dtype=dtype, requires_grad=True)
        with be.raises(ErrorKind.INTEGER_REQUIRES_GRAD):
            be.from_data([1, 0], dtype=dtype, requires_grad=True)


@claim(
    "TEN-58",
    about="zeros_like ones_like full_like empty_like",
    needs="backward views expand zeros_like ones_like full_like empty_like",
)
@example(array=np.array([[1.0, -1.0], [1.0, -1.0]]), dtype="float32")
@given(array=carried(layouts=GAPLESS, min_size=1), dtype=sampled_from(DTYPES))
def test_likes_take_form_and_dtype_of_their_model(be, array, dtype):
    """zeros_like, ones_like, full_like and empty_like take the shape, strides and dtype of their
    model, the dtype unless told otherwise, but neither its memory nor its need for a gradient; what
    was repeated by strides of 0 has entries of its own.
    """
    model = be.leaf(array) if array.dtype.kind == "f" else be.tensor(array)
    own = be.dtype_of(model)
    made = [be.zeros_like(model), be.ones_like(model), be.full_like(model, 1), be.empty_like(model)]
    for each, value in zip(made, (0, 1, 1), strict=False):
        be.same(each, np.full(array.shape, value, own))
    for each in made:
        assert be.numpy(each).shape == array.shape
        assert be.dtype_of(each) == own
        assert be.strides(each) == be.strides(model)
        assert not be.shares_memory(each, model)
        assert not be.requires_grad(each)
    be.same(be.ones_like(model, dtype=dtype), np.ones(array.shape, dtype))
    assert be.strides(be.zeros_like(be.expand(model, 2, *array.shape)))[0] > 0


# ---- attributes, device and layout ---------------------------------------------------------------


@claim("TEN-69", about=FACTORIES, needs=f"{FACTORIES} views torch", level="contract")
@given(x=arrays(min_size=1), name=sampled_from(tuple(FLOATING)))
def test_fresh_tensors_have_no_past(be, x, name):
    """A tensor has data, dtype, shape, device, grad, grad_fn, is_leaf and requires_grad; on one
    just made grad and grad_fn are None, it is a leaf and does not require grad.
    """
    for made in (be.from_data(x), getattr(be, name)(*FLOATING[name]), be.tensor(x)):
        assert (made.grad, made.grad_fn, made.is_leaf, made.requires_grad) == (
            None, None, True, False,
        )  # fmt: skip
        assert be.shares_memory(made.data, made)
        assert made.device.type == be.device
        assert str(made.dtype) == f"torch.{be.dtype_of(made)}"
        assert made.shape == be.numpy(made).shape


@claim("TEN-72", about=FACTORIES, needs=f"{FACTORIES} torch", level="contract")
@given(name=sampled_from(tuple(FLOATING)))
def test_factories_obey_the_default_device(be, name):
    """A factory told no device uses the default one, which is the CPU unless set; a device that it
    is told wins.
    """
    make, arguments = getattr(be, name), FLOATING[name]
    assert make(*arguments, device=None).device.type == "cpu"
    with be.defaults(device="meta"):
        assert make(*arguments, device=None).device.type == "meta"
        assert make(*arguments, device="cpu").device.type == "cpu"
    assert make(*arguments, device=None).device.type == "cpu"


@claim("TEN-73", about="zeros", needs="zeros torch", level="contract")
@given(sizes=sizes(), dtype=sampled_from(DTYPES))
def test_sparse_zeros_are_zeros(be, sizes, dtype):
    """zeros are laid out in strides unless told otherwise; in the sparse layout they store no entry
    and are, made dense, the same.
    """
    dense, sparse = be.zeros(sizes, dtype=dtype), be.zeros(sizes, dtype=dtype, layout="sparse_coo")
    assert [str(z.layout) for z in (dense, sparse)] == ["torch.strided", "torch.sparse_coo"]
    assert sparse.coalesce().values().shape[0] == 0
    assert sparse.shape == sizes
    be.same(sparse.to_dense(), dense)
