"""What a device may do that the CPU does not, and is no fault: PyTorch, on a pretended device."""

from collections import defaultdict
from contextlib import nullcontext
from functools import partial

import pytest
import torch
from judging import holds, judged, over
from pretended_cuda import switched

from gradspec import spec
from gradspec.conformance import ErrorKind, Subject
from gradspec.conformance.claims.catalogue import claims_of
from gradspec.conformance.results.verdict import Status
from gradspec.conformance.run.expectations import expectations_of
from gradspec.conformance.run.profiles import PROFILES
from gradspec.conformance.run.runner import Run
from gradspec.conformance.run.smoke import lost_device
from gradspec.conformance.table import DIFFERENTIABLE, TABLE


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
