"""What came of a claim on a subject, and the verdict on it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from traceback import walk_tb
from typing import Any

import pytest
from hypothesis.errors import Flaky, HypothesisException

from ..protocol.errors import AdapterError, Refused
from ..protocol.subject import EXPECTED
from ..results.alike import UNMAPPED
from ..results.verdict import FATAL, GREEN, Known, Status, Verdict
from ..untrusted.texts import first_line, in_a_line
from .question import Question
from .reproduction import reproduction

FORESEEN = frozenset({Status.EXPECTED_FAILURE, Status.UNEXPECTED_PASS})
"""What comes of an entry of expected failures."""


class Vacuous(AssertionError):
    """The claim passed without reaching what it is about."""


@dataclass
class Judged(Question):
    """One claim on one subject, what came of it so far, and what that means."""

    drawn: int = 0
    rejected: int = 0
    reached: int = 0
    worst: float = 0.0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    values: Mapping[str, Any] = field(default_factory=dict)
    """Of the example at hand, or of the one that refutes the claim."""
    noted: list[str] = field(default_factory=list)
    error: BaseException | None = None
    unsupported: str | None = None
    absent: str | None = None
    fault: str | None = None
    beside: str = ""
    """What it has changed, or broken for later, besides failing."""
    failure: tuple[BaseException, Mapping[str, Any]] | None = None
    """What the last example to fail has raised, and its values."""
    crash: str | None = None
    """The signal by which a copy of the process crashed that tried the witness; empty if it did
    not."""
    lost_device: str | None = None
    """How the device answered after the claim failed, if it no longer does what it is told."""

    def include(self, other: "Judged") -> None:
        """Count as this run's what was met beyond its witness."""
        for name in ("drawn", "rejected", "reached", "seconds", "cpu_seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def verdict(self) -> Verdict:
        """Judge the run once `execute` is over."""
        status, kind, reason = self._judge()
        red = self.error and status not in GREEN
        return self._stated(status, kind, reason, self.reproduction() if red else None)

    def last_word(self) -> Verdict:
        """What will have to be said if the process does not live to judge the run."""
        if self.expectation is not None and self.expectation.foreseen & FATAL:
            return self._stated(Status.EXPECTED_FAILURE, None, self.expectation.known, None)
        return self._stated(Status.CRASH, None, "the process ended", self.reproduction())

    def _stated(
        self, status: Status, kind: str | None, reason: str | None, reproduction: str | None
    ) -> Verdict:
        return Verdict(
            claim=self.claim.id,
            chapter=self.claim.chapter,
            level=self.claim.level,
            backend=self.subject.backend.name,
            device=self.subject.device,
            dtype=self.subject.dtype,
            operation=self.operation.name if self.operation else None,
            mode=self.subject.running_mode.name if self.subject.running_mode else None,
            status=status,
            drawn=self.drawn,
            rejected=self.rejected,
            reached=self.reached,
            worst=self.worst,
            seconds=self.seconds,
            cpu_seconds=self.cpu_seconds,
            kind=kind,
            reason=reason,
            expected=self.expectation.kind if self.expectation and status in FORESEEN else None,
            reproduction=reproduction,
        )

    def reproduction(self) -> str:
        """The program, the values it failed with, and the command that runs it again."""
        return reproduction(
            self.claim, self.subject, self.operation, self.values, self.seed, self.profile
        )

    def stale_entry(self, verdict: Verdict) -> list[Any] | None:
        """Return the place and the address of the entry that this verdict shows to be stale.

        What passes in one mode says nothing of an entry that speaks of others too.
        """
        known = self.expectation
        if known is None or (verdict.mode and known.mode is None):
            return None
        stale = verdict.status is Status.UNEXPECTED_PASS or self.mismatch()
        return [known.place, known.address] if stale else None

    def _judge(self) -> tuple[Status, str | None, str | None]:
        if self.unsupported:
            return Status.UNSUPPORTED, None, self.unsupported
        if self.absent:
            return Status.NOT_RUN, None, self.absent
        if self.fault:
            return Status.ERROR, None, self.fault
        status, kind, reason = self._judge_outcome()
        if self.expectation is not None:
            if answer := self._answer(status, kind):
                return status, None, f"{reason}; {answer}"
            if status in self.expectation.foreseen:
                return Status.EXPECTED_FAILURE, kind, self.expectation.known
            if status is Status.PASS:
                return Status.UNEXPECTED_PASS, None, self.expectation.known
        return status, kind, reason

    def _answer(self, status: Status, kind: str | None) -> str:
        """Say that a library answers where its entry says that it cannot."""
        missing = self.expectation is not None and self.expectation.kind is Known.MISSING
        if not missing or status is not Status.FAIL or kind is not None:
            return ""
        if isinstance(self.error, Refused):
            return ""
        if self.error is not None:
            # What a library asserts itself is a refusal like any other.
            *_, (frame, _) = walk_tb(self.error.__traceback__)
            if frame.f_globals.get("__name__", "").partition(".")[0] == self.subject.backend.name:
                return ""
        return "the entry calls this missing, but the library gives an answer: it is a defect"

    def _judge_outcome(self) -> tuple[Status, str | None, str | None]:
        error = self.error
        if self.crash:
            return Status.CRASH, None, self.crash
        if error is None:
            return Status.PASS, None, "; ".join(self.noted) or None
        if self.lost_device:
            return Status.CRASH, None, self.lost_device
        if isinstance(error, Flaky) and self.failure:
            status, kind, reason = self._judge_error(self.failure[0])
            reason += "; it did not repeat when the same values were tried again"
        else:
            status, kind, reason = self._judge_error(error)
        return status, kind, "; ".join(filter(None, [reason, self.beside]))

    def _judge_error(self, error: BaseException) -> tuple[Status, str | None, str]:
        # What pytest.raises and pytest.warns raise is no AssertionError.
        if isinstance(error, AssertionError | pytest.fail.Exception):
            status = Status.VACUOUS if isinstance(error, Vacuous) else Status.FAIL
            told = first_line(error) or type(error).__name__
            return status, None, self.subject.explanation(error) + told
        if isinstance(error, AdapterError):
            return Status.ERROR, None, first_line(error)
        if not isinstance(error, Exception) or isinstance(error, HypothesisException):
            return Status.ERROR, None, in_a_line(error)
        try:
            kind = self.subject.kind_of(error)
        except AdapterError as fault:
            return Status.ERROR, None, first_line(fault)
        explanation = self.subject.explanation(error)
        if kind is not None:
            return Status.FAIL, kind, explanation + (first_line(error) or type(error).__name__)
        name, _, line = in_a_line(error).partition(": ")
        unmapped = "" if explanation else UNMAPPED + _kinds_expected(error)
        return Status.ERROR, None, explanation + f"{name}{unmapped}: {line}".rstrip(": ")


def _kinds_expected(error: BaseException) -> str:
    """Say of which kind a refusal was to be, where this was raised; empty elsewhere."""
    notes = (str(each) for each in getattr(error, "__notes__", ()))
    kinds = next((each.removeprefix(EXPECTED) for each in notes if each.startswith(EXPECTED)), "")
    return f" where {kinds} is expected" if kinds else ""
