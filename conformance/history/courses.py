"""What became of each claim from release to release, from the results of several runs."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from ..claims.claim import Level
from ..protocol.errors import OptionError
from ..results.reading import RunRead
from ..results.standings import Standing, standings
from ..results.verdict import Known, Status, Verdict, cause_in

HOLDS, FAILS, DIFFERS, LACKS, UNSEEN = "hfdl."
"""What may be said of a claim in a release: it holds, it fails, it is otherwise and may be,
the library has not what it needs or refuses it, it was not looked at.
"""

SAID = {
    Status.PASS: HOLDS,
    # The witness of a known defect was put to this release, and passed.
    Status.UNEXPECTED_PASS: HOLDS,
    Status.UNSUPPORTED: LACKS,
    Status.NOT_RUN: UNSEEN,
    Status.VACUOUS: UNSEEN,
}

SAID_OF = {
    Known.DEFECT: FAILS,
    Known.DIFFERENCE: DIFFERS,
    Known.PARITY: DIFFERS,
    Known.MISSING: LACKS,
}
"""The same, of what is expected to fail."""

MISSING = re.compile(
    r"has no attribute|unexpected keyword|incompatible function arguments"
    r"|the entry of [\w-]+ is stale: "
)
"""What is said of a release that has not yet, or no longer, what the adapter calls or an entry of
its table speaks of."""

LONGEST_REASON = 300
"""Characters of a reason that are kept."""


@dataclass(frozen=True)
class Release:
    """One release as it was run: versions beside it, and how many verdicts said what."""

    version: str
    python: str
    numpy: str
    gradspec: str
    profile: str
    seed: int
    counts: Mapping[str, int]


@dataclass(frozen=True)
class Course:
    """What became of some claims, which all went the same way: a letter for each release."""

    letters: str
    reason: str
    link: str
    dtypes: Sequence[str]
    places: Sequence[str]

    def turns(self) -> Iterator[tuple[int, str]]:
        """Return the places of the releases in which it "came", what held failing, or "went"."""
        before = ""
        for place, letter in enumerate(self.letters):
            if letter in (HOLDS, FAILS):
                if before and letter != before:
                    yield place, "came" if letter == FAILS else "went"
                before = letter


@dataclass(frozen=True)
class History:
    """A library over its releases, oldest first."""

    library: str
    releases: Sequence[Release]
    courses: Sequence[Course]
    conventions: Mapping[str, Sequence[str]]
    """The kinks at which the answer changed: the answer of each release, "" where there is none."""


def turns_of(history: History) -> Iterator[tuple[Release, str, Course]]:
    """Return what came and what went, release by release, what is shown most first."""
    for place, release in enumerate(history.releases):
        for way in ("came", "went"):
            found = [course for course in history.courses if (place, way) in course.turns()]
            for course in sorted(found, key=lambda each: -len(each.places)):
                yield release, way, course


def history_of(library: str, runs: Sequence[RunRead]) -> History:
    """Tell what became of a library in the runs of its releases; raises OptionError for none.

    Of a release that was run several times all runs count, the worst verdict first.
    """
    found: dict[str, list[tuple[RunRead, list[Verdict]]]] = {}
    for run in runs:
        versions = {s["version"] for s in run.header["subjects"] if s["backend"] == library}
        own = [verdict for verdict in run.verdicts if verdict.backend == library]
        for version in versions:
            found.setdefault(version, []).append((run, own))
    if not found:
        raise OptionError(f"no results of {library} are in {', '.join(str(r.path) for r in runs)}")
    order = sorted(found, key=_as_number)
    said = [_said(verdicts for _, verdicts in found[version]) for version in order]
    releases = [
        _release(version, found[version][0][0], [each for _, each in one.values()])
        for version, one in zip(order, said, strict=True)
    ]
    answers = {one.version: one for one in standings(runs) if one.library == library}
    return History(
        library,
        releases,
        [*_courses(said)],
        _changed([answers.get(version) for version in order]),
    )


def _as_number(version: str) -> tuple[int, Version, str]:
    try:
        return (1, Version(version), version)
    except InvalidVersion:
        return (0, Version("0"), version)


Said = dict[tuple[str, str], tuple[Verdict, str]]
"""By claim and subject, without the library: a verdict, and the letter it comes to."""


def _said(runs: Iterable[Sequence[Verdict]]) -> Said:
    worst = f"{FAILS}{DIFFERS}{HOLDS}{LACKS}{UNSEEN}"
    found: Said = {}
    for verdicts in runs:
        for verdict in verdicts:
            if verdict.level == Level.CONVENTION:
                continue  # no answer is wrong; the answers are compared instead
            place = (verdict.address, verdict.subject.partition("-")[2])
            letter = _letter(verdict)
            if place not in found or worst.index(letter) < worst.index(found[place][1]):
                found[place] = (verdict, letter)
    return found


def _letter(verdict: Verdict) -> str:
    if verdict.status is Status.EXPECTED_FAILURE:
        return SAID_OF[Known(verdict.expected or Known.DEFECT)]
    if verdict.status is Status.ERROR and MISSING.search(verdict.reason or ""):
        return LACKS
    return SAID.get(verdict.status, FAILS)


def _release(version: str, run: RunRead, letters: Sequence[str]) -> Release:
    header = run.header
    return Release(
        version,
        header["python"],
        header["numpy"],
        header["gradspec"],
        header["profile"],
        header["seed"],
        {letter: letters.count(letter) for letter in (HOLDS, FAILS, DIFFERS, LACKS)},
    )


def _courses(said: Sequence[Said]) -> Iterator[Course]:
    """Gather what failed anywhere: what went the same way for one cause is one course."""
    alike: dict[tuple[str, str, str], dict[str, list[str]]] = {}
    shown: dict[tuple[str, str, str], str] = {}
    for address, subject in dict.fromkeys(place for one in said for place in one):
        each = [one.get((address, subject)) for one in said]
        letters = "".join(found[1] if found else UNSEEN for found in each)
        if FAILS in letters:
            last = [found[0] for found in each if found and found[1] == FAILS][-1]
            reason, link = cause_in(last.reason or "")
            first = (reason.strip().splitlines() or [""])[0][:LONGEST_REASON]
            # What is on record has one cause; of the rest an operation is the nearest to one.
            key = (letters, link, first if link else last.operation or last.claim)
            shown.setdefault(key, first)
            places = alike.setdefault(key, {})
            places.setdefault(address, []).append(subject.partition("-")[2])
    for key, places in sorted(alike.items()):
        dtypes = sorted({dtype for each in places.values() for dtype in each})
        yield Course(key[0], shown[key], key[1], dtypes, sorted(places))


def _changed(answers: Sequence[Standing | None]) -> dict[str, list[str]]:
    """Return the kinks at which not every release that has an answer has the same."""
    kinks = dict.fromkeys(kink for one in answers if one for kink in one.answers)
    told = {kink: [one.answers.get(kink, "") if one else "" for one in answers] for kink in kinks}
    return {kink: each for kink, each in told.items() if len({*each} - {""}) > 1}
