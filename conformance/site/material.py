"""What pages are made of: verdicts by claim and library, and what the specification says."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from types import ModuleType

from packaging.version import InvalidVersion, Version

from ..claims.catalogue import SPECIFICATION, chapters_of, claims_of
from ..claims.claim import Claim
from ..history.courses import History
from ..report.rows import Row, rows_of
from ..results.comparison import Comparison
from ..results.reading import RunRead
from ..results.standings import Standing, standings
from ..results.verdict import Key, Verdict, settled
from ..speed.cells import Measurement
from ..speed.laws import MeasuredLaw, laws_of
from ..speed.record import RecordRead
from ..table import TABLE
from .causes import Cause, causes_of
from .checkout import Checkout

LONGEST = 600
"""Characters of a reason that are shown."""


@dataclass(frozen=True)
class Column:
    """One column of every table: a library in its newest version, on one device."""

    library: str
    version: str
    device: str

    @property
    def label(self) -> str:
        """What stands at its head."""
        return self.library if self.device == "cpu" else f"{self.library} on {self.device}"


Place = tuple[str, str | None]
"""A claim, and the operation of which it speaks there."""


@dataclass(frozen=True)
class Material:
    """All that was read; pages ask it, and read no file."""

    runs: Sequence[RunRead]
    records: Sequence[RecordRead]
    comparisons: Sequence[Comparison]
    checkout: Checkout
    histories: Sequence[History] = ()

    @cached_property
    def standings(self) -> list[Standing]:
        """Every library in every version, what declares most first."""
        return standings(self.runs)

    @cached_property
    def libraries(self) -> list[Standing]:
        """Every library in the newest version that was run."""
        newest: dict[str, Standing] = {}
        for one in self.standings:
            known = newest.setdefault(one.library, one)
            if _age(one.version) > _age(known.version):
                newest[one.library] = one
        return [one for one in self.standings if newest[one.library] is one]

    @cached_property
    def columns(self) -> list[Column]:
        """Every library of `libraries`, once for each device."""
        return [
            Column(one.library, one.version, device)
            for one in self.libraries
            for device in one.devices
        ]

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """The verdicts on the newest versions; of two on the same thing the worse one counts."""
        tries: dict[Key, list[Verdict]] = {}
        for one in self.libraries:
            for verdict in one.verdicts:
                tries.setdefault(verdict.key, []).append(verdict)
        return [settled(found) for found in tries.values()]

    @cached_property
    def rows(self) -> list[Row]:
        """Claims by columns, in the order of the specification."""
        subjects = [f"{column.library}-{column.device}" for column in self.columns]
        return rows_of(self.verdicts, subjects, lambda v: f"{v.backend}-{v.device}")

    @cached_property
    def by_claim(self) -> Mapping[str, Row]:
        """Rows by the id of their claim."""
        return {row.id: row for row in self.rows}

    @cached_property
    def by_place(self) -> Mapping[Place, list[list[Verdict]]]:
        """For each claim and operation, its verdicts by column."""
        found: dict[Place, list[list[Verdict]]] = {}
        for row in self.rows:
            for at, cell in enumerate(row.cells):
                for verdict in cell:
                    place = (row.id, verdict.operation)
                    found.setdefault(place, [[] for _ in self.columns])[at].append(verdict)
        return found

    @cached_property
    def causes(self) -> Mapping[str, list[Cause]]:
        """What each of `libraries` is known to do otherwise."""
        return {one.library: causes_of(one, self.standings) for one in self.libraries}

    @cached_property
    def timed(self) -> Mapping[tuple[str, str, str], list[Measurement]]:
        """What was measured, by chapter, workload and library."""
        found: dict[tuple[str, str, str], list[Measurement]] = {}
        for record in self.records:
            for m in record.measurements:
                if m.left_out is None:
                    place = (m.cell.chapter, m.cell.workload, m.cell.backend)
                    found.setdefault(place, []).append(m)
        return found

    # ---- the specification -----------------------------------------------------------------------

    @cached_property
    def chapters(self) -> dict[str, ModuleType]:
        """The chapters that hold a claim or a measured law, by name."""
        held = {claim.chapter for claim in self.claims.values()}
        held |= {law.chapter for law in self.laws.values()}
        modules = {
            module.__name__.rpartition(".")[2].removeprefix("test_"): module
            for module in chapters_of(import_module(SPECIFICATION))
        }
        return {name: module for name, module in modules.items() if name in held}

    @cached_property
    def claims(self) -> dict[str, Claim]:
        """Every claim, by id."""
        return claims_of(import_module(SPECIFICATION))

    @cached_property
    def laws(self) -> dict[str, MeasuredLaw]:
        """Every measured law, by id."""
        return laws_of(import_module(SPECIFICATION))

    @cached_property
    def operations(self) -> dict[str, list[Claim]]:
        """The claims about each operation of the vocabulary that any claim is about."""
        found: dict[str, list[Claim]] = {operation.name: [] for operation in TABLE}
        for claim in self.claims.values():
            for name in dict.fromkeys([*(o.name for o in claim.over), *claim.about]):
                found.setdefault(name, []).append(claim)
        return {name: claims for name, claims in sorted(found.items()) if claims}

    @cached_property
    def judged_alone(self) -> AbstractSet[Place]:
        """Each claim over many operations with each of these."""
        return {(claim.id, each.name) for claim in self.claims.values() for each in claim.over}

    def found(self, claim: Claim, operation: str | None = None) -> list[list[Verdict]]:
        """Return the verdicts on a claim by column; of one over many operations those on one."""
        own = operation if (claim.id, operation) in self.judged_alone else None
        return self.by_place.get((claim.id, own), [[] for _ in self.columns])


def _age(version: str) -> tuple[bool, Version]:
    """Order versions; what is no number is older than any."""
    try:
        return True, Version(version)
    except InvalidVersion:
        return False, Version("0")
