"""A results file being written."""

import os
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from .errors import OptionError
from .results import Verdict, dump


class ResultsFile:
    """A results file being written: every line leaves this process before the next claim is judged.

    So it survives a crash of the process; for the disk nobody waits longer than once a second.
    """

    def __init__(self, path: Path, header: Mapping[str, Any], option: str = "--results") -> None:
        self.path = path
        self.option = option
        self.statuses: dict[tuple[str, ...], str] = {}
        self._synced = 0.0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: TextIO = path.open("w", encoding="utf-8", newline="\n")
        except OSError as error:
            raise self._unwritable(error) from None
        self._write({"header": dict(header)})

    def begin(self, verdict: Verdict) -> None:
        """Note what is about to be judged: a run that is broken off says in what."""
        self._write({"begun": list(verdict.key)}, lasting=False)

    def add(self, verdict: Verdict) -> None:
        """Append one verdict; of two on the same thing, the later one counts."""
        self.statuses[verdict.key] = str(verdict.status)
        self._write({"verdict": verdict.to_json()})

    def close(self, exit_status: int, planned: Mapping[str, Any] | None) -> None:
        """Append the footer: the run reached its end."""
        statuses = dict(Counter(self.statuses.values()))
        footer = {"statuses": statuses, "exit_status": exit_status, "planned": planned}
        self._write({"footer": footer})
        self._sync()
        self._file.close()

    def _sync(self) -> None:
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
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> OptionError:
        return OptionError(
            f"{self.option} {self.path}: cannot be written ({error.strerror}); "
            "name a file in a directory you may write to"
        )
