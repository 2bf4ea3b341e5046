"""Operations of the table at size: how their calls are made larger, and that they are timed."""

import numpy as np
import pytest
import test_speed_runs as runs

from gradspec.conformance import Subject
from gradspec.conformance.backends.reference import Reference
from gradspec.conformance.speed import operations, record
from gradspec.conformance.speed.cells import LeftOut
from gradspec.conformance.speed.operations import CLASSES, NEW, operations_at_size

bench = runs.bench
WORKLOADS = {work.name: work for work in operations_at_size()}

CHAPTER = """
from queued import simulate
from gradspec.conformance import timed_over
from gradspec.conformance.speed.operations import operations_at_size

simulate(setattr)


@timed_over(lambda: [w for w in operations_at_size() if w.name in ("sin", "sin and back", "view")])
def test_speed(stopwatch, benchmark, be, program, size, part):
    stopwatch.time(benchmark, be, program, size, part)
"""


def computed(work, size):
    """Return what the reference makes of a workload at a size, and the arrays it is given."""
    be = Subject(Reference(), "cpu", "float64")
    be.begin(watch=False)
    arrays = [operand.make() for operand in work.arrays(size)]
    operands = [be.backend.tensor(x, str(x.dtype), "cpu") for x in arrays]
    for x, name in zip(operands, work.parameters, strict=True):
        if name in work.leaves:
            be.backend.set_requires_grad(x)
    return be.numpy(work.program(be, *operands)), arrays


def test_every_operation_has_workloads():
    forward = {name for name in WORKLOADS if not name.endswith(" and back")}
    assert len(forward) > 480
    without = {name for name in forward if WORKLOADS[name].enlarged.way is None}
    # Their options say how large the result is.
    assert without == {
        *("view", "reshape", "expand", "broadcast_to", "affine_grid", "expand_as"),
        *("affine_grid_aligned", "tensorinv_several", "tensorsolve", "view_copy", "expand_copy"),
    }
    with pytest.raises(LeftOut, match="no axis along which"):
        WORKLOADS["view"].arrays(1000)


@pytest.mark.parametrize(
    "name", ["sin", "softmax", "matmul", "conv2d", "det", "solve", "embedding", "tensordot_axes"]
)
def test_operands_are_as_large_as_asked(name):
    for size in CLASSES[:2]:
        arrays = WORKLOADS[name].arrays(size)
        assert size / 2 < sum(x.size for x in arrays) < 2 * size
        for operand in arrays:
            made = operand.make()
            assert made.shape == operand.shape
            assert made.dtype.kind == np.dtype(operand.dtype).kind


@pytest.mark.parametrize(
    ("name", "axes"),
    [("softmax", (0,)), ("det", (NEW,)), ("mul", (0, 0)), ("conv2d", (0, None))],
)
def test_a_batch_grows_where_there_is_one(name, axes):
    enlarged = WORKLOADS[name].enlarged
    assert enlarged.way.axes == axes
    assert enlarged._is_batch(enlarged._made(enlarged.way))


def test_a_batch_is_computed_row_by_row():
    enlarged = WORKLOADS["softmax"].enlarged
    found, _ = computed(WORKLOADS["softmax"], 1000)
    assert np.allclose(np.resize(enlarged._result(enlarged.arrays), found.shape), found)


def test_the_way_back_is_the_gradient_of_the_sum():
    found, (x,) = computed(WORKLOADS["sin and back"], 1000)
    assert np.allclose(found, np.cos(x))


def test_what_a_library_refuses_is_left_out_and_what_has_no_gradient(monkeypatch):
    work = WORKLOADS["sin"]
    monkeypatch.setattr(operations.Enlarged, "on", lambda *_: 1 / 0)
    with pytest.raises(LeftOut, match="refused when it is made larger: division by zero"):
        computed(work, 1000)


@pytest.mark.long
def test_they_are_timed_when_they_are_asked_for(bench):
    bench.makepyfile(test_pretended=CHAPTER)
    words = ["-k", "cpu", "--speed-time", "600"]
    result = runs.run(bench, *words)
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    result = runs.run(bench, *words, "--speed-operations", "--speed-budget", "5")
    (path,) = bench.path.joinpath("out").iterdir()
    cells = {(m.cell.workload, m.cell.size): m for m in record.read(path).measurements}
    assert {m.cell.chapter for m in cells.values()} == {"operations"}
    assert cells["sin", 1000].median is not None
    assert cells["sin and back", 1000].median is not None
    assert "no axis along which" in cells["view", 1000].left_out
