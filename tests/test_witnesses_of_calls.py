"""Witnesses of calls of operations: what they are is written in words, and read again whole."""

import tomllib
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import product
from warnings import catch_warnings

import numpy as np
import pytest

from gradspec import spec
from gradspec.conformance.claims.catalogue import claims_of
from gradspec.conformance.claims.witness import decode, encode, in_toml
from gradspec.conformance.protocol.layout import layout_of
from gradspec.conformance.run.reproduction import values_text
from gradspec.conformance.strategies.arrays import DENSE, LAYOUTS
from gradspec.conformance.table import COMPLEX, ENTRYWISE, ROWWISE, TABLE, calls, rows
from gradspec.conformance.table.arguments import WRITTEN, Arguments
from gradspec.conformance.table.call import Call
from gradspec.conformance.table.drawing import HOLLOW, KINDS, STRIDES, TOLD, VASTNESS
from gradspec.conformance.table.drawn import MEANINGLESS, Calls, fixed
from gradspec.conformance.table.kinks import KINKS
from gradspec.conformance.table.layouts import IN_ANY_WAY
from gradspec.conformance.table.operation import WEIGHTS, Operation
from gradspec.conformance.table.points import Points

NAMED = {operation.name: operation for operation in TABLE}
OF_COMPLEX = {operation.name: operation for operation in COMPLEX}


def written(call):
    """Write a call as a file has it; return its table as it is read from there."""
    text = in_toml(encode({"call": call}), "expected.witness")
    assert max(map(len, text.splitlines())) <= 100
    return tomllib.loads(text)["expected"]["witness"]


def read(witness, operation, drawn=None):
    """Read a call as a claim does."""
    return (drawn or calls()).named(operation, decode(witness)["call"])


def again(call, drawn=None):
    """Write a call and read it."""
    return read(written(call), call.operation, drawn)


def told(value):
    """All there is to a value, bit for bit: of an array its memory and its place there too."""
    if isinstance(value, np.ndarray):
        memory, *place = layout_of(value)
        return value.dtype, *place, value.strides, memory.tobytes(), value.tobytes()
    if isinstance(value, tuple | list):
        return type(value), *map(told, value)
    return type(value), repr(value)


def all_of(call):
    """All there is to a call, as claims use it."""
    given = call.arguments
    asked = [call.cotangent, *call.tangents] if call.operation.differentiable else []
    named = [(name, told(value)) for name, value in given.named.items()]
    asked = [(x.shape, x.tobytes()) for x in asked]
    return type(call), *map(told, (given.tensors, given.options)), named, call.which, asked


CORNERS = (*KINDS[:4], *STRIDES, *HOLLOW[:1], *TOLD)


@pytest.mark.parametrize("operation", [*TABLE, *COMPLEX], ids=lambda each: each.name)
def test_calls_of_every_operation_survive_being_written_down(operation):
    """Drawn ones, and in corners, whatever they hold; alone and with others they ask the same."""
    met = []
    for n, draw in product(range(3), (calls(), calls(smooth=True, strided=True))):
        corner = CORNERS[(len(operation.name) + n) % len(CORNERS)] if n else None
        with catch_warnings(action="ignore"), suppress(*MEANINGLESS):
            call = draw.read(operation, fixed(n), corner)
            met.append((call, call.result))  # which is made here: some calls mean nothing
    assert len(met) > 2
    for call, _ in met:
        back = again(call)
        assert all_of(back) == all_of(call)
        if operation.differentiable and operation not in COMPLEX:
            assert [*map(all_of, back.alone)] == [*map(all_of, call.alone)]


def made(*tensors, options=(), weights=(1.0,) * WEIGHTS, which=0, **named):
    """Make a call of an operation that takes anything."""

    def forward(x, *rest, **also):
        return [x * 1.0, x * 2.0]

    arguments = Arguments(tensors or (np.array([1.0, 2.0]),), options, named)
    operation = Operation("anything", forward, draw=lambda _: arguments)
    return Call(operation, arguments, np.array(weights), which)


@pytest.mark.parametrize(
    "layout", dict.fromkeys([*LAYOUTS, *IN_ANY_WAY]), ids=lambda each: each.__name__
)
@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 3), (3, 1), (2, 3, 2), (0, 3), (2, 0, 1)])
def test_places_in_memory_survive(layout, shape):
    """Strides, offsets, and what lies between; also of what is empty, and of a single entry."""
    array = layout(shape, np.arange(float(np.prod(shape))) - 0.5)
    call = made(array, options=(array, [np.asarray(array > 0)]))
    assert all_of(again(call)) == all_of(call)


@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "int64", "uint8", "float16", "float32"])
@pytest.mark.parametrize("layout", DENSE)
def test_dtypes_of_constants_survive(dtype, layout):
    call = made(options=(layout((2, 3), np.arange(6)).astype(dtype, order="K"),))
    (constant,) = again(call).arguments.options
    assert constant.dtype == dtype
    assert all_of(again(call)) == all_of(call)


STRANGE = np.array([np.nan, np.inf, -np.inf, -0.0, 5e-324, 1e308, 1 / 3])


@pytest.mark.parametrize("layout", DENSE)
def test_strange_numbers_survive(layout):
    call = made(layout((7,), STRANGE), options=(float("nan"), -0.0, (float("inf"), None)))
    assert all_of(again(call)) == all_of(call)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("layout", DENSE)
def test_parts_of_complex_numbers_survive(dtype, layout):
    numbers = np.empty(6, dtype)
    numbers.real, numbers.imag = STRANGE[:6], STRANGE[1:]
    call = made(options=(layout((2, 3), numbers), layout((), numbers[:1])))
    assert all_of(again(call)) == all_of(call)


@pytest.mark.parametrize(
    "option",
    [True, 1, 1.0, None, "mean", 'a b\\"é\n\x7f', ..., slice(1, None, -2), slice(None, 3), (),
     (1, True), [1, (2.0, None)], (slice(2, None), ..., None), (np.array([1, 2]), 3),
     (float("nan"), 1)],
)  # fmt: skip
def test_options_survive(option):
    for call in (made(options=(option,)), made(given=option)):
        assert all_of(again(call)) == all_of(call)


@pytest.mark.parametrize("which", [0, 1, 2, 255])
def test_the_number_of_a_result_survives(which):
    assert again(made(which=which)).which == which


def test_weights_survive_as_far_as_they_are_used():
    numbers = np.arange(1.0, WEIGHTS + 1)
    for size in (0, 1, 2, 7, 8, 9, 40):
        call = made(np.ones(size), weights=numbers)
        kept = written(call)["call"].get("weights", [])
        assert all_of(again(call)) == all_of(call)
        assert sum(isinstance(each, float) for each in kept) == min(WEIGHTS, 2 * size)
    two = made(np.ones(3), np.ones(2), weights=numbers)
    assert written(two)["call"]["weights"] == [1.0, 2.0, 3.0, 4.0, 5.0, "...", 15.0, 16.0, 17.0]
    # By itself a tensor is moved along other weights than behind another one.
    pair = made(np.ones(1), np.ones(3), weights=numbers)
    alone = [call.alone[1].tangents[0].tolist() for call in (pair, again(pair))]
    assert alone == [[17.0, 16.0, 15.0]] * 2
    # Another result may be larger than the one that is asked for.
    one = Arguments((np.ones(2),))
    longer = Operation("longer", lambda x: [x, np.resize(x, 5)], draw=lambda _: one)
    call = Call(longer, one, numbers)
    assert replace(again(call), which=1).cotangent.tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_weights_that_are_ones_or_never_asked_for_are_left_out():
    assert "weights" not in written(made())["call"]
    call = calls().read(NAMED["sign"], fixed(1))
    values = replace(call, operation=replace(call.operation, differentiable=False))
    assert "weights" not in written(values)["call"]
    assert "weights" in written(call)["call"]


def test_a_call_is_what_its_table_says():
    """As somebody writes one, who has never seen any bytes."""
    text = """
    tensors = [{ array = [[1.0, 2.0], [3.0, 4.0]] }]
    options = [1]
    weights = [2.0, -1.0, "..."]
    """
    call = read({"call": tomllib.loads(text)}, NAMED["sum"])
    assert call.result.tolist() == [3.0, 7.0]
    assert call.cotangent.tolist() == [2.0, -1.0]
    assert [t.tolist() for t in call.tangents] == [[[1.0, 1.0], [1.0, 1.0]]]
    masked = """
    tensors = [{ array = [1.0, nan], imaginary = [0.5, -0.0] }]
    options = [{ array = [false, true], dtype = "bool" }]
    """
    (z,) = read({"call": tomllib.loads(masked)}, OF_COMPLEX["masked_select"]).given
    assert (z[0], z[1].imag, np.signbit(z[1].imag)) == (1 + 0.5j, 0.0, True)


def test_no_bytes_are_read_again(monkeypatch):
    """What is drawn may be drawn otherwise from now on: a witness stays the call that it was."""
    call = calls(strided=True).read(NAMED["matmul"], fixed(3), STRIDES[1])
    before, witness = all_of(call), written(call)
    other = replace(NAMED["matmul"], draw=lambda _: Arguments((np.ones(2), np.ones(2))))
    monkeypatch.setattr("gradspec.conformance.table.operation.NONZERO", np.full(256, 7.0))
    assert all_of(read(witness, other)) == before


# ---- what has a name -----------------------------------------------------------------------------


def test_what_nobody_would_read_keeps_its_name():
    for corner in VASTNESS:
        call = calls().read(NAMED["exp"], fixed(1), corner)
        assert encode({"call": call}) == {"call": call.name}
        assert all_of(read({"call": call.name}, NAMED["exp"])) == all_of(call)
        assert repr(call).endswith(f"; {call.name}")
    for corner in (*KINDS, *STRIDES):
        call = calls(strided=True).read(NAMED["exp"], fixed(1), corner)
        assert call.told.numbers <= WRITTEN
        assert isinstance(encode({"call": call})["call"], dict)


def test_numbers_count_in_memory_and_as_entries():
    assert made(np.ones(WRITTEN)).is_named is False
    assert made(np.ones(WRITTEN), options=(np.ones(1),)).is_named is True
    assert made(np.ones(2 * WRITTEN)[::2]).is_named is True
    assert made(np.broadcast_to(np.ones(1), (WRITTEN + 1,))).is_named is True


def test_points_of_tables_keep_their_names():
    kink = KINKS[0].of(NAMED[KINKS[0].operation])
    assert encode({"kink": kink}) == {"kink": kink.name}
    for pool, operation in ((Points("far"), ENTRYWISE[0]), (rows(), ROWWISE[0])):
        (grid,) = pool.corners(operation)
        assert encode({"grid": grid}) == {"grid": f"{pool.kind}:"}


@pytest.mark.parametrize(
    ("pool", "operation"),
    [(Points("far"), "atan2"), (Points("close"), "margin_ranking_loss"),
     (rows(), "cosine_similarity"), (rows(), "layer_norm")],
)  # fmt: skip
def test_a_few_points_survive(pool, operation):
    (chosen,) = (each for each in (*ENTRYWISE, *ROWWISE) if each.name == operation)
    call = pool.read(chosen, bytes(range(40, 40 + pool.size)))
    witness = written(call)
    back = pool.named(chosen, decode(witness)["call"])
    assert all_of(back) == all_of(call)
    assert [told(total.value) for total in back.second()] == [
        told(total.value) for total in call.second()
    ]
    for wrong in (
        {"tensors": witness["call"]["tensors"][:1] * 3},
        {"tensors": [{"array": [[[1.0]]]}] * len(call.tensors)},
        {"tensors": [{"array": [1.0], "shape": []}] * len(call.tensors)},
        {"tensors": [*witness["call"]["tensors"], {"array": [1.0], "shape": []}]},
        {"options": ["other"]},
    ):
        with pytest.raises(ValueError, match=f"{operation} is asked at points"):
            pool.named(chosen, decode({"call": {**witness["call"], **wrong}})["call"])


@pytest.mark.parametrize("word", ["", "00", "narrow contiguous:5f82", "wide transposed:"])
def test_names_of_small_calls_are_still_read(word):
    """Tables of others hold them."""
    call = read({"call": word}, NAMED["sin"])
    assert call.name.removesuffix("00") == word.removesuffix("00")
    assert all_of(again(call)) == all_of(call)


# ---- what is none --------------------------------------------------------------------------------

X = {"array": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        ({"tensors": []}, "the tensors of a call are arrays, at least one"),
        ({"tensors": [1.0]}, "the tensors of a call are arrays"),
        ({"tensors": 3}, ""),
        ({"tensors": [X], "option": [1]}, "a call has .*, and no 'option'"),
        ({"tensors": [X], "options": "12"}, "options of a call are a list"),
        ({"tensors": [X], "options": {"dim": 1}}, "options of a call are a list"),
        ({"tensors": [X], "named": 3}, ""),
        ({"tensors": [X], "which": -1}, "one from 0 to 255"),
        ({"tensors": [X], "which": 1.0}, "one from 0 to 255"),
        ({"tensors": [X], "which": True}, "one from 0 to 255"),
        ({"tensors": [X], "weights": [1.0, 2.0]}, "17 finite numbers, or less and '...'"),
        ({"tensors": [X], "weights": [1.0] * 18}, "17 finite numbers"),
        ({"tensors": [X], "weights": [1.0] * 18 + ["..."]}, "17 finite numbers"),
        ({"tensors": [X], "weights": ["...", 1.0, "..."]}, "once at the most"),
        ({"tensors": [X], "weights": [float("nan"), "..."]}, "finite"),
        ({"tensors": [X], "weights": [10**400, "..."]}, ""),
        ({"tensors": [X], "weights": [True, "..."]}, "weights are numbers"),
        ({"tensors": [X], "weights": ["one", "..."]}, "weights are numbers"),
        ({"tensors": [X], "weights": 3}, "weights are a list"),
        ({"tensors": [{"tensors": [X]}]}, "a witness value is"),
        ({"tensors": [{"array": [1.0], "imaginary": [1.0, 2.0]}]}, "as many imaginary parts"),
        ({"tensors": [{"array": [1.0], "imaginary": [1.0], "dtype": "int64"}]}, "has imaginary"),
        ({"tensors": [{"array": [1.0], "dtype": "complex128"}]}, "has imaginary parts if"),
        ({"tensors": [X], "options": [{"slice": "1"}]}, "is no slice"),
        ({"tensors": [X], "options": [{"slice": "1:2:3:4"}]}, "is no slice"),
        ({"tensors": [X], "options": [{"slice": "a:b"}]}, ""),
        ({"tensors": [X], "options": [{"slice": f"{2**200}:"}]}, "larger than any number"),
    ],
)
def test_what_is_no_call_is_refused_by_one_kind_of_error(call, fault):
    with pytest.raises(ValueError, match=f"the witness of call: .*{fault}"):
        decode({"call": call})


@pytest.mark.parametrize(
    ("operation", "call", "fault"),
    [
        ("sin", {"tensors": [X, X]}, "sin takes tensors: 1, not 2"),
        ("matmul", {"tensors": [X]}, "matmul takes tensors: 2, not 1"),
        ("matmul", {"tensors": [X, {"array": [1.0, 2.0, 3.0]}]}, "matmul takes no such call"),
        ("sum", {"tensors": [X], "options": [4]}, "sum takes no such call"),
        ("sum", {"tensors": [X], "options": [0, True, 3, 4, 5]}, "sum takes no such call"),
        ("sum", {"tensors": [X], "named": {"dimension": 0}}, "sum takes no such call"),
        ("sin", {"tensors": [X], "options": [3]}, "sin takes no such call"),
        ("sin", {"tensors": [X], "named": {"where": False}}, "sin"),
        ("sin", {"tensors": [{"array": [1, 2], "dtype": "int64"}]}, "sin has tensors of float64"),
        ("sin", {"tensors": [{**X, "imaginary": [0.0, 1.0]}]}, "sin has tensors of float64"),
        ("cat", {"tensors": [X, {"array": [[1.0]]}]}, "cat takes no such call"),
        ("reshape", {"tensors": [X], "options": [{"literal": "(3,)"}]}, "reshape takes no such"),
        ("exp", {"tensors": [{"array": [1.0] * 1000}]}, "no more than 792 numbers"),
        (
            "exp",
            {"tensors": [{"array": [1.0], "shape": [1000], "strides": [0]}]},
            "no more than 792 numbers",
        ),
    ],
)
def test_what_is_no_call_of_the_operation_is_refused(operation, call, fault):
    with pytest.raises(ValueError, match=fault):
        read({"call": call}, NAMED[operation])


@cache
def claim_named(name):
    return claims_of(spec)[name]


@pytest.mark.parametrize(
    ("claim", "operation", "witness"),
    [
        ("GEN-04", "sin", {"call": 3}),
        ("GEN-04", "sin", {"call": X}),
        ("CNV-02", "prod", {"kink": {"tensors": [X]}}),
        ("ACC-09", None, {"x": {"tensors": [X]}, "w": X, "start": X}),
    ],
)
def test_a_claim_takes_what_it_draws_alone(claim, operation, witness):
    with pytest.raises(ValueError, match=r"a call|no kink|no operation"):
        claim_named(claim).read(decode(witness), NAMED.get(operation))


# ---- what a user sees ----------------------------------------------------------------------------


def test_a_failure_tells_a_witness_that_is_read_again():
    call = calls(strided=True).read(NAMED["sum"], fixed(4), STRIDES[1])
    values, _, witness = values_text({"call": call}).partition("\n\nwitness:\n")
    assert values == f"    call = {call!r}"
    assert "; " not in values
    found = tomllib.loads(witness)["expected"]["witness"]
    assert all_of(read(found, NAMED["sum"])) == all_of(call)
    assert "witness:" not in values_text({"x": np.ones(2)})


def test_a_call_that_cannot_be_computed_is_told_all_the_same():
    def refused(x):
        raise ZeroDivisionError(x)

    call = replace(made(), operation=Operation("refused", refused, draw=Calls))
    assert encode({"call": call}) is None
    assert "witness:" not in values_text({"call": call})


@pytest.mark.parametrize("corner", VASTNESS, ids=str)
def test_a_call_of_thousands_of_numbers_is_told_by_a_few_and_by_its_name(corner):
    call = calls().read(NAMED["mul"], fixed(3), corner)
    text = values_text({"call": call})
    assert sum(x.size for x in call.tensors) > WRITTEN
    assert len(text) < 4 * WRITTEN
    assert repr(call).endswith(f"; {call.name}")


@pytest.mark.parametrize("size", [1, 3, 16, 17, 40])
def test_weights_are_used_that_stand_in_cotangents_or_tangents(size):
    call = Call(NAMED["sum"], Arguments((np.ones(size),), ()), np.arange(17.0))
    standing = {*call.cotangent.ravel(), *call.tangents[0].ravel()}
    assert {*call.weights[call.weighing]} == standing
