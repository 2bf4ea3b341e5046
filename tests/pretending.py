"""A plugin for pytest: `-p pretending` gives every process of a run a pretended CUDA device.

The adapter of PyTorch is what it is, so that `-m cuda` runs here what it will run beside a real
device, but with fewer examples: what is computed is computed on the host, and was checked there.
Of the special calls of an operation each claim meets an eighth, and eight claims all of them.
PRETENDED in the environment holds words with commas between them: switches of `pretended_cuda`, and
`third`. Then each claim meets a third of its operations, and each operation a third of its claims;
of claims that ask for thousands of entries an eighth.
"""

import os
from collections.abc import Mapping
from typing import Any

import pytest
from pretended_cuda import left_out, pretended_cuda, switched
from thirds import dealt, keep

from gradspec.conformance.backends.torch import Torch
from gradspec.conformance.claims.claim import Claim
from gradspec.conformance.results.verdict import address_of
from gradspec.conformance.run.expectations import expectations_of
from gradspec.conformance.run.question import meant
from gradspec.conformance.table.drawn import Hand
from gradspec.conformance.table.operation import Operation

ARTEFACTS = {name: entry["reason"] for name, entry in left_out().items()}
"""Claims, operations, and claims on an operation that are not run, and why not."""

THIRD = "third"
"""The word that leaves out two operations of three."""

WORDS = {word for word in os.environ.get("PRETENDED", "").split(",") if word}

STEP = 8
"""One special call of so many is met by a claim, others by claims whose ids end otherwise.

So are operations, where a third of them is asked for, in claims that ask for thousands of entries.
"""

ALL_CORNERS = Claim.corners

SEARCHED = {each.address for each in expectations_of(Torch()) if each.search}
"""What is known to fail somewhere, by no example of which one is written down."""


def some_corners(self: Claim, operation: Operation, hand: Hand) -> list[Mapping[str, Any]]:
    """Return a part of the calls that are checked before any is drawn, and of few of them one.

    What is known to fail is searched for as ever.
    """
    if address_of(self.id, operation.name) in SEARCHED:
        return ALL_CORNERS(self, operation, hand)
    dealt = slice(int(self.id[-1]) % STEP, None, STEP)
    found = ALL_CORNERS(self, operation, hand._replace(corners=dealt))
    return found or ALL_CORNERS(self, operation, hand)[:1]


# For the rest of the process: nothing else is done in it.
Torch.example_divisor = 2
Claim.corners = some_corners
LASTING = [pretended_cuda(), switched(*WORDS - {THIRD})]
for each in LASTING:
    each.__enter__()


def pytest_report_header() -> list[str]:
    """Say what is not run."""
    return [f"not run on the pretended device: {name}: {why}" for name, why in ARTEFACTS.items()]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the device is not made for, and what takes long there and shows no more."""
    keep(config, items, lambda item: not _left_out(item))


def _left_out(item: pytest.Item) -> bool:
    asked = meant(item)
    if asked is None:
        return False
    claim, _, operation = asked
    if operation is None:
        return claim.id in ARTEFACTS
    address = address_of(claim.id, operation.name)
    if THIRD in WORDS and not dealt(address, STEP if claim.of_many else 3):
        return True
    return not ARTEFACTS.keys().isdisjoint({claim.id, operation.name, address})
