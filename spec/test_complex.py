"""Complex numbers: points of the plane, differentiated by both of their parts."""

from dataclasses import replace
from itertools import product

import numpy as np

from gradspec.conformance import Total, claim, example, given, workload
from gradspec.conformance.strategies import NONZERO, arrays, integers, sampled_from
from gradspec.conformance.strategies.complexes import (
    complex_arrays,
    parts,
    products_of_others,
    products_so_far_of_others,
)
from gradspec.conformance.strategies.distributions import around
from gradspec.conformance.table import (
    ANALYTIC,
    COMPLEX,
    COMPLEX_KINKED,
    CONJUGABLE,
    CUT,
    MIXED,
    NEGATED,
    calls,
    complex_kinks,
    on_cuts,
)


@workload
def turned(be, leaf):
    """The sine of a vector, computed as the imaginary part of powers of e, and its gradient."""
    value, pull = be.vjp(lambda x: be.imag(be.exp(x * be.tensor(np.array(1j)))), leaf)
    return pull(value)[0]


# ---- values and first derivatives ----------------------------------------------------------------


@claim(
    "CPX-340",
    about="log1p expm1 sin tan asin atan sinh tanh asinh atanh",
    needs="complex_numbers log1p expm1 sin tan asin atan sinh tanh asinh atanh",
)
@given(
    x=arrays("three", shape=(3,), values=NONZERO),
    y=arrays("three", shape=(3,), values=NONZERO),
    power=integers(60, 100),
)
def test_close_to_zero_all_digits_are_there(be, x, y, power):
    """Close to zero a function that begins like its argument is as its argument, in both parts."""
    small = (x + 1j * y) * 2.0**-power
    functions = (be.log1p, be.expm1, be.sin, be.tan, be.asin, be.atan, be.sinh, be.tanh)
    for function in (*functions, be.asinh, be.atanh):
        be.check_complex(function(be.tensor(small)), parts(small))


@claim("CPX-01", needs="complex_numbers", over=COMPLEX)
@given(call=calls(strided=True))
def test_complex_value(be, call):
    """An operation of complex numbers computes both parts as it is defined to, however the numbers
    lie in memory.
    """
    call.check(be, call.on(be)(*map(be.tensor, call.given)))


@claim("CPX-02", needs="complex_numbers vjp conventions", over=COMPLEX)
@given(call=calls(strided=True))
def test_complex_gradient(be, call):
    """The pullback multiplies a cotangent by the transposed derivative of the real and imaginary
    parts; a complex tensor receives both derivatives as one complex gradient of its own shape and
    dtype, written as the library writes them.
    """
    _, pull = be.vjp(call.on(be), *call.given)
    call.check_gradients(be, pull(call.cotangent_on(be)), call.gradients())


@claim("CPX-560", about="mul add sub div", needs="complex_numbers vjp torch", level="contract")
@given(
    z=complex_arrays("row", shape=(3,)),
    w=complex_arrays("weights", shape=(3,)),
    c=sampled_from([1.5 - 2j, 0.5j, -1 + 0.25j]),
)
def test_complex_operands_may_be_numbers_of_python(be, z, w, c):
    """A complex number of Python in a product, a sum or a difference, or as a divisor, is what a
    tensor of it is: the value is the same, and so is the gradient of the tensor beside it, which
    may be real.
    """
    functions = {
        "z * c": lambda a, b: a * b,
        "c * z": lambda a, b: b * a,
        "c + z": lambda a, b: b + a,
        "z - c": lambda a, b: a - b,
        "c - z": lambda a, b: b - a,
        "z / c": lambda a, b: a / b,
        "mul": be.mul,
    }
    for (name, function), tensor in product(functions.items(), (z, z.real.copy())):
        results = []
        for other in (be.tensor(np.full(3, c)), c):
            value, pull = be.vjp(lambda a, b=other, f=function: f(a, b), tensor)
            results.append([be.numpy(value), be.numpy(pull(w)[0])])
        for true, got in zip(*results, strict=True):
            assert true.dtype == got.dtype, name
            for one, other in ((true.real, got.real), (true.imag, got.imag)):
                be.check(be.tensor(other.copy()), around(one, np.abs(true).max()), name)


@claim("CPX-03", needs="complex_numbers vjp", over=ANALYTIC)
@given(call=calls())
def test_pullbacks_of_holomorphic_functions_are_complex_linear(be, call):
    """Of a holomorphic function the gradients for i times a cotangent are i times the gradients:
    whatever the library's convention is, they are the cotangent times one complex number.
    """
    cotangent = np.asarray(call.cotangent[..., 0] + 1j * call.cotangent[..., 1])
    _, pull = be.vjp(call.on(be), *call.given)
    sizes = call.gradients(np.abs(call.cotangent).sum(-1, keepdims=True) * np.ones(2))
    for turned, plain, size in zip(
        pull(1j * cotangent), pull(cotangent), call.as_complex(sizes), strict=True
    ):
        if plain is not None:
            true = parts(1j * be.numpy(plain))
            be.check_complex(turned, replace(size, value=true), "gradient of i times the cotangent")


@claim("CPX-04", needs="complex_numbers vjp conventions", over=MIXED)
@given(call=calls())
def test_real_operands_have_real_gradients(be, call):
    """A real tensor beside a complex one is a complex number without imaginary part, and receives
    the real part of its gradient alone, in its own dtype.
    """
    value, pull = be.vjp(call.on(be), *call.given)
    call.check(be, value)
    call.check_gradients(be, pull(call.cotangent_on(be)), call.gradients())


@claim("CPX-05", about="conj", needs="complex_numbers vjp conventions conj", over=CONJUGABLE)
@given(call=calls())
def test_conjugates_are_numbers_like_others(be, call):
    """A tensor may be the conjugate of one that is kept: values and gradients are those of the
    numbers that it holds.
    """

    def function(*tensors):
        return call.on(be)(*[be.conj(x) for x in tensors])

    kept = [x.conj() for x in call.given]
    value, pull = be.vjp(function, *kept)
    call.check(be, value)
    true = [
        replace(t, value=t.value * sign)
        for t, sign in zip(call.gradients(), call.signs_of_conjugates, strict=True)
    ]
    call.check_gradients(be, pull(call.cotangent_on(be)), true)


@claim(
    "CPX-430",
    about="imag",
    needs="complex_numbers vjp conj imag torch",
    over=NEGATED,
    level="contract",
    widest=True,
)
@given(call=calls(smooth=True))
def test_negatives_are_numbers_like_others(be, call):
    """A tensor may hold the negatives of what is kept, as the imaginary part of a conjugate does:
    values and gradients are those of the numbers that it holds.
    """

    def function(*tensors):
        made = [be.lookup("torch:complex")(be.mul(x, 0), be.neg(x)) for x in tensors]
        return call.on(be)(*[be.imag(be.conj(z)) for z in made])

    value, pull = be.vjp(function, *call.tensors)
    call.check(be, value)
    for gradient, true in zip(pull(call.cotangent), call.gradients(), strict=True):
        be.check_gradient(gradient, true)


# ---- forward mode and second derivatives ---------------------------------------------------------


@claim("CPX-06", needs="complex_numbers jvp", over=COMPLEX)
@given(call=calls())
def test_complex_tangents(be, call):
    """Forward mode gives the derivative of both parts along complex tangents, which have no
    convention.
    """
    _, tangent = be.jvp(call.on(be), call.given, call.directions)
    call.see(be, tangent, call.pushed(), "tangent")


@claim("CPX-07", needs="complex_numbers jvp", over=MIXED)
@given(call=calls())
def test_tangents_of_real_operands_are_real(be, call):
    """A real tensor beside a complex one moves along real tangents."""
    _, tangent = be.jvp(call.on(be), call.given, call.directions)
    call.see(be, tangent, call.pushed(), "tangent")


@claim("CPX-08", needs="complex_numbers vjp create_graph conventions real sum mul", over=COMPLEX)
@given(call=calls())
def test_complex_second_derivatives(be, call):
    """Complex gradients are differentiated like any other result: paired with tangents, by both
    parts of each, they have the symmetric matrix of second derivatives, and by the cotangent the
    first derivative.
    """
    _, pull = be.vjp(call.directional_derivative_on(be), call.cotangent_on(be), *call.given)
    first, *second = pull(np.array(1.0))
    if first is not None:
        call.see(be, first, call.pushed(), "derivative by the cotangent")
    call.check_gradients(be, second, call.second(), "second derivative")


# ---- zeros and cuts ------------------------------------------------------------------------------


@claim("CPX-09", needs="complex_numbers vjp conventions", level="convention", over=COMPLEX_KINKED)
@given(kink=complex_kinks())
def test_the_complex_convention_is_the_one_on_record(be, kink):
    """The convention of complex gradients, and their values where a function is not differentiable,
    are those that the library's table of conventions has on record.
    """
    be.check_convention(kink.name, kink.gradients_on(be))


@claim("CPX-10", about="abs", needs="complex_numbers vjp abs")
@example(w=np.array(1.0))
@given(w=arrays("one", shape=(), values=NONZERO))
def test_the_absolute_value_is_not_steeper_at_zero_than_around(be, w):
    """At zero, where the absolute value is not differentiable, its gradient is a number no larger
    in magnitude than the cotangent, which is its magnitude everywhere else.
    """
    _, pull = be.vjp(be.abs, np.zeros(2, complex))
    (found,) = pull(np.full(2, w))
    sizes = np.abs(be.numpy(found))
    assert (sizes <= abs(w) * (1 + 1e-6)).all(), f"gradient of size {sizes}, cotangent {w}"


@claim("CPX-540", about="angle", needs="complex_numbers vjp conventions abs angle")
@example(z=np.array([1 + 2j, -2 + 0.5j]), w=np.array([1.0, 3.0]), way=1)
@example(z=np.array([1 + 2j, -2 + 0.5j]), w=np.array([1.0, 3.0]), way=-1)
@given(
    z=complex_arrays("two", shape=(2,), values=NONZERO),
    w=arrays("two", shape=(2,), values=NONZERO),
    way=sampled_from((1, -1)),
)
def test_angles_of_any_size(be, z, w, way):
    """A number whose square the dtype has not, too large or too small, has an absolute value and an
    angle like others: the gradient of the first is of length one, that of the second is as long as
    the reciprocal of the number.
    """
    size = 2.0 ** (way * {"float32": 66, "float64": 530}[be.dtype])
    far, radius = z * size, np.abs(z)
    for function, value, slope in (
        (be.abs, radius * size, w * z / radius),
        (be.angle, np.angle(z), w * 1j * z / radius / radius / size),
    ):
        found, pull = be.vjp(function, far)
        be.check(found, Total(value, np.abs(value), 4, error_bound=1e-15 * np.abs(value)))
        true, length = parts(slope), np.abs(slope)[:, None] + np.zeros(2)
        be.check_complex_gradient(*pull(w), Total(true, length, 4, error_bound=1e-15 * length))


@claim("CPX-11", about="prod", needs="complex_numbers vjp conventions prod")
@example(z=np.array([0j, 2.0, 3j]), w=np.array(1 + 0j))
@example(z=np.array([0j, 0j, 3j]), w=np.array(1 + 0j))
@given(z=complex_arrays("factors", shape=(3,)), w=complex_arrays("one", shape=()))
def test_the_gradient_of_a_complex_product_is_that_of_the_others(be, z, w):
    """The derivative of a product by one of its complex factors is the product of the other
    factors, also where factors are zero.
    """
    _, pull = be.vjp(lambda x: be.prod(x, 0), z)
    be.check_complex_gradient(*pull(be.written(parts(w))), products_of_others(z, w))


@claim("CPX-750", about="cumprod", needs="complex_numbers vjp conventions cumprod")
@example(z=np.array([2.0, 0j, 3j]), w=np.ones(3) + 0j)
@example(z=np.array([0j, 0j, 3j]), w=np.ones(3) + 0j)
@given(z=complex_arrays("factors", shape=(3,)), w=complex_arrays("weights", shape=(3,)))
def test_complex_products_so_far_are_differentiated_at_zero(be, z, w):
    """By a complex factor the products so far have as derivatives those of the factors beside it,
    also where factors are zero.
    """
    _, pull = be.vjp(lambda x: be.cumprod(x, 0), z)
    be.check_complex_gradient(*pull(be.written(parts(w))), products_so_far_of_others(z, w))


@claim("CPX-12", needs="complex_numbers vjp conventions", over=CUT)
@given(points=on_cuts())
def test_zeros_choose_the_side_of_a_cut(be, points):
    """On a branch cut the sign of the part that is zero says on which side a number lies: value and
    gradient are the limits from there.
    """
    value, pull = be.vjp(points.on(be), *points.given)
    points.check(be, value)
    points.check_gradients(be, pull(points.cotangent_on(be)), points.gradients())


# ---- from real to real ---------------------------------------------------------------------------


@claim("CPX-13", about="exp", needs="complex_numbers vjp real imag exp mul sum")
@example(x=np.array([0.0, 1.0]), w=np.array([1.0, 2.0]))
@given(x=arrays("x"), w=arrays("x"))
def test_real_numbers_by_way_of_complex_ones(be, x, w):
    """A real function of real numbers that is computed with complex ones has real gradients: the
    real and imaginary parts of e ** ix are differentiated like the cosine and the sine.
    """
    unit = be.tensor(np.array(1j))
    for part, slope in ((be.real, -np.sin(x)), (be.imag, np.cos(x))):
        _, pull = be.vjp(lambda t, part=part: part(be.exp(be.mul(t, unit))), x)
        (found,) = pull(w)
        be.check(found, Total(w * slope, np.abs(w), 1, error_bound=1e-15 * np.abs(w)), "gradient")
