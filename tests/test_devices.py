"""A second device: selected by mark, required by option.

The machine at hand may have none, so one is pretended: `queued.py` is a library with one, of known
timings, and `pretended_cuda.py` one for PyTorch.
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path

import pytest
import torch
from pretended_cuda import left_out, pretended_cuda, switched

from gradspec import spec
from gradspec.conformance import ErrorKind, Subject
from gradspec.conformance.backends import torch_lacking
from gradspec.conformance.backends.torch import Torch
from gradspec.conformance.claims.catalogue import claims_of
from gradspec.conformance.processes.copies import how_it_ends
from gradspec.conformance.results.verdict import Status
from gradspec.conformance.run.expectations import expectations_of
from gradspec.conformance.run.profiles import PROFILES
from gradspec.conformance.run.runner import Run
from gradspec.conformance.run.smoke import lost_device, smoke
from gradspec.conformance.table import DIFFERENTIABLE, OPTIONED, TABLE

LEFT_OUT = left_out()
OTHERWISE = {"chance", "host", "ends"}
ARTEFACTS = [name for name, entry in LEFT_OUT.items() if not entry.keys() & OTHERWISE]
OF_THE_HOST = [(name, entry["host"]) for name, entry in LEFT_OUT.items() if "host" in entry]
ENDS = [(name, entry["ends"]) for name, entry in LEFT_OUT.items() if "ends" in entry]
RED = (Status.FAIL, Status.ERROR)

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
    """PyTorch's adapter."""
    return Torch()


@pytest.fixture
def cuda(backend):
    """PyTorch's adapter where a CUDA device is pretended."""
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


# ---- what a device may do, and may not -----------------------------------------------------------


def judged(claim, subject, operation=None, profile="quick"):
    """Run a claim, and return its verdict."""
    run = Run(claim, subject, PROFILES[profile], seed=0, operation=operation)
    with suppress(Exception):
        run.execute(run.test)
    return run.verdict()


def over(names, *claims):
    """Pair claims over the table with those of its operations that are named."""
    known = claims_of(spec)
    return [
        pytest.param(known[claim], operation, id=f"{claim}-{operation.name}")
        for claim in claims
        for operation in known[claim].over
        if operation.name in names.split()
    ]


@pytest.mark.parametrize(
    ("claim", "operation"),
    over("median sort argsort topk", "GEN-01", "GEN-02", "GEN-03", "GEN-04", "GEN-09", "GEN-10"),
)
def test_a_device_may_choose_among_equals(cuda, claim, operation):
    with switched("ties"):
        verdict = judged(claim, Subject(cuda, "cuda", "float32"), operation)
    assert verdict.status is Status.PASS, verdict.reason


def test_another_choice_among_equals_is_another_convention(cuda, monkeypatch):
    """Once there is a record of the device; see above for where there is none."""
    version, record = cuda.conventions()
    table = {version: record, f"{version} on cuda": record}
    monkeypatch.setattr("gradspec.conformance.protocol.backend.on_record", lambda _: table)
    (operation,) = [each for each in TABLE if each.name == "median"]
    claim, subject = claims_of(spec)["CNV-01"], Subject(cuda, "cuda", "float32")
    assert judged(claim, subject, operation).status is Status.PASS
    with switched("ties"):
        verdict = judged(claim, subject, operation)
    assert verdict.status is Status.FAIL
    assert "convention changed" in str(verdict.reason)


SUMMING = """
sum mean var matmul softmax logsumexp conv2d layer_norm cumsum scatter_add index_add
nll_loss_weight ctc_loss adaptive_avg_pool1d interpolate_trilinear
"""


@pytest.mark.parametrize(("claim", "operation"), over(SUMMING, "GEN-01", "GEN-04", "GEN-09"))
def test_a_device_may_add_in_another_order(cuda, claim, operation):
    with switched("order", "atomics"):
        verdict = judged(claim, Subject(cuda, "cuda", "float32"), operation)
    assert verdict.status is Status.PASS, verdict.reason


FUSED = "conv1d_grouped conv2d_grouped conv3d lstm_cell gru_cell ctc_loss batch_norm grid_sample"


@pytest.mark.parametrize(("claim", "operation"), over(FUSED, "GEN-01", "GEN-04"))
def test_what_has_a_kernel_of_its_own_on_a_device_holds(cuda, claim, operation):
    """Those of cuDNN, of each channel by itself, and of whole cells."""
    verdict = judged(claim, Subject(cuda, "cuda", "float32"), operation)
    assert verdict.status is Status.PASS, verdict.reason


@pytest.mark.parametrize("name", ["lstm_cell", "gru_cell"])
def test_a_fused_cell_has_no_forward_mode(cuda, name):
    """So that there is an entry for it, on a device alone."""
    (operation,) = [each for each in TABLE if each.name == name]
    found = expectations_of(cuda)
    for device, status in (("cuda", Status.FAIL), ("cpu", Status.PASS)):
        subject = Subject(cuda, device, "float32")
        claim = claims_of(spec)["GEN-10"]
        assert judged(claim, subject, operation).status is status
        assert any(each.covers(claim, subject, name) for each in found) is (device == "cuda")


def test_each_draw_on_a_device_has_a_stream_of_its_own(cuda):
    def drawn(*sizes):
        torch.manual_seed(0)
        return torch.cat([torch.rand(size, device="cuda") for size in sizes]).tolist()

    assert drawn(2, 2) == drawn(2, 2)
    assert drawn(2, 2)[:2] == drawn(4)[:2]
    assert drawn(2, 2)[2:] != drawn(4)[2:]
    torch.manual_seed(0)
    before = torch.cuda.default_generators[0].get_state()
    torch.nn.functional.rrelu(torch.ones(2, device="cuda"), training=False)
    assert torch.cuda.default_generators[0].get_state().equal(before)


PROMISED = "exp tan asinh acosh atanh pow rsqrt atan2 hypot sigmoid gelu logaddexp erf erfc erfinv"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("claim", "operation"), over(PROMISED, "GEN-01", "GEN-04", "EXT-01", "EXT-04")
)
def test_a_device_may_be_off_by_what_its_maker_says(cuda, claim, operation, dtype):
    with switched("units"):
        verdict = judged(claim, Subject(cuda, "cuda", dtype), operation)
    assert verdict.status is Status.PASS, verdict.reason


CONTRACTED = "add sub addcmul addcdiv lerp cross mse_loss binary_cross_entropy_with_logits"


@pytest.mark.parametrize(("claim", "operation"), over(CONTRACTED, "GEN-01", "GEN-04"))
def test_a_device_may_round_a_product_and_a_sum_at_once(cuda, claim, operation):
    with switched("contract", "units"):
        verdict = judged(claim, Subject(cuda, "cuda", "float32"), operation)
    assert verdict.status is Status.PASS, verdict.reason


@pytest.mark.parametrize(("dtype", "unit"), [("complex64", 2**-23), ("complex128", 2**-52)])
def test_what_is_rounded_at_once_does_not_cancel(cuda, dtype, unit):
    """The two products of which the imaginary part of z times its conjugate is made."""
    z = torch.tensor([1.1 + 3.3j], dtype=getattr(torch, dtype), device="cuda")
    with switched("contract"):
        assert 0 < abs((z * z.conj()).imag.item()) < 4 * unit


def test_a_device_that_was_not_found_is_a_device_that_is_not_there(backend):
    told = "CUDA unknown error - this may be ... Setting the available devices to be zero."
    assert backend.error_kind(RuntimeError(told)) is ErrorKind.DEVICE


def test_a_convolution_may_round_otherwise_in_a_larger_batch(backend, monkeypatch):
    """As those do that cuDNN chooses by the shapes of their operands."""
    exact = backend.functions["conv2d"]

    def by_size(x, *rest):
        y = exact(x, *rest)
        return y if x.dim() == 3 or len(x) == 1 else y * (1 + 2**-22)

    monkeypatch.setitem(backend.functions, "conv2d", by_size)
    assert holds("TEN-109", Subject(backend, "cpu", "float32"))


def test_what_is_asked_of_a_device_late_is_told_late_and_is_its_end(cuda):
    x, beyond = (torch.tensor(each, device="cuda") for each in ([1.0, 2.0], [7]))
    with pytest.raises(IndexError):
        torch.index_select(x, 0, beyond)
    subject = Subject(cuda, "cuda", "float32")
    assert lost_device(subject) is None
    with switched("asynchronous"):
        assert torch.index_select(x, 0, beyond).shape == (1,)
        for _ in range(2):
            with pytest.raises(RuntimeError, match="device-side assert triggered"):
                cuda.synchronize("cuda")
        assert "cuda does not answer after it" in str(lost_device(subject))


def test_integers_have_no_products_of_matrices_on_a_device(cuda):
    """The library that computes them there has none, so that no claim may ask for one there."""
    whole = torch.ones((2, 2), dtype=torch.int64)
    assert (whole @ whole).tolist() == [[2, 2], [2, 2]]
    with pytest.raises(RuntimeError) as told:
        whole.to("cuda") @ whole.to("cuda")
    assert cuda.error_kind(told.value) is ErrorKind.DTYPE


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda x: torch.histogram(x, 3), "Could not run 'aten::histogram"),
        (lambda x: torch.narrow_copy(x, 0, 0, 1, out=x.new_empty(0)), "Could not run 'aten::narr"),
        (lambda x: x.uniform_(generator=torch.Generator("cpu")), "Expected a 'cuda' device type"),
    ],
)
def test_what_the_host_alone_has_is_refused_on_a_device(cuda, call, text):
    with pytest.raises(RuntimeError, match=text):
        call(torch.ones(2, device="cuda"))


def test_of_the_largest_rows_in_bfloat16_a_device_has_no_gradient(cuda):
    table = torch.ones((3, 2), dtype=torch.bfloat16, device="cuda", requires_grad=True)
    bags = torch.zeros((1, 2), dtype=torch.int64, device="cuda")
    for mode in ("sum", "max"):
        made = torch.nn.functional.embedding_bag(bags, table, mode=mode).sum()
        with nullcontext() if mode == "sum" else pytest.raises(NotImplementedError):
            made.backward()
    assert "embedding_bag" in cuda.lacking("bfloat16", "cuda")
    assert "embedding_bag" not in cuda.lacking("bfloat16", "cpu")


def test_what_writes_into_a_tensor_may_be_missing_on_a_device(cuda):
    """So that there is an entry for it, and another one for the host."""
    (operation,) = [each for each in TABLE if each.name == "narrow_copy"]
    claim, subject = claims_of(spec)["GEN-03"], Subject(cuda, "cuda", "float32")
    assert judged(claim, subject, operation).status is Status.ERROR
    (found,) = [e for e in expectations_of(cuda) if e.covers(claim, subject, "narrow_copy")]
    assert found.kind == "missing"


OTHER_SUMS = """
cross_entropy_shares index_put_mask interpolate_nearest1d interpolate_nearest2d
interpolate_nearest_exact1d interpolate_nearest_exact2d
"""
"""What a function computes without the sums of its other forms: each entry goes to one place."""


def test_the_order_of_additions_is_as_open_for_all_forms_of_a_function(backend):
    forms = defaultdict(set)
    for operation in DIFFERENTIABLE:
        function = backend.functions.get(operation.name)
        told = str(function.keywords) if isinstance(function, partial) else ""
        if function and operation.name not in OTHER_SUMS.split():
            usual = function.func if isinstance(function, partial) else function
            forms[usual, told].add((operation.is_open, operation.name))
    mixed = [each for each in forms.values() if len({is_open for is_open, _ in each}) > 1]
    assert mixed == []


@pytest.mark.parametrize("name", ARTEFACTS)
def test_what_is_left_out_on_the_pretended_device_is_red_there(cuda, name):
    """A claim, an operation, or a claim on an operation; an operation fails as soon as it runs."""
    first, _, last = name.rstrip("]").partition("[")
    word, asked = (first, last) if first in claims_of(spec) else ("GEN-01", first)
    operations = {operation.name: operation for operation in TABLE}
    each = operations.get(asked)
    assert judged(claims_of(spec)[word], Subject(cuda, "cuda", "float32"), each).status in RED
    assert holds(word, Subject(cuda, "cpu", "float32"), operation=each)


@pytest.mark.parametrize(("claim", "operation"), OF_THE_HOST)
def test_what_the_host_does_wrong_is_red_on_both(cuda, claim, operation):
    operations = {operation.name: operation for operation in (*TABLE, *OPTIONED)}
    each, known = operations[operation] if operation else None, claims_of(spec)
    # What an operation does wrong is wrong as soon as it runs.
    word = claim.partition("[")[0] if claim != operation else "GEN-01"
    for device in ("cpu", "cuda"):
        assert judged(known[word], Subject(cuda, device, "float32"), each).status in RED


@pytest.mark.parametrize(("name", "ends"), ENDS)
def test_what_ends_the_process_on_the_host_ends_it(cuda, name, ends):
    word, _, asked = name.rstrip("]").partition("[")
    each = {operation.name: operation for operation in TABLE}[asked]
    subject = Subject(cuda, "cpu", "float32")
    assert how_it_ends(lambda: judged(claims_of(spec)[word], subject, each)) == ends


def test_a_switch_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match=r"no switch 'atomic': name some of asynchronous, late"):
        switched("atomic").__enter__()


def test_a_process_that_was_forked_has_no_device(cuda):
    x, beyond = torch.ones(2, device="cuda"), []
    child = os.fork()
    if child == 0:
        try:
            beyond.append((x + 1).tolist())
        finally:
            os._exit(len(beyond))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


WRONG = {
    "reads before the copy is done": (
        """
        def numpy(self, x):
            host = torch.zeros(x.shape, dtype=x.dtype).pin_memory()
            return host.copy_(x.detach(), non_blocking=True).numpy().copy()
        """,
        "DEV-02",
    ),
    "makes out on the host": (
        """
        def spellings(self, name):
            def out(*xs, **named):
                return self.functions[name](*xs, out=torch.empty(0, dtype=xs[0].dtype), **named)

            return {"out": out}
        """,
        "GEN-03[add] GEN-03[matmul]",
    ),
    "passes no device on": (
        """
        def tensor(self, array, dtype, device):
            return super().tensor(array, dtype, "cpu")
        """,
        "DEV-56 DEV-58",
    ),
    "does not wait for the device": (
        """
        def moved(self, x, device, *, wait=True):
            return super().moved(x, device, wait=False)

        def numpy(self, x):
            host = torch.zeros(x.shape, dtype=x.dtype).pin_memory()
            host.copy_(x.detach(), non_blocking=True)
            self.synchronize("cuda")
            return host.numpy().copy()

        def synchronize(self, device):
            pass
        """,
        "DEV-02 DEV-62",
    ),
}


@pytest.mark.parametrize("fault", WRONG)
def test_an_adapter_that_forgets_is_red(cuda, fault):
    body, killed = WRONG[fault]
    room = {"Torch": Torch, "torch": torch}
    exec(f"class Wrong(Torch):\n{body}", room)
    for word in killed.split():
        name, _, about = word.rstrip("]").partition("[")
        (operation,) = [each for each in TABLE if each.name == about] or [None]
        with switched("late"):
            for adapter, red in ((room["Wrong"](), True), (cuda, False)):
                subject = Subject(adapter, "cuda", "float32")
                verdict = judged(claims_of(spec)[name], subject, operation)
                assert (verdict.status is Status.PASS) is not red, (word, verdict.reason)


def test_an_adapter_that_passes_no_device_on_is_told_so(cuda, monkeypatch):
    make = type(cuda).tensor
    monkeypatch.setattr(
        type(cuda), "tensor", lambda self, array, dtype, _: make(self, array, dtype, "cpu")
    )
    assert smoke(Subject(cuda, "cpu", "float32")) is None
    told = str(smoke(Subject(cuda, "cuda", "float32")))
    assert "tensor was told the device cuda and made a tensor on cpu; pass it on" in told


def test_a_device_without_float64_says_so_as_one_does_that_lacks_a_dtype(cuda):
    subject = Subject(cuda, "cuda", "float64")
    with switched("no float64"), pytest.raises(TypeError) as told:
        subject.tensor([1.0])
    assert subject.kind_of(told.value) is ErrorKind.DTYPE


def test_a_network_whose_convolutions_round_is_no_false_alarm(backend, monkeypatch):
    """As those do that cuDNN computes by a transform: exact equality is not asked of them."""
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
