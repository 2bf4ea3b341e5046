"""Designs: what is chosen beforehand meets nearly all that any call could."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from gradspec import spec
from gradspec.conformance import Subject
from gradspec.conformance.claims.catalogue import claims_of
from gradspec.conformance.protocol.mode import Mode
from gradspec.conformance.run.examples import DEALT, DESIGNED, SHARE, hand_of
from gradspec.conformance.run.loading import load
from gradspec.conformance.run.profiles import PROFILES
from gradspec.conformance.run.question import Question
from gradspec.conformance.table import TABLE, calls
from gradspec.conformance.table.design import design, met_by
from gradspec.conformance.table.drawing import MANY, SHARES, SOLVED, Draw
from gradspec.conformance.table.drawn import Hand
from gradspec.conformance.table.operation import CODES, WEIGHTS

MET = DESIGNED * (PROFILES["default"].max_examples // SHARE)
"""Calls of a design that a run by the default profile meets, with each dtype."""
NAMED = {operation.name: operation for operation in TABLE}


def met(made):
    return set().union(*map(met_by, made))


def test_default_runs_meet_nearly_all_of_what_calls_can_be():
    """Nine tenths of the choices, pairs and triples of 40 calls that no design has looked at."""
    random = np.random.default_rng(77)
    shares = []
    for operation in TABLE:
        fresh = [operation.read(random.bytes(CODES + WEIGHTS)) for _ in range(40)]
        tried = calls(designed=True).corners(operation, Hand(designed=slice(2 * MET)))
        shares.append((len(met(fresh) & met(tried)), len(met(fresh))))
    reached, known = map(sum, zip(*shares, strict=True))
    assert reached > 0.9 * known, f"designs meet {reached} of {known}"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("avg_pool2d_padded", {"ceil_mode": True, "count_include_pad": False, "padding": 1}),
        ("cross_entropy_labels", {"ignore_index": 0, "label_smoothing": 0.25, "reduction": "sum"}),
        ("triplet_margin_loss", {"swap": True, "p": 1.0, "reduction": "none"}),
        ("std_several", {"correction": 0, "keepdim": True}),
    ],
)
@pytest.mark.parametrize("smooth", [False, True])
def test_rare_options_meet(name, options, smooth):
    made = calls(designed=True, smooth=smooth).corners(NAMED[name], Hand(designed=slice(2 * MET)))
    assert any(options.items() <= call.arguments.named.items() for call in made)


@pytest.mark.parametrize("operation", TABLE, ids=repr)
def test_hands_share_a_design(operation):
    """What one dtype does not meet another does, and nothing is met twice."""
    whole = design(operation)
    hands = [
        calls(designed=True).corners(operation, Hand(designed=slice(n, None, 2))) for n in (0, 1)
    ]
    corners = len(calls().corners(operation))
    assert sorted(call.codes for hand in hands for call in hand[corners:]) == sorted(whole)
    assert len({*whole}) == len(whole)


@pytest.mark.parametrize(("name", "shares"), [("GEN-04", 2), ("GEN-14", 1)])
def test_no_corner_is_left_out_for_slow_libraries(name, shares):
    """Each dtype meets its part: a claim judged in the widest alone meets all corners there."""
    slow = type("Slow", (type(load("reference")),), {"example_divisor": 4})()
    claim, profile, exp = claims_of(spec)[name], PROFILES["default"], NAMED["exp"]
    subjects = [Subject(slow, "cpu", dtype) for dtype in slow.dtypes[-shares:]]
    hands = [hand_of(Question(claim, each, profile, 0, exp)) for each in subjects]
    corners = range(len(calls().corners(exp)))
    met = [n for hand in hands for n in corners[hand.corners]]
    assert sorted(met) == [*corners]


def test_slow_libraries_meet_the_richest_calls_of_a_design():
    """Some in each dtype, where others meet more; in another claim they meet other ones."""
    slow = type("Slow", (type(load("reference")),), {"example_divisor": 4})()
    profile, add = PROFILES["default"], NAMED["add"]
    subjects = [Subject(slow, "cpu", dtype) for dtype in slow.dtypes]
    met = {}
    for name in ("GEN-04", "GEN-10"):
        asked = [Question(claims_of(spec)[name], each, profile, 0, add) for each in subjects]
        hands = [hand_of(each) for each in asked]
        apart = [hand._replace(corners=slice(0)) for hand in hands]
        made = [call for hand in apart for call in calls(designed=True).corners(add, hand)]
        met[name] = {call.codes for call in made}
    richest = design(add)[: DEALT * len(subjects)]
    assert met["GEN-04"] == {*richest}
    assert len(met["GEN-10"] - met["GEN-04"]) == len(richest)


def test_a_whole_design_is_met_by_slow_libraries_too():
    slow = type("Slow", (type(load("reference")),), {"example_divisor": 4})()
    claim, profile, add = claims_of(spec)["OPS-08"], PROFILES["default"], NAMED["add"]
    met = set()
    for dtype in slow.dtypes:
        hand = hand_of(Question(claim, Subject(slow, "cpu", dtype), profile, 0, add))
        made = calls(designed=True, whole=True).corners(add, hand._replace(corners=slice(0)))
        met |= {call.codes for call in made}
    assert met == {*design(add)}


def test_functions_written_out_entry_by_entry_meet_calls_with_fewer_entries():
    """As many corners are met, and no call of another function has fewer entries than elsewhere."""
    adapter = type("Unrolling", (type(load("reference")),), {"unrolled": frozenset({"exp"})})()
    claim, profile = claims_of(spec)["GEN-04"], PROFILES["default"]
    for name, most in (("exp", SOLVED), ("sin", MANY)):
        operation = NAMED[name]
        hand = hand_of(Question(claim, Subject(adapter, "cpu", "float32"), profile, 0, operation))
        met = calls(smooth=True).corners(operation, hand)
        assert len(met) == len(calls(smooth=True).corners(operation))
        sizes = [sum(x.size for x in call.tensors) for call in met]
        assert most / 2 < max(sizes) <= most
        assert [calls(smooth=True).named(operation, call.name).corner for call in met] == [
            call.corner for call in met
        ]


def test_no_values_lie_too_close_for_sixteen_bits():
    """Where calls have many entries these lie closer than eight bits of a mantissa tell apart."""
    claim, profile, exp = claims_of(spec)["GEN-04"], PROFILES["default"], NAMED["exp"]
    for dtype, many in (("float16", False), ("float32", True)):
        subject = Subject(load("reference"), "cpu", dtype)
        hand = hand_of(Question(claim, subject, profile, 0, exp))
        met = calls(smooth=True).corners(exp, hand)
        assert any(call.corner.many for call in met) == many


def test_a_mode_with_a_pass_for_each_entry_meets_no_call_with_many():
    """All other corners are met there as elsewhere."""
    backend, claim, exp = load("reference"), claims_of(spec)["GEN-04"], NAMED["exp"]
    mode = type("Slowly", (Mode,), {"name": "slowly", "of_many": False})(backend)
    met = []
    for each in (None, mode):
        asked = Question(
            claim, Subject(backend, "cpu", "float64", each), PROFILES["default"], 0, exp
        )
        met.append(calls(smooth=True).corners(exp, hand_of(asked)))
    usual, slowly = met
    few = [call.name for call in usual if call.corner is None or not call.corner.many]
    assert [call.name for call in slowly] == few
    assert len(few) < len(usual)


def test_a_claim_in_the_widest_dtype_is_judged_where_a_function_is_there():
    """A library may have a function in its narrower dtype alone."""

    class Narrow(type(load("reference"))):
        def lacking(self, dtype, device):
            return frozenset({"exp"} if dtype == "float64" else ())

    asked = {
        (dtype, name): Question(
            claims_of(spec)["GEN-14"], Subject(Narrow(), "cpu", dtype), PROFILES["quick"], 0, each
        ).unmet()
        for dtype, (name, each) in product(Narrow.dtypes, ((n, NAMED[n]) for n in ("exp", "sin")))
    }
    assert asked == {
        ("float32", "exp"): None,
        ("float64", "exp"): "reference does not declare exp",
        ("float32", "sin"): "it is judged in float64, the widest dtype",
        ("float64", "sin"): None,
    }


@pytest.mark.parametrize(
    "sizes", [(26_400, 13_200), (13_200, 26_400), (2304, 1), (900, 449, 224), (224, 900, 449)]
)
def test_arrays_of_any_sizes_lie_apart(sizes):
    """What is not differentiable where two arguments are equal is asked nowhere near."""
    draw = Draw(bytes(range(256)), apart=True, corner=SHARES[0])
    entries = np.concatenate([draw.array((size,)) for size in sizes])
    assert len(np.unique(entries)) == sum(sizes)


def test_claims_of_others_are_named_as_they_like():
    claim = replace(claims_of(spec)["GEN-04"], id="of-our-own")
    for dtype in ("float32", "float64"):
        subject = Subject(load("reference"), "cpu", dtype)
        hand = hand_of(Question(claim, subject, PROFILES["default"], 0, NAMED["exp"]))
        assert calls(designed=True).corners(NAMED["exp"], hand)
