"""A results file being written."""

import os
import stat
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from ..protocol.errors import OptionError
from ..untrusted.texts import without_places
from .verdict import SEVERITY, Key, Status, Verdict, dump

TOLD = {"reason", "reproduction"}
"""What of a verdict was written by others."""


class ResultsFile:
    """A results file being written: every line leaves this process before the next claim is judged.

    So it survives a crash of the process; for the disk nobody waits longer than once a second.
    """

    def __init__(self, path: Path, header: Mapping[str, Any], option: str = "--results") -> None:
        self.path = path
        self.option = option
        self.statuses: dict[Key, Status] = {}
        self._synced = 0.0
        self._faults = header.get("faults", ())
        self._file: TextIO = _opened(path, option)
        # A device or a pipe is written to as well, but not waited for.
        self._on_disk = stat.S_ISREG(os.fstat(self._file.fileno()).st_mode)
        self._write({"header": dict(header)})

    def begin(self, verdict: Verdict) -> None:
        """Note what is about to be judged: a run that is broken off says in what."""
        self._write({"begun": list(verdict.key)}, lasting=False)

    def add(self, verdict: Verdict) -> None:
        """Append one verdict, without places of this machine.

        Of several on the same thing the worst counts.
        """
        before = self.statuses.get(verdict.key, verdict.status)
        self.statuses[verdict.key] = min(before, verdict.status, key=SEVERITY.index)
        fields = verdict.to_json()
        for name in TOLD & fields.keys():
            fields[name] = without_places(fields[name])
        self._write({"verdict": fields})

    def close(
        self,
        exit_status: int,
        planned: Mapping[str, Any] | None,
        faults: Sequence[Mapping[str, str]] = (),
    ) -> None:
        """Append the footer: the run ended. Of `faults` those are told that the header lacks."""
        statuses = Counter(status.value for status in self.statuses.values())
        # pytest.exit takes any number, of which a process hands on the last byte at best.
        known = exit_status if 0 <= exit_status < 256 else 255
        footer = {"statuses": dict(statuses), "exit_status": known, "planned": planned}
        late = [dict(fault) for fault in faults if fault not in self._faults]
        self._write({"footer": {**footer, "faults": late} if late else footer})
        self._sync()
        self._file.close()

    def _sync(self) -> None:
        if self._on_disk:
            os.fsync(self._file.fileno())
        self._synced = time.monotonic()

    def _write(self, line: Mapping[str, Any], *, lasting: bool = True) -> None:
        try:
            self._file.write(dump(line))
            self._file.flush()
            if lasting and time.monotonic() > self._synced + 1:
                self._sync()
        except OSError as error:
            with suppress(OSError):
                self._file.close()
            raise _unwritable(self.path, self.option, error) from None


def empty(path: Path, option: str = "--results") -> None:
    """Leave nothing of an earlier run in a file that is to be written once there is a header."""
    _opened(path, option).close()


def _opened(path: Path, option: str) -> TextIO:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return open(path, "w", encoding="utf-8", newline="\n", opener=_opener)
    except OSError as error:
        raise _unwritable(path, option, error) from None


def _opener(path: str, flags: int) -> int:
    # To open a pipe that nobody reads would be to wait without end.
    descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(descriptor, True)
    return descriptor


def _unwritable(path: Path, option: str, error: OSError) -> OptionError:
    return OptionError(
        f"{option} {path}: cannot be written ({error.strerror}); "
        "name a file in a directory you may write to"
    )
