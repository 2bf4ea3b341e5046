"""Dtypes and defaults: what a tensor is when little is said."""

import math
import warnings
from itertools import product

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, Total, claim, every, example, given
from gradspec.conformance.strategies import NONZERO, arrays, sampled_from
from gradspec.conformance.strategies.factories import (
    ALIASES,
    COMPLEX,
    DISCRETE,
    FACTORIES,
    FLOATING,
    MADE,
    RANDOM,
    always_told,
    follows,
)
from gradspec.conformance.strategies.interchange import carried
from gradspec.conformance.strategies.numbers import DTYPES, INTEGERS, entries, sizes
from gradspec.conformance.truth.oracles.jets import Jet

SMOOTH = "exp log sin cos tanh sqrt sigmoid"
"""Functions that make floats of integers."""

NO_WORKLOAD = "what a tensor is when little is said takes no time that grows with it"


# ---- dtypes --------------------------------------------------------------------------------------


@claim(
    "TEN-54",
    about=FACTORIES,
    needs=f"{FACTORIES} Tensor random rand randn normal torch",
    level="contract",
)
@example(defaults=("float64", "float16", "bfloat16", "float32"))
def test_floats_take_the_default_dtype(be, defaults):
    """Without a dtype every factory, Tensor and what draws included, makes floats of the default
    dtype, whichever floating dtype that is, and so does what makes floats of integers, while
    integers stay int64 and bools bool; of float32 or float64 complex numbers are made as well. No
    other dtype can be the default.
    """
    for default in defaults:
        with be.defaults(dtype=default), be.fork_random():
            for name, arguments in (FLOATING | RANDOM).items():
                assert be.dtype_of(getattr(be, name)(*arguments)) == default, name
            assert be.dtype_of(be.Tensor(2)) == be.dtype_of(be.Tensor([1, 2])) == default
            for name, arguments in DISCRETE.items():
                assert be.dtype_of(getattr(be, name)(*arguments)) == "int64"
            assert be.dtype_of(be.from_data([True])) == "bool"
            whole = be.from_data([1, 2])
            smooth = [getattr(be, name)(whole) for name in SMOOTH.split()]
            for made in (whole / whole, whole / 2, whole * 0.5, whole**0.5, *smooth):
                assert be.dtype_of(made) == default
            if default in ("float32", "float64"):
                wide = np.result_type(default, np.complex64)
                for name, arguments in COMPLEX.items():
                    assert be.dtype_of(getattr(be, name)(*arguments)) == wide
                assert be.dtype_of(whole * 1j) == wide
    assert be.dtype_of(be.zeros(2)) == "float32"
    for wrong in (*INTEGERS, "uint8", "bool", "complex64"):
        with be.raises(ErrorKind.DTYPE), be.defaults(dtype=wrong):
            pass


@claim("TEN-86", about="zeros", needs="zeros torch", level="contract")
@example(aliases=ALIASES)
def test_a_dtype_of_two_names_is_one_object(be, aliases):
    """float, double, half, short, int, long, cfloat and cdouble are second names of the very
    objects float32, float64, float16, int16, int32, int64, complex64 and complex128.
    """
    for alias, name in aliases.items():
        by_alias, by_name = be.zeros(2, dtype=alias), be.zeros(2, dtype=name)
        assert by_alias.dtype is by_name.dtype
        be.same(by_alias, np.zeros(2, name))


@claim("TEN-102", about="to", needs="devices", level="contract")
@example(dtypes=DTYPES)
def test_casts_cut_wrap_and_round(be, dtypes):
    """A cast to integers cuts a number that they can hold towards zero, and between integers keeps
    the lowest bits; to bool it asks whether the entry is not zero; to floats it takes the nearest
    number, and to real ones the real part. A cast to its own dtype is the tensor itself.
    """
    for own, other in product(dtypes, dtypes):
        kind, values = np.dtype(other).kind, entries(own)
        if np.dtype(own).kind in "fc" and kind in "iu":
            values = values[np.isfinite(values) & ((values.real > -1) | (kind == "i"))]
        tensor = be.backend.tensor(values, own, be.device)
        with warnings.catch_warnings(action="ignore"):
            cast, want = be.to(tensor, other), values.astype(other)
        assert be.dtype_of(cast) == other
        be.same(cast, want)
        assert (cast is tensor) == (own == other)


@claim("TEN-103", about="to", needs="devices backward", level="contract")
@given(x=arrays(), w=arrays())
def test_gradients_go_through_casts(be, x, w):
    """A cast from one floating dtype to another passes the gradient back in the dtype of its
    source, however large or small that is in both; a cast to integers or bools is a constant.
    """
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        leaf = be.leaf(x)
        be.backward(be.to(leaf, dtype), be.to(be.tensor(w), dtype))
        be.check(be.grad(leaf), w)
        for size in (1.0,) if dtype == "float16" else (2.0**60, 2.0**-60):
            leaf = be.leaf(x)
            be.backward(be.to(be.to(leaf, dtype), be.dtype), be.tensor(size * w))
            be.check(be.grad(leaf), size * w, f"gradient by way of {dtype}")
    for dtype in ("int64", "int8", "bool"):
        assert not be.requires_grad(be.to(be.leaf(x), dtype))


@claim(
    "TEN-75",
    about="full full_like",
    needs="full full_like new_full zeros",
    level="contract",
)
@given(sizes=sizes())
def test_full_takes_its_dtype_from_the_value(be, sizes):
    """full holds one value everywhere, in the dtype of that kind of number unless another one is
    given; full_like and new_full cast the value to the dtype of their model. A number above an
    integer dtype, or below a signed one, is refused; below zero it wraps in an unsigned one.
    """
    kinds = {bool: "bool", int: "int64", float: "float32", complex: "complex64"}
    for value in (2.5, 3, True, 1.5j, -4, False, -0.5):
        be.same(be.full(sizes, value), np.full(sizes, value, kinds[type(value)]))
    for value, dtype in product((2.5, 3, True, -4, -0.5), ("int64", "int8", "float16", "bool")):
        model, want = be.zeros(sizes, dtype=dtype), np.full(sizes, value).astype(dtype)
        be.same(be.full(sizes, value, dtype=dtype), want)
        be.same(be.full_like(model, value), want)
        be.same(be.new_full(model, sizes, value), want)
    for dtype in (*INTEGERS, "uint8"):
        model, limits = be.zeros(2, dtype=dtype), np.iinfo(dtype)
        below = limits.min - 1 if limits.min else -limits.max - 1
        for wrong in (limits.max + 1, below, 1e30, math.nan):
            for fill in (
                lambda dtype=dtype, wrong=wrong: be.full((2,), wrong, dtype=dtype),
                lambda model=model, wrong=wrong: be.full_like(model, wrong),
                lambda model=model, wrong=wrong: be.new_full(model, (2,), wrong),
            ):
                with be.raises(ErrorKind.OVERFLOW):
                    fill()
    be.same(be.full((1,), -1, dtype="uint8"), np.array([255], np.uint8))


@claim(
    "TEN-71",
    about="zeros ones full eye empty",
    needs=f"{' '.join(MADE)} random backward",
    level="contract",
)
@example(factories=MADE)
def test_only_floating_dtypes_are_made_to_require_grad(be, factories):
    """Every factory makes a tensor that does not require grad; told requires_grad as well, a leaf
    that does if its dtype is floating or complex, and else it refuses.
    """
    with be.fork_random():
        for kinds, make in factories.values():
            for dtype in (each for each in DTYPES if np.dtype(each).kind in kinds):
                assert not be.requires_grad(make(be, dtype=dtype))
                if np.dtype(dtype).kind in "fc":
                    made = make(be, dtype=dtype, requires_grad=True)
                    assert be.requires_grad(made)
                    assert be.is_leaf(made)
                else:
                    with be.raises(ErrorKind.INTEGER_REQUIRES_GRAD):
                        make(be, dtype=dtype, requires_grad=True)


@claim(
    "TEN-58",
    about="zeros_like ones_like full_like empty_like rand_like",
    needs="""
    backward views devices random zeros_like ones_like full_like empty_like rand_like empty torch
    """,
    level="contract",
)
@example(array=np.arange(6.0).reshape(2, 3).T, dtype="float32")
@example(array=np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1), dtype="int64")
@example(array=np.arange(12.0).reshape(2, 6)[:, ::2], dtype="bool")
@every(dtype=DTYPES)
@given(
    array=carried(min_size=1),
)
def test_likes_take_form_and_dtype_of_their_model(be, array, dtype):
    """zeros_like, ones_like, full_like, empty_like and rand_like take shape, dtype and device of
    their model, the dtype unless told otherwise, but neither its memory nor its need for a
    gradient. Their memory has no gaps, and the strides of the model if that has none.
    """
    floating = array.dtype.kind == "f"
    model = be.leaf(array) if floating else be.tensor(array)
    own, far = be.dtype_of(model), be.empty(2, device="meta")
    likes = [(be.zeros_like, 0), (be.ones_like, 1), (lambda x, **o: be.full_like(x, 1, **o), 1)]
    for like, value in likes:
        be.same(like(model), np.full(array.shape, value, own))
        be.same(like(model, dtype=dtype), np.full(array.shape, value, dtype))
    drawing = [be.rand_like] if floating else []
    with be.fork_random():
        for like in (*(like for like, _ in likes), be.empty_like, *drawing):
            made = like(model)
            assert (be.numpy(made).shape, be.dtype_of(made)) == (array.shape, own)
            assert follows(be.strides(made), be.strides(model), array.shape)
            assert not be.shares_memory(made, model)
            assert not be.requires_grad(made)
            other = "float16" if like is be.rand_like else dtype
            assert be.dtype_of(like(model, dtype=other)) == other
            assert [be.device_of(like(each)) for each in (made, far)] == [be.device, "meta"]


# ---- attributes, device and layout ---------------------------------------------------------------


@claim("TEN-69", about=FACTORIES, needs=f"{FACTORIES} views torch", level="contract")
@given(x=arrays(min_size=1))
def test_fresh_tensors_have_no_past(be, x):
    """A tensor has data, dtype, shape, device, grad, grad_fn, is_leaf and requires_grad; on one
    just made grad and grad_fn are None, it is a leaf and does not require grad.
    """
    fresh = [getattr(be, name)(*arguments) for name, arguments in FLOATING.items()]
    for made in (be.from_data(x), be.tensor(x), *fresh):
        assert made.grad is made.grad_fn is None
        assert (made.is_leaf, made.requires_grad) == (True, False)
        assert be.shares_memory(made.data, made)
        assert made.device.type == be.device
        assert str(made.dtype) == f"torch.{be.dtype_of(made)}"
        assert made.shape == be.numpy(made).shape


@claim("TEN-72", about=FACTORIES, needs=f"{FACTORIES} torch", level="contract")
@example(factories=FLOATING, setter="torch:set_default_tensor_type")
def test_factories_obey_the_default_device(be, factories, setter):
    """A factory told no device uses the default one, which is the CPU unless set; a device that it
    is told wins. set_default_tensor_type sets the default dtype still, and warns of its age.
    """
    for name, arguments in factories.items():
        make = getattr(be, name)
        assert make(*arguments, device=None).device.type == "cpu"
        with be.defaults(device="meta"):
            assert make(*arguments, device=None).device.type == "meta"
            assert make(*arguments, device="cpu").device.type == "cpu"
        assert make(*arguments, device=None).device.type == "cpu"
    with be.defaults(), always_told(be):
        with pytest.warns(UserWarning, match="deprecated"):
            be.lookup(setter)("torch.DoubleTensor")
        assert be.dtype_of(be.zeros(2)) == "float64"


@claim("TEN-73", about="zeros", needs="zeros torch", level="contract")
@every(dtype=DTYPES)
@given(
    sizes=sizes(),
)
def test_sparse_zeros_are_zeros(be, sizes, dtype):
    """zeros are laid out in strides unless told otherwise; in the sparse layout they store no entry
    and are, made dense, the same.
    """
    dense, sparse = be.zeros(sizes, dtype=dtype), be.zeros(sizes, dtype=dtype, layout="sparse_coo")
    assert [str(z.layout) for z in (dense, sparse)] == ["torch.strided", "torch.sparse_coo"]
    assert sparse.coalesce().values().shape[0] == 0
    assert sparse.shape == sizes
    be.same(sparse.to_dense(), dense)


@claim(
    "TEN-220",
    about="sum prod mean norm cumsum cumprod softmax log_softmax",
    needs="vjp sum prod mean norm cumsum cumprod softmax log_softmax cast torch",
    level="contract",
    widest=True,
)
@given(w=arrays("weights", shape=(3,)))
def test_reductions_are_told_a_dtype(be, w):
    """Told a dtype, a reduction, a running one or a softmax casts its argument before it computes:
    in float64 nothing of float32 is lost on the way, there or back, and the gradient is of float32
    again.
    """
    big, wide = 2.0**30, be.lookup("torch:float64")
    x, near = np.array([big, 1.0, -big]), np.array([0.5, 0.25, -1.0])
    share = np.exp(near) / np.exp(near).sum()
    products = np.array([[1, 0, 0], [1, big, 0], [-big, -big * big, big]])
    shares = np.diag(share) - np.outer(share, share)
    for function, at, want, slopes in (
        (lambda z: be.sum(z, dtype=wide), x, 1.0, np.ones(3)),
        (lambda z: be.mean(z, dtype=wide), x, Jet.exact(1.0) / 3, np.full(3, 1 / 3)),
        (lambda z: be.prod(z, dtype=wide), x, -big * big, products[-1]),
        (lambda z: be.sum(z, 0, True, dtype=wide), x, [1.0], np.ones(3)),
        (lambda z: be.mean(z, 0, True, dtype=wide), x, Jet.exact([1.0]) / 3, np.full(3, 1 / 3)),
        (lambda z: be.prod(z, 0, True, dtype=wide), x, [-big * big], products[-1]),
        (lambda z: be.norm(z, 1, dtype=wide), x, 2 * big + 1, np.sign(x)),
        (lambda z: be.cumsum(z, 0, dtype=wide), x, np.cumsum(x), np.tri(3)),
        (lambda z: be.cumprod(z, 0, dtype=wide), x, np.cumprod(x), products),
        (lambda z: be.softmax(z, 0, dtype=wide), near, Total.of(share, 1.0, -1.0), shares),
        (
            lambda z: be.log_softmax(z, 0, dtype=wide),
            near,
            Total.of(np.log(share), 1.0, -1.0),
            np.eye(3) - share,
        ),
    ):
        source = be.cast(be.leaf(at), "float32")
        value = function(source)
        assert be.dtype_of(value) == "float64"
        be.check(value, want)
        weights = np.resize(w, be.numpy(value).shape)
        (gradient,) = be.gradients(value, [source], be.tensor(weights))
        be.check(
            gradient, Total.matmul(np.atleast_1d(weights), np.atleast_2d(slopes)), dtype="float32"
        )


@claim(
    "TEN-730",
    about="sum prod mean cumsum cumprod",
    needs="complex_numbers backward sum prod mean cumsum cumprod real cast torch",
    level="contract",
)
@example(x=np.array([1.0, 2.0, -0.5]), name="sum")
@given(
    x=arrays("factors", shape=(3,), values=NONZERO),
    name=sampled_from(("sum", "mean", "prod", "cumsum", "cumprod")),
)
def test_reductions_are_told_a_complex_dtype(be, x, name):
    """Told a complex dtype, a reduction of real numbers is that of the same numbers made complex,
    and so is its gradient, which is real.
    """
    axis, found = (0,) if name.startswith("cum") else (), []
    for cast_first in (False, True):
        leaf = be.leaf(x)
        source = be.cast(leaf, "complex128") if cast_first else leaf
        value = getattr(be, name)(source, *axis, dtype=be.lookup("torch:complex128"))
        be.backward(be.sum(be.real(value)))
        found.append((value, be.grad(leaf)))
    (one, its_gradient), (other, gradient) = found
    be.same(one, other)
    be.same(its_gradient, gradient)
