"""Defects of a library that programs are known to show, as data beside its adapter.

They stand in NAME.programs.toml:

    [[known]]
    key = "crash: * getitem * hook"   # of shrunk programs; * stands for anything
    reason = "what is wrong"
    link = "https://..."
    version = ">=2.13,<2.14"          # if it is not all
    witness = ["v0 = leaf(; (1,), (), False)", ...]
    before = "hook"                   # before each statement of this kind
    look = "look_node"                # this one is put, so that the search goes on beyond
    without = "exp sin"               # or such statements are not drawn at all
    first_only = "retain_grad"        # or not of a later one of several results
    dtype = "float64"                 # if it is not in all
    asked = "tangents"                # if only programs as functions show it, asked for these
    mode = "checkpoint"               # or run in a mode
    sometimes = true                  # if a run may go well

A known defect costs one run of its witness, at the beginning. One that is gone is told of.
"""

import inspect
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from operator import contains
from pathlib import Path
from typing import Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from ..protocol.backend import Backend
from ..protocol.errors import OptionError
from .kinds import every_kind
from .language import Kind, Program, Statement, program_of

REQUIRED = {"key", "reason", "link", "witness"}
FIELDS = REQUIRED | {
    "version",
    "before",
    "look",
    "without",
    "first_only",
    "dtype",
    "sometimes",
    "asked",
    "mode",
}


@dataclass(frozen=True)
class Known:
    """One defect: how its shrunk programs are called, why, and one of them."""

    key: str
    reason: str
    link: str
    witness: Program
    before: str = ""
    look: str = ""
    without: str = ""
    first_only: str = ""
    dtype: str = ""
    sometimes: bool = False
    asked: str = ""
    mode: str = ""

    @property
    def place(self) -> tuple[str, str, str]:
        """The dtype, what is asked and the mode in which it shows; empty for any."""
        return self.dtype, self.asked, self.mode

    def covers(self, key: str) -> bool:
        """Whether a shrunk program of this key shows it."""
        return any(fnmatchcase(key, each.strip()) for each in self.key.split("|"))


def known_of(backend: Backend, dtype: str, asked: str = "", mode: str = "") -> list[Known]:
    """Read what is known of a backend's version in a dtype, where this is asked of programs.

    Raises OptionError naming a malformed file.
    """
    try:
        path = Path(inspect.getfile(type(backend))).with_suffix(".programs.toml")
    except TypeError:  # of a class that was made while running
        return []
    if not path.exists():
        return []
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8")).get("known", [])
        known = [_entry(each) for each in entries if _speaks_of(each, backend.version)]
        here = (("", dtype), ("", asked), ("", mode))
        return [each for each in known if all(map(contains, here, each.place))]
    except (tomllib.TOMLDecodeError, TypeError, ValueError, OptionError) as error:
        raise OptionError(f"{path}: {error}; see the module text of known.py") from None


def _speaks_of(fields: Mapping[str, Any], version: str) -> bool:
    asked = fields.get("version")
    return not asked or SpecifierSet(asked).contains(Version(version), prereleases=True)


def _entry(fields: Mapping[str, Any]) -> Known:
    for name in sorted(fields.keys() - FIELDS):
        raise ValueError(f"unknown field {name!r} in a known defect")
    for name in sorted(REQUIRED - fields.keys()):
        raise ValueError(f"a known defect has no {name!r}")
    for name in ("before", "look", "without", "first_only"):
        for kind in str(fields.get(name, "")).split():
            if kind not in every_kind():
                raise ValueError(f"{name} = {fields[name]!r}: {kind!r} is no kind of statement")
    told = {name: fields[name] for name in fields.keys() - {"version", "witness"}}
    return Known(witness=program_of(fields["witness"]), **told)


def left(kinds: Mapping[str, Kind], known: Sequence[Known]) -> dict[str, Kind]:
    """Return the kinds that what is known leaves to be drawn."""
    without = {kind for each in known for kind in each.without.split()}
    return {name: kind for name, kind in kinds.items() if name not in without}


def detoured(program: Program, known: Sequence[Known]) -> Program:
    """Return a program that goes round what is known to keep the search from going on."""
    detours = {each.before: each.look for each in known if each.before}
    first_only = {kind for each in known for kind in each.first_only.split()}
    if not detours and not first_only:
        return program
    made: list[Statement] = []
    later: set[int] = set()  # the numbers of later ones of several results
    count = 0
    for statement in program:
        later.update(range(count + 1, count + statement.results))
        count += statement.results
        if statement.kind in first_only and not later.isdisjoint(statement.operands):
            continue
        if statement.kind in detours:
            made.append(Statement(detours[statement.kind], statement.operands[:1]))
        made.append(statement)
    return tuple(made)
