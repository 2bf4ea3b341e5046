"""Two runs side by side: what is new is told apart from what was known."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from ..claims.claim import Level
from ..protocol.errors import OptionError
from .reading import BrokenRun, RunRead, read_run
from .verdict import GREEN, UNCHECKED, Key, Status, Verdict, name_of

SHOWN = 20
"""How many entries of a list are shown that nobody has to act on."""


@dataclass(frozen=True)
class Baseline:
    """An earlier run, and what it excuses in a later one."""

    run: RunRead

    @cached_property
    def verdicts(self) -> Mapping[Key, Verdict]:
        """The earlier verdicts, by what they are about."""
        return {verdict.key: verdict for verdict in self.run.verdicts}

    @cached_property
    def subjects(self) -> frozenset[str]:
        """The subjects of the earlier run."""
        return frozenset(subject["subject"] for subject in self.run.header["subjects"])

    def excuse(self, verdict: Verdict) -> str | None:
        """Say why a red verdict is no new failure; None if it is one."""
        before = self.verdicts.get(verdict.key)
        if before is None:
            known = verdict.subject in self.subjects
            return "the baseline does not have this claim" if known else None
        if before.status not in GREEN:
            return f"the baseline has it as {before.status}"
        if verdict.status is Status.UNEXPECTED_PASS:
            return "what was expected to fail no longer does; remove the entry"
        if changes_convention(before, verdict):
            return "a change of convention"
        return None


def changes_convention(before: Verdict, after: Verdict) -> bool:
    """Whether a point at which mathematics leaves a choice is now settled the other way.

    Both choices may be on record, each for its own version: what was measured tells them apart.
    """
    statuses = {before.status, after.status}
    return after.level == Level.CONVENTION and (
        statuses == {Status.PASS, Status.FAIL}
        or (statuses == {Status.PASS} and before.reason != after.reason)
    )


def baseline_of(path: Path) -> Baseline:
    """Read a baseline; raises BrokenRun if it is no whole run."""
    run = read_run(path)
    if part := run.header["shard"]:
        raise BrokenRun(
            f"{path}: is part {part} of a run; put it together with the others by `gradspec merge`"
        )
    return Baseline(run)


def baseline_at(word: str) -> Baseline:
    """Read what `--baseline` names; raises OptionError if it is no whole run."""
    if not word.strip():
        raise OptionError("--baseline: no file is named; name one, or leave the option out")
    try:
        return baseline_of(Path(word))
    except BrokenRun as error:
        raise OptionError(f"--baseline {error}") from None


@dataclass(frozen=True)
class Comparison:
    """What changed from a baseline to later verdicts.

    `alarms` is what is red about the later run besides its verdicts. A run that was narrowed on
    purpose names what of the baseline it `missed` all the same, and says what was `left_out`.
    """

    baseline: Baseline
    header: Mapping[str, Any]
    verdicts: Sequence[Verdict]
    alarms: Sequence[str] = ()
    missed: AbstractSet[Key] | None = None
    left_out: Callable[[Verdict], bool] = lambda _: False

    def red(self, *, allow_lost: bool) -> bool:
        """Whether the later run is worse; `allow_lost` says that it may look at less."""
        lost = not allow_lost and (self.lost or not self.comparable)
        return bool(self.failures or self.alarms or lost)

    @property
    def comparable(self) -> bool:
        """Whether the runs have a subject in common."""
        return not self.baseline.subjects.isdisjoint(self.subjects)

    @cached_property
    def subjects(self) -> list[str]:
        """The subjects of the later run."""
        return [subject["subject"] for subject in self.header["subjects"]]

    @cached_property
    def pairs(self) -> list[tuple[Verdict, Verdict]]:
        """What both runs judged."""
        before = self.baseline.verdicts
        return [(before[v.key], v) for v in self.verdicts if v.key in before]

    @property
    def failures(self) -> list[Verdict]:
        """What is red now and was not before, by chapter and claim."""
        red = [
            v for v in self.verdicts if v.status not in GREEN and self.baseline.excuse(v) is None
        ]
        return sorted(red, key=lambda v: (v.chapter, v.key))

    @property
    def fixed(self) -> list[Verdict]:
        """What passes now and was a failure before, an expected one included."""
        return [
            after
            for before, after in self.pairs
            if not changes_convention(before, after)
            and (before.status not in GREEN or before.status is Status.EXPECTED_FAILURE)
            and after.status in {Status.PASS, Status.UNEXPECTED_PASS}
        ]

    @property
    def stale(self) -> list[Verdict]:
        """What an entry expects to fail that neither run saw failing."""
        return [
            after
            for before, after in self.pairs
            if before.status in GREEN - {Status.EXPECTED_FAILURE}
            and after.status is Status.UNEXPECTED_PASS
        ]

    @property
    def conventions(self) -> list[tuple[Verdict, Verdict]]:
        """Choices that are now made otherwise."""
        return [pair for pair in self.pairs if changes_convention(*pair)]

    @property
    def known(self) -> list[Verdict]:
        """What is as red as it was."""
        return [
            after
            for before, after in self.pairs
            if not {before.status, after.status} & GREEN
            and after.status is not Status.UNEXPECTED_PASS
        ]

    @property
    def added(self) -> list[Verdict]:
        """What the baseline did not judge, on subjects that it had."""
        before = self.baseline
        return [
            v
            for v in self.verdicts
            if v.key not in before.verdicts and v.subject in before.subjects
        ]

    @cached_property
    def gone(self) -> list[Verdict]:
        """Verdicts of the baseline to which this run has no counterpart."""
        now = {verdict.key for verdict in self.verdicts}
        return [verdict for key, verdict in self.baseline.verdicts.items() if key not in now]

    @cached_property
    def vanished(self) -> list[Verdict]:
        """What the baseline looked at, and this run did not, though it was not left out of it."""
        return [
            verdict
            for verdict in self.gone
            if verdict.status not in UNCHECKED
            and (self.missed is None or verdict.key in self.missed)
        ]

    @cached_property
    def lost(self) -> list[str]:
        """Say what the baseline looked at and this run did not: it vanished, or was declined."""
        absent = self.baseline.subjects.difference(self.subjects)
        whole = Counter(v.subject for v in self.vanished if v.subject in absent)
        return [
            *(
                f"{subject}: the subject vanished, with {n} verdicts"
                for subject, n in whole.items()
            ),
            *(
                f"{name_of(verdict.key)}: {verdict.status} -> vanished"
                for verdict in self.vanished
                if verdict.subject not in absent
            ),
            *(
                f"{name_of(after.key)}: {before.status} -> {after.status}: {after.reason}"
                for before, after in self.pairs
                if after.status in UNCHECKED
                and before.status not in UNCHECKED
                and not self.left_out(after)
            ),
        ]

    def declarations(self) -> Iterator[str]:
        """Say what each subject declares that it did not, and the other way round."""
        before = {s["subject"]: s for s in self.baseline.run.header["subjects"]}
        for after in self.header["subjects"]:
            if earlier := before.get(after["subject"]):
                for field in ("capabilities", "functions"):
                    had, has = set(earlier[field]), set(after[field])
                    for word, names in (("gained", has - had), ("lost", had - has)):
                        if names:
                            yield f"{after['subject']} {word} {field}: {', '.join(sorted(names))}"

    def lines(self) -> Iterator[str]:
        """Tell all of it, new failures first."""
        yield f"compared with {self.baseline.run.path}{self._versions()}"
        yield from self._conditions()
        yield from (f"red: {alarm}" for alarm in self.alarms)
        if not self.comparable:
            there = ", ".join(sorted(self.baseline.subjects))
            here = ", ".join(self.subjects)
            yield f"not comparable: no subject in common; there {there}, here {here}"
        yield f"new failures: {len(self.failures)}"
        for chapter, verdicts in groupby(self.failures, key=lambda v: v.chapter):
            yield f"  {chapter}"
            for verdict in verdicts:
                before = self.baseline.verdicts.get(verdict.key)
                was = before.status if before else "new subject"
                yield f"    {name_of(verdict.key)}: {was} -> {verdict.status}: {verdict.reason}"
                if verdict.rerun:
                    yield f"      {verdict.rerun}"
        if self.lost:
            yield f"lost: {len(self.lost)}"
            yield from (f"  {entry}" for entry in self.lost)
        yield from _listed(
            "changes of convention", [f"{name_of(a.key)}: {a.reason}" for _, a in self.conventions]
        )
        yield from _listed("fixed", _names(self.fixed))
        yield from _listed("entries to remove, nothing fails", _names(self.stale))
        yield from _listed("red as before", _names(self.known))
        yield from _listed("capabilities", list(self.declarations()))
        yield from _listed("claims added", [f"{name_of(v.key)}: {v.status}" for v in self.added])
        vanished = {verdict.key for verdict in self.vanished}
        rest = [verdict for verdict in self.gone if verdict.key not in vanished]
        yield from _listed("not run this time", _names(rest))

    def _versions(self) -> str:
        before = {s["backend"]: s["version"] for s in self.baseline.run.header["subjects"]}
        after = {s["backend"]: s["version"] for s in self.header["subjects"]}
        told = ""
        for name in (name for name in before if name in after):
            told += f", {name} {before[name]}"
            told += f" -> {after[name]}" if after[name] != before[name] else ""
        return told

    def _conditions(self) -> Iterator[str]:
        before = self.baseline.run.header
        for field in ("seed", "profile", "gradspec", "edition", "numpy"):
            was, now = before.get(field), self.header.get(field)
            if was and was != now:
                yield f"note: another {field}, {was} -> {now}"
        yield from (f"note: the baseline is red: {alarm}" for alarm in self.baseline.run.alarms)


def _names(verdicts: Sequence[Verdict]) -> list[str]:
    return [name_of(verdict.key) for verdict in verdicts]


def _listed(title: str, entries: Sequence[str]) -> Iterator[str]:
    if entries:
        yield f"{title}: {len(entries)}"
        yield from (f"  {entry}" for entry in entries[:SHOWN])
        if len(entries) > SHOWN:
            yield f"  and {len(entries) - SHOWN} more"
