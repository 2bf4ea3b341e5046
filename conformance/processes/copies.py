"""A copy of this process, for what is known to end the process that does it.

A worker that dies takes seconds to replace, most of them for reading the claims again.
"""

import faulthandler
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable
from signal import SIGABRT, SIGFPE, SIGILL, SIGSEGV, Signals

CRASHES = {SIGABRT, SIGFPE, SIGILL, SIGSEGV}
"""By what a library ends a process. `SIGBUS` is left to the process itself: Windows has none."""

RAISED, WELL = 1, 117
"""With which status a copy ends; a library that leaves the process does so with another."""

PATIENCE = 10.0
"""Seconds that a copy has. It may wait for ever for a lock that another thread held."""

TICK = 0.005
"""Seconds between two looks at it."""


def how_it_ends(deed: Callable[[], object]) -> str | None:
    """Do something in a copy of this process, and name the signal by which that crashed.

    It is empty if nothing was amiss. None if something was raised, or it did not end in time, and
    on systems whose libraries do not bear to be copied: on all but Linux.
    """
    if sys.platform != "linux":
        return None
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        child = os.fork()
    if child == 0:
        left = RAISED
        try:
            # What it writes down would be taken for the last words of this process.
            faulthandler.disable()
            deed()
            left = WELL
        finally:
            os._exit(left)
    status = _status_of(child)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in CRASHES:
        return Signals(os.WTERMSIG(status)).name
    return "" if os.WIFEXITED(status) and os.WEXITSTATUS(status) == WELL else None


def _status_of(child: int) -> int:
    """Wait for a process, but not for ever."""
    last = time.monotonic() + PATIENCE
    while time.monotonic() < last:
        process, status = os.waitpid(child, os.WNOHANG)
        if process:
            return status
        time.sleep(TICK)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]
