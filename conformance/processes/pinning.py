"""Several CUDA devices: each worker of xdist gets one of them to itself, in turn."""

import os
import shutil
import subprocess

VISIBLE = "CUDA_VISIBLE_DEVICES"


def pin(slot: int) -> None:
    """In a worker, before any library is imported: see one device alone, if there are several."""
    devices = devices_present()
    if len(devices) > 1:
        os.environ[VISIBLE] = devices[slot % len(devices)]


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
