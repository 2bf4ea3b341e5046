"""A conv_transpose3d of bfloat16 with a dilation ends the process; so may conv3d's backward pass.

The image is one layer deep, padded by 1; the kernel is dilated by 2. It needs a processor with AMX,
whose kernel does it; with ONEDNN_MAX_CPU_ISA=avx512_core_bf16 the result is right. Searched
PyTorch's and oneDNN's issues in December 2026 for conv3d, bfloat16, AMX, dilation and segmentation
fault: PyTorch's issue 169688 tells of wrong results of such a kernel, at strides.
"""

import subprocess
import sys

import torch

TRY = """
import torch
image, kernel = torch.ones(1, 1, 1, 2, 2, dtype={0}), torch.ones(1, 1, 2, 3, 2, dtype={0})
print(torch.nn.functional.conv_transpose3d(image, kernel, padding=1, dilation=2).tolist())
"""


def tried(dtype):
    """Return what is computed in a dtype, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", TRY.format(dtype)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return done.stdout.strip() or f"exit status {done.returncode}"


if not torch.cpu._is_amx_tile_supported():  # noqa: SLF001
    print("not shown here: this processor has no AMX")
    sys.exit(77)
expected, got = (tried(f"torch.{dtype}") for dtype in ("float32", "bfloat16"))
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
