"""Run one claim on one subject: every example between two looks at what it might change."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pytest
from hypothesis.errors import Flaky, StopTest, UnsatisfiedAssumption

from ..protocol.errors import AdapterError, Undeclared
from .blackbox import BlackBox
from .examples import ahead_of, hand_of, search_of
from .judging import Judged, Vacuous
from .process_state import CHEAP, OFTEN, things_of
from .smoke import lost_device, pulse
from .state import Look, Thing, differences, look, settle

REACH_FLOOR = 0.2
"""The share of examples that must reach the operation a claim is about, at the least."""

OFTEN_IS = 8
"""Once in so many examples the things are looked at that take longer."""


class Changed(BaseException):
    """An example has changed the state of the process or the backend, and no other is to be run.

    Hypothesis would go on after any other exception.
    """


@dataclass
class Run(Judged):
    """One claim on one subject: the test to execute, and afterwards its verdict.

    `test` is a callable without arguments, a Hypothesis test where the claim draws values. It
    raises whatever refutes the claim; `verdict` tells what that means.
    """

    box: BlackBox | None = None
    statistics: bool = False
    """Whether Hypothesis is to tell how it drew what passed."""
    searching: bool = False
    """Whether everything is looked at after each example, to find the one that changes it."""
    lasting: str | None = None
    """What the claim has left behind that would spoil claims on the same backend after it."""
    left: str | None = None
    """What it has left behind that would spoil every claim in this process."""

    @property
    def test(self) -> Callable[[], None]:
        """The claim bound to the subject, ready to be called once."""
        if self.expectation is not None and not self.expectation.search:
            # Read when it is called: by then `mismatch` has seen that it can be.
            given = self.expectation.witness
            return lambda: self._case(**self.claim.read(given, self.operation))
        if not self.claim.strategies(self.operation):
            return self._worked if self.operation is None else lambda: None
        return search_of(self, self._case_function())

    def beyond(self) -> "Run | None":
        """Return what is left to ask once the claim has failed as expected, if something is."""
        if self.expectation is None or self.expectation.only is None:
            return None
        return Run(
            self.claim,
            self.subject,
            self.settings,
            self.seed,
            self.operation,
            expectation=self.others[0] if self.others else None,
            others=self.others[1:],
            passed_over=(*self.passed_over, self.expectation),
            profile=self.profile,
            box=self.box,
            statistics=self.statistics,
        )

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
        with self.subject.backend.on_threads(1), np.errstate(all="ignore"):
            self._known()
            self._corners()
            self._draw(test)
            # What a device has still to report is of this claim, and not of the next.
            self.subject.backend.synchronize(self.subject.device)

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

    def _known(self) -> None:
        """See that what is passed over covers the witnesses it is known by."""
        __tracebackhide__ = True
        for each in self.passed_over if not self.replays else ():
            if not each.search:
                self._case(**self.claim.read(each.witness, self.operation))

    def _corners(self) -> None:
        # Not through Hypothesis, which would print each call before it is made.
        __tracebackhide__ = True
        if self.operation is not None and not self.replays:
            for values in self.claim.corners(self.operation, hand_of(self)):
                self._case(**values)

    def _draw(self, test: Callable[[], None]) -> None:
        # Nearly all calls of the table pass, and most take less time than what Hypothesis keeps of
        # each in order to make it smaller: it is asked for what does not pass ahead of it.
        __tracebackhide__ = True
        counts = self.drawn, self.rejected, self.reached
        ahead = None if self.statistics else ahead_of(self)
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
        if any(each.leaves_out(values) for each in self.passed_over):
            return
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
            self._try(values)
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

    def _try(self, values: Mapping[str, Any]) -> None:
        __tracebackhide__ = True
        scopes = [each.only for each in self.passed_over if each.only and each.only.meets(values)]
        self.subject.leeway = max([1.0, *(scope.times for scope in scopes if scope.times)])

        def covered(error: BaseException) -> bool:
            return any(scope.covers(error) for scope in scopes)

        self.subject.is_known = lambda text: covered(AssertionError(text))
        for ask in (partial(self.claim.test, self.subject, **values), self.subject.end):
            try:
                ask()
            except (UnsatisfiedAssumption, Undeclared):
                raise
            except (Exception, pytest.fail.Exception) as error:
                if not covered(error):
                    raise

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
