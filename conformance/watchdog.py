"""Inside a process that runs claims: the deadline, the last words, the end of a spoiled process.

All of it is faulthandler's work, which needs neither the interpreter's lock nor its memory: it ends
a claim that hangs in C, and writes down where a process was when it died.
"""

import faulthandler
import os
from pathlib import Path

import pytest

from .claims import claim_of
from .profiles import PROFILES, profile
from .runner import RUN
from .session import KEY

DUMP = "gradspec dump"
"""The key under which a worker is told where to write its last words."""

SPOILED = "gradspec: spoiled\n"
"""The last words of a process that ends itself because a claim has spoiled it."""

SECONDS = 120.0
"""What a claim may take with the default number of examples; the slowest takes three of them."""

WITNESSES = 10
"""So many witnesses that are known to hang may be waited for in the time of one claim."""


class Watchdog:
    """Ends this process if a claim does not end by itself, or has spoiled it for those to come."""

    def __init__(self, seconds: float, dump: Path | None) -> None:
        self.seconds = seconds
        self.file = dump.open("w", encoding="utf-8") if dump else None
        # The terminal as it is now; while a test runs, pytest keeps what is written there.
        self.terminal = os.dup(2)

    def pytest_sessionstart(self) -> None:
        # Not earlier: pytest points it to the terminal, where nobody reads it for a worker.
        if self.file:
            faulthandler.enable(self.file)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        session = item.config.stash.get(KEY, None)
        if self.file and session and session.spoiled:
            # Nothing of `item` has begun: the supervisor gives it to a fresh process.
            self.file.write(SPOILED)
            self.file.flush()
            os._exit(0)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if claim_of(item):
            self._wait(self.seconds)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        run = item.stash.get(RUN, None)
        if run and run.expectation and run.expectation.may_hang:
            self._wait(self.seconds / WITNESSES)

    def pytest_runtest_logfinish(self) -> None:
        faulthandler.cancel_dump_traceback_later()

    def _wait(self, seconds: float) -> None:
        faulthandler.dump_traceback_later(seconds, file=self.file or self.terminal, exit=True)


def allowance(given: float | None, profile_name: str) -> float:
    """Return the seconds a claim may take: as given, or by the number of its examples."""
    if given is not None:
        return given
    return SECONDS * max(1.0, profile(profile_name).max_examples / PROFILES["default"].max_examples)
