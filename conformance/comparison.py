"""Two runs side by side: what is new is told apart from what was known."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from .claims import Level
from .errors import OptionError
from .results import GREEN, BrokenRun, RunRead, Status, Verdict, name_of, read_run

Key = tuple[str, ...]

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


def baseline_at(path: Path) -> Baseline:
    """Read a baseline; raises OptionError if it is no whole run."""
    try:
        return Baseline(read_run(path))
    except BrokenRun as error:
        raise OptionError(f"--baseline {error}") from None


@dataclass(frozen=True)
class Comparison:
    """What changed from a baseline to later verdicts."""

    baseline: Baseline
    header: Mapping[str, Any]
    verdicts: Sequence[Verdict]

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

    @property
    def missing(self) -> list[Verdict]:
        """What the baseline judged, and this run did not."""
        now = {verdict.key for verdict in self.verdicts}
        return [verdict for key, verdict in self.baseline.verdicts.items() if key not in now]

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
        yield f"new failures: {len(self.failures)}"
        for chapter, verdicts in groupby(self.failures, key=lambda v: v.chapter):
            yield f"  {chapter}"
            for verdict in verdicts:
                before = self.baseline.verdicts.get(verdict.key)
                was = before.status if before else "new subject"
                yield f"    {name_of(verdict.key)}: {was} -> {verdict.status}: {verdict.reason}"
                if verdict.rerun:
                    yield f"      {verdict.rerun}"
        yield from _listed(
            "changes of convention", [f"{name_of(a.key)}: {a.reason}" for _, a in self.conventions]
        )
        yield from _listed("fixed", _names(self.fixed))
        yield from _listed("red as before", _names(self.known))
        yield from _listed("capabilities", list(self.declarations()))
        yield from _listed("claims added", [f"{name_of(v.key)}: {v.status}" for v in self.added])
        yield from _listed("not run this time", _names(self.missing))

    def _versions(self) -> str:
        before = {s["backend"]: s["version"] for s in self.baseline.run.header["subjects"]}
        after = {s["backend"]: s["version"] for s in self.header["subjects"]}
        both = [name for name in before if name in after]
        return "".join(
            f", {name} {before[name]}" + f" -> {after[name]}" * (before[name] != after[name])
            for name in both
        )

    def _conditions(self) -> Iterator[str]:
        before = self.baseline.run.header
        for field in ("seed", "profile", "gradspec", "numpy"):
            if before[field] != self.header[field]:
                yield f"note: another {field}, {before[field]} -> {self.header[field]}"


def _names(verdicts: Sequence[Verdict]) -> list[str]:
    return [name_of(verdict.key) for verdict in verdicts]


def _listed(title: str, entries: Sequence[str]) -> Iterator[str]:
    if entries:
        yield f"{title}: {len(entries)}"
        yield from (f"  {entry}" for entry in entries[:SHOWN])
        if len(entries) > SHOWN:
            yield f"  and {len(entries) - SHOWN} more"
