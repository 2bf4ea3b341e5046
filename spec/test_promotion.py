"""Promotion: the dtypes of results, and arithmetic of integers and bools."""

import operator
import warnings
from dataclasses import replace
from itertools import product

import numpy as np

from gradspec.conformance import ErrorKind, Total, claim, every, example, given
from gradspec.conformance.strategies import DENSE, NONZERO, arrays, lists, sampled_from
from gradspec.conformance.strategies.numbers import (
    INTEGERS,
    OPERANDS,
    ORDERED,
    TENSORS,
    dtype_of_sum,
    entries,
    held_by,
)
from gradspec.conformance.table import (
    MIXABLE,
    OF_INTEGERS,
    OF_INTEGERS_HERE,
    OF_LARGE_INTEGERS,
    ROUNDED_DOWN,
    calls,
    check_integers,
    check_large_integers,
)
from gradspec.conformance.truth.oracles.jets import Jet
from gradspec.conformance.truth.oracles.meetings import MEETINGS

NO_WORKLOAD = "the dtype of a result is decided before any entry is computed"

# ---- operands of several dtypes ------------------------------------------------------------------


@claim("OPS-10", about="mul", needs="backward")
@given(x=arrays(min_dims=1), y=arrays(min_dims=1), w=arrays(min_dims=1))
def test_a_gradient_has_the_dtype_of_its_leaf(be, x, y, w):
    """The product of a tensor of float32 and one of float64 is of float64, and each leaf receives
    its gradient in its own dtype.
    """
    other = {"float32": "float64"}.get(be.dtype, "float32")
    a, b = be.leaf(x), be.backend.leaf(y, other, be.device)
    product_ = be.mul(a, b)
    assert be.dtype_of(product_) == np.result_type(be.dtype, other)
    be.backward(be.sum(be.mul(w, product_)))
    be.check(be.grad(a), w * y)
    assert be.dtype_of(be.grad(b)) == other
    assert np.array_equal(be.numpy(be.grad(b)), w * x)


@claim("OPS-102", about="mul", needs="backward from_data real torch", level="contract")
@example(numbers=[1.5, -2.0, 0.5])
@given(numbers=lists(sampled_from((1.0, 0.0, -2.0, 0.5, 3.0)), min_size=3, max_size=3))
def test_gradients_are_cast_back(be, numbers):
    """Whatever two dtypes of floats a product has, and though one operand has no axes, each leaf
    receives the gradient in its own dtype and shape. Next to a complex number that is the real
    part.
    """
    floats_ = [dtype for dtype in ORDERED if dtype.startswith(("float", "bfloat"))]
    pairs = [*product(floats_, repeat=2), *product(floats_[2:], ("complex64", "complex128"))]
    for dtype, other in pairs:
        for data, sums in ((numbers, numbers), (numbers[0], sum(numbers))):
            a = be.set_requires_grad(be.from_data(numbers, dtype=dtype))
            b = be.set_requires_grad(be.from_data(data, dtype=other))
            be.backward(be.real(be.sum(be.mul(a, b))))
            for leaf, want in ((a, np.broadcast_to(data, 3).tolist()), (b, sums)):
                assert be.dtype_of(be.grad(leaf)) == be.dtype_of(leaf)
                assert be.tolist(be.grad(leaf)) == want


@claim("OPS-103", about="add mul", needs="from_data torch", level="contract")
def test_a_sum_has_the_highest_kind_among_its_operands(be):
    """A sum or product has the narrowest dtype that holds both its operands, of the highest kind
    among bools, integers, floats and complex numbers: int16 of uint8 and int8, float32 of float16
    and bfloat16. A 0-d tensor next to one with axes, and a number next to any tensor, count only if
    their kind is higher.
    """
    with warnings.catch_warnings(action="ignore"):
        for x, y in product(TENSORS, OPERANDS):
            a = be.from_data(x.value, dtype=x.dtype)
            b = y.value if y.form == "number" else be.from_data(y.value, dtype=y.dtype)
            found = [be.dtype_of(each) for each in (be.add(a, b), b + a, be.mul(a, b), b * a)]
            assert found == [dtype_of_sum(x, y)] * 4, f"{x} and {y} make {found}"


@claim("OPS-104", about="add_", needs="inplace from_data add_ torch", level="contract")
def test_a_sum_in_place_is_cast_unless_its_kind_is_higher(be):
    """In place a sum is cast to the dtype of the tensor that is written, narrower or wider; where
    its kind is higher it is refused.
    """
    for dtype, other in product(ORDERED, repeat=2):
        row, more = be.from_data([1, 0], dtype=dtype), be.from_data([1, 1], dtype=other)
        if held_by(other, dtype):
            assert be.add_(row, more) is row
            assert be.tolist(row) == ([True, True] if dtype == "bool" else [2, 1])
        else:
            with be.raises(ErrorKind.INPLACE_DTYPE):
                be.add_(row, more)
            assert be.tolist(row) == [1, 0]
        assert be.dtype_of(row) == dtype


# ---- integers ------------------------------------------------------------------------------------


@claim(
    "OPS-105",
    about="add sub mul neg abs floor_divide remainder fmod",
    needs="from_data neg abs floor_divide remainder fmod",
    level="contract",
)
def test_integers_wrap_and_divide_downwards(be):
    """Sums, differences, products, negatives and absolute values of integers wrap around at the
    ends of the range of their dtype. floor_divide rounds down, so that remainder has the sign of
    the divisor; fmod has that of the dividend.
    """
    for dtype in (*INTEGERS, "uint8"):
        every = entries(dtype)
        rest = every[(every != 0) & (every != -1)]
        with np.errstate(all="ignore"):
            for name, function, other in (
                ("add", np.add, every),
                ("sub", np.subtract, every),
                ("mul", np.multiply, every),
                ("floor_divide", np.floor_divide, rest),
                ("remainder", np.remainder, rest),
                ("fmod", np.fmod, rest),
            ):
                got = getattr(be, name)(be.tensor(every[:, None]), be.tensor(other))
                be.same(got, function(every[:, None], other), f"{name} of {dtype}")
            for name, function in (("neg", np.negative), ("abs", np.abs)):
                be.same(getattr(be, name)(be.tensor(every)), function(every), f"{name} of {dtype}")


@claim("OPS-540", needs="neg torch", over=ROUNDED_DOWN, level="contract", device="cpu")
@given(call=calls())
def test_the_least_integer_is_divided_by_minus_one(be, call):
    """Divided by -1 an integer is its negative, however quotients are rounded: the least one wraps
    around to itself. Nothing remains.
    """
    name = call.operation.name
    for dtype in INTEGERS:
        every = entries(dtype)
        whole, ones = be.tensor(every), be.tensor(np.full_like(every, -1))
        want = 0 * every if name in ("remainder", "fmod") else be.numpy(be.neg(whole))
        be.same(getattr(be, name)(whole, ones), want, f"{name} of {dtype}")


@claim(
    "OPS-106",
    about="floor_divide remainder fmod div pow",
    needs="from_data torch",
    level="contract",
    device="cpu",
)
def test_integers_have_no_infinity(be):
    """On the CPU floor_divide, remainder and fmod refuse to divide an integer by zero, and pow
    refuses a negative exponent of one. div makes floats of the default dtype: 1, -1 and 0 divided
    by zero give the two infinities and nan.
    """
    for dtype in (*INTEGERS, "uint8"):
        whole = be.from_data([1, 2, 0], dtype=dtype)
        for divide in (be.floor_divide, be.remainder, be.fmod):
            for zero in (0, be.from_data([0, 1, 1], dtype=dtype)):
                with be.raises(ErrorKind.ARGUMENT):
                    divide(whole, zero)
        with be.raises(ErrorKind.ARGUMENT):
            be.pow(whole, -1)
    quotient = be.div(be.from_data([1, -1, 0]), be.from_data([0, 0, 0]))
    be.same(quotient, np.array([np.inf, -np.inf, np.nan], np.float32))
    be.same(be.div(be.from_data([7, -7]), 2), np.array([3.5, -3.5], np.float32))


@claim("OPS-107", about="sub neg", needs="from_data torch", level="contract")
def test_bools_are_added_and_multiplied_only(be):
    """The sum of two bools is their logical or, the product their logical and; differences and
    negatives are refused.
    """
    for p, q in product((False, True), repeat=2):
        a, b = be.from_data([p]), be.from_data([q])
        be.same(be.add(a, b), np.array([p or q]))
        be.same(be.mul(a, b), np.array([p and q]))
        with be.raises(ErrorKind.DTYPE):
            be.sub(a, b)
    with be.raises(ErrorKind.DTYPE):
        be.neg(be.from_data([True]))


@claim("OPS-122", about="sum", needs="sum prod cast", level="contract")
@given(
    x=arrays(),
    dtype=sampled_from(("bool", "int8", "int16", "int32", "int64")),
)
def test_sums_of_whole_numbers_are_wide(be, x, dtype):
    """Sums and products of bools and of signed integers of any width are computed in int64."""
    whole = np.asarray(np.abs(x)).astype(dtype)
    for name, made in (
        ("sum", whole.astype("int64").sum()),
        ("prod", whole.astype("int64").prod()),
    ):
        found = getattr(be, name)(be.tensor(whole))
        assert be.dtype_of(found) == "int64", name
        be.same(found, np.asarray(made, "int64"), name)


@claim("OPS-860", about="lookup", needs="from_data torch", level="contract", widest=True)
@every(name=sorted(MEETINGS))
def test_kinds_of_numbers_meet(be, name):
    """Whole numbers, bools and floats are compared, chosen, bounded, raised, shifted, counted and
    added up as numpy does it, and the first of equal extrema is the one that is found.
    """
    for tensors, options, result in MEETINGS[name]:
        got = be.lookup(f"torch:{name}")(*map(be.tensor, tensors), **options)
        be.same(got, result, f"{name} of {tensors} with {options}")


@claim("GEN-270", needs="from_data torch", over=OF_INTEGERS, level="contract", widest=True)
@given(call=calls())
def test_operations_on_integers(be, call):
    """Of integers and bools an operation has the values that it has of floats of the same numbers:
    in floats of the default dtype, in int64 where it counts, adds up, multiplies or names places,
    in bools if it is a predicate, otherwise in the dtype of its operands, where they are in range.
    """
    check_integers(be, call)


@claim(
    "GEN-271",
    needs="from_data torch",
    over=OF_INTEGERS_HERE,
    level="contract",
    widest=True,
    device="cpu",
)
@given(call=calls())
def test_products_and_windows_of_integers(be, call):
    """On the CPU that holds for products of matrices, convolutions, pools, padding, transforms and
    tables of rows as well.
    """
    check_integers(be, call)


@claim("GEN-272", needs="from_data torch", over=OF_LARGE_INTEGERS, level="contract", widest=True)
@given(call=calls())
def test_integers_keep_all_digits(be, call):
    """What moves or chooses entries does so with integers of any size: not one digit is lost."""
    check_large_integers(be, call)


@claim("GEN-430", needs="vjp cast torch", over=MIXABLE, level="contract", widest=True)
@given(call=calls(smooth=True, alike=True))
def test_operands_may_be_of_several_dtypes(be, call):
    """Beside an operand of float32, or of whole numbers in int64, one of float64 keeps all of its
    digits, in the value and in its gradient, unless it is a number without axes beside others; that
    of float32 has its gradient to its own digits, and beside such numbers the result is of float32.
    """
    full, coarse = call.in_full(be.dtype), max(1, np.finfo("f4").eps / np.finfo(be.dtype).eps)
    for at, narrow in enumerate(call.tensors):
        if narrow.ndim and call.operation.broadcasts:
            ones = [x if n == at else np.ones((), x.dtype) for n, x in enumerate(call.tensors)]
            operands = [be.cast(be.tensor(x), "float32" if x.ndim else "float64") for x in ones]
            for result in call.all_on(be, *operands):
                assert be.dtype_of(result) == "float32", "numbers without axes count"
        if narrow.ndim and not any(x.ndim for n, x in enumerate(call.tensors) if n != at):
            continue
        whole = np.where(np.ceil(narrow) == 0, 1.0, np.ceil(narrow))
        for dtype, held in (("float32", narrow), ("int64", whole)):
            tensors = [held if n == at else x for n, x in enumerate(full.tensors)]
            mixed = replace(full.with_tensors(tensors), weights=full.weights)

            def function(*operands, at=at, dtype=dtype, mixed=mixed):
                cast = [be.cast(x, dtype) if n == at else x for n, x in enumerate(operands)]
                return mixed.on(be)(*cast)

            value, pull = be.vjp(function, *mixed.tensors)
            mixed.check(be, value)
            pairs = zip(pull(mixed.cotangent), mixed.gradients(), strict=True)
            for n, (gradient, true) in enumerate(pairs):
                if n != at:
                    be.check_gradient(gradient, true, f"gradient beside {dtype}")
                elif dtype == "float32":
                    wide = replace(true, magnitude=true.magnitude * coarse)
                    be.check_gradient(gradient, wide, "gradient of float32")


@claim("OPS-610", about="lookup", needs="gradients cast torch", level="contract")
@every(
    name=(
        "softmax",
        "log_softmax",
        "sum",
        "nansum",
        "mean",
        "prod",
        "cumsum",
        "cumprod",
        "linalg.vector_norm",
    )
)
@given(x=arrays("row", shape=(4,), values=NONZERO, layouts=DENSE), w=arrays("weights", shape=(4,)))
def test_what_is_told_a_dtype_computes_in_it(be, x, w, name):
    """What is told a wider dtype computes with all of its digits, as if its argument had been cast
    before, and hands the gradient back in the dtype of that. Told a narrower one it comes in this.
    """
    function, double = be.lookup(f"torch:{name}"), be.lookup("torch:float64")
    if name != "linalg.vector_norm":  # is told wider ones only
        told = function(be.tensor(x), dim=0, dtype=be.lookup("torch:half"))
        assert be.dtype_of(told) == "float16"
    narrow, found = be.cast(be.leaf(x), "float32"), []
    for z, said in ((narrow, {"dtype": double}), (be.cast(narrow, "float64"), {})):
        y = function(z, dim=0, **said)
        weights = be.cast(be.tensor(w if be.shape(y) else w[0]), "float64")
        found.append((y, *be.gradients(y, [narrow], weights)))
    (value, gradient), (true, slope) = (map(be.numpy, each) for each in found)
    assert (value.dtype, gradient.dtype) == ("float64", "float32")
    assert np.allclose(value, true, rtol=1e-12, atol=1e-12)
    assert np.allclose(gradient, slope, rtol=1e-6, atol=1e-6)


@claim("OPS-119", about="sub", needs="sub lt le gt ge eq ne", level="contract")
@given(x=arrays(), y=arrays())
def test_comparisons_are_bools(be, x, y):
    """A comparison of two tensors, or of a tensor and a number, is a tensor of bools of their
    broadcast shape.
    """
    a, b = be.sub(be.tensor(x), 0.0), be.tensor(y)
    for compare in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
        for other, meaning in ((b, compare(x, y)), (0.5, compare(x, 0.5))):
            found = compare(a, other)
            assert be.dtype_of(found) == "bool"
            be.same(found, np.asarray(meaning))


@claim("OPS-227", about="add sub mul div", needs="vjp add sub mul div pow", level="contract")
@example(x=np.array([1.0, -2.0, 0.5]), w=np.array([1.0, 2.0, 3.0]), number=-3)
@given(
    x=arrays("row", shape=(3,), values=NONZERO),
    w=arrays("weights", shape=(3,)),
    number=sampled_from([2, -3, 0.5, -1.5, 1]),
)
def test_numbers_of_python_are_operands(be, x, w, number):
    """A number of Python, whole or not, is an operand like any other, in functions and on either
    side of operators: values and gradients are those beside a tensor that holds it.
    """
    at, one, n = Jet.exact(x), Jet.exact(w), float(number)
    for name, function, value, gradient in (
        ("add", lambda z: be.add(z, number), at + n, one),
        ("sub", lambda z: be.sub(z, number), at - n, one),
        ("mul", lambda z: be.mul(z, number), at * n, one * n),
        ("div", lambda z: be.div(z, number), at / n, one / n),
        ("+", lambda z: z + number, at + n, one),
        ("+ on the left", lambda z: number + z, at + n, one),
        ("-", lambda z: z - number, at - n, one),
        ("- on the left", lambda z: number - z, n - at, -one),
        ("*", lambda z: z * number, at * n, one * n),
        ("* on the left", lambda z: number * z, at * n, one * n),
        ("/", lambda z: z / number, at / n, one / n),
        ("/ on the left", lambda z: number / z, n / at, -(one * n) / (at * at)),
        ("** 2", lambda z: z**2, at * at, one * 2 * at),
        ("** 3", lambda z: z**3, at * at * at, one * 3 * at * at),
        ("** -1", lambda z: z**-1, 1 / at, -one / (at * at)),
    ):
        result, pull = be.vjp(function, x)
        be.check(result, value, name)
        be.check(*pull(w), gradient, f"gradient of {name}")


@claim("OPS-431", about="add sub", needs="vjp add sub torch", level="contract")
@given(
    x=arrays("row", shape=(3,)),
    w=arrays("weights", shape=(3,)),
    number=sampled_from([2, -3, 0.5]),
    alpha=sampled_from([2, -0.5, 0]),
)
def test_numbers_of_python_count_alpha_times(be, x, w, number, alpha):
    """A number of Python that is added or taken away counts alpha times."""
    at, moved = Jet.exact(x), float(number * alpha)
    for name, function, value in (
        ("add", lambda z: be.add(z, number, alpha=alpha), at + moved),
        ("sub", lambda z: be.sub(z, number, alpha=alpha), at - moved),
    ):
        result, pull = be.vjp(function, x)
        be.check(result, value, name)
        be.check(*pull(w), w, f"gradient of {name}")


@claim("INP-220", about="detach", needs="inplace detach torch", level="contract")
@given(
    x=arrays("row", shape=(3,), values=NONZERO, layouts=DENSE),
    number=sampled_from([2, -3, 0.5, -1.5, 3]),
)
def test_operators_between_tensors_and_numbers(be, x, number):
    """Floor division and remainders by a number, on either side, are those of Python: a remainder
    has the sign of the divisor. An operator that assigns writes into the tensor that it has.
    """
    floor, rest = np.floor(x / number), np.mod(x, number)
    for name, found, want in (
        ("//", be.tensor(x) // number, floor),
        ("%", be.tensor(x) % number, rest),
        ("// on the left", number // be.tensor(x), np.floor(number / x)),
        ("% on the left", number % be.tensor(x), np.mod(number, x)),
        ("** on the left", 2 ** be.tensor(np.sign(x)), 2 ** np.sign(x)),
        ("@", be.tensor(x) @ be.tensor(x), Total.of(*(x * x))),
    ):
        be.check(found, want, name)
    for operation, want in (
        (operator.iadd, x + number),
        (operator.isub, x - number),
        (operator.imul, x * number),
        (operator.itruediv, Jet.exact(x) / number),
        (operator.ifloordiv, floor),
        (operator.imod, rest),
        (operator.ipow, Jet.exact(x) * Jet.exact(x)),
    ):
        tensor = be.tensor(x)
        seen = be.detach(tensor)
        assert operation(tensor, 2 if operation is operator.ipow else number) is tensor
        be.check(seen, want, operation.__name__)
