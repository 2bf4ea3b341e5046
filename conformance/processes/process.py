"""What a claim may do to the process that it runs in, and who bears it.

Two kinds of process run claims: a worker, which has a supervisor and may be lost, and one that is
alone, which is the run itself.
"""

import os
import signal
import sys
import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from traceback import walk_stack, walk_tb
from types import FrameType
from typing import Any

import pytest

from ..claims.claim import claim_of
from ..run.blackbox import BOX, BlackBox, box_beside
from ..run.loading import Fault
from ..run.workers import SLOT
from ..untrusted.texts import printable
from .last_words import CHECKING, words_of
from .pinning import pin
from .probing import probe
from .watchdog import Watchdog

LEFT = 3
"""The exit status of a run whose process was left in the middle of a claim, as if all was done."""

GRACE = 2.0
"""Seconds that threads which claims have left have to end when all else is over."""


class Process:
    """What both kinds have in common: nothing that a claim raises or forks goes further."""

    def __init__(self, config: pytest.Config, watchdog: Watchdog) -> None:
        self.config = config
        self.watchdog = watchdog
        self.threads = frozenset(threading.enumerate())
        self.busy = False
        self.before: Any = None
        if threading.current_thread() is threading.main_thread():
            self.before = signal.getsignal(signal.SIGINT)
        # Where nobody listens to it, or somebody who is not known, that stays so.
        if callable(self.before):
            signal.signal(signal.SIGINT, self.interrupted)

    def interrupted(self, number: int, frame: FrameType | None) -> None:
        """Meet SIGINT."""
        raise NotImplementedError

    def ends_the_run(self, error: BaseException) -> bool:
        """Whether what came out of a claim was meant for the run, by the person who watches it."""
        return isinstance(error, pytest.exit.Exception) and _is_of_debugger(error)

    @contextmanager
    def setting_up(self, word: str, option: str) -> Iterator[None]:  # noqa: ARG002
        """Set up the backend called `word` within a block."""
        with self.judging(f"setting up {word}"), self.watchdog.setting_up(self.config, word):
            yield

    @contextmanager
    def checking(self, subject: str) -> Iterator[None]:
        """Check within a block whether a subject is fit for claims."""
        with self.watchdog.noting(CHECKING, subject):
            yield

    @contextmanager
    def judging(self, what: str) -> Iterator[None]:  # noqa: ARG002
        """Run within a block what may do anything."""
        process = os.getpid()
        self.busy = True
        try:
            yield
        finally:
            self.busy = False
            if os.getpid() != process:
                # A copy of this process that was forked on the way: what follows is not its affair.
                os._exit(1)

    def pytest_unconfigure(self) -> None:
        """Leave neither a handler nor a thread of a claim behind."""
        if callable(self.before) and signal.getsignal(signal.SIGINT) == self.interrupted:
            signal.signal(signal.SIGINT, self.before)
        left = [t for t in threading.enumerate() if t not in self.threads and not t.daemon]
        # A run within a test of another run does not end that one's process.
        if left and sum(f.f_code.co_name == "wrap_session" for f, _ in walk_stack(None)) < 2:
            status = int(self.config.pluginmanager.get_plugin("session").exitstatus)  # type: ignore[union-attr]
            threading.Thread(target=self._end, args=(left, status), daemon=True).start()

    def _end(self, left: Sequence[threading.Thread], status: int) -> None:
        """End this process when all else in it is over, though threads of claims are not."""
        threading.main_thread().join()
        for thread in threading.enumerate():
            if not (thread.daemon or thread in left):
                thread.join()
        for thread in left:
            thread.join(GRACE)
        names = ", ".join(printable(thread.name) for thread in left if thread.is_alive())
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os.write(self.watchdog.terminal, f"gradspec: ended threads of claims: {names}\n".encode())
        os._exit(status)


class Worker(Process):
    """A worker of xdist, which is replaced if it is lost; the user speaks to its controller."""

    def __init__(self, config: pytest.Config, seconds: float) -> None:
        told: dict[str, Any] = config.workerinput[SLOT]  # type: ignore[attr-defined]
        self.theirs = True
        name = config.workerinput["workerid"]  # type: ignore[attr-defined]
        super().__init__(
            config, Watchdog(config, seconds, words_of(told["folder"], name, os.getpid()))
        )
        if self.watchdog.dump:
            config.stash[BOX] = BlackBox(box_beside(self.watchdog.dump))
        pin(told["slot"])
        if hasattr(os, "setpgid"):
            # With a group of its own it can be ended together with what its claims have begun; it
            # may still write to the terminal.
            with suppress(OSError):
                os.setpgid(0, 0)
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            os.register_at_fork(after_in_child=partial(_hang_up, [*self._line()]))

    def interrupted(self, number: int, frame: FrameType | None) -> None:
        """Let SIGINT cost the claim that is running; between claims nobody means this process."""
        if self.busy:
            raise KeyboardInterrupt
        if self.theirs:
            self.before(number, frame)

    def pytest_collection_finish(self) -> None:
        """From here on what runs is known."""
        self.theirs = False

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Notice tests that are no claims."""
        self.theirs = not claim_of(item)
        try:
            return (yield)
        finally:
            self.theirs = False

    def _line(self) -> Iterator[int]:
        """Yield the descriptors of the line to the controller, which waits for its end."""
        for plugin in self.config.pluginmanager.get_plugins():
            gateway = getattr(getattr(plugin, "channel", None), "gateway", None)
            line = getattr(gateway, "_io", None)
            for file in (getattr(line, "infile", None), getattr(line, "outfile", None)):
                with suppress(AttributeError, OSError, ValueError):
                    yield file.fileno()  # type: ignore[union-attr]


def _hang_up(line: Sequence[int]) -> None:
    """In a copy of a worker: have no line to the controller."""
    for descriptor in line:
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


class Alone(Process):
    """The only process of a run: what it is set up with is tried in another one first."""

    def __init__(self, config: pytest.Config, watchdog: Watchdog, probing: float | None) -> None:
        self.pressed = False
        self.probing = probing
        super().__init__(config, watchdog)

    def interrupted(self, number: int, frame: FrameType | None) -> None:
        """Remember that it was the user."""
        self.pressed = True
        self.before(number, frame)

    def ends_the_run(self, error: BaseException) -> bool:
        """Whether the user has pressed a key, or left the debugger."""
        if isinstance(error, KeyboardInterrupt):
            known = signal.getsignal(signal.SIGINT) == self.interrupted
            return self.pressed or (callable(self.before) and not known)
        return super().ends_the_run(error)

    @contextmanager
    def setting_up(self, word: str, option: str) -> Iterator[None]:
        """Set up the backend called `word` within a block, if that has gone well elsewhere."""
        if self.probing and word != "reference":
            probe(word, option, self.probing)
        try:
            with super().setting_up(word, option):
                yield
        except Fault as fault:
            if self.pressed:
                raise KeyboardInterrupt from fault
            raise

    @contextmanager
    def judging(self, what: str) -> Iterator[None]:
        """Run within a block what may do anything, but leave this process and call it a success."""
        process, leave = os.getpid(), os._exit

        def left(status: int) -> None:
            if os.getpid() == process:
                text = f"gradspec: {what} left the process by os._exit({status})\n"
                os.write(self.watchdog.terminal, text.encode())
            leave(status or (LEFT if os.getpid() == process else 0))

        vars(os)["_exit"] = left
        try:
            with super().judging(what):
                yield
        finally:
            vars(os)["_exit"] = leave


def _is_of_debugger(error: BaseException) -> bool:
    """Whether pytest was told by its debugger to end the run."""
    frames = walk_tb(error.__traceback__)
    return any(frame.f_globals.get("__name__") == "_pytest.debugging" for frame, _ in frames)
