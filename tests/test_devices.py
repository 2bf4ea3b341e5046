"""A second device: selected by mark, required by option.

The machine at hand may have none, so one is pretended: see `queued.py`.
"""

import json
from pathlib import Path

import pytest

from gradspec import spec
from gradspec.conformance import Subject
from gradspec.conformance.catalogue import claims_of
from gradspec.conformance.profiles import PROFILES
from gradspec.conformance.results import Status
from gradspec.conformance.runner import Run

CHAPTER = '''
from gradspec.conformance import claim, given
from gradspec.conformance.strategies import arrays


@claim("XX-01", about="add")
@given(x=arrays())
def test_doubling(be, x):
    """A sum of equal terms is twice the term."""
    be.check(be.add(be.tensor(x), be.tensor(x)), 2 * x)
'''


@pytest.fixture
def pretended(pytester, monkeypatch):
    """A folder with an adapter that has a second device, and one chapter."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    pytester.makepyfile(test_pretended=CHAPTER)
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


@pytest.mark.parametrize(
    "claim", [c for c in claims_of(spec).values() if c.device == "cuda"], ids=lambda c: c.id
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_claims_on_a_device_hold_on_a_pretended_one(claim, dtype):
    """So that they can be refuted where there is no device: see `test_mutants.py`."""
    backend = pytest.importorskip("gradspec.conformance.backends.torch").Torch()
    pretended = pytest.importorskip("pretended_cuda")
    with pretended.pretended_cuda():
        run = Run(claim, Subject(backend, claim.device, dtype), PROFILES["default"], seed=0)
        run.execute(run.test)
    assert run.verdict().status is Status.PASS


def test_an_index_out_of_range_is_not_tried_on_cuda():
    """There it would end the process, so the claim on it is unsupported rather than passed."""
    adapter = pytest.importorskip("gradspec.conformance.backends.torch").Torch()
    needs = claims_of(spec)["IDX-69"].needs
    assert Subject(adapter, "cuda", "float32").lacks(needs) == ["index_checks"]
    assert Subject(adapter, "cpu", "float32").lacks(needs) == []
