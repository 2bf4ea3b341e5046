"""A CUDA device for PyTorch on a machine that has none, so that claims about one can be run there.

Its tensors lie on `cuda:0`, its memory is the host's, and its kernels are those of the CPU: see
`pretended_cuda.cpp`, which is built once for each version of PyTorch. All that PyTorch itself
decides by device is decided as on CUDA: what is refused, what is composed of what, which optimizers
work on lists, which thread runs backward. Speed, streams, several devices and what only a driver
knows are not pretended.

PyTorch counts devices when it first runs backward, so this has to be imported before that.

`switched` lets the device behave as others do: see SWITCHES.
"""

import hashlib
import os
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import torch
import torch._dynamo  # which looks at what CUDA there is when it is imported
from packaging.specifiers import SpecifierSet
from torch.nn.parallel import scatter_gather

SOURCE = Path(__file__).with_suffix(".cpp")

SWITCHES = {
    "asynchronous": "a bad value is told when the device is waited for, and is the end of it",
    "late": "a copy that is not to be waited for is made when the device is waited for",
    "lost": "whatever is asked of a device that has failed is refused, not only its results",
    "ties": "of equal entries the last is chosen, where PyTorch leaves that open",
    "order": "sums are of another order",
    "atomics": "sums whose order is open are of another order each second time",
    "contract": "a product and a sum in one kernel are rounded once",
    "units": "functions are off by as much as NVIDIA's programming guide says that they may be",
    "tf32": "products and convolutions of float32 keep 10 bits, where PyTorch's settings allow it",
    "no float64": "there are no tensors of float64",
}


def left_out() -> dict[str, dict[str, Any]]:
    """Read what is not run on the device of this version of PyTorch, by names."""
    entries = tomllib.loads(SOURCE.with_name("pretending.toml").read_text(encoding="utf-8"))
    return {
        name: entry
        for name, entry in entries.items()
        if SpecifierSet(entry.get("version", "")).contains(torch.__version__, prereleases=True)
    }


def build() -> Path:
    """Compile the device for the PyTorch at hand, unless that was done before."""
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        raise RuntimeError("a compiler of C++ builds the pretended device: install one, or set CXX")
    place = Path(torch.__file__).parent
    include = place / "include"
    key = hashlib.sha256(SOURCE.read_bytes() + f"{torch.__version__} {place}".encode()).hexdigest()
    folder = Path(tempfile.gettempdir()) / f"gradspec-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    made = folder / f"pretended-{key[:16]}.so"
    if not made.exists():
        words = ["-O1", "-std=c++20", "-shared", "-fPIC", "-w"]
        words += [f"-I{include}", f"-I{include / 'torch' / 'csrc' / 'api' / 'include'}"]
        words += [str(SOURCE), f"-L{place / 'lib'}", "-lc10", "-ltorch_cpu"]
        # Others may be building it as well: whoever is last puts the same file there.
        own = made.with_suffix(f".{os.getpid()}")
        built = subprocess.run(  # noqa: S603
            [compiler, *words, "-o", own], capture_output=True, check=False, text=True
        )
        if built.returncode:
            raise RuntimeError(f"{compiler} cannot build {SOURCE.name}: {built.stderr[:2000]}")
        own.replace(made)
    return made


torch.ops.load_library(str(build()))
DEVICE = torch.ops.pretended


def stored(cls, *size, device=None, **options):
    """Make a storage; PyTorch itself does not know how to on a device that it was built without."""
    if device is not None and torch.device(device).type == "cuda":
        return torch.empty(*size or [0], dtype=torch.uint8, device=device).untyped_storage()
    where = {} if device is None else {"device": device}
    return torch._C.StorageBase.__new__(cls, *size, **where, **options)


def sent(tensor, devices, *_):
    """Send a whole batch to the one device there is."""
    assert list(devices) == [0]
    return (tensor.to("cuda"),)


def taken(index):
    """Take a device by its number, which is that of the one before."""
    return 0


def taken_if_any(index):
    """Take one unless the number is negative: a compiler knows both functions, each by itself."""
    return taken(index)


@contextmanager
def pretended_cuda() -> Iterator[None]:
    """Pretend for a block that this machine has one CUDA device."""
    DEVICE.begin(True)
    stream = SimpleNamespace(cuda_stream=0, device=torch.device("cuda", 0))
    facts = {
        "_initialized": True,
        "_exchange_device": taken,
        "_maybe_exchange_device": taken_if_any,
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "is_current_stream_capturing": lambda: False,
        "device_count": lambda: 1,
        "current_stream": lambda *_: stream,
        "default_stream": lambda *_: stream,
        "stream": lambda *_: nullcontext(),
        "default_generators": (DEVICE.numbers(),),
        "get_device_name": lambda *_: "pretended",
        "get_device_capability": lambda *_: (9, 0),
        "get_device_properties": lambda *_: SimpleNamespace(
            total_memory=1, multi_processor_count=1, L2_cache_size=1 << 20, major=9, minor=0
        ),
        "memory_allocated": lambda *_: DEVICE.bytes(),
        "max_memory_allocated": lambda *_: DEVICE.most(False),
        "reset_peak_memory_stats": lambda *_: DEVICE.most(True),
    }
    bound = {
        "_cuda_getDevice": lambda: 0,
        "_cuda_setDevice": lambda _: None,
        "_cuda_getDeviceCount": lambda: 1,
        "_cuda_synchronize": DEVICE.synchronize,
    }
    try:
        with (
            mock.patch.multiple(torch.cuda, **facts),
            mock.patch.multiple(torch._C, create=True, **bound),
            mock.patch.object(torch.backends.cudnn, "is_acceptable", return_value=False),
            mock.patch.object(torch.UntypedStorage, "__new__", stored),
            mock.patch.object(scatter_gather.Scatter, "apply", lambda to, _, __, x: sent(x, to)),
        ):
            yield
    finally:
        DEVICE.begin(False)


@contextmanager
def switched(*names: str) -> Iterator[None]:
    """Let the device do for a block what `names` of SWITCHES say. Raises ValueError for others."""
    if unknown := set(names) - SWITCHES.keys():
        known = ", ".join(SWITCHES)
        raise ValueError(
            f"the pretended device has no switch {unknown.pop()!r}: name some of {known}"
        )
    for name in names:
        DEVICE.switch(name, True)
    try:
        yield
    finally:
        for name in names:
            DEVICE.switch(name, False)
        DEVICE.lose("")
