"""Speed: what a device gains on the work of each chapter."""

from dataclasses import asdict

import pytest

from gradspec import spec
from gradspec.conformance.speed import SIZES, measure, workloads_of


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("transfer", [False, True], ids=["resident", "transfer"])
@pytest.mark.parametrize("program", workloads_of(spec), ids=lambda program: program.__name__)
def test_speed(benchmark, be, program, transfer, size, record_property):
    """A device pays off only on work that outweighs its overhead; these ratios say where."""
    measured = measure(benchmark, be, program, size, transfer=transfer)
    record_property("gradspec measurement", asdict(measured))
