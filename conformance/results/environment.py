"""What a run ran on, as its header tells."""

import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from ..protocol.subject import Subject


def described(subjects: Sequence[Subject]) -> list[dict[str, Any]]:
    """Describe each subject: versions, hardware, and all that it declares."""
    return [
        {
            "subject": subject.id,
            "backend": subject.backend.name,
            "version": subject.backend.version,
            "device": subject.device,
            "device_model": subject.backend.device_model(subject.device),
            "dtype": subject.dtype,
            **({"mode": subject.running_mode.name} if subject.running_mode else {}),
            "capabilities": sorted(subject.backend.capabilities_on(subject.device)),
            "functions": sorted(subject.backend.functions),
        }
        for subject in subjects
    ]


def environment() -> dict[str, Any]:
    """Describe what a run ran on, apart from its subjects."""
    return {
        "format": 2,
        "gradspec": metadata.version("gradspec"),
        "commit": _commit(),
        "numpy": metadata.version("numpy"),
        "hypothesis": metadata.version("hypothesis"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpu_count": os.cpu_count(),
    }


def _commit() -> str | None:
    """Return the commit of the checkout this code lies in, if it lies in one."""
    root = Path(__file__).parents[2]
    git = shutil.which("git") if (root / ".git").exists() else None
    if git is None:
        return None
    command = [git, "-C", str(root), "rev-parse", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout.strip() or None
