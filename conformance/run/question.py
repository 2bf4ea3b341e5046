"""What a run asks: one claim on one subject, and what is known of it before anything runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import hypothesis
import pytest

from ..claims.claim import Claim, claim_of
from ..protocol.capabilities import Capability
from ..protocol.mode import WRAPPED
from ..protocol.subject import Subject
from ..results.verdict import FATAL, WIDEST, Key, Status, key
from ..table.operation import Operation
from .expectations import Expectation


@dataclass
class Question:
    """One claim on one subject; of a claim over many operations, one `operation` is meant."""

    claim: Claim
    subject: Subject
    settings: hypothesis.settings
    seed: int
    operation: Operation | None = None
    expectation: Expectation | None = None
    others: tuple[Expectation, ...] = ()
    """What else is known of it."""
    passed_over: tuple[Expectation, ...] = ()
    """What has failed as expected before, and is no news in other examples either."""
    profile: str = "default"

    @property
    def key(self) -> Key:
        """The key of the verdict that will be given."""
        return _key(self.claim, self.subject, self.operation)

    @property
    def about(self) -> tuple[str, ...]:
        """What has to be reached: of a claim over many operations, the one at hand."""
        return (self.operation.name,) if self.operation else self.claim.about

    @property
    def replays(self) -> bool:
        """Whether nothing is met but the witness of an expected failure."""
        return self.expectation is not None and not self.expectation.search

    @property
    def lacking(self) -> list[str]:
        """What the claim and its operation need and the backend does not declare."""
        own = [self.operation.name] if self.operation else []
        missing = self.subject.lacks([*self.claim.needs, *own])
        if own and not missing and Capability.SPELLINGS in self.claim.needs:
            # There is nothing to compare where a function is written in one way only.
            return (
                [] if self.subject.backend.spellings(*own) else [f"another way to write {own[0]}"]
            )
        return missing

    @property
    def known_to_crash(self) -> bool:
        """Whether it is to end the process, and can be tried in a copy, which has no device."""
        known, here = self.expectation, self.subject.device == "cpu"
        return here and known is not None and known.status is Status.CRASH

    def unmet(self) -> str | None:
        """Say why the subject offers nothing that the claim could be judged by, if it does not."""
        backend, dtype = self.subject.backend, self.subject.dtype
        if dtype in backend.small_dtypes and not self.claim.over:
            return f"{dtype} is for claims over the table of operations"
        if self.claim.widest and dtype not in self._widest:
            return f"it is judged in {self._widest[0]}, {WIDEST}"
        # A claim that says so hands over functions of its own, made of others.
        needed = {*self.claim.needs} & ({*Capability} if self.claim.modes else {*self.claim.needs})
        if (mode := self.subject.running_mode) and not (
            (self.claim.over or self.claim.modes) and needed <= WRAPPED
        ):
            return f"it hands over no function that could run in the mode {mode.name}"
        if mode and not mode.of_many and self.claim.of_many:
            return f"it asks for thousands of entries, which are too many for the mode {mode.name}"
        if mode and mode.by_entry and self.claim.of_hundreds_twice:
            return f"it asks for hundreds of second derivatives, too many for the mode {mode.name}"
        if mode and mode.by_entry and self.claim.apart:
            return (
                "it puts what is no number beside other entries, whose gradients are added up from "
                f"all of them in the mode {mode.name}, and would be none either"
            )
        if self.lacking and not self.mismatch():
            where = f" in the mode {mode.name}" if mode else ""
            return f"{backend.name} does not declare {', '.join(self.lacking)}{where}"
        return None

    @property
    def _widest(self) -> tuple[str, ...]:
        """The widest dtype in which the backend has the operation, and those beyond it."""
        backend, own = self.subject.backend, {self.operation.name} if self.operation else set()
        there = [
            place
            for place, dtype in enumerate(backend.dtypes)
            if own.isdisjoint(backend.lacking(dtype, self.subject.device))
        ]
        return backend.dtypes[there[-1] if there else -1 :]

    def mismatch(self) -> str | None:
        """Say why an entry of expected failures does not fit the claim, or no longer does."""
        if self.expectation is None:
            return None
        undeclared = set(self.lacking) - self.subject.backend.capabilities
        if self.expectation.dtype is None:
            # It speaks of the dtypes in which the function is there.
            undeclared -= self.subject.backend.functions.keys()
        # An adapter for a range of releases leaves out what an older one does not have.
        if undeclared and not self.subject.backend.oldest:
            return (
                f"the entry of {self.claim.id} is stale: {self.subject.backend.name} does not "
                f"declare {', '.join(sorted(undeclared))}; remove it"
            )
        return self.expectation.mismatch(self.claim, self.operation)

    def dangerous(self, isolated: bool) -> str | None:  # noqa: FBT001
        """Say that the claim is known to end the process, if that would end the run."""
        known = self.expectation
        if isolated or known is None or known.left_out or known.status not in FATAL:
            return None
        return f"{known.known}: run with --isolate, as it ends its process"


def meant(item: pytest.Item) -> tuple[Claim, Subject, Operation | None] | None:
    """Return what an item judges: a claim on a subject, for one operation if it is over many."""
    claim = claim_of(item)
    if claim is None:
        return None
    given: Mapping[str, Any] = item.callspec.params  # type: ignore[attr-defined]
    return claim, given["be"], given.get("operation")


def key_of(item: pytest.Item) -> Key | None:
    """Return the key of the verdict that an item will give; None if it is no claim."""
    found = meant(item)
    return _key(*found) if found else None


def _key(claim: Claim, subject: Subject, operation: Operation | None) -> Key:
    name, mode = (each.name if each else None for each in (operation, subject.running_mode))
    return key(claim.id, subject.backend.name, subject.device, subject.dtype, name, mode)
