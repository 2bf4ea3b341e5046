"""Designs: what is chosen beforehand meets nearly all that any call could."""

import numpy as np
import pytest

from gradspec.conformance.run.profiles import PROFILES
from gradspec.conformance.run.runner import PAIRS, SHARE
from gradspec.conformance.table import TABLE, calls
from gradspec.conformance.table.design import design, pairs
from gradspec.conformance.table.drawn import Hand
from gradspec.conformance.table.operation import CODES, WEIGHTS

MET = PAIRS * (PROFILES["default"].max_examples // SHARE)
"""Calls of a design that a run by the default profile meets, with each dtype."""
NAMED = {operation.name: operation for operation in TABLE}


def met(made):
    return set().union(*map(pairs, made))


def test_default_runs_meet_nearly_all_of_what_calls_can_be():
    """Nine tenths of the choices, pairs and triples of 40 calls that no design has looked at."""
    random = np.random.default_rng(77)
    shares = []
    for operation in TABLE:
        fresh = [operation.read(random.bytes(CODES + WEIGHTS)) for _ in range(40)]
        tried = calls(pairs=True).corners(operation, Hand(pairs=slice(2 * MET)))
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
    made = calls(pairs=True, smooth=smooth).corners(NAMED[name], Hand(pairs=slice(2 * MET)))
    assert any(options.items() <= call.arguments.named.items() for call in made)


@pytest.mark.parametrize("operation", TABLE, ids=repr)
def test_hands_share_a_design(operation):
    """What one dtype does not meet another does, and nothing is met twice."""
    whole = design(operation)
    hands = [calls(pairs=True).corners(operation, Hand(pairs=slice(n, None, 2))) for n in (0, 1)]
    corners = len(calls().corners(operation))
    assert sorted(call.codes for hand in hands for call in hand[corners:]) == sorted(whole)
    assert len({*whole}) == len(whole)
