"""Speed: what a device gains on the work of each chapter."""

import pytest

from gradspec import spec
from gradspec.conformance.speed.workloads import workloads_of

CELLS = [
    pytest.param(workload.program, size, id=f"{workload.name}-{size}")
    for workload in workloads_of(spec)
    for size in workload.sizes
]


@pytest.mark.parametrize(("program", "size"), CELLS)
def test_speed(stopwatch, be, program, size, part):
    """A device pays off only on work that outweighs its overhead; these ratios say where."""
    stopwatch.time(be, program, size, part)
