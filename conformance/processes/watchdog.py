"""Inside a process that runs claims: the deadline, the last words, the end of a spoiled process.

All of it is faulthandler's work, which needs neither the interpreter's lock nor its memory: it ends
a claim that hangs in C, and writes down where a process was when it died. Tests that are no claims
have faulthandler as pytest set it up.
"""

import faulthandler
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import pytest

from ..claims.claim import claim_of
from ..run.profiles import PROFILES, profile
from ..run.runner import RUN
from ..run.session import KEY
from .last_words import SETTING_UP, SPOILED, about

SECONDS = 120.0
"""What a claim may take with the default number of examples; the slowest takes three of them."""

WITNESSES = 10
"""So many witnesses that are known to hang may be waited for in the time of one claim."""


class Watchdog:
    """Ends this process if a claim does not end by itself, or has spoiled it for those to come."""

    def __init__(self, config: pytest.Config, seconds: float | None, dump: Path | None) -> None:
        self.seconds = seconds
        self.dump = dump
        self.file = _opened(dump) if dump else None
        # While anything runs, pytest keeps what is written to the terminal's usual place.
        self.terminal = os.dup(_file_of_pytest(config))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Write last words while a claim runs, and no longer."""
        if not claim_of(item):
            return (yield)
        session = item.config.stash.get(KEY, None)
        if self.file and session and session.spoiled:
            # Nothing of `item` has begun: the supervisor gives it to a fresh process.
            self.file.write(SPOILED)
            self.file.flush()
            os._exit(0)
        with self._last_words(item.config):
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Begin to wait for a claim."""
        if claim_of(item):
            self._wait()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        """Wait less long for a witness that may hang."""
        run = item.stash.get(RUN, None)
        if run and run.expectation and run.expectation.may_hang:
            self._wait(WITNESSES)

    @contextmanager
    def setting_up(self, config: pytest.Config, word: str) -> Iterator[None]:
        """Wait for a block that sets up a backend, and say so in case it does not end."""
        with self.noting(SETTING_UP, word), self._last_words(config):
            self._wait()
            yield

    @contextmanager
    def noting(self, deed: str, what: str) -> Iterator[None]:
        """Say for a block what this process is about, besides a claim."""
        if self.file:
            self.file.write(about(deed, what))
            self.file.flush()
        try:
            yield
        finally:
            if self.file:
                self.file.seek(0)
                self.file.truncate()

    @contextmanager
    def _last_words(self, config: pytest.Config) -> Iterator[None]:
        enabled = faulthandler.is_enabled()
        if self.file:
            faulthandler.enable(self.file)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
            if self.file:
                faulthandler.enable(_file_of_pytest(config)) if enabled else faulthandler.disable()

    def _wait(self, parts: int = 1) -> None:
        if self.seconds is not None:
            where = self.file or self.terminal
            faulthandler.dump_traceback_later(self.seconds / parts, file=where, exit=True)


def _opened(path: Path) -> TextIO:
    """Make the file of the last words, in a folder that nobody else may look into."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    return path.open("w", encoding="utf-8")


def _file_of_pytest(config: pytest.Config) -> int:
    """Return where pytest has faulthandler write."""
    from _pytest.faulthandler import fault_handler_stderr_fd_key  # noqa: PLC0415

    return config.stash.get(fault_handler_stderr_fd_key, 2)


def allowance(given: float | None, profile_name: str) -> float:
    """Return the seconds a claim may take: as given, or by the number of its examples."""
    if given is not None:
        return given
    return SECONDS * max(1.0, profile(profile_name).max_examples / PROFILES["default"].max_examples)
