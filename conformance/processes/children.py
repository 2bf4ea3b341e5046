"""Processes that were started in a session of their own, and how they end."""

import os
import signal
import subprocess
from contextlib import suppress


def end(child: subprocess.Popen[bytes]) -> None:
    """End a process and what it has begun, and wait for it."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()
    child.wait()
