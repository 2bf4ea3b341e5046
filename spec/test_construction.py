"""Construction: constants, ranges, and tensors like another one."""

import math
from itertools import product

import numpy as np

from gradspec.conformance import ErrorKind, claim, every, example, given, workload
from gradspec.conformance.strategies import (
    arrays,
    booleans,
    floats,
    integers,
    sampled_from,
    tuples,
)
from gradspec.conformance.strategies.distributions import around
from gradspec.conformance.strategies.factories import follows
from gradspec.conformance.strategies.numbers import (
    DTYPES,
    INTEGERS,
    sizes,
)
from gradspec.conformance.strategies.windows import OLDER, PLACES, SYMMETRIC, TOLD, window
from gradspec.conformance.truth.oracles.jets import Jet


@workload(needs="linspace")
def ramped(be, leaf):
    """A tensor times numbers that rise evenly from 1 to 2."""
    return leaf * be.linspace(1, 2, leaf.shape[0], dtype=be.dtype)


# ---- one value everywhere ------------------------------------------------------------------------


@claim("TEN-13", about="zeros ones", needs="zeros ones", level="contract")
@example(sizes=(2, 3))
@given(sizes=sizes(1))
def test_zeros_and_ones_take_sizes_in_any_form(be, sizes):
    """zeros and ones take sizes one by one, as a tuple or as a list, and fill a tensor of the
    default dtype, which is float32, with 0 or 1; a size may be 0, a negative one is refused.
    """
    for make, want in ((be.zeros, np.zeros), (be.ones, np.ones)):
        for made in (make(*sizes), make(sizes), make(list(sizes))):
            be.same(made, want(sizes, np.float32))
        be.same(make(()), want((), np.float32))
        with be.raises(ErrorKind.SHAPE):
            make(*sizes, -1)


@claim("TEN-04", "TEN-53", about="zeros ones", needs="zeros ones")
@example(sizes=(4, 3), dtype="int64")
@every(dtype=DTYPES)
@given(
    sizes=sizes(),
)
def test_zeros_and_ones_take_a_dtype(be, sizes, dtype):
    """zeros and ones of a given dtype, be it of integers, bools or complex numbers, have that dtype
    and shape and hold 0 or 1 in every entry.
    """
    be.same(be.zeros(sizes, dtype=dtype), np.zeros(sizes, dtype))
    be.same(be.ones(sizes, dtype=dtype), np.ones(sizes, dtype))


@claim("TEN-82", "TEN-83", about="eye", needs="eye t", level="contract")
@example(n=3, m=4, dtype="float32")
@example(n=0, m=0, dtype="float32")
@every(dtype=DTYPES)
@given(
    n=integers(0, 5),
    m=integers(0, 5),
)
def test_eye_is_one_on_the_diagonal(be, n, m, dtype):
    """eye(n, m) has n rows, m columns (as many as rows if not given) and is 1 where they meet in
    their number, else 0; so its transpose is eye(m, n), and only a square one is symmetric.
    """
    be.same(be.eye(n, m, dtype=dtype), np.eye(n, m, dtype=dtype))
    be.same(be.eye(n), np.eye(n, dtype=np.float32))
    be.same(be.t(be.eye(n, m)), be.eye(m, n))


@claim("TEN-14", about="eye", needs="eye", level="contract")
@given(n=integers(0, 5), m=integers(0, 5), short=integers(1, 3))
def test_eye_takes_two_sizes_at_most(be, n, m, short):
    """eye is a matrix: a third size, or sizes given as a tuple, and negative ones are refused."""
    for wrong in ((n, m, n), ((n, m),)):
        with be.raises(ErrorKind.ARGUMENT):
            be.eye(*wrong)
    for wrong in ((-short,), (n, -short), (-short, m)):
        with be.raises(ErrorKind.SHAPE):
            be.eye(*wrong)


# ---- ranges --------------------------------------------------------------------------------------


@claim("TEN-15", about="arange", needs="arange", level="contract")
@example(a=0, b=10, step=2)
@example(a=5, b=0, step=2)
@given(a=integers(-9, 9), b=integers(-9, 9), step=integers(1, 4))
def test_arange_lists_a_range(be, a, b, step):
    """For integers arange(start, end, step) holds what range does, in int64: the end is left out,
    the start is 0 and the step 1 unless given.
    """
    start, end = sorted((a, b))
    be.same(be.arange(start, end, step), np.array(range(start, end, step), np.int64))
    be.same(be.arange(end, start, -step), np.array(range(end, start, -step), np.int64))
    be.same(be.arange(start, end), np.array(range(start, end), np.int64))
    be.same(be.arange(abs(end)), np.array(range(abs(end)), np.int64))


@claim("TEN-76", about="arange", needs="arange")
@example(a=100, b=251, c=50, per=100)
@example(a=10, b=13, c=1, per=10)
@example(a=-7, b=6000, c=1, per=10)
@given(
    a=integers(-20, 20),
    b=integers(-20, 20),
    c=integers(1, 7),
    per=sampled_from((4, 10, 3, 100)),
)
def test_arange_of_floats_counts_its_steps(be, a, b, c, per):
    """arange(start, end, step) has as many entries as (end - start) / step, computed in double, is
    rounded up to, and entry k is start + k * step, not a running sum.
    """
    low, high, step = min(a, b) / per, max(a, b) / per, c / per
    for start, end, by in ((low, high, step), (high, low, -step)):
        k = np.arange(math.ceil((end - start) / by))
        made = be.arange(start, end, by, dtype=be.dtype)
        be.check(made, Jet.given(start) + k * Jet.given(by))


@claim("TEN-78", about="arange", needs="arange", level="contract")
@example(start=1, end=11, step=1, dtype="float64")
@given(
    start=integers(-4, 4),
    end=integers(4, 9),
    step=integers(1, 3),
    dtype=sampled_from(("float32", "float64", "int64", "int8")),
)
def test_one_float_makes_arange_float(be, start, end, step, dtype):
    """arange is of int64 if it is given integers only, of the default dtype, which is float32, if
    any one of its arguments is a float, and of another dtype if asked.
    """
    for count, *float_ in product((1, 2, 3), (False, True), (False, True), (False, True)):
        given = [float(v) if f else v for v, f in zip((start, end, step), float_, strict=True)]
        arguments = given[1:2] if count == 1 else given[:count]
        kind = "float32" if any(isinstance(each, float) for each in arguments) else "int64"
        be.same(be.arange(*arguments), np.arange(*arguments).astype(kind))
        be.same(be.arange(*arguments, dtype=dtype), np.arange(*arguments).astype(dtype))


@claim("TEN-77", about="arange", needs="arange", level="contract")
@given(start=integers(-9, 9), length=integers(1, 9), step=sampled_from((1, 2, 0.5)))
def test_arange_refuses_an_end_it_cannot_reach(be, start, length, step):
    """arange refuses a step of 0, a step that leads away from the end, and an infinite end; where
    start and end are equal it is empty.
    """
    end = start + length
    for arguments in ((start, end, 0), (start, end, -step), (end, start, step), (end, start)):
        with be.raises(ErrorKind.ARGUMENT):
            be.arange(*arguments)
    with be.raises(ErrorKind.ARGUMENT):
        be.arange(start, math.inf)
    for by in (step, -step):
        assert be.shape(be.arange(end, end, by)) == (0,)


@claim("TEN-16", "TEN-79", about="linspace", needs="linspace")
@example(a=3.0, b=10.0, steps=5, whole=(0, 10, 4))
@example(a=5.0, b=1.0, steps=3, whole=(-5, 0, 2))
@example(a=3.0, b=10.0, steps=1, whole=(0, 10, 4))
@given(
    a=floats(-1000, 1000, width=32),
    b=floats(-1000, 1000, width=32),
    steps=integers(0, 9),
    whole=tuples(integers(-20, 20), integers(-20, 20), sampled_from((4, 2, 1))),
)
def test_linspace_holds_both_ends(be, a, b, steps, whole):
    """linspace(a, b, steps) has that many points, and so one gap fewer: the first is exactly a, the
    last of several exactly b, and the gaps between them are equal, whichever of a and b is larger.
    Told a dtype of integers it cuts each point towards zero.
    """
    share = Jet.exact(np.arange(steps)) / max(1, steps - 1)
    for start, end in ((a, b), (b, a)):
        made = be.linspace(start, end, steps, dtype=be.dtype)
        be.check(made, start * (1 - share) + end * share)
        ends = [start, end] if steps > 1 else [start]
        assert np.array_equal(be.numpy(made)[:: max(1, steps - 1)], ends[:steps])
    low, high, gaps = whole
    for dtype in ("int64", "int16"):
        cut = np.trunc(low + np.arange(gaps + 1) * (high - low) / gaps)
        be.same(be.linspace(low, high, gaps + 1, dtype=dtype), cut.astype(dtype))


@claim("TEN-80", about="linspace logspace", needs="linspace logspace", level="contract")
@given(a=integers(-3, 3), b=integers(-3, 3), steps=integers(1, 5))
def test_steps_have_no_default(be, a, b, steps):
    """linspace and logspace want the number of steps: without it, with a fraction and with a
    negative number they refuse.
    """
    for make in (be.linspace, be.logspace):
        with be.raises(ErrorKind.ARGUMENT):
            make(a, b)
        with be.raises(ErrorKind.ARGUMENT):
            make(a, b, steps + 0.5)
        with be.raises(ErrorKind.SHAPE):
            make(a, b, -steps)


# ---- after the model of another tensor -----------------------------------------------------------


@claim(
    "TEN-06",
    "TEN-57",
    about="new_ones",
    needs="backward zeros empty new_empty new_zeros new_ones new_full shape devices torch",
    level="contract",
)
@every(dtype=DTYPES)
@given(sizes=sizes(1), other=sampled_from(DTYPES), x=arrays())
def test_new_tensors_take_dtype_and_device_of_the_model(be, sizes, dtype, other, x):
    """x.new_zeros, new_ones, new_full and new_empty make a tensor of the sizes they are given, one
    by one but for new_full or in a tuple, with dtype and device of x unless told others. x gives
    nothing else: without sizes they refuse, and the new tensor requires no grad even if x does.
    """
    model, leaf, away = be.zeros((2,), dtype=dtype), be.leaf(x), be.zeros(2, device="meta")
    for new, value in ((be.new_zeros, 0), (be.new_ones, 1), (be.new_full, 3), (be.new_empty, None)):
        more = (3,) if value == 3 else ()
        forms = [(sizes, *more)] if more else [(sizes,), sizes, ((),)]
        for form in forms:
            shape = sizes if form != ((),) else ()
            for made, own in ((new(model, *form), dtype), (new(model, *form, dtype=other), other)):
                assert (be.shape(made), be.dtype_of(made)) == (shape, own)
                if value is not None:
                    be.same(made, np.full(shape, value, own))
            assert be.dtype_of(new(leaf, *form)) == be.dtype
            assert not be.requires_grad(new(leaf, *form))
            assert be.device_of(new(model, *form)) == be.device
            assert be.device_of(new(away, *form)) == "meta"
            assert be.device_of(new(away, *form, device=be.device)) == be.device
        with be.raises(ErrorKind.ARGUMENT):
            new(model)


@claim("TEN-850", about="lookup", needs="torch", level="contract")
@every(name=list(SYMMETRIC))
@given(n=integers(0, 9), symmetric=booleans())
def test_windows_have_the_values_of_their_formulas(be, name, n, symmetric):
    """A window has the values of its formula, from end to end or without the last point of one that
    is longer, in the dtype that it is told.
    """
    make, dtype = be.lookup(f"torch.signal.windows:{name}"), be.lookup(f"torch:{be.dtype}")
    for told in TOLD.get(name, ({},)):
        true = around(window(name, n, symmetric=symmetric, **told), 8)
        be.check(make(n, sym=symmetric, dtype=dtype, **told), true)
        if name in OLDER:
            older = be.lookup(f"torch:{name}_window")
            be.check(older(n, periodic=not symmetric, dtype=dtype, **told), true)


@claim("TEN-852", about="lookup", needs="backward torch", level="contract")
@every(place=PLACES)
@given(n=integers(1, 9))
def test_a_window_that_requires_grad_is_a_leaf(be, place, n):
    """A window that is told so requires grad and is a leaf, whose .grad a pass fills."""
    told = {"a": [0.5, 0.5]} if place.endswith("general_cosine") else {}
    made = be.lookup(place)(n, dtype=be.lookup(f"torch:{be.dtype}"), requires_grad=True, **told)
    assert be.requires_grad(made)
    assert be.is_leaf(made), f"{place} makes no leaf"
    be.backward(be.sum(made * 3))
    be.check(be.grad(made), np.full(n, 3.0))


@claim("TEN-851", about="lookup", needs="torch", level="contract")
@given(n=integers(1, 9), rows=integers(0, 4), columns=integers(0, 4), offset=integers(-5, 5))
def test_frequencies_and_places_of_triangles(be, n, rows, columns, offset):
    """fftfreq and rfftfreq have the frequencies of what fft and rfft return, in its order;
    tril_indices and triu_indices have in two rows the places of a triangle, row by row.
    """
    spacing, whole = 0.25 * (1 + rows), {"dtype": be.lookup(f"torch:{be.dtype}")}
    for name in ("fftfreq", "rfftfreq"):
        true = getattr(np.fft, name)(n, spacing)
        be.check(be.lookup(f"torch.fft:{name}")(n, spacing, **whole), around(true, true))
    for name in ("tril_indices", "triu_indices"):
        places = np.stack(getattr(np, name)(rows, offset, columns))
        be.same(be.lookup(f"torch:{name}")(rows, columns, offset), places)


@claim("TEN-07", about="new_ones", needs="ones new_ones")
@example(x=np.array(5.5), sizes=(4, 3), dtype="float64")
@every(dtype=DTYPES)
@given(
    x=arrays(),
    sizes=sizes(),
)
def test_new_ones_of_a_given_dtype_are_ones(be, x, sizes, dtype):
    """x.new_ones(sizes) of a given dtype equals ones(sizes) of that dtype, whatever x is."""
    be.same(be.new_ones(be.tensor(x), sizes, dtype=dtype), be.ones(sizes, dtype=dtype))


@claim(
    "TEN-08",
    about="randn_like",
    needs="backward random views zeros randn_like devices torch",
    level="contract",
)
@example(x=np.zeros((4, 3)), dtype="float32", whole="int64")
@given(
    x=arrays(min_size=1),
    dtype=sampled_from(("float32", "float64", "float16", "complex64", "complex128")),
    whole=sampled_from((*INTEGERS, "uint8", "bool")),
)
def test_randn_like_takes_the_form_of_its_model(be, x, dtype, whole):
    """randn_like has the shape, dtype and device of its model, the dtype unless another is asked
    for, strides without gaps, those of the model if it has none, and requires no grad; integers and
    bools are refused as models unless a dtype is given.
    """
    model, integral = be.leaf(x), be.zeros(x.shape, dtype=whole)
    with be.fork_random():
        own, other = be.randn_like(model), be.randn_like(integral, dtype=dtype)
        with be.raises(ErrorKind.DTYPE):
            be.randn_like(integral)
    assert (be.dtype_of(own), be.dtype_of(other)) == (be.dtype, dtype)
    assert be.numpy(own).shape == be.numpy(other).shape == x.shape
    assert follows(be.strides(own), be.strides(model), x.shape)
    assert be.device_of(be.randn_like(be.zeros(2, device="meta"))) == "meta"
    assert not be.requires_grad(own)


# ---- memory that is not filled -------------------------------------------------------------------


@claim(
    "TEN-17",
    "TEN-51",
    "TEN-68",
    about="empty Tensor FloatTensor IntTensor",
    needs="empty Tensor FloatTensor IntTensor shape inplace fill_ torch",
    level="contract",
)
@given(sizes=sizes(1), default=sampled_from(("float32", "float64")))
def test_memory_that_is_not_filled(be, sizes, default):
    """empty, and Tensor, FloatTensor and IntTensor when given sizes, fix shape and dtype, the
    default one but for the last two, and draw no random number; what is written is what is read
    then. A size may be 0 and not negative.
    """
    before, own = be.state()["random state"], {be.FloatTensor: "float32", be.IntTensor: "int32"}
    with be.defaults(dtype=default):
        for make in (be.empty, be.Tensor, be.FloatTensor, be.IntTensor):
            made, dtype = make(*sizes), own.get(make, default)
            assert (be.shape(made), be.dtype_of(made)) == (sizes, dtype)
            be.same(be.fill_(made, 7), np.full(sizes, 7, dtype))
            with be.raises(ErrorKind.SHAPE):
                make(*sizes, -1)
        assert be.shape(be.empty(())) == ()
        assert be.shape(be.Tensor()) == (0,)
    assert be.state()["random state"] == before


@claim(
    "TEN-101",
    about="empty",
    needs="empty empty_like new_empty empty_strided Tensor IntTensor zeros torch",
    level="contract",
)
@every(dtype=DTYPES)
@given(
    sizes=sizes(),
)
def test_deterministic_memory_is_filled(be, sizes, dtype):
    """While only deterministic algorithms run, memory that nobody fills holds nan in floating and
    complex dtypes, the largest number in integers, and True in bool.
    """
    kind = np.dtype(dtype).kind
    unknown = np.nan if kind in "fc" else np.iinfo(dtype).max if kind in "iu" else True
    model, steps = be.zeros(sizes, dtype=dtype), be.strides(be.zeros(sizes))
    with be.deterministic():
        for made in (
            be.empty(sizes, dtype=dtype),
            be.empty_like(model),
            be.new_empty(model, sizes),
            be.empty_strided(sizes, steps, dtype=dtype),
        ):
            be.same(made.real if kind == "c" else made, np.full(sizes, unknown, dtype).real)
        be.same(be.Tensor(2), np.full(2, np.nan, np.float32))
        be.same(be.IntTensor(2), np.full(2, 2**31 - 1, np.int32))
