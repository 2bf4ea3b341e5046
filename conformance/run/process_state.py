"""What is global in this process: how each thing is looked at, told and put back."""

import builtins
import ctypes
import faulthandler
import gc
import locale
import logging
import math
import os
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
from numpy.random import mtrand

from ..protocol.backend import Backend
from ..protocol.errors import AdapterError
from ..untrusted.texts import in_a_line
from . import arithmetic
from .state import Thing, same

T = TypeVar("T")

MODULES = (np, np.linalg, np.fft, np.random, math, builtins, time)
"""Modules whose functions may not be replaced: truth is computed with them."""

POOLS = ("concurrent.futures", "multiprocessing")
"""Where the functions are defined that threads of pools and of queues run."""

HELPERS = (b"multiprocessing.resource_tracker", b"multiprocessing.forkserver")
"""What stands in the command lines of processes that multiprocessing starts for itself."""

TASKS = Path("/proc/self/task")
"""Where Linux tells of the threads of this process, and of each one's children."""

SIGNALS = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM", "SIGPIPE", "SIGFPE")
    if hasattr(signal, name)
]

# ---- what there is to look at --------------------------------------------------------------------


class Kept:
    """A look at what names of modules mean, the very same object as long as nothing changes."""

    def __init__(self, *modules: ModuleType) -> None:
        self.modules = modules
        self.seen: list[dict[str, Any]] = []

    def look(self) -> list[dict[str, Any]]:
        """Return the names of each module with their values."""
        now = [vars(module) for module in self.modules]
        if not same(self.seen, now):
            self.seen = [dict(names) for names in now]
        return self.seen

    def put(self, seen: Sequence[Mapping[str, Any]]) -> None:
        """Bind each name to what it was bound to."""
        for module, names in zip(self.modules, seen, strict=True):
            for name in vars(module).keys() - names.keys():
                delattr(module, name)
            for name, value in names.items():
                setattr(module, name, value)

    def parts(self, seen: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """Name values by their modules; submodules and what Python keeps there are nobody's."""
        return {
            f"{module.__name__}.{name}": value
            for module, names in zip(self.modules, seen, strict=True)
            for name, value in names.items()
            if not (name.startswith("__") or isinstance(value, ModuleType))
        }


def _folder() -> Path | None:
    try:
        return Path.cwd()
    except OSError:  # it is gone
        return None


@cache
def _words_of(generator: np.random.BitGenerator) -> ctypes.Array[ctypes.c_uint32] | None:
    """Return the memory of a generator of numpy's usual kind: 624 words and a place among them."""
    if not isinstance(generator, np.random.MT19937):
        return None
    return (ctypes.c_uint32 * 625).from_address(generator.ctypes.state_address)


def _numpy_random() -> tuple[np.random.BitGenerator, bytes]:
    # Asking numpy for the state takes a hundred times as long as copying it.
    generator = mtrand.get_bit_generator()
    words = _words_of(generator)
    return generator, repr(generator.state).encode() if words is None else bytes(words)


def _put_numpy_random(seen: tuple[np.random.BitGenerator, bytes]) -> None:
    generator, memory = seen
    if mtrand.get_bit_generator() is not generator:
        mtrand.set_bit_generator(generator)
    if _words_of(generator) is not None:
        state = np.frombuffer(memory, np.uint32)
        mtrand.set_state(("MT19937", state[:624], int(state[624]), 0, 0.0))


def _variables() -> dict[Any, Any]:
    # Encoded as the system has them: decoding takes a hundred times as long as the rest.
    return dict(getattr(os.environ, "_data", os.environ))


def _put_variables(seen: Mapping[Any, Any]) -> None:
    for name in _variables().keys() - seen.keys():
        del os.environ[os.fsdecode(name)]
    for name, value in seen.items():
        os.environ[os.fsdecode(name)] = os.fsdecode(value)


def _decoded(seen: Mapping[Any, Any]) -> Mapping[str, str]:
    return {os.fsdecode(name): os.fsdecode(value) for name, value in seen.items()}


def _put_path(seen: Sequence[str]) -> None:
    sys.path[:] = seen


def _put_locale(seen: str) -> None:
    locale.setlocale(locale.LC_ALL, seen)


def _put_log_handlers(seen: Sequence[logging.Handler]) -> None:
    logging.root.handlers[:] = seen


def _put_filters(seen: Sequence[Any]) -> None:
    warnings.resetwarnings()  # so that what was remembered by the others is forgotten
    filters: Any = warnings.filters
    filters[:] = seen


def _showing() -> tuple[Any, Any]:
    return warnings.showwarning, getattr(warnings, "_showwarnmsg_impl", None)


def _put_showing(seen: tuple[Any, Any]) -> None:
    warnings.showwarning = seen[0]
    vars(warnings)["_showwarnmsg_impl"] = seen[1]


def _streams() -> dict[str, Any]:
    return {name: getattr(sys, name) for name in ("stdin", "stdout", "stderr")}


def _hooks() -> dict[str, Any]:
    names = ("excepthook", "unraisablehook", "displayhook", "breakpointhook")
    return {name: getattr(sys, name) for name in names}


def _put_in_sys(seen: Mapping[str, Any]) -> None:
    vars(sys).update(seen)


def _put_finders(seen: Sequence[Any]) -> None:
    sys.meta_path[:] = seen


def _hook_of_threads() -> Any:
    return threading.excepthook


def _put_hook_of_threads(seen: Any) -> None:
    threading.excepthook = seen


def _mask() -> str:
    # It is told by nothing but a change of it.
    mask = os.umask(0o77)
    os.umask(mask)
    return oct(mask)


def _put_mask(seen: str) -> None:
    os.umask(int(seen, 8))


def _blocked() -> list[str]:
    known = hasattr(signal, "pthread_sigmask")
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ()) if known else ()
    return sorted(getattr(each, "name", str(each)) for each in blocked)


def _put_blocked(seen: Sequence[str]) -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, [signal.Signals[name] for name in seen])


def _handlers() -> dict[str, Any]:
    return {each.name: signal.getsignal(each) for each in SIGNALS}


def _put_handlers(seen: Mapping[str, Any]) -> None:
    for each in SIGNALS:
        if signal.getsignal(each) != seen[each.name]:
            signal.signal(each, seen[each.name])


def _alarm() -> bool:
    return hasattr(signal, "getitimer") and signal.getitimer(signal.ITIMER_REAL)[0] > 0


def _stop_alarm(seen: bool) -> None:  # noqa: FBT001
    if not seen:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _collecting() -> tuple[bool, tuple[int, int, int]]:
    return gc.isenabled(), gc.get_threshold()


def _put_collecting(seen: tuple[bool, tuple[int, int, int]]) -> None:
    (gc.enable if seen[0] else gc.disable)()
    gc.set_threshold(*seen[1])


def _levels() -> dict[str, int]:
    return {"level": logging.root.level, "disabled below": logging.root.manager.disable}


def _put_levels(seen: Mapping[str, int]) -> None:
    logging.root.setLevel(seen["level"])
    logging.disable(seen["disabled below"])


def _threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if not _of_a_pool(thread)]


def _work(thread: threading.Thread) -> Any:
    return getattr(thread, "_target", None) or type(thread).run


def _of_a_pool(thread: threading.Thread) -> bool:
    work = str(getattr(_work(thread), "__module__", ""))
    return work.startswith(POOLS) or type(thread).__name__ == "_DummyThread"


def _by_work(threads: Sequence[threading.Thread]) -> Mapping[str, threading.Thread]:
    # Numbers of threads differ from run to run.
    return _numbered([(_name_of(_work(thread)), thread) for thread in threads])


def _name_of(work: Any) -> str:
    return getattr(work, "__qualname__", type(work).__name__)


def _numbered(named: Sequence[tuple[str, T]]) -> Mapping[str, T]:
    """Make a mapping of things that may have the same names."""
    found: dict[str, T] = {}
    for name, value in named:
        others = sum(known.partition(" (")[0] == name for known in found)
        found[f"{name} ({others + 1})" if others else name] = value
    return found


def _children() -> dict[int, str]:
    """Name the processes started by this one that run, so far as the system tells of them."""
    with suppress(AttributeError):  # of Windows, and of older versions for macOS
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return {}
    lists = list(TASKS.glob("*/children"))
    if not lists:
        known = sys.modules.get("multiprocessing")
        return {child.pid: child.name for child in known.active_children()} if known else {}
    pids: list[int] = []
    for each in lists:
        with suppress(OSError):  # of a thread that has ended since
            pids += map(int, each.read_text().split())
    return {pid: name for pid in pids if (name := _process(pid))}


def _process(pid: int) -> str | None:
    """Name a process that runs, if it is none of multiprocessing's own."""
    try:
        name, _, rest = Path(f"/proc/{pid}/stat").read_text().partition("(")[2].rpartition(") ")
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return None
    own = any(helper in command for helper in HELPERS)
    return None if own or rest.startswith(("Z", "X")) else name


def _end_children(seen: Mapping[int, str]) -> None:
    for pid in _children().keys() - seen.keys():
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)


def _by_name(children: Mapping[int, str]) -> Mapping[str, int]:
    return _numbered([(name, pid) for pid, name in children.items()])


CHEAP = (
    Thing("floating-point", arithmetic.look, arithmetic.put_back, arithmetic.words),
    Thing("numpy's handling of", np.geterr, lambda seen: np.seterr(**seen)),
    Thing("numpy's call for errors", np.geterrcall, np.seterrcall),
    Thing("numpy's random numbers", _numpy_random, _put_numpy_random),
)
"""What is looked at after every example: other examples would come out wrong, or somebody puts it
back before the claim is over. Hypothesis does so with generators of random numbers."""

OFTEN = (*CHEAP, Thing("Python's random numbers", random.getstate, random.setstate))
"""What is looked at after some examples."""

_names = Kept(*MODULES)

ONCE = (
    Thing("single-precision", arithmetic.look_singly, arithmetic.put_back, arithmetic.words),
    Thing("attribute", _names.look, _names.put, _names.parts, grows=True),
    Thing("print option of numpy", np.get_printoptions, lambda seen: np.set_printoptions(**seen)),
    Thing("working directory", _folder, os.chdir, str),
    Thing("environment variable", _variables, _put_variables, _decoded, grows=True),
    Thing("sys.path entry", lambda: sys.path[:], _put_path, grows=True),
    Thing("finder of modules", lambda: sys.meta_path[:], _put_finders, grows=True),
    Thing("mask of new files", _mask, _put_mask),
    Thing("stream", _streams, _put_in_sys),
    Thing("hook", _hooks, _put_in_sys),
    Thing("hook of threads", _hook_of_threads, _put_hook_of_threads),
    Thing("blocked signal", _blocked, _put_blocked),
    Thing("handler of", _handlers, _put_handlers),
    Thing("alarm", _alarm, _stop_alarm),
    Thing("fault handler", faulthandler.is_enabled),
    Thing("recursion limit", sys.getrecursionlimit, sys.setrecursionlimit),
    Thing("switch interval", sys.getswitchinterval, sys.setswitchinterval),
    Thing("digits of integers", sys.get_int_max_str_digits, sys.set_int_max_str_digits),
    Thing("trace function", sys.gettrace, sys.settrace),
    Thing("profile function", sys.getprofile, sys.setprofile),
    Thing("garbage collection", _collecting, _put_collecting),
    Thing("locale", partial(locale.setlocale, locale.LC_ALL), _put_locale),
    Thing("warning filter", lambda: warnings.filters[:], _put_filters, grows=True),
    Thing("showing of warnings", _showing, _put_showing),
    Thing("logging", _levels, _put_levels),
    Thing("log handler", lambda: logging.root.handlers[:], _put_log_handlers, grows=True),
    Thing("running thread", _threads, None, _by_work, grows=True, passing=True),
    Thing("child process", _children, _end_children, _by_name, grows=True, passing=True),
)
"""What is looked at once in a claim."""


def things_of(backend: Backend) -> Sequence[Thing]:
    """Return what is looked at once in a claim on `backend`: its own state as well."""

    def state() -> Mapping[str, Any]:
        try:
            return dict(backend.state())
        except Exception as error:
            raise AdapterError(
                f"{backend.name}.state raised {in_a_line(error)}: return what is global, by name"
            ) from error

    return *ONCE, Thing("", state, backend.restore, own=True)
