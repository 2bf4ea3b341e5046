"""Run one claim on one subject, and judge it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis.errors import HypothesisException, UnsatisfiedAssumption

from .capabilities import Capability
from .claims import Claim, claim_of
from .errors import AdapterError
from .expectations import Expectation
from .reproduction import reproduction
from .results import FATAL, GREEN, Status, Verdict
from .smoke import lost_device
from .subject import Subject
from .table.operation import ALL, Operation

REACH_FLOOR = 0.2
"""The share of examples that must reach the operation a claim is about, at the least."""

SHARE = 7
"""A claim over many operations draws this part of the examples for each, besides its corners."""


FORESEEN = frozenset({Status.EXPECTED_FAILURE, Status.UNEXPECTED_PASS})
"""What comes of an entry of expected failures."""


class Vacuous(AssertionError):
    """The claim passed without reaching what it is about."""


@dataclass
class Run:
    """One claim on one subject: the test to execute, and afterwards its verdict.

    Of a claim over many operations, one `operation` is meant.

    `test` is a callable without arguments, a Hypothesis test where the claim draws values. It
    raises whatever refutes the claim; `verdict` tells what that means.
    """

    claim: Claim
    subject: Subject
    settings: hypothesis.settings
    seed: int
    operation: Operation | None = None
    expectation: Expectation | None = None
    profile: str = "default"
    drawn: int = 0
    rejected: int = 0
    reached: int = 0
    worst: float = 0.0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    values: Mapping[str, Any] = field(default_factory=dict)
    noted: list[str] = field(default_factory=list)
    error: BaseException | None = None
    unsupported: str | None = None
    absent: str | None = None
    fault: str | None = None
    lasting: str | None = None
    """What the claim has left behind that would spoil the claims after it."""
    lost_device: str | None = None
    """How the device answered after the claim failed, if it no longer does what it is told."""

    @property
    def test(self) -> Callable[[], None]:
        """The claim bound to the subject, ready to be called once."""
        if self.expectation is not None and not self.expectation.search:
            witness = self.claim.read(self.expectation.witness, self.operation)
            return lambda: self._case(**witness)
        strategies = self.claim.strategies(self.operation)
        if not strategies:
            return self._worked
        case: Any = hypothesis.given(**strategies)(self._case_function())
        for values in reversed(self.claim.examples):
            case = hypothesis.example(**values)(case)
        parts = self.subject.backend.pace * (SHARE if self.operation else 1)
        settings = share(self.settings, parts)
        bound: Any = settings(hypothesis.seed(self.seed)(case))
        # Else examples are kept by the text of a test, which is the same for all claims, and not at
        # all if a seed is given.
        name = f"{self.claim.id} {self.subject.id} {self.operation and self.operation.name}"
        bound._hypothesis_internal_database_key = name.encode()  # noqa: SLF001
        test: Callable[[], None] = bound
        return test

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
    def about(self) -> tuple[str, ...]:
        """What has to be reached: of a claim over many operations, the one at hand."""
        return (self.operation.name,) if self.operation else self.claim.about

    def execute(self, test: Callable[[], None]) -> None:
        """Call `test` between two looks at the clock and at the global state.

        Raises what the claim raised, or AssertionError if the claim changed a global state or was
        vacuous.
        """
        __tracebackhide__ = True
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            before = self.subject.backend.state()
            try:
                # What numpy warns of, at a pole or in nothing, is looked at on purpose.
                with self.subject.backend.one_thread(), np.errstate(all="ignore"):
                    self._corners()
                    test()
            finally:
                # Also when the claim went red: it may have done so because of the change.
                changes = self._restore(before)
                assert not changes, f"global state changed: {changes}"
            if self.reached < max(1.0, REACH_FLOOR * self.drawn):
                raise Vacuous(
                    f"vacuous: {self.reached} of {self.drawn} examples reached "
                    f"{' or '.join(self.about)}"
                )
        except BaseException as error:
            self.error = error
            self.lost_device = lost_device(self.subject)
            raise
        finally:
            self.seconds = time.perf_counter() - wall
            self.cpu_seconds = time.process_time() - cpu

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

    def misfit(self) -> str | None:
        """Say why an entry of expected failures does not fit the claim, or no longer does."""
        if self.expectation is None:
            return None
        if undeclared := set(self.lacking) - self.subject.backend.capabilities:
            return (
                f"the entry of {self.claim.id} is stale: {self.subject.backend.name} does not "
                f"declare {', '.join(sorted(undeclared))}; remove it"
            )
        return self.expectation.misfit(self.claim)

    def unmet(self) -> str | None:
        """Say why the subject offers nothing that the claim could be judged by, if it does not."""
        backend, dtype = self.subject.backend, self.subject.dtype
        if dtype in backend.small_dtypes and not self.claim.over:
            return f"{dtype} is for claims over the table of operations"
        if self.lacking and not self.misfit():
            return f"{backend.name} does not declare {', '.join(self.lacking)}"
        return None

    def dangerous(self, isolated: bool) -> str | None:  # noqa: FBT001
        """Say that the claim is known to end the process, if that would end the run."""
        if isolated or self.expectation is None or self.expectation.status not in FATAL:
            return None
        return f"{self.expectation.known}: run with --isolate, as it ends its process"

    def _judge(self) -> tuple[Status, str | None, str | None]:
        if self.unsupported:
            return Status.UNSUPPORTED, None, self.unsupported
        if self.absent:
            return Status.NOT_RUN, None, self.absent
        if self.fault:
            return Status.ERROR, None, self.fault
        status, kind, reason = self._judge_outcome()
        if self.expectation is not None:
            if status in self.expectation.foreseen:
                return Status.EXPECTED_FAILURE, kind, self.expectation.known
            if status is Status.PASS:
                return Status.UNEXPECTED_PASS, None, self.expectation.known
        return status, kind, reason

    def _judge_outcome(self) -> tuple[Status, str | None, str | None]:
        error = self.error
        if error is None:
            return Status.PASS, None, "; ".join(self.noted) or None
        if self.lost_device:
            return Status.CRASH, None, self.lost_device
        reason = str(error).split("\n", 1)[0]
        # What pytest.raises and pytest.warns raise is no AssertionError.
        if isinstance(error, AssertionError | pytest.fail.Exception):
            status = Status.VACUOUS if isinstance(error, Vacuous) else Status.FAIL
            return status, None, reason
        if isinstance(error, AdapterError) or not isinstance(error, Exception):
            return Status.ERROR, None, reason
        name = type(error).__name__
        if isinstance(error, HypothesisException):
            return Status.ERROR, None, f"{name}: {reason}"
        try:
            kind = self.subject.kind_of(error)
        except AdapterError as fault:
            return Status.ERROR, None, str(fault)
        if kind is None:
            return Status.ERROR, None, f"{name}, which error_kind does not map: {reason}"
        return Status.FAIL, kind, reason

    def _restore(self, before: Mapping[str, Any]) -> str:
        """Put the global state back, and say what had changed; what stays so is `lasting`."""
        backend = self.subject.backend
        changes = differences(before, backend.state())
        if changes:
            try:
                backend.restore(before)
                self.lasting = differences(before, backend.state()) or None
            except Exception as error:
                self.lasting = f"{changes}, and restore raised {type(error).__name__}: {error}"
        return changes

    def _worked(self) -> None:
        for values in self.claim.examples or ({},):
            self._case(**values)

    def _corners(self) -> None:
        # Not through Hypothesis, which would print each call before it is made.
        __tracebackhide__ = True
        if self.operation is not None and self.expectation is None:
            for values in self.claim.corners(self.operation, self._hand()):
                self._case(**values)

    def _hand(self) -> slice:
        # Which corners are met, where they are dealt out to dtypes: others from claim to claim.
        backend, dtype = self.subject.backend, self.subject.dtype
        if backend.pace == 1 or dtype not in backend.dtypes:
            return ALL
        players = len(backend.dtypes)
        turn = backend.dtypes.index(dtype) + int(self.claim.id[-1])
        return slice(turn % players, None, players)

    def _case_function(self) -> Callable[..., None]:
        def case(**values: Any) -> None:
            __tracebackhide__ = True
            self._case(**values)

        return case

    def _case(self, **values: Any) -> None:
        __tracebackhide__ = True
        subject = self.subject
        subject.begin()
        self.drawn += 1
        self.values = values
        try:
            self.claim.test(subject, **values)
            subject.end()
        except UnsatisfiedAssumption:
            self.rejected += 1
            self.drawn -= 1
            raise
        finally:
            # Of the example that refutes the claim as well.
            self.worst = max(self.worst, subject.worst)
            self.noted += [text for text in subject.noted if text not in self.noted]
        self.reached += any(subject.calls[name] for name in self.about)


RUN = pytest.StashKey[Run]()
"""Where an item keeps its run."""


def meant(item: pytest.Item) -> tuple[Claim, Subject, Operation | None] | None:
    """Return what an item judges: a claim on a subject, for one operation if it is over many."""
    claim = claim_of(item)
    if claim is None:
        return None
    given: Mapping[str, Any] = item.callspec.params  # type: ignore[attr-defined]
    return claim, given["be"], given.get("operation")


@cache
def share(settings: hypothesis.settings, parts: int) -> hypothesis.settings:
    """Return `settings` with one part of the examples, out of so many."""
    return hypothesis.settings(settings, max_examples=max(1, settings.max_examples // parts))


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Say which entries of a state differ, and how; empty if none does."""
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return ", ".join(f"{n} from {_brief(before.get(n))} to {_brief(after.get(n))}" for n in names)


def _brief(value: Any) -> str:
    # The state of a generator of random numbers is thousands of bytes.
    return repr(value) if len(repr(value)) < 40 else "..."
