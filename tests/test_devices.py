"""A second device: selected by mark, required by option.

The machine at hand may have none, so one is pretended: `queued.py` is a library with one, of known
timings, and `pretended_cuda.py` one for PyTorch.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from judging import holds, judged
from pretended_cuda import pretended_cuda, switched

from gradspec import spec
from gradspec.conformance import ErrorKind, Subject
from gradspec.conformance.backends import torch_lacking
from gradspec.conformance.backends.torch import Torch
from gradspec.conformance.claims.catalogue import claims_of
from gradspec.conformance.results.verdict import Status
from gradspec.conformance.run.expectations import expectations_of
from gradspec.conformance.run.profiles import PROFILES
from gradspec.conformance.run.runner import Run
from gradspec.conformance.table import TABLE

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
    words = ["--backend", "queued:Queued", "--no-isolate"]
    return pretended.runpytest_subprocess(*words, *options)


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
    "name", [claim.id for claim in claims_of(spec).values() if claim.device == "cuda"]
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_claims_on_a_device_hold_on_a_pretended_one(cuda, name, dtype):
    """So that they can be refuted where there is no device: see `test_mutants.py`."""
    assert holds(name, Subject(cuda, "cuda", dtype), "default")


def test_an_index_out_of_range_is_not_tried_on_cuda(backend):
    """There it would end the process, so the claim on it is unsupported rather than passed."""
    needs = claims_of(spec)["IDX-69"].needs
    assert Subject(backend, "cuda", "float32").lacks(needs) == ["index_checks"]
    assert Subject(backend, "cpu", "float32").lacks(needs) == []


LATE = '''
from gradspec.conformance import claim


@claim("XX-01", about="add")
def test_three(be):
    """A sum of three ones and three ones is three twos."""
    ones = be.tensor([1.0, 1.0, 1.0])
    {look}


@claim("XX-02", about="add")
def test_two(be):
    """A sum of two ones and two ones is two twos."""
    ones = be.tensor([1.0, 1.0])
    be.check(be.add(ones, ones), [2.0, 2.0])
'''


def test_what_a_device_tells_late_is_the_fault_of_the_claim_that_is_over(pretended):
    pretended.makepyfile(test_pretended=LATE.format(look="assert be.add(ones, ones) is not None"))
    rows = '["XX-01"]\nnotes = "0:1"\nverdict = "holds"\n'
    pretended.path.joinpath("sources.toml").write_text(rows + rows.replace("01", "02"))
    words = ["--backend", "queued:Late", "--no-isolate", "--dtype", "float32", "--alone", "0"]
    result = pretended.runpytest_subprocess(*words, "-m", "cuda", "-v")
    result.stdout.fnmatch_lines(
        ["*test_three?late-cuda-float32? FAILED*", "*test_two?late-cuda-float32? PASSED*"]
    )
    result.stdout.fnmatch_lines(["*an assertion on the device*"])


@pytest.mark.parametrize("name", ["add", "sum", "max"])
def test_a_result_goes_where_the_operands_are(cuda, name):
    """Spellings that write into a tensor of their own make it on the device of the claim."""
    (operation,) = [each for each in TABLE if each.name == name]
    assert holds("GEN-03", Subject(cuda, "cuda", "float32"), operation=operation)


def test_what_a_release_does_not_have_is_lacking(backend, monkeypatch):
    name = "interpolate_antialiased_lanczos"
    monkeypatch.setitem(torch_lacking.LATER, name, "copy_")
    assert name not in backend.lacking("float64", "cpu")
    monkeypatch.setitem(torch_lacking.LATER, name, "of_a_later_release")
    assert name in backend.lacking("float64", "cpu")


def test_a_device_without_a_record_is_not_held_to_that_of_the_cpu(backend, monkeypatch):
    needs = claims_of(spec)["CNV-01"].needs
    assert Subject(backend, "cpu", "float32").lacks(needs) == []
    assert Subject(backend, "cuda", "float32").lacks(needs) == ["conventions"]
    table = {"1.0": {"abs(0)": [0.0]}, "1.0 on cuda": {"abs(0)": [1.0]}}
    monkeypatch.setattr("gradspec.conformance.protocol.backend.on_record", lambda _: table)
    assert Subject(backend, "cuda", "float32").lacks(needs) == []
    assert backend.conventions("cuda") == ("1.0 on cuda", {"abs(0)": [1.0]})
    assert backend.conventions() == ("1.0", {"abs(0)": [0.0]})


def test_in_full_precision_no_setting_allows_less(backend):
    before = backend.state()
    with backend.full_precision():
        told = {name: value for name, value in backend.state().items() if "precision" in name}
    of_cuda = [value for name, value in told.items() if not name.endswith("oneDNN")]
    assert of_cuda == ["ieee"] * 3
    assert backend.state() == before


@pytest.mark.parametrize("name", ["RND-56"])
def test_what_a_device_says_in_other_words_is_understood(cuda, name):
    assert holds(name, Subject(cuda, "cuda", "float32"))


@pytest.mark.parametrize(
    ("name", "status"), [("rfft", Status.EXPECTED_FAILURE), ("ifft", Status.EXPECTED_FAILURE)]
)
def test_a_transform_of_nothing_is_refused_on_a_device_too(cuda, name, status):
    """By a library of its own, in other words."""
    claim, subject = claims_of(spec)["GEN-240"], Subject(cuda, "cuda", "float64")
    (operation,) = [each for each in claim.over if each.name == name]
    found = [e for e in expectations_of(cuda) if e.covers(claim, subject, name)]
    run = Run(claim, subject, PROFILES["quick"], 0, operation, found[0], tuple(found[1:]))
    with pytest.raises(RuntimeError, match="cuFFT error: CUFFT_INVALID_SIZE"):
        run.execute(run.test)
    assert run.verdict().status is status
    beyond = run.beyond()
    beyond.execute(beyond.test)
    assert beyond.verdict().status is Status.PASS


BESIDE = ["DEV-01", "DEV-52", "DEV-59", "DEV-60", "DEV-101", "NNM-58"]
"""Claims that a host beside a GPU answers in another way, or is asked what it is not alone."""


@pytest.mark.parametrize("name", BESIDE)
def test_claims_on_the_host_hold_beside_a_device(cuda, name):
    assert holds(name, Subject(cuda, "cpu", "float32"))


OF_THE_HOST_TOO = "TEN-20 NNM-58 DEV-60 DEV-101 DEV-102 DEV-103 OPS-364 DAT-340"
"""Claims that ask the host for something, also where they run on a device."""


@pytest.mark.parametrize("name", OF_THE_HOST_TOO.split())
def test_claims_of_the_host_hold_on_a_device(cuda, name):
    assert holds(name, Subject(cuda, "cuda", "float32"))


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "what"), [("DEV-102", "float32 products"), ("DEV-103", "float32 convolutions")]
)
def test_operands_cut_short_are_red_and_the_setting_that_allows_it_is_told(name, what):
    """In a process of its own: others may have left PyTorch another precision to go back to."""
    program = f"import test_devices; test_devices.cut_short({name!r}, {what!r})"
    path = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    ended = subprocess.run(  # noqa: S603
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not ended.returncode, ended.stderr


def cut_short(name, what):
    """On the host no setting allows it; on a device the verdict names the one that does."""
    backend, claim = Torch(), claims_of(spec)[name]
    with pretended_cuda():
        before = backend.state()
        allowed = {word: "ieee" for word in before if word.startswith("precision of")}
        for flag, red in (("ieee", False), ("tf32", True)):
            backend.restore({**before, **allowed, f"precision of {what}": flag})
            with switched("tf32"):
                verdict = judged(claim, Subject(backend, "cuda", "float32"))
            assert holds(name, Subject(backend, "cuda", "float64"))
            assert holds(name, Subject(backend, "cpu", "float32"))
            assert (verdict.status is Status.FAIL) is red
            assert ("expected" in str(verdict.reason)) is red
            assert (f"precision of {what} is set to tf32" in str(verdict.reason)) is red


def test_a_device_without_float64_says_so_as_one_does_that_lacks_a_dtype(cuda):
    subject = Subject(cuda, "cuda", "float64")
    with switched("no float64"), pytest.raises(TypeError) as told:
        subject.tensor([1.0])
    assert subject.kind_of(told.value) is ErrorKind.DTYPE
