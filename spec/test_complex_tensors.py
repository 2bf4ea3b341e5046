"""Complex tensors: leaves and their gradients, writes, optimizers, views and copies."""

import warnings
from copy import deepcopy

import numpy as np
import pytest

from gradspec.conformance import Total, claim, every, example, given
from gradspec.conformance.strategies import DENSE, NONZERO, arrays, booleans, integers, sampled_from
from gradspec.conformance.strategies.complexes import (
    complex_arrays,
    parts,
)
from gradspec.conformance.strategies.distributions import around
from gradspec.conformance.strategies.files import round_trip
from gradspec.conformance.strategies.optimizers import Descent, descents_by_any_options

NO_WORKLOAD = "what complex tensors cost is timed where they are computed with"


# ---- copies --------------------------------------------------------------------------------------


@claim("CPX-350", about="conj", needs="views conj imag serialize torch", level="contract")
@given(x=arrays(min_size=1), y=arrays(min_size=1))
def test_a_deep_copy_of_a_view_has_its_values(be, x, y):
    """A deep copy of a view that conjugates, negates or does both has the values of the view, on
    memory of its own, and so has what is saved to a file and comes back.
    """
    values = np.asarray((x + 1j * y).astype(np.result_type(be.dtype, np.complex64)))
    conjugate = be.conj(be.tensor(values))
    negative = be.lookup("torch:_neg_view")
    views = {
        "conjugate": (conjugate, values.conj()),
        "imaginary part": (be.imag(conjugate), values.conj().imag),
        "negative": (negative(be.tensor(values)), -values),
        "both": (negative(conjugate), -values.conj()),
    }
    for name, (view, want) in views.items():
        for copy in (deepcopy(view), round_trip(be, view)):
            assert np.array_equal(be.numpy(copy), want), name
            assert not be.shares_memory(copy, view), name


# ---- leaves --------------------------------------------------------------------------------------


@claim("CPX-14", about="backward", needs="complex_numbers backward conventions sum real mul")
@given(z=complex_arrays("z"), w=complex_arrays("z"), times=arrays("one", shape=()))
def test_complex_gradients_accumulate(be, z, w, times):
    """Each backward pass adds a complex gradient, in the leaf's own dtype, to that of a leaf."""
    leaf = be.leaf(z)
    for factor in (1.0, 2.0):
        be.backward(be.mul(leaf, be.tensor(factor * times)), be.written(parts(w)))
    be.check_complex_gradient(be.grad(leaf), Total.of(parts(w * times), parts(2 * w * times)))


@claim(
    "CPX-15",
    about="real imag",
    needs="complex_numbers backward views inplace conventions real imag clone copy_",
)
@given(
    z=complex_arrays("z", layouts=DENSE),
    x=arrays("z", layouts=DENSE),
    w=complex_arrays("z", layouts=DENSE),
)
def test_parts_are_views(be, z, x, w):
    """The real and the imaginary part of a complex tensor are views: what is written to one is in
    the number, and what was written receives that part of the gradient, as a real one.
    """
    for name, kept, share in (("real", 1j * z.imag, w.real), ("imag", z.real, w.imag)):
        leaf, other = be.leaf(z), be.leaf(x)
        number = be.clone(leaf)
        part = getattr(be, name)(number)
        assert be.shares_memory(part, number) or not z.size
        be.copy_(part, other)
        be.check_complex(number, parts(kept + (x if name == "real" else 1j * x)))
        be.backward(number, be.written(parts(w)))
        rest = parts(1j * w.imag if name == "real" else w.real + 0j)
        be.check_complex_gradient(be.grad(leaf), Total.of(rest))
        be.check(be.grad(other), share, f"gradient of the {name} part")


@claim("CPX-520", about="angle", needs="vjp angle torch", level="contract")
@given(x=arrays("row", shape=(4,)), at=integers(0, 3), far=sampled_from([np.nan, np.inf, -np.inf]))
def test_real_numbers_have_angles(be, x, at, far):
    """The angle of a real number is pi if it lies below zero, nan if it is none, and zero else; its
    gradient is zero.
    """
    be.check(be.vjp(be.angle, x)[1](np.ones(4))[0], np.zeros(4))
    row = np.where(np.arange(4) == at, far, x)
    be.check(be.angle(be.tensor(row)), np.where(np.isnan(row), np.nan, np.pi * (row < 0)))


@claim(
    "CPX-16",
    about="mul_ div_",
    needs="complex_numbers backward inplace conventions clone mul_ div_",
)
@given(
    z=complex_arrays("z", layouts=DENSE),
    y=complex_arrays("z", layouts=DENSE, values=NONZERO),
    w=complex_arrays("z", layouts=DENSE),
)
def test_complex_writes_are_differentiated(be, z, y, w):
    """A complex tensor that is multiplied or divided in place passes on the gradients of the
    product or of the quotient.
    """
    for name, factor, slope in (("mul_", y, z), ("div_", 1 / y, -z / (y * y))):
        leaf, other = be.leaf(z), be.leaf(y)
        number = getattr(be, name)(be.clone(leaf), other)
        be.backward(number, be.written(parts(w)))
        for found, true in ((leaf, factor), (other, slope)):
            size = parts((1 + 1j) * np.abs(w * true))
            total = Total(parts(w * true.conj()), size, 2, error_bound=1e-15 * size)
            be.check_complex_gradient(be.grad(found), total)


@claim(
    "CPX-724",
    about="copy_",
    needs="complex_numbers gradients inplace conventions copy_ torch",
    level="contract",
)
@given(z=complex_arrays("z", layouts=DENSE), w=complex_arrays("z", layouts=DENSE))
def test_copies_between_real_and_complex_take_the_real_part(be, z, w):
    """A complex tensor that is copied into a real one leaves its real part there, which has its
    gradient; a real one is copied as numbers without imaginary part, and has a real gradient.
    """
    x, v = z.real.copy(), w.real.copy()
    leaf, real = be.leaf(z), be.leaf(x)
    with warnings.catch_warnings():  # PyTorch says so, once in a process.
        warnings.filterwarnings("ignore", "Casting complex values to real")
        receiver = be.copy_(be.tensor(np.zeros(z.shape)), leaf)
    be.check(receiver, x)
    be.check_complex_gradient(*be.gradients(receiver, [leaf], v), Total.of(parts(v + 0j)))
    number = be.copy_(be.tensor(0j * z), real)
    be.check_complex(number, Total.of(parts(x + 0j)))
    be.check(*be.gradients(number, [real], be.written(parts(w))), v)


@claim(
    "CPX-17",
    about="optimizer",
    needs="complex_numbers optim grad_assign detach view_as_real torch",
    level="contract",
)
@example(
    name="Adam",
    z=np.array([1 + 1j]),
    g=np.array([3 + 4j]),
    walk=Descent("AdamW", np.zeros(3), [], {"amsgrad": True}),
)
@every(name=["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam"])
@given(
    z=complex_arrays("z", layouts=DENSE),
    g=complex_arrays("z", layouts=DENSE),
    walk=descents_by_any_options(),
)
def test_optimizers_move_complex_parameters_as_their_parts(be, name, z, g, walk):
    """An optimizer moves a complex parameter as it moves the pair of its parts along the pair of
    derivatives by them: bit by bit, or by other options than the usual to a few roundings.
    """
    size = np.abs(parts(z)) + 4 * np.abs(parts(g))
    for told, options in ((name, {}), (walk.name, walk.options)):
        leaf, pair = be.leaf(z), be.leaf(parts(z))
        steppers = [be.optimizer(told, [each], **{**options, "lr": 0.5}) for each in (leaf, pair)]
        for factor in (1.0, -2.0, 0.5):
            be.set_grad(leaf, be.tensor(factor * g))
            be.set_grad(pair, be.tensor(factor * parts(g)))
            for each in steppers:
                each.step()
            found, where = be.view_as_real(be.detach(leaf)), f"after a step of {told}, {options}"
            if options:
                be.check(found, around(be.numpy(pair), size), where)
            else:
                be.same(found, pair, where)


@claim("CPX-18", about="layer", needs="complex_numbers nn backward data conventions torch")
@given(
    x=complex_arrays("rows", shape=(2, 3)),
    weight=complex_arrays("weight", shape=(2, 3)),
    bias=complex_arrays("bias", shape=(2,)),
    w=complex_arrays("cotangent", shape=(2, 2)),
)
def test_layers_with_complex_parameters(be, x, weight, bias, w):
    """A linear layer with complex parameters computes with them, and leaves each of them the
    gradient of a complex product or sum.
    """
    layer, inputs = be.complex_layer("Linear", 3, 2), be.leaf(x)
    for each, value in zip(layer.parameters(), (weight, bias), strict=True):
        be.set_data(each, be.tensor(value))
    result = layer(inputs)
    size = np.abs(x) @ np.abs(weight.T) + np.abs(bias)
    be.check_complex(result, Total(parts(x @ weight.T + bias), parts((1 + 1j) * size), 8))
    be.backward(result, be.written(parts(w)))
    true = (w.T @ x.conj(), w.sum(0), w @ weight.conj())
    sizes = (np.abs(w.T) @ np.abs(x), np.abs(w).sum(0), np.abs(w) @ np.abs(weight))
    for each, value, bound in zip((*layer.parameters(), inputs), true, sizes, strict=True):
        total = Total(parts(value), parts((1 + 1j) * bound), 8)
        be.check_complex_gradient(be.grad(each), total)


# ---- views ---------------------------------------------------------------------------------------


@claim(
    "CPX-320",
    about="conj",
    needs="complex_numbers views detach conj clone real imag torch",
    level="contract",
)
@given(z=complex_arrays("z", layouts=DENSE), x=arrays("z", layouts=DENSE))
def test_conjugates_are_made_late(be, z, x):
    """conj returns a view that is_conj until it is conjugated again, as are its own views, but no
    copy of it: resolve_conj copies it, and returns what is no conjugate as it is, as conj does a
    real tensor. The imaginary part of a conjugate is_neg in the same way.
    """
    number, real = be.tensor(z), be.tensor(x)
    turned = be.conj(number)
    for view in (turned, turned[...], be.detach(turned), be.conj(be.conj(turned))):
        assert view.is_conj()
        assert be.shares_memory(view, number) or not z.size
        be.same(view, np.asarray(z.conj()).astype(be.complex_dtype))
    for plain in (number, be.conj(turned), be.clone(turned), be.mul(turned, 1), be.real(turned)):
        assert not plain.is_conj()
    resolved = turned.resolve_conj()
    assert not resolved.is_conj()
    assert not be.shares_memory(resolved, number)
    be.same(resolved, turned)
    assert number.resolve_conj() is number
    assert be.conj(real) is real
    negative = be.imag(turned)
    assert negative.is_neg()
    assert not be.clone(negative).is_neg()
    assert not be.shares_memory(negative.resolve_neg(), number)
    be.same(negative, -be.numpy(be.imag(number)))
    assert real.resolve_neg() is real


@claim(
    "CPX-720",
    about="gradients",
    needs="complex_numbers gradients views conj mul torch",
    level="contract",
)
@given(
    z=complex_arrays("z", layouts=DENSE),
    y=complex_arrays("z", layouts=DENSE),
    w=complex_arrays("z", layouts=DENSE),
    u=complex_arrays("one", shape=()),
    repeated=booleans(),
)
def test_a_conjugate_has_a_gradient_and_is_one(be, z, y, w, u, repeated):
    """A conjugate that is a view has a gradient like any other number, and as a cotangent it counts
    with its values, as does one number that is repeated.
    """
    leaf, one = be.leaf(z), be.tensor(u).expand(np.shape(z))
    cotangent, value = (one, u + 0 * w) if repeated else (be.conj(be.tensor(w.conj())), w)
    number = be.conj(be.mul(leaf, 1))
    found = be.gradients(be.mul(number, be.tensor(y)), [number, leaf], cotangent)
    true = value * y.conj()
    for gradient, want in zip(found, (true, true.conj()), strict=True):
        size = parts((1 + 1j) * np.abs(true))
        be.check_complex_gradient(gradient, Total(parts(want), size, 2))


@claim(
    "CPX-321",
    about="conj",
    needs="complex_numbers backward views inplace conventions conj clone mul_ copy_ imag",
)
@given(
    z=complex_arrays("z", layouts=DENSE),
    y=complex_arrays("z", layouts=DENSE),
    x=arrays("z", layouts=DENSE),
    w=complex_arrays("z", layouts=DENSE),
    way=sampled_from(["product", "copy", "imaginary part"]),
)
def test_a_conjugate_may_be_written(be, z, y, x, w, way):
    """What is written to a conjugate, or to its imaginary part, is in the number conjugated, and
    the gradients of the number and of what was written are those of that.
    """
    leaf, other = be.leaf(z), be.leaf(x if way == "imaginary part" else y)
    number = be.clone(leaf)
    if way == "imaginary part":
        be.copy_(be.imag(be.conj(number)), other)
        be.check_complex(number, parts(z.real - 1j * x))
    elif way == "copy":
        be.copy_(be.conj(number), other)
        be.check_complex(number, parts(y.conj()))
    else:
        be.mul_(be.conj(number), other)
        size = parts((1 + 1j) * np.abs(z * y))
        be.check_complex(number, Total(parts(z * y.conj()), size, 2))
    be.backward(number, be.written(parts(w)))
    if way == "imaginary part":
        be.check_complex_gradient(be.grad(leaf), Total.of(parts(w.real + 0j)))
        be.check(be.grad(other), -w.imag, "gradient of the imaginary part")
    elif way == "copy":
        be.check_complex_gradient(be.grad(leaf), Total.of(parts(0 * w)))
        be.check_complex_gradient(be.grad(other), Total.of(parts(w.conj())))
    else:
        for found, true in ((leaf, w * y), (other, w.conj() * z)):
            size = parts((1 + 1j) * np.abs(true))
            be.check_complex_gradient(be.grad(found), Total(parts(true), size, 2))


@claim(
    "CPX-322",
    about="lookup",
    needs="complex_numbers backward gradients views inplace conventions clone mul_ torch",
    level="contract",
)
@given(
    x=arrays("pairs", shape=(3, 2), layouts=DENSE),
    w=complex_arrays("three", shape=(3,)),
    written=booleans(),
)
def test_pairs_are_seen_as_complex_numbers(be, x, w, written):
    """view_as_complex sees pairs of numbers as real and imaginary parts, as a view: what is written
    to it is in the pairs, whose gradient is real. Pairs have to lie side by side along a last axis
    of two.
    """
    view, leaf, i = be.lookup("torch:view_as_complex"), be.leaf(x), be.tensor(np.array(1j))
    pairs = be.clone(leaf).contiguous()
    numbers = view(pairs)
    assert be.shares_memory(numbers, pairs)
    be.check_complex(numbers, x)
    z, turned = x[:, 0] + 1j * x[:, 1], w
    if written:
        be.mul_(numbers, i)
        be.check(pairs, parts(1j * z))
        turned = w * -1j
    be.backward(be.mul(numbers, 1), be.written(parts(w)))
    be.check(be.grad(leaf), parts(turned))
    for wrong in (np.ones((2, 3)), np.ones((2, 2)).T):
        with pytest.raises(RuntimeError, match="must have a last dimension"):
            view(be.tensor(wrong))
    with pytest.raises(RuntimeError, match="only supported for"):
        view(be.cast(be.tensor(x), "int64"))
