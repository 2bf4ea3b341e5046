"""Results as data: JSON lines, a header first and a footer last.

A file without a footer is a broken run, whatever its verdicts say.
"""

import json
import os
import platform
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path
from typing import Any, TextIO

from .errors import OptionError


class Status(StrEnum):
    """What came of one claim on one subject."""

    PASS = "pass"
    FAIL = "fail"
    """The claim does not hold; an example shows it."""
    ERROR = "error"
    """Something other than the claim broke: the adapter, or an exception it does not map."""
    UNSUPPORTED = "unsupported"
    """The backend does not declare what the claim needs."""
    EXPECTED_FAILURE = "expected-failure"
    """The stored witness of a known defect still fails."""
    UNEXPECTED_PASS = "unexpected-pass"
    """The stored witness of a known defect no longer fails."""
    VACUOUS = "vacuous"
    """No example, or too few, reached the operation the claim is about."""
    NOT_RUN = "not-run"
    """The subject is not present on this machine."""


GREEN = frozenset({Status.PASS, Status.UNSUPPORTED, Status.EXPECTED_FAILURE, Status.NOT_RUN})
"""What leaves a run successful."""


@dataclass(frozen=True)
class Verdict:
    """One claim on one subject.

    `drawn`, `rejected` and `reached` count examples; `worst` is the largest measured error over the
    allowed one; `seconds` is wall time and `cpu_seconds` time of this process.
    """

    claim: str
    chapter: str
    level: str
    backend: str
    device: str
    dtype: str
    status: Status
    operation: str | None = None
    drawn: int = 0
    rejected: int = 0
    reached: int = 0
    worst: float = 0.0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    kind: str | None = None
    reason: str | None = None
    reproduction: str | None = None

    @property
    def subject(self) -> str:
        """The subject as it stands in test ids."""
        return f"{self.backend}-{self.device}-{self.dtype}"

    def to_json(self) -> dict[str, Any]:
        """Return the fields as plain data, that is, as what every serializer knows."""
        return {
            name: value.value if isinstance(value, StrEnum) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "Verdict":
        """Read what `to_json` wrote."""
        return cls(**{**fields, "status": Status(fields["status"])})


class BrokenRun(Exception):
    """A results file tells of less than a whole run; the message names what is missing."""


class ResultsFile:
    """A results file being written: every line is on disk before the next claim is judged."""

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        self.path = path
        self.statuses: Counter[str] = Counter()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: TextIO = path.open("w", encoding="utf-8", newline="\n")
        except OSError as error:
            raise self._unwritable(error) from None
        self._write({"header": dict(header)})

    def add(self, verdict: Verdict) -> None:
        """Append one verdict."""
        self.statuses[verdict.status] += 1
        self._write({"verdict": verdict.to_json()})

    def close(self, exit_status: int) -> None:
        """Append the footer: the run reached its end."""
        self._write({"footer": {"statuses": dict(self.statuses), "exit_status": exit_status}})
        self._file.close()

    def _write(self, line: Mapping[str, Any]) -> None:
        # NaN and infinities are not JSON; a ratio of inf is written as a string.
        text = json.dumps(_finite(line), allow_nan=False)
        try:
            self._file.write(text + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):
                self._file.close()
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> OptionError:
        return OptionError(
            f"--results {self.path}: cannot be written ({error.strerror}); "
            "name a file in a directory you may write to"
        )


def read(path: Path) -> tuple[dict[str, Any], list[Verdict]]:
    """Read the header and the verdicts of a whole run; raises BrokenRun for anything less."""
    header: dict[str, Any] | None = None
    footer: dict[str, Any] | None = None
    verdicts: list[Verdict] = []
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            match json.loads(line):
                case {"header": dict(fields)}:
                    header = fields
                case {"verdict": dict(fields)}:
                    verdicts.append(Verdict.from_json({**fields, "worst": float(fields["worst"])}))
                case {"footer": {"statuses": dict(), "exit_status": int()} as fields}:
                    footer = fields
                case other:
                    raise ValueError(f"unknown line {str(other)[:40]!r}")
    except OSError as error:
        raise BrokenRun(f"{path}: cannot be read ({error.strerror})") from error
    except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise BrokenRun(f"{path}: not a results file ({error})") from error
    if header is None or footer is None:
        raise BrokenRun(f"{path}: has no {'header' if header is None else 'footer'}; run it again")
    if footer["statuses"] != Counter(str(verdict.status) for verdict in verdicts):
        raise BrokenRun(f"{path}: the footer counts other verdicts than the file holds")
    return header, verdicts


def environment() -> dict[str, Any]:
    """Describe what a run ran on, apart from its subjects."""
    return {
        "format": 1,
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
    root = Path(__file__).parent.parent
    git = shutil.which("git") if (root / ".git").exists() else None
    if git is None:
        return None
    command = [git, "-C", str(root), "rev-parse", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout.strip() or None


def _finite(value: Any) -> Any:
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    if isinstance(value, Mapping):
        return {key: _finite(entry) for key, entry in value.items()}
    return value


def lines(verdicts: list[Verdict]) -> Iterator[str]:
    """Return the verdicts as sorted lines without their times: equal for equal runs."""
    for verdict in sorted(verdicts, key=lambda v: (v.claim, v.subject, v.operation or "")):
        fields = verdict.to_json()
        del fields["seconds"], fields["cpu_seconds"]
        yield json.dumps(_finite(fields), sort_keys=True)
