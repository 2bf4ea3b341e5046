"""A second device: selected by mark, required by option, timed against the first.

The machine at hand may have none, so one is pretended: the reference under another device name,
whose work is queued and done only when it is synchronised.
"""

import json

import pytest

from gradspec import spec
from gradspec.conformance import Subject
from gradspec.conformance.catalogue import claims_of

ADAPTER = """
import time

from gradspec.conformance.backends.reference import Reference


class Queued(Reference):
    name = "queued"
    pending = 0

    def devices(self):
        return ("cpu", "cuda")

    def device_model(self, device):
        return f"pretended {device}"

    def tensor(self, array, dtype, device):
        type(self).pending += device == "cuda"
        return super().tensor(array, dtype, device)

    def synchronize(self, device):
        if self.pending:
            time.sleep(0.02)
            type(self).pending = 0
"""

CHAPTER = '''
from gradspec.conformance import claim, given, workload
from gradspec.conformance.strategies import arrays


@workload
def doubled(be, leaf):
    y = be.add(leaf, be.tensor(be.numpy(leaf)))
    be.backward(be.sum(y))
    return be.grad(leaf)


@claim("XX-01", about="add")
@given(x=arrays())
def test_doubling(be, x):
    """A sum of equal terms is twice the term."""
    be.check(be.add(be.tensor(x), be.tensor(x)), 2 * x)
'''

TIMING = """
from dataclasses import asdict

import test_pretended
from gradspec.conformance.speed import measure


def test_speed(benchmark, be, record_property):
    measured = measure(benchmark, be, test_pretended.doubled, 10, transfer=False)
    record_property("gradspec measurement", asdict(measured))
"""


@pytest.fixture
def pretended(pytester, monkeypatch):
    """A folder with an adapter that has a second device, and one chapter."""
    # Nothing can be timed in what takes itself for a worker of xdist.
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    pytester.makepyfile(queued=ADAPTER, test_pretended=CHAPTER)
    pytester.path.joinpath("sources.toml").write_text('["XX-01"]\nnotes = "0:1"\nverdict = "holds"')
    return pytester


def run(pretended, *options):
    """Run the chapter on the pretended library."""
    return pretended.runpytest_subprocess("--backend", "queued:Queued", *options)


def test_mark_selects_the_device(pretended):
    result = run(pretended, "-m", "cuda", "-v", "--require-device", "cuda")
    result.assert_outcomes(passed=2, deselected=2)
    result.stdout.fnmatch_lines(["*test_doubling?queued-cuda-float32?*"])
    assert "did not run" not in result.stdout.str()


def test_both_devices_stand_in_the_header(pretended):
    run(pretended, "--results", "out.jsonl")
    header = json.loads(pretended.path.joinpath("out.jsonl").read_text().splitlines()[0])["header"]
    assert {s["device_model"] for s in header["subjects"]} == {"pretended cpu", "pretended cuda"}


def test_queued_work_is_waited_for(pretended):
    """The queue takes 20 ms to empty: a clock read without waiting would show microseconds."""
    pretended.makepyfile(test_timing=TIMING)
    result = run(
        pretended, "--benchmark-only", "--results", "out.jsonl", "--benchmark-max-time=0.1"
    )
    result.assert_outcomes(passed=2, deselected=4)
    lines = [json.loads(s) for s in pretended.path.joinpath("out.jsonl").read_text().splitlines()]
    times = {m["device"]: m["median"] for line in lines if (m := line.get("measurement"))}
    assert times["cuda"] > 0.02 > times["cpu"]
    result.stdout.fnmatch_lines(["pretended*doubled*queued*10*resident*ms*cuda 0.0*"])


def test_an_index_out_of_range_is_not_tried_on_cuda():
    """There it would end the process, so the claim on it is unsupported rather than passed."""
    adapter = pytest.importorskip("gradspec.conformance.backends.torch").Torch()
    needs = claims_of(spec)["IDX-69"].needs
    assert Subject(adapter, "cuda", "float32").lacks(needs) == ["index_checks"]
    assert Subject(adapter, "cpu", "float32").lacks(needs) == []
