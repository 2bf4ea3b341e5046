"""Operations: what holds for every one of them."""

import warnings
from dataclasses import replace

import numpy as np

from gradspec.conformance import ErrorKind, Total, claim, example, given
from gradspec.conformance.strategies import NONZERO, arrays, integers, lists
from gradspec.conformance.strategies.shaping import axes
from gradspec.conformance.table import (
    BROADCASTING,
    COPIES,
    DIFFERENTIABLE,
    DISCRETE,
    LINEAR,
    TABLE,
    TWINS,
    VIEWS,
    calls,
    laid_out,
)
from gradspec.conformance.truth.oracles.jets import Jet

NO_WORKLOAD = "each operation is at work in the chapter it belongs to"

ROUNDED = (
    "strided out",
    "strided in place",
    "each of a list",
    "each of a list in place",
    "composed",
)
"""Spellings that may take another kernel than the function itself does."""


# ---- values --------------------------------------------------------------------------------------


@claim("GEN-01", "OPS-73", "OPS-74", over=TABLE, small=True)
@given(call=calls(designed=True))
def test_value(be, call):
    """An operation computes what it is defined to, also for scalars and empty tensors, and along
    any axis.
    """
    call.check(be, call.on(be)(*map(be.tensor, call.tensors)))


@claim("GEN-02", over=TABLE)
@given(call=calls(strided=True))
def test_value_in_any_layout(be, call):
    """The result does not depend on the memory layout of tensors: row-major, column-major, with
    gaps, or with several entries in one place.
    """
    call.check(be, call.on(be)(*map(be.tensor, call.tensors)))


@claim("OPS-05", over=BROADCASTING)
@given(call=calls())
def test_broadcasting_repeats(be, call):
    """Shapes that differ are aligned at the right; an axis that is missing or of size 1 is
    repeated, also no times: the result is that of operands repeated in full.
    """
    result = call.on(be)(*map(be.tensor, call.tensors))
    repeated = call.on(be)(*map(be.tensor, np.broadcast_arrays(*call.tensors)))
    true = call.value()
    # Either of them may be off.
    be.check(repeated, replace(true, value=be.numpy(result), magnitude=2 * true.magnitude))


@claim("GEN-16", needs="vjp", over=BROADCASTING, widest=True)
@given(call=calls(smooth=True))
def test_integers_count_as_numbers(be, call):
    """An operand of integers counts as floats of the same values, in the result and in the
    gradients of the other operands.
    """
    for place in range(len(call.tensors)):
        whole = call.with_whole(place)
        operands = [*map(be.tensor, whole.tensors)]
        integers = be.tensor(whole.tensors[place].astype(np.int64))
        result = whole.on(be)(*operands[:place], integers, *operands[place + 1 :])
        whole.check(be, result)
        others = operands[:place] + operands[place + 1 :]

        def function(*rest, place=place, integers=integers, whole=whole):
            return whole.on(be)(*rest[:place], integers, *rest[place:])

        _, pull = be.vjp(function, *others)
        expected = whole.gradients()
        del expected[place]
        for gradient, true in zip(pull(whole.cotangent), expected, strict=True):
            be.check_gradient(gradient, true)


@claim("GEN-20", needs="vjp", over=BROADCASTING, widest=True)
@given(call=calls(smooth=True, small=True))
def test_narrower_floats_count_as_wide_ones(be, call):
    """An operand of float32 counts beside others of float64, all of which have axes, as the same
    numbers of float64, in the result and in their gradients; its own is of float32.
    """
    narrow, wide = ([*map(np.atleast_1d, call.in_full(d).tensors)] for d in ("float32", "float64"))
    for place, x in enumerate(narrow):
        lines = call.with_tensors([x if n == place else z for n, z in enumerate(wide)])
        operands = [*map(be.tensor, lines.tensors)]
        operands[place] = be.backend.tensor(x, "float32", be.device)
        # As it is: where arrays of numpy are tensors it would be made wide.
        value, pull = be.way.vjp(lines.on(be), *operands)
        lines.check(be, value)
        found = pull(be.tensor(lines.cotangent))
        for n, (gradient, true) in enumerate(zip(found, lines.gradients(), strict=True)):
            be.check_gradient(gradient, true, dtype="float32" if n == place else be.dtype)


@claim("GEN-03", needs="spellings vjp", over=TABLE, level="contract")
@given(call=calls(smooth=True))
def test_spellings_agree(be, call):
    """However a function is written, as function, method, operator, alias, module, in place on a
    copy or into a tensor made for it, the result is the same, bit by bit, and so are the gradients;
    for each tensor of a list, on or into a tensor of strides, and composed of others, it is as
    exact.
    """
    name, inputs = call.operation.name, [*map(be.tensor, call.tensors)]
    result = call.on(be)(*inputs)
    for word, function in be.way.spellings(name).items():
        with be.spelled(name, function):
            written = call.on(be)(*inputs)
            if word in ROUNDED:
                call.check(be, written)
            else:
                be.same(written, result, f"{name} as {word}")
            if call.operation.differentiable and not word.endswith("out"):
                _, pull = be.vjp(call.on(be), *inputs)
                for gradient, true in zip(pull(call.cotangent), call.gradients(), strict=True):
                    be.check_gradient(gradient, true, f"gradient of {name} as {word}")


# ---- first derivatives ---------------------------------------------------------------------------


@claim("GEN-04", needs="vjp", over=DIFFERENTIABLE, small=True)
@given(call=calls(smooth=True, designed=True))
def test_gradient(be, call):
    """The pullback multiplies a cotangent by the transposed derivative: each tensor receives a
    gradient of its own shape and dtype. The result beside it is what it is otherwise.
    """
    value, pull = be.vjp(call.on(be), *call.tensors)
    for gradient, true in zip(pull(call.cotangent), call.gradients(), strict=True):
        be.check_gradient(gradient, true)
    call.check(be, value)


@claim("GEN-05", needs="vjp", over=DIFFERENTIABLE)
@given(call=calls(smooth=True, strided=True))
def test_gradient_in_any_layout(be, call):
    """Gradients do not depend on the memory layout of tensors and cotangents."""
    _, pull = be.vjp(call.on(be), *call.tensors)
    *same, repeated = laid_out(call.cotangent)
    for cotangents in (same, [repeated]):
        expected = call.gradients(cotangents[0])
        for cotangent in cotangents:
            for gradient, true in zip(pull(cotangent), expected, strict=True):
                be.check_gradient(gradient, true)


@claim("GEN-06", needs="vjp", over=DIFFERENTIABLE)
@given(call=calls(smooth=True))
def test_no_gradient_is_lost(be, call):
    """Where an operation depends on a tensor its gradient is there, whichever tensors are constants
    beside it.
    """
    # From a cotangent with gaps too: both together choose among more ways than each does.
    apart, every = np.repeat(call.cotangent[..., None], 2, -1)[..., 0], list(call.tensors)
    for alone, true in zip(call.alone, call.gradients(), strict=True):
        _, pull = be.vjp(alone.on(be), *alone.tensors)
        for cotangent in (call.cotangent, apart):
            be.check_gradient(*pull(cotangent), true)
    # All but one.
    for place in range(len(every)) if len(every) > 2 else ():

        def beside(*others, place=place):
            return call.on(be)(*others[:place], be.tensor(every[place]), *others[place:])

        _, pull = be.vjp(beside, *every[:place], *every[place + 1 :])
        true = call.gradients()
        del true[place]
        for gradient, one in zip(pull(apart), true, strict=True):
            be.check_gradient(gradient, one)


@claim("GEN-19", needs="vjp reshape", over=TWINS)
@given(call=calls(smooth=True, alike=True))
def test_one_tensor_may_stand_in_several_places(be, call):
    """Given one tensor in several places, or views of it, an operation has the result that equal
    tensors give, and the sum of their gradients.
    """
    # What may stand anywhere is positive, or at least far from zero: it may be a divisor.
    x = max(call.tensors, key=lambda z: (z.min(initial=1) > 0, abs(z).min(initial=np.inf)))
    whole = [z.shape == x.shape for z in call.tensors]
    later = [same and any(whole[:n]) for n, same in enumerate(whole)]
    for alike in (whole, later) if sum(later) > 1 else (whole,):
        given = [x if same else z for same, z in zip(alike, call.tensors, strict=True)]
        function, twin = call.on(be), call.with_tensors(given)
        apart, pull = be.vjp(function, *given)
        parts = [g for same, g in zip(alike, pull(twin.cotangent), strict=True) if same]

        found = [np.zeros(x.shape) if g is None else be.numpy(g) for g in parts]
        true = [g for same, g in zip(alike, twin.gradients(), strict=True) if same]
        for seen in (lambda one: one, lambda one: be.reshape(one, x.shape)):

            def of_one(one, seen=seen, alike=alike, given=given, function=function):
                rest = [be.tensor(z) for z in given]
                first = alike.index(True)
                places = zip(range(len(given)), alike, rest, strict=True)
                return function(
                    *[(one if n == first else seen(one)) if a else z for n, a, z in places]
                )

            made, pull = be.vjp(of_one, x)
            be.check(made, Total.again([be.numpy(apart)], [twin.value()]))
            be.check_gradient(pull(twin.cotangent)[0], Total.again(found, true))


@claim("GEN-07", needs="vjp", over=DIFFERENTIABLE)
@given(call=calls(smooth=True))
def test_pullbacks_are_linear(be, call):
    """A pullback is linear in the cotangent, and may be asked again: of -2 times a cotangent it
    makes -2 times the gradients, of a tiny part of it as tiny ones, of zeros exact zeros.
    """
    _, pull = be.vjp(call.on(be), *call.tensors)
    tiny = 2.0**-60 if be.dtype in ("float32", "float64") else 0.25
    for factor in (1.0, -2.0, tiny, 0.0):
        cotangent = factor * call.cotangent
        for gradient, true in zip(pull(cotangent), call.gradients(cotangent), strict=True):
            be.check_gradient(gradient, true, f"gradient of {factor} times the cotangent")


@claim("GEN-08", needs="vjp", over=LINEAR)
@given(call=calls())
def test_linear_operations_have_one_derivative(be, call):
    """The gradients of a linear operation do not depend on where it is differentiated: bit by bit,
    or up to rounding where the order of additions is open on a device.
    """
    _, here = be.vjp(call.on(be), *call.tensors)
    _, there = be.vjp(call.on(be), *[2 * x + 1 for x in call.tensors])
    for one, other, true in zip(
        here(call.cotangent), there(call.cotangent), call.gradients(), strict=True
    ):
        if call.operation.is_open_on(be.device):
            be.check_gradient(other, true, "gradient elsewhere")
        elif one is not None:
            be.same(other, one, "gradient elsewhere")


@claim("OPS-08", needs="vjp", over=BROADCASTING)
@given(call=calls(designed=True, whole=True))
def test_the_adjoint_of_broadcasting_sums(be, call):
    """The gradient of an operand that was broadcast is that of the operand repeated in full, summed
    over what was repeated, at kinks too: zeros where it was repeated no times.
    """
    _, narrow = be.vjp(call.on(be), *call.tensors)
    _, wide = be.vjp(call.on(be), *np.broadcast_arrays(*call.tensors))
    for x, one, other in zip(
        call.tensors, narrow(call.cotangent), wide(call.cotangent), strict=True
    ):
        # Of what does not depend on an operand there may be no gradient: it stands for zeros.
        repeated = np.zeros(call.result.shape) if other is None else be.numpy(other)
        be.check_gradient(one, Total.onto(repeated, x.shape))


@claim("GEN-09", needs="vjp", over=DIFFERENTIABLE)
@given(call=calls(smooth=True))
def test_the_same_again(be, call):
    """The same call gives the same bits, in its result and in its gradients, unless the order of
    its additions is open on a device: then it gives them up to rounding.
    """
    (value, pull), (other, push) = (be.vjp(call.on(be), *call.tensors) for _ in range(2))
    is_open = call.operation.is_open_on(be.device)
    if is_open:
        call.check(be, other)
    else:
        be.same(other, value)
    for one, two, true in zip(
        pull(call.cotangent), push(call.cotangent), call.gradients(), strict=True
    ):
        if is_open:
            be.check_gradient(two, true)
        elif one is not None:
            be.same(two, one, "gradient of the same call")


# ---- memory --------------------------------------------------------------------------------------


@claim("GEN-12", needs="views", over=VIEWS, level="contract")
@given(call=calls(strided=True))
def test_views_alias(be, call):
    """Every result of a view operation lies in the memory of the tensor that is viewed."""
    tensors = [*map(be.tensor, call.tensors)]
    views = call.all_on(be, *tensors)
    viewed = tensors if call.operation.view == "each" else tensors[:1] * len(views)
    for view, x in zip(views, viewed, strict=True):
        assert be.shares_memory(view, x) or not be.numpy(view).size, "a view is a copy"


@claim("GEN-13", "OPS-78", needs="views", over=COPIES, level="contract")
@given(call=calls(strided=True))
def test_results_have_memory_of_their_own(be, call):
    """The result of any other operation lies in memory of its own, that of clone and flip too."""
    inputs = [*map(be.tensor, call.tensors)]
    result = call.on(be)(*inputs)
    assert not any(be.shares_memory(result, x) for x in inputs), "the result aliases a tensor"


# ---- adjoints in closed form ---------------------------------------------------------------------


@claim("OPS-56", about="matmul", needs="vjp matmul")
@given(
    a=arrays("left", shape=(2, 1, 2, 3)),
    b=arrays("right", shape=(3, 3, 1)),
    g=arrays("cotangent", shape=(2, 3, 2, 1)),
)
def test_the_gradients_of_a_matrix_product(be, a, b, g):
    """The gradients of A B are G Bᵀ and Aᵀ G, summed over the matrices of a batch that were
    broadcast.
    """
    _, pull = be.vjp(be.matmul, a, b)
    left, right = pull(g)
    be.check(left, Total.onto(g @ b.swapaxes(-2, -1), a.shape))
    be.check(right, Total.onto(a.swapaxes(-2, -1) @ g, b.shape))


@claim("IDX-06", "IDX-54", about="getitem gather", needs="vjp getitem gather scatter_add")
@example(x=np.array([0.0, 1.0, 2.0, 3.0]), places=[1, 1, 2, 1], w=np.ones(4))
@given(
    x=arrays("row", shape=(4,)),
    places=lists(integers(0, 3), min_size=4, max_size=4),
    w=arrays("weights", shape=(4,)),
)
def test_choosing_accumulates_backwards(be, x, places, w):
    """Chosen entries pass their cotangents back to where they came from, where those of an entry
    that was chosen several times add up, and all others receive zero: the gradient of indexing and
    of gather is what scatter_add makes of zeros.
    """
    index = np.array(places)
    true = Total.along(np.where(index == np.arange(4)[:, None], w, 0.0), 1)
    be.check(be.scatter_add(np.zeros(4), 0, index, w), true)
    for choose in (
        lambda row: be.getitem(row, be.tensor(index)),
        lambda row: be.gather(row, 0, index),
    ):
        be.check(*be.vjp(choose, x)[1](w), true)


@claim("IDX-61", about="where", needs="vjp where log")
@example(x=np.array([1.0, 0.0]), w=np.array([1.0, 1.0]))
@given(x=arrays("row", shape=(3,)), w=arrays("row", shape=(3,), values=NONZERO))
def test_where_does_not_mask_what_is_infinite(be, x, w):
    """where passes the cotangent on to what was chosen and zeros to the other. Zero times an
    infinite slope is not a number: where(x > 0, log x, 0) has gradient nan at 0.
    """
    x = np.abs(x)
    _, pull = be.vjp(lambda z: be.where(x > 0, be.log(z), be.tensor(np.zeros(x.shape))), x)
    be.check(*pull(w), np.where(x > 0, w / np.where(x > 0, x, 1.0), np.nan))


# ---- reductions, predicates, transforms ----------------------------------------------------------


@claim("OPS-75", about="sum prod mean", needs="sum prod mean amax all any var", level="contract")
def test_reductions_of_nothing(be):
    """Of no entries the sum is 0, the product 1, the mean not a number; all of them are true, none
    is; and there is no largest one. Of one entry the variance is not a number.
    """
    nothing = be.tensor(np.zeros((0,)))
    for name, true in (("sum", 0.0), ("prod", 1.0), ("mean", np.nan)):
        be.check(getattr(be, name)(nothing), np.array(true))
    be.same(be.all(nothing), np.array(True))
    be.same(be.any(nothing), np.array(False))
    with be.raises(ErrorKind.SHAPE):
        be.amax(nothing)
    with warnings.catch_warnings(action="ignore"):
        be.check(be.var(be.tensor(np.array([2.0]))), np.array(np.nan))


@claim("OPS-720", about="logsumexp", needs="backward sum prod mean logsumexp", level="contract")
def test_reductions_of_nothing_are_recorded(be):
    """Of no entries the sum, the product, the mean and logsumexp, which is minus infinity, are
    recorded as of others: the gradient is there, and has no entries.
    """
    for name, true in (("sum", 0.0), ("prod", 1.0), ("mean", np.nan), ("logsumexp", -np.inf)):
        leaf = be.leaf(np.zeros((0,)))
        y = getattr(be, name)(leaf, 0)
        be.check(y, np.array(true), name)
        be.backward(y)
        be.check(be.grad(leaf), np.zeros((0,)), name)


@claim(
    "OPS-113",
    about="all any norm var argmax argmin sum amax",
    needs="all any norm var argmax argmin amax torch",
    level="contract",
)
@example(x=np.array([[1.0, 0.0, 2.0], [0.0, -3.0, 0.5]]), dim=1)
@given(x=arrays(min_dims=1, min_size=1), dim=axes(min_dims=1, min_size=1))
def test_reductions_go_along_an_axis(be, x, dim):
    """Along an axis all, any, norm, var, argmax and argmin reduce each of its lines, and drop the
    axis unless keepdim. A norm is the root of the sum of squares, the variance of n entries divides
    by n - 1, and of a line without entries there are the norm 0, no variance and no place.
    """
    source, away = be.tensor(x), Jet.exact(x)
    for keep in (False, True):
        options = {"dim": dim, "keepdim": keep}
        be.same(be.all(source != 0, **options), np.asarray(np.all(x != 0, dim, keepdims=keep)))
        be.same(be.any(source != 0, **options), np.asarray(np.any(x != 0, dim, keepdims=keep)))
        be.check(be.norm(source, **options), np.sqrt((away * away).sum(dim, keepdims=keep)))
        if x.shape[dim] > 1:
            spread = away - away.mean(dim, keepdims=True)
            variance = (spread * spread).sum(dim, keepdims=keep) / (x.shape[dim] - 1)
            be.check(be.var(source, **options), variance)
        for place, best in ((be.argmax, np.max), (be.argmin, np.min)):
            at = be.numpy(place(source, **options))
            assert at.dtype == np.int64
            assert at.shape == best(x, dim, keepdims=keep).shape
            found = np.take_along_axis(x, at if keep else np.expand_dims(at, dim), dim)
            assert np.array_equal(found, best(x, dim, keepdims=True))
    nothing = be.tensor(np.zeros((2, 0)))
    be.check(be.norm(nothing, dim=1), np.zeros(2))
    with warnings.catch_warnings(action="ignore"):
        be.check(be.var(nothing, dim=1), np.full(2, np.nan))
    for place in (be.argmax, be.argmin):
        with be.raises(ErrorKind.SHAPE):
            place(nothing, dim=1)


@claim("OPS-76", needs="backward", over=DISCRETE)
@given(call=calls())
def test_predicates_and_places_are_constants(be, call):
    """Comparisons, predicates and places give booleans or integers, which have no gradient: they
    are constants whatever they are computed from.
    """
    result = call.on(be)(*map(be.leaf, call.tensors))
    assert not be.requires_grad(result)
    assert be.numpy(result).dtype.kind in "biu"


@claim("OPS-77", about="fft stft", needs="vjp fft ifft stft istft real imag")
@example(x=np.arange(16.0), w=np.arange(16.0))
@given(x=arrays("signal", shape=(16,)), w=arrays("signal", shape=(16,)))
def test_spectra_lead_back_to_signals(be, x, w):
    """Entry k of fft is the sum of the entries n of a signal, turned by -2 pi k n / N. The inverse
    transform gives back the signal, and its gradient as it is: ifft after fft, istft after stft
    with a window whose shifted squares leave no gap.
    """
    spectrum, turned = be.fft(be.tensor(x)), np.fft.fft(x)
    for part, true in ((be.real(spectrum), turned.real), (be.imag(spectrum), turned.imag)):
        be.check(part, Total(true, np.full(16, np.abs(x).sum()), 16))
    window = be.tensor(0.5 - 0.5 * np.cos(np.pi * np.arange(8) / 4))

    def in_parts(z):
        parts = be.stft(z, 8, window=window, return_complex=True)
        return be.istft(parts, 8, window=window, length=16)

    for there_and_back in (lambda z: be.real(be.ifft(be.fft(z))), in_parts):
        y, pull = be.vjp(there_and_back, x)
        for got, true in ((y, x), (*pull(w), w)):
            be.check(got, Total(true, np.full(16, np.abs(true).max()), 16))


@claim("OPS-79", about="addmm svd dot", needs="addmm svd dot matmul transpose", level="contract")
@given(x=arrays("square", shape=(3, 3)), y=arrays("square", shape=(3, 3)))
def test_matrix_functions_at_their_edges(be, x, y):
    """addmm with beta = 0 ignores its summand, whatever that holds; dot refuses matrices; and the
    factors of svd have orthonormal columns and rows.
    """
    a, b = be.tensor(x), be.tensor(y)
    nothing = be.tensor(np.full((3, 3), np.nan))
    be.check(be.addmm(nothing, a, b, beta=0), Total.matmul(x, y))
    with be.raises(ErrorKind.SHAPE):
        be.dot(a, b)
    left, _, right = be.svd(a)
    for rows in (be.transpose(left, 0, 1), right):
        product = be.matmul(rows, be.transpose(rows, 0, 1))
        # LAPACK's own tests take up to 30 n units in the last place for orthogonal.
        be.check(product, Total(np.eye(3), np.full((3, 3), 7.5), 9))
