"""Run one claim on one subject, and judge it."""

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from traceback import walk_tb
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis.errors import Flaky, HypothesisException, StopTest, UnsatisfiedAssumption

from ..claims.claim import Claim, claim_of
from ..protocol.capabilities import Capability
from ..protocol.errors import AdapterError, Refused, Undeclared
from ..protocol.mode import WRAPPED
from ..protocol.subject import Subject
from ..results.verdict import FATAL, GREEN, Key, Known, Status, Verdict, key
from ..table.drawing import MANY, SOLVED
from ..table.drawn import FromBytes, Hand
from ..table.operation import Operation
from ..untrusted.texts import first_line, in_a_line
from .ahead import bytes_drawn, is_silent
from .blackbox import BlackBox
from .expectations import Expectation
from .reproduction import reproduction
from .smoke import lost_device, pulse
from .state import CHEAP, OFTEN, Look, Thing, differences, look, settle, things_of

REACH_FLOOR = 0.2
"""The share of examples that must reach the operation a claim is about, at the least."""

SHARE = 7
"""A claim over many operations draws this part of the examples for each, besides its corners."""

DESIGNED = 3
"""So many times as many are met of a design, where a claim asks for it; not by slow libraries."""

OFTEN_IS = 8
"""Once in so many examples the things are looked at that take longer."""

FORESEEN = frozenset({Status.EXPECTED_FAILURE, Status.UNEXPECTED_PASS})
"""What comes of an entry of expected failures."""


class Vacuous(AssertionError):
    """The claim passed without reaching what it is about."""


class Changed(BaseException):
    """An example has changed the state of the process or the backend, and no other is to be run.

    Hypothesis would go on after any other exception.
    """


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
    box: BlackBox | None = None
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
    """What the claim has left behind that would spoil claims on the same backend after it."""
    left: str | None = None
    """What it has left behind that would spoil every claim in this process."""
    beside: str = ""
    """What it has changed, or broken for later, besides failing."""
    failure: tuple[BaseException, Mapping[str, Any]] | None = None
    """What the last example to fail has raised, and its values."""
    statistics: bool = False
    """Whether Hypothesis is to tell how it drew what passed."""
    searching: bool = False
    """Whether everything is looked at after each example, to find the one that changes it."""
    crash: str | None = None
    """The signal by which a copy of the process crashed that tried the witness; empty if it did
    not."""
    lost_device: str | None = None
    """How the device answered after the claim failed, if it no longer does what it is told."""

    @property
    def test(self) -> Callable[[], None]:
        """The claim bound to the subject, ready to be called once."""
        if self.expectation is not None and not self.expectation.search:
            # Read when it is called: by then `misfit` has seen that it can be.
            given = self.expectation.witness
            return lambda: self._case(**self.claim.read(given, self.operation))
        strategies = self.claim.strategies(self.operation)
        if not strategies:
            return self._worked if self.operation is None else lambda: None
        case: Any = hypothesis.given(**strategies)(self._case_function())
        for values in reversed(self.claim.examples):
            case = hypothesis.example(**values)(case)
        bound: Any = self._share(hypothesis.seed(self.seed)(case))
        # Else examples are kept by the text of a test, which is the same for all claims, and not at
        # all if a seed is given.
        name = f"{self.claim.id} {self.subject.id} {self.operation and self.operation.name}"
        bound._hypothesis_internal_database_key = name.encode()  # noqa: SLF001
        test: Callable[[], None] = bound
        return test

    @property
    def _share(self) -> hypothesis.settings:
        """How many examples are drawn."""
        return share(self.settings, self.subject.pace * (SHARE if self.operation else 1))

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

    @property
    def known_to_crash(self) -> bool:
        """Whether its witness is to end the process, and can be tried in a copy of it.

        A copy has no device.
        """
        known, here = self.expectation, self.subject.device == "cpu"
        return here and known is not None and known.status is Status.CRASH and not known.search

    @property
    def key(self) -> Key:
        """The key of the verdict that the run will give."""
        return _key(self.claim, self.subject, self.operation)

    def execute(self, test: Callable[[], None]) -> None:
        """Call `test` between two looks at the clock and at the state of process and backend.

        Raises what the claim raised, or AssertionError if the claim changed a state or was vacuous.
        """
        __tracebackhide__ = True
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            self._execute(test)
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

    def execute_unseen(self, test: Callable[[], None]) -> None:
        """In a copy of this process: call `test`, and leave no values behind."""
        self.box = None
        self.execute(test)

    def _execute(self, test: Callable[[], None]) -> None:
        __tracebackhide__ = True
        self.subject.shaken = False
        before, found = look(self._things), ""
        try:
            self._examples(test)
        except Changed as change:
            found = str(change)
        except BaseException:
            # It may have gone red because of the change: both are told.
            with suppress(AdapterError):
                self.beside = "; ".join(filter(None, [self.beside, *self._aftermath(before)]))
            raise
        changes, broken = self._aftermath(before)
        if changes and not found:
            self._search(test)
        if complaint := "; ".join(filter(None, [found, changes, broken])):
            raise AssertionError(complaint)

    def _examples(self, test: Callable[[], None]) -> None:
        __tracebackhide__ = True
        # What numpy warns of, at a pole or in nothing, is looked at on purpose.
        with self.subject.backend.one_thread(), np.errstate(all="ignore"):
            self._corners()
            self._draw(test)
            # What a device has still to report is of this claim, and not of the next.
            self.subject.backend.synchronize(self.subject.device)

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

    def misfit(self) -> str | None:
        """Say why an entry of expected failures does not fit the claim, or no longer does."""
        if self.expectation is None:
            return None
        undeclared = set(self.lacking) - self.subject.backend.capabilities
        if self.expectation.dtype is None:
            # It speaks of the dtypes in which the function is there.
            undeclared -= self.subject.backend.functions.keys()
        if undeclared:
            return (
                f"the entry of {self.claim.id} is stale: {self.subject.backend.name} does not "
                f"declare {', '.join(sorted(undeclared))}; remove it"
            )
        return self.expectation.misfit(self.claim, self.operation)

    def stale_entry(self, verdict: Verdict) -> list[Any] | None:
        """Return the place and the address of the entry that this verdict shows to be stale.

        What passes in one mode says nothing of an entry that speaks of others too.
        """
        known = self.expectation
        if known is None or (verdict.mode and known.mode is None):
            return None
        stale = verdict.status is Status.UNEXPECTED_PASS or self.misfit()
        return [known.place, known.address] if stale else None

    def unmet(self) -> str | None:
        """Say why the subject offers nothing that the claim could be judged by, if it does not."""
        backend, dtype = self.subject.backend, self.subject.dtype
        if dtype in backend.small_dtypes and not self.claim.over:
            return f"{dtype} is for claims over the table of operations"
        if self.claim.widest and dtype != backend.dtypes[-1]:
            return f"it is judged in {backend.dtypes[-1]}, the widest dtype"
        if (mode := self.subject.running_mode) and not (
            self.claim.over and {*self.claim.needs} <= WRAPPED
        ):
            return f"it hands over no function that could run in the mode {mode.name}"
        if self.lacking and not self.misfit():
            where = f" in the mode {mode.name}" if mode else ""
            return f"{backend.name} does not declare {', '.join(self.lacking)}{where}"
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
        unmapped = "" if explanation else ", which error_kind does not map"
        return Status.ERROR, None, explanation + f"{name}{unmapped}: {line}".rstrip(": ")

    @cached_property
    def _things(self) -> Sequence[Thing]:
        return things_of(self.subject.backend)

    def _settle(self, things: Sequence[Thing], before: Look) -> str:
        """Put back what has changed, and say what that was."""
        told, left, lasting = settle(things, before)
        self.left = self.left or left or None
        self.lasting = self.lasting or lasting or None
        return told and f"global state changed: {told}"

    def _aftermath(self, before: Look) -> tuple[str, str]:
        """Say what the claim has changed, and what worked before it and works no longer."""
        changes = self._settle(self._things, before)
        subject = self.subject
        if not subject.shaken or subject.rest is None or lost_device(subject):
            return changes, ""
        broken = differences(subject.rest, pulse(subject))
        self.lasting = self.lasting or broken or None
        return changes, broken and f"what worked before it works no longer: {broken}"

    def _search(self, test: Callable[[], None]) -> None:
        """Run the claim again to find the example that changes a state, if it does so again."""
        self.values = {}
        if self.left or self.lasting:
            return
        self.searching = True
        self.drawn = self.rejected = self.reached = 0
        try:
            with suppress(Exception):
                self._examples(test)
        except Changed:
            return
        self.values = {}

    def _worked(self) -> None:
        for values in self.claim.examples or ({},):
            self._case(**values)

    def _corners(self) -> None:
        # Not through Hypothesis, which would print each call before it is made.
        __tracebackhide__ = True
        replayed = self.expectation is not None and not self.expectation.search
        if self.operation is not None and not replayed:
            for values in self.claim.corners(self.operation, self._hand()):
                self._case(**values)

    def _hand(self) -> Hand:
        # Designs are dealt out to dtypes, others from claim to claim; and so are corners where few
        # examples are drawn.
        dtypes, dtype = self.subject.backend.dtypes, self.subject.dtype
        if self.claim.widest or dtype not in dtypes:
            # Nobody shares them.
            dtypes = (dtype,)
        players, slow = len(dtypes), self.subject.pace > 1
        turn = (int(self.claim.id[-1]) + dtypes.index(dtype)) % players
        corners = slice(turn, None, players) if slow else slice(None)
        times = 1 if slow else DESIGNED
        designed = slice(turn, times * self._share.max_examples * players, players)
        backend, name = self.subject.backend, self.operation and self.operation.name
        most = SOLVED if name in backend.unrolled else MANY
        return Hand(corners, designed, 0 if dtype in backend.small_dtypes else most)

    def _draw(self, test: Callable[[], None]) -> None:
        # Nearly all calls of the table pass, and most take less time than what Hypothesis keeps of
        # each in order to make it smaller: it is asked for what does not pass ahead of it.
        __tracebackhide__ = True
        counts = self.drawn, self.rejected, self.reached
        ahead = self._ahead
        if ahead is None:
            test()
            return
        try:
            for values in ahead:
                self._case(**values)
        except (Exception, pytest.fail.Exception) as error:
            refuted = error
        else:
            return
        self.drawn, self.rejected, self.reached = counts
        test()
        if not isinstance(refuted, UnsatisfiedAssumption):
            raise Flaky("what Hypothesis drew again passed") from refuted

    @property
    def _ahead(self) -> Iterator[Mapping[str, Any]] | None:
        """What Hypothesis would draw; None where it is to be asked itself."""
        replayed = self.expectation is not None and not self.expectation.search
        if self.operation is None or replayed or self.statistics or not is_silent(self._share):
            return None
        match [*self.claim.drawn.items()]:
            case [(name, FromBytes() as each)]:
                drawn = bytes_drawn(each.size, self.seed, self._share)
                return ({name: each.read(self.operation, codes)} for codes in drawn)
        return None

    def _case_function(self) -> Callable[..., None]:
        def case(**values: Any) -> None:
            __tracebackhide__ = True
            # Hypothesis has seeded them with a number that a library may choose as well.
            random.random()  # noqa: S311
            np.random.random()  # noqa: NPY002
            self._case(**values)

        return case

    def _case(self, **values: Any) -> None:
        __tracebackhide__ = True
        subject = self.subject
        subject.begin()
        self.drawn += 1
        self.values = values
        self.beside = ""
        often = self.failure or self.drawn % OFTEN_IS == 1
        things: Sequence[Thing] = OFTEN if often else CHEAP
        if self.searching:
            things = [*OFTEN, *self._things]
        before = look(things)
        if self.box:
            self.box.note(values)
        try:
            self.claim.test(subject, **values)
            subject.end()
        except UnsatisfiedAssumption:
            self.rejected += 1
            self.drawn -= 1
            self._expect_no_change(things, before)
            raise
        except Undeclared as error:
            # Hypothesis makes no example of a skip smaller, nor tries another.
            self.unsupported = str(error)
            raise pytest.skip.Exception(f"unsupported: {error}") from None
        except BaseException as error:
            if not isinstance(error, StopTest):
                self.failure = error, values
            self.beside = self._settle(things, before)
            raise
        finally:
            if self.box:
                self.box.forget()
            # Of the example that refutes the claim as well.
            self.worst = max(self.worst, subject.worst)
            self.noted += [text for text in subject.noted if text not in self.noted]
        self._expect_no_change(things, before)
        self.reached += any(subject.calls[name] for name in self.about)

    def _expect_no_change(self, things: Sequence[Thing], before: Look) -> None:
        __tracebackhide__ = True
        if changes := self._settle(things, before):
            if self.searching or self.left:
                raise Changed(changes)
            error = AssertionError(changes)
            self.failure = error, self.values
            raise error


RUN = pytest.StashKey[Run]()
"""Where an item keeps its run."""


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


@cache
def share(settings: hypothesis.settings, parts: int) -> hypothesis.settings:
    """Return `settings` with one part of the examples, out of so many."""
    return hypothesis.settings(settings, max_examples=max(1, settings.max_examples // parts))
