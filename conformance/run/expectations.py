"""Expected failures of a backend, each with a reason, a link and a witness.

They stand in a TOML file beside the adapter, under the adapter's name:

    [[expected]]
    claim = "ACC-18"            # or several, and those for operations: "GEN-04[sin] GEN-04[cos]"
    kind = "defect"             # or "difference", "missing", "parity": see below
    version = ">=2.11,<2.14"    # these, if they are not all it speaks of,
    device = "cpu"
    dtype = "float16 bfloat16"
    mode = "vmap compile"       # these modes, among them "eager"
    status = "fail"             # or "error", "crash", "timeout"
    reason = "what is wrong"
    link = "https://..."        # to the report, or to what documents the difference
    witness = { x = 1.0 }       # see witness.py; or search = true where values cannot be written
    sometimes = true            # where what comes out depends on memory that nobody wrote
    only = { says = "..." }     # what of the claim it covers, if not all: see scope.py

A defect contradicts mathematics, the library's own documentation or its own other path. What the
library documents or plainly intends is a difference; what merely is not PyTorch or NumPy, and is
promised nowhere, is parity. A law binds all, and can be neither. Missing is what the library says
that it cannot do: its witness has to end in an exception of the library, not in a wrong answer.

An expected failure is not searched for again: its witness, the values of one example, is replayed
once. What `only` leaves out is searched as ever. Several entries may share a claim if each but one
says what it covers. If the witness passes, that is an error too, for then the entry is stale; so is
an entry of a claim that the backend does not declare, or of none at all. What fails `sometimes` is
not stale when it passes; if it may end the process or never end and `only` names the calls, none of
these is run, and the rest of the claim is searched. `expectations.schema.json` describes the file.
"""

import inspect
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from ..claims.claim import Claim, Level
from ..claims.witness import decode
from ..protocol.backend import Backend
from ..protocol.errors import OptionError
from ..protocol.mode import EAGER
from ..protocol.subject import Subject
from ..results.verdict import FATAL, NO_FAULT, Known, Status, address_of
from ..table.operation import Operation
from ..untrusted.files import read_toml
from ..untrusted.texts import first_line, printable
from .scope import Scope

FAILING = FATAL | {Status.FAIL, Status.ERROR}
"""What an entry may expect."""

ADDRESS = re.compile(r"([^\[\]]+)(?:\[(\w+)\])?")
"""A claim, and the operation for which it is meant, of a claim over many."""


@dataclass(frozen=True)
class Expectation:
    """One claim that a backend is known to fail, on the devices, dtypes and modes named (or all).

    Of a claim over many operations it names one. An entry of a file makes one for each claim.
    """

    claim: str
    reason: str
    link: str
    witness: Mapping[str, Any] = field(default_factory=dict)
    device: str | None = None
    dtype: str | None = None
    mode: str | None = None
    operation: str | None = None
    kind: Known = Known.DEFECT
    status: Status = Status.FAIL
    search: bool = False
    sometimes: bool = False
    """Whether it is chance what comes of the witness: then it may pass as well, or never end."""
    only: Scope | None = None
    """What it covers, if that is not the whole claim."""
    place: int = 0
    """In which entry of its file it stands, from 0."""
    current: bool = True
    """Whether it speaks of the version at hand."""

    @property
    def address(self) -> str:
        """The claim and the operation, as they stand in the file."""
        return address_of(self.claim, self.operation)

    @property
    def foreseen(self) -> AbstractSet[Status]:
        """What the witness may come to."""
        return {self.status, Status.PASS, *FATAL} if self.sometimes else {self.status}

    @property
    def left_out(self) -> bool:
        """Whether its examples are not run at all: what comes of them is chance, or never comes."""
        return self.only is not None and self.status in FATAL

    def leaves_out(self, values: Mapping[str, Any]) -> bool:
        """Whether an example with these values is not run."""
        return self.left_out and self.only is not None and self.only.meets(values)

    @property
    def may_hang(self) -> bool:
        """Whether its witness, one example, may have to be waited for in vain."""
        return not self.search and not self.left_out and Status.TIMEOUT in self.foreseen

    @property
    def known(self) -> str:
        """What a verdict says of it."""
        return f"{self.reason} ({self.link})"

    def mismatch(self, claim: Claim, operation: Operation | None = None) -> str | None:
        """Say why `claim`, for an operation, cannot be expected to fail in this way."""
        if self.kind in NO_FAULT and claim.level is Level.LAW:
            return (
                f"the entry of {claim.id} calls a law a {self.kind}, but laws bind all: make it a "
                "defect, or leave the capability undeclared"
            )
        if self.search:
            return None
        if self.witness.keys() != claim.arguments:
            return (
                f"the witness of {claim.id} gives {_names(self.witness)}, the claim "
                f"draws {_names(claim.arguments)}: correct the entry beside the adapter"
            )
        try:
            values = claim.read(self.witness, operation)
        except Exception as error:
            return (
                f"the witness of {claim.id} cannot be read ({type(error).__name__}: "
                f"{first_line(error)}): correct the entry beside the adapter"
            )
        if self.only and not self.only.meets(values):
            return (
                f"the witness of {claim.id} is none of the examples that only.calls covers: "
                "correct the entry beside the adapter"
            )
        return None

    def covers(self, claim: Claim, subject: Subject, operation: str | None = None) -> bool:
        """Whether the entry speaks of `claim`, by any of its ids, on `subject`."""
        return (
            self.current
            and self.claim in claim.rows
            and self.operation == operation
            and self.device in (None, subject.device)
            and (self.dtype is None or subject.dtype in self.dtype.split())
            and (self.mode is None or _mode_of(subject) in self.mode.split())
        )


def _mode_of(subject: Subject) -> str:
    return subject.running_mode.name if subject.running_mode else EAGER


def file_of(backend: type[Backend]) -> Path:
    """Return where the entries of an adapter stand, or would."""
    return Path(inspect.getfile(backend)).with_suffix(".toml")


def line_of(path: Path, place: int) -> int | None:
    """Return the line in which an entry begins; None if that cannot be told any more."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    begun = [number for number, line in enumerate(lines, 1) if line.strip() == "[[expected]]"]
    return begun[place] if place < len(begun) else None


def expectations_of(backend: Backend) -> list[Expectation]:
    """Read the entries beside the adapter; raises OptionError naming a malformed file."""
    path = file_of(type(backend))
    if not path.exists():
        return []
    now = path.stat()
    return [*_kept(path, backend.version, now.st_mtime_ns, now.st_size)]


@lru_cache(maxsize=16)
def _kept(path: Path, version: str, changed: int, size: int) -> list[Expectation]:  # noqa: ARG001
    """Read a file again only where it has changed: thousands of entries take half a second."""
    return read_expectations(path, version)


def read_expectations(path: Path, version: str) -> list[Expectation]:
    """Read the entries of a file, for a version; raises OptionError if it is malformed."""
    try:
        entries = read_toml(path, "expectations").get("expected", [])
        found = [
            expectation
            for at, fields in enumerate(entries)
            for expectation in _entry(at, fields, version)
        ]
        subjects = Counter(
            (each.address, dtype, *_rest_of_subject(entries[each.place]))
            for each in found
            if not each.only
            for dtype in (each.dtype.split() if each.dtype else [None])
        )
        for (address, *_), count in subjects.items():
            if count > 1:
                raise ValueError(f"two entries speak of the same failure of {address}")
    except ValueError as error:
        text = printable(str(error))[:300]
        raise OptionError(f"{path}: {text}; see the module text of expectations.py") from None
    return found


def _rest_of_subject(fields: Mapping[str, Any]) -> list[str | None]:
    return [fields.get(name) for name in ("device", "mode", "version")]


def _entry(place: int, fields: Mapping[str, Any], version: str) -> Iterator[Expectation]:
    """Make what one entry expects of each claim it names; raises ValueError for a malformed one."""
    try:
        if fields.get("search") and fields.get("witness"):
            raise ValueError("an expected failure has a witness or search = true, not both")
        kind = Known(fields.get("kind", Known.DEFECT))
        if kind is Known.MISSING and fields.get("status") in FATAL:
            raise ValueError(f"what ends in a {fields['status']} is a defect, not missing")
        if "only" in fields and fields.get("status") in FATAL and not _told_apart(fields):
            raise ValueError(
                f"of what ends in a {fields['status']} nothing else can be searched, unless it "
                "does so sometimes and only.calls alone says for which calls"
            )
        apart = {"claim", "witness", "version", "status", "kind", "only"}
        common = Expectation(
            **{name: fields[name] for name in fields.keys() - apart},
            claim="",
            place=place,
            kind=kind,
            status=Status(fields.get("status", Status.FAIL)),
            witness=decode(fields.get("witness", {})),
            only=Scope(**fields["only"]) if "only" in fields else None,
            current=_covers_version(fields["version"], version) if "version" in fields else True,
        )
        if not fields["claim"].split():
            raise ValueError("it names no claim")
        for address in fields["claim"].split():
            found = ADDRESS.fullmatch(address)
            if not found:
                raise ValueError(f"claim = {address!r} is no claim, such as ACC-18 or GEN-04[sin]")
            yield replace(common, claim=found[1], operation=found[2])
    except ValueError as error:
        raise ValueError(f"expected[{place}]: {error}") from None


def _told_apart(fields: Mapping[str, Any]) -> bool:
    """Whether an entry names the calls that may end the process, so that they need not be run."""
    return bool(fields.get("sometimes")) and fields["only"].keys() == {"calls"}


def _covers_version(asked: str, version: str) -> bool:
    """Whether `version` lies in a range of versions, pre-releases included."""
    try:
        return SpecifierSet(asked).contains(Version(version), prereleases=True)
    except InvalidSpecifier:
        raise ValueError(f"version = {asked!r} is no range such as '>=2.11,<2.14'") from None
    except InvalidVersion:
        raise ValueError(f"a range of versions is given, but {version!r} is no number") from None


def _names(values: Iterable[str]) -> str:
    return ", ".join(sorted(values)) or "nothing"
