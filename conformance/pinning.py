"""Several CUDA devices: each worker of xdist gets one of them to itself, in turn."""

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

GPU = "gradspec gpu"
"""The key under which a worker is told its device."""

VISIBLE = "CUDA_VISIBLE_DEVICES"


class Pinning:
    """In the controller: deals devices out, and gives those of dead workers to their successors."""

    def __init__(self, devices: Sequence[str]) -> None:
        self.devices = devices
        self.users = Counter(dict.fromkeys(devices, 0))

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        device = min(self.devices, key=lambda d: self.users[d])
        self.users[device] += 1
        node.workerinput[GPU] = device

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self.users[node.workerinput[GPU]] -= 1


def pin(worker: dict[str, Any]) -> None:
    """In a worker, before any library is imported: see one device alone."""
    if GPU in worker:
        os.environ[VISIBLE] = worker[GPU]


def devices_present() -> list[str]:
    """Name the CUDA devices this process may use, as CUDA_VISIBLE_DEVICES would."""
    if VISIBLE in os.environ:
        return [name for name in os.environ[VISIBLE].split(",") if name.strip()]
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    command = [program, "--query-gpu=index", "--format=csv,noheader"]
    try:
        done = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, check=True, timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return done.stdout.split()
