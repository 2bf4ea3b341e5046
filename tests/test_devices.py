"""A second device: selected by mark, required by option.

The machine at hand may have none, so one is pretended: see `queued.py`.
"""

import json
from pathlib import Path

import pytest

from bench import DOUBLED
from gradspec import spec
from gradspec.conformance import Subject
from gradspec.conformance.claims.catalogue import claims_of
from gradspec.conformance.results.verdict import Status
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


@pytest.fixture
def backend():
    """PyTorch's adapter; only PyTorch itself may be missing."""
    pytest.importorskip("torch")
    from gradspec.conformance.backends.torch import Torch  # noqa: PLC0415

    return Torch()


@pytest.fixture
def cuda(backend):
    """PyTorch's adapter where a CUDA device is pretended."""
    from pretended_cuda import pretended_cuda  # noqa: PLC0415

    with pretended_cuda():
        yield backend


def holds(name, subject, profile="quick", **more):
    """Run a claim, which raises what refutes it, and say whether its verdict is a pass."""
    run = Run(claims_of(spec)[name], subject, PROFILES[profile], seed=0, **more)
    run.execute(run.test)
    return run.verdict().status is Status.PASS


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


def test_a_device_without_a_record_is_not_held_to_that_of_the_cpu(backend, monkeypatch):
    needs = claims_of(spec)["CNV-01"].needs
    assert Subject(backend, "cpu", "float32").lacks(needs) == []
    assert Subject(backend, "cuda", "float32").lacks(needs) == ["conventions"]
    table = {"1.0": {"abs(0)": [0.0]}, "1.0 on cuda": {"abs(0)": [1.0]}}
    monkeypatch.setattr("gradspec.conformance.protocol.backend.on_record", lambda _: table)
    assert Subject(backend, "cuda", "float32").lacks(needs) == []
    assert backend.conventions("cuda") == ("1.0 on cuda", {"abs(0)": [1.0]})
    assert backend.conventions() == ("1.0", {"abs(0)": [0.0]})


@pytest.mark.parametrize(
    ("deed", "what"),
    [
        ("torch.backends.cuda.matmul.fp32_precision = 'tf32'", "precision of float32 products"),
        ("torch.backends.cudnn.benchmark = True", "choice of convolutions by time"),
        ("torch.set_default_device('meta')", "default device"),
        ("torch.use_deterministic_algorithms(True)", "deterministic algorithms"),
        ("torch.autograd.set_detect_anomaly(True)", "anomaly detection"),
    ],
)
def test_a_claim_leaves_no_setting_of_the_library_behind(bench, deed, what):
    chapter = DOUBLED.replace("    leaf =", f"    import torch\n    {deed}\n    leaf =", 1)
    bench.chapter(chapter, DOUBLED.replace("TST-01", "TST-02").replace("doubled", "next"))
    bench.run_apart(backend="torch")
    first, second = bench.verdicts()["TST-01"], bench.verdicts()["TST-02"]
    assert first.reason.startswith(f"global state changed: {what}")
    assert second.status is Status.PASS


BESIDE = ["DEV-01", "DEV-52", "DEV-59", "DEV-60", "DEV-101", "NNM-58"]
"""Claims that a host beside a GPU answers in another way, or is asked what it is not alone."""


@pytest.mark.parametrize("name", BESIDE)
def test_claims_on_the_host_hold_beside_a_device(cuda, name):
    assert holds(name, Subject(cuda, "cpu", "float32"))


@pytest.mark.parametrize("name", ["TEN-20", "NNM-58", "DEV-60", "DEV-101", "DEV-102", "DEV-103"])
def test_claims_of_the_host_hold_on_a_device(cuda, name):
    assert holds(name, Subject(cuda, "cuda", "float32"))


def short(x):
    """Round to the digits that TF32 keeps of a number."""
    torch = pytest.importorskip("torch")
    return ((x.detach().view(torch.int32) + 4096) & ~8191).view(torch.float32)


@pytest.mark.parametrize(("name", "function"), [("DEV-102", "matmul"), ("DEV-103", "conv2d")])
def test_operands_cut_short_are_red_and_the_setting_that_allows_it_is_told(cuda, name, function):
    """On the host no setting allows it; on a device the verdict names the one that does."""
    exact = cuda.functions[function]
    cuda.functions = {**cuda.functions, function: lambda x, y: exact(short(x), short(y))}
    claim, what = claims_of(spec)[name], {"matmul": "products", "conv2d": "convolutions"}[function]
    told = f"precision of float32 {what} is set to tf32"
    before = cuda.state()
    cuda.restore({**before, f"precision of float32 {what}": "tf32"})
    try:
        for device in ("cuda", "cpu"):
            run = Run(claim, Subject(cuda, device, "float32"), PROFILES["quick"], seed=0)
            with pytest.raises(AssertionError):
                run.execute(run.test)
            reason = str(run.verdict().reason)
            assert "expected" in reason
            assert (told in reason) is (device == "cuda")
    finally:
        cuda.restore(before)


def test_a_network_whose_convolutions_round_is_no_false_alarm(backend, monkeypatch):
    """As those do that cuDNN computes by a transform: exact equality is not asked of them."""
    torch = pytest.importorskip("torch")
    exact = torch.nn.Conv2d._conv_forward

    def rounding(self, x, weight, bias):
        y = exact(self, x, weight, bias)
        noise = torch.sin(torch.arange(y.numel(), dtype=y.dtype)).reshape(y.shape)
        return y + 2**-22 * y.abs().max() * noise

    monkeypatch.setattr(torch.nn.Conv2d, "_conv_forward", rounding)
    claim = claims_of(spec)["NNM-58"]
    for seed in range(3):
        run = Run(claim, Subject(backend, "cpu", "float32"), PROFILES["quick"], seed)
        run.execute(run.test)
        assert run.verdict().status is Status.PASS
