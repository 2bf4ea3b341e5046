"""The gradient of a padded window whose entries are -inf is lost or refused, compiled by Inductor.

The padding is -inf, too, and is named as the place of the largest entry where it comes first. The
gradient of a volume is written beyond it, which may end the process; that of a line or of an image
is refused while it is computed, for an index that is out of bounds. Without the compiler the
gradient goes to an entry of the window.
Searched for in the issues of the library on 2026-11-30: nothing was found.
"""

import subprocess
import sys

TRY = """
import torch
from torch.nn import functional
for pool, shape in (
    (functional.max_pool1d, (1, 1, 4)),
    (functional.max_pool2d, (1, 1, 2, 2)),
    (functional.max_pool3d, (1, 1, 2, 2, 2)),
):
    x = torch.full(shape, -torch.inf, requires_grad=True)
    try:
        {}(lambda x: pool(x, 2, 2, 1))(x).sum().backward()
        print(x.grad.sum().item(), flush=True)
    except RuntimeError as error:
        print(str(error).splitlines()[0], flush=True)
"""


def tried(compiler):
    """What all windows hand back in all, of each kind of pool, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", TRY.format(compiler)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    found = done.stdout.splitlines()
    return [*found, f"exit status {done.returncode}"] if done.returncode else found


expected, got = tried(""), tried("torch.compile")
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
