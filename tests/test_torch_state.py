"""What a claim leaves of PyTorch as it found it: each setting is named and put back."""

import sys

from bench import DOUBLED
from gradspec.conformance.results.verdict import Status

PAIR = "lambda x: x, lambda x: x"
DEEDS = {
    "torch.set_grad_enabled(False)": "grad mode from True to False",
    "torch.autograd.forward_ad.enter_dual_level()": "level of forward mode from -1 to 0",
    "torch.autograd.set_multithreading_enabled(False)": "backward on several threads from True",
    f"torch.autograd.graph.saved_tensors_hooks({PAIR}).__enter__()": "hooks for saved tensors from",
    "torch._C._autograd._saved_tensors_hooks_disable('no')": "refusal of hooks for saved tensors",
    "torch.nn.modules.module.register_module_forward_hook(print)": "hooks of all modules ",
    "torch.set_default_dtype(torch.float64)": "default dtype from torch.float32 to torch.float64",
    "torch.set_default_device('meta')": "default device from cpu to meta",
    "torch.device('meta').__enter__()": "default device from cpu to meta",
    "torch.overrides.BaseTorchFunctionMode().__enter__()": "modes of functions from 0 to 1",
    "torch.utils._python_dispatch.BaseTorchDispatchMode().__enter__()": "modes of dispatch from 0",
    "torch.rand(1)": "random state changed",
    "torch.set_autocast_enabled('cpu', True)": "autocast of cpu from ",
    "torch.set_autocast_dtype('cuda', torch.bfloat16)": "autocast of cuda from ",
    "torch.set_autocast_cache_enabled(False)": "cache of autocast from True",
    "torch.set_float32_matmul_precision('medium')": "precision of float32 products",
    "torch.backends.cuda.matmul.fp32_precision = 'tf32'": "precision of float32 products from",
    "torch.backends.cudnn.rnn.fp32_precision = 'ieee'": "precision of float32 recurrent layers",
    "torch.backends.mkldnn.conv.fp32_precision = 'bf16'": "precision of float32 convolutions of",
    "torch.backends.mkldnn.set_flags(False)": "use of oneDNN from True to False",
    "torch.backends.cudnn.enabled = False": "use of cuDNN from True to False",
    "torch.backends.cudnn.benchmark = True": "choice of convolutions by time from False to True",
    "torch.backends.cuda.enable_flash_sdp(False)": "ways of attention ",
    "torch.use_deterministic_algorithms(True)": "deterministic algorithms from off to on",
    "torch.use_deterministic_algorithms(True, warn_only=True)": "deterministic algorithms from off",
    "torch.utils.deterministic.fill_uninitialized_memory = False": "filling of new memory from ",
    "torch.autograd.set_detect_anomaly(True)": "anomaly detection from off to on",
    "torch.autograd.set_detect_anomaly(True, check_nan=False)": "anomaly detection from off to on,",
}
"""Statements that change a setting for good, by what is told of each."""


def test_each_setting_is_named_and_put_back(bench):
    """Each claim is red for its own deed alone, and the one after all of them holds."""
    rows = [f"TST-{number}" for number in range(20, 20 + len(DEEDS))]
    bench.write("sources.toml", bench.sources("TST-01", "TST-11", *rows))
    chapters = [
        f"{DOUBLED}    import torch\n    {deed}\n".replace("TST-01", row).replace(
            "doubled", f"doubled_{row[4:]}"
        )
        for row, deed in zip(rows, DEEDS, strict=True)
    ]
    bench.chapter(*chapters, DOUBLED)
    bench.run_apart(backend="torch")
    verdicts = bench.verdicts()
    for row, (deed, told) in zip(rows, DEEDS.items(), strict=True):
        assert verdicts[row].status is Status.FAIL, deed
        assert verdicts[row].reason.startswith(f"global state changed: {told}"), deed
    assert verdicts["TST-01"].status is Status.PASS


LEFT = """
import sys, torch
from gradspec.conformance.backends import torch_state
for deed in sys.argv[1:]:
    before = torch_state.look()
    exec(deed)
    assert torch_state.look() != before, deed
    torch_state.put_back(before)
    assert torch_state.look() == before, deed
"""


def test_nothing_is_left_of_a_setting_that_is_put_back(pytester):
    """In a process of its own: what has imported PyTorch's tests may set some of them no more."""
    assert pytester.run(sys.executable, "-c", LEFT, *DEEDS).ret == 0
