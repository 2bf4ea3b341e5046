"""The entries beside the adapters: each witness can be read, of every release of the library."""

from pathlib import Path

import pytest

from gradspec import spec
from gradspec.conformance import backends
from gradspec.conformance.claims.catalogue import claims_of
from gradspec.conformance.run.expectations import read_expectations

FILES = sorted(
    path for path in Path(backends.__file__).parent.glob("*.toml") if "." not in path.stem
)
CLAIMS = {row: claim for claim in claims_of(spec).values() for row in claim.rows}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_witness_can_be_read(path):
    """An entry of a release that is not installed would be found wrong by whoever has that one."""
    wrong = {
        each.address: mismatch
        for each in read_expectations(path, "1")
        if (mismatch := each.mismatch(CLAIMS[each.claim], operation_of(each)))
    }
    assert wrong == {}


def operation_of(entry):
    """The operation that an entry speaks of, as its claim knows it."""
    over = CLAIMS[entry.claim].over or ()
    return next((each for each in over if each.name == entry.operation), None)
