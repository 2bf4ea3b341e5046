"""A convolution of float16 ends the process where its windows, one pixel wide, miss a single column.

The image is one column wide and padded by 1; at a stride of 2 each window lies in the padding. It
needs a dilation of 2, which means nothing for one pixel, and a processor with arithmetic of float16
(AVX512-FP16), for which the kernel is made. oneDNN's issue 5942 tells of the like in float32.
"""

import subprocess
import sys

import torch

TRY = """
import torch
image, kernel = torch.ones(1, 2, 3, 1, dtype={0}), torch.ones(1, 2, 1, 1, dtype={0})
print(torch.nn.functional.conv2d(image, kernel, None, 2, 1, 2).tolist())
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


if not torch.ops.mkldnn._is_mkldnn_fp16_supported():  # noqa: SLF001
    print("not shown here: this processor has no arithmetic of float16")
    sys.exit(77)
expected, got = (tried(f"torch.{dtype}") for dtype in ("float32", "float16"))
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
