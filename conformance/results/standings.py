"""Libraries side by side: what each passes of what it declares, from results files.

Counted is what an edition asks for, and nothing that is still proposed, or new since.

The table stands in Markdown between two marks of a page, and is written there anew by
`gradspec standings`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..claims.editions import Edition, current
from ..protocol.errors import OptionError
from ..untrusted.files import Unreadable, bytes_of
from .reading import RunRead
from .summary import grid
from .verdict import GREEN, NO_FAULT, Known, Status, Verdict

BEGIN, END = "<!-- standings -->", "<!-- end of standings -->"
"""The marks."""

KINKS = "CNV-01"
"""The claim whose verdicts tell what a library answers at kinks."""

MEASURE = "torch"
"""The library whose answers at kinks the others are compared with."""

KINDS = {
    "defects": (Known.DEFECT,),
    "differences": NO_FAULT,
    "refused": (Known.MISSING,),
}
"""Which expected failures stand in which column."""

UNSIGNED = re.compile(r"-0\.0(?!\d)")
"""The sign of a zero is no other answer."""


@dataclass(frozen=True)
class Standing:
    """A library in one version and mode: verdicts by chapter, devices, answers at kinks."""

    library: str
    version: str
    devices: Sequence[str]
    chapters: Mapping[str, Sequence[Verdict]]
    answers: Mapping[str, str]
    edition: Edition

    @property
    def verdicts(self) -> list[Verdict]:
        """Every verdict."""
        return [verdict for chapter in self.chapters.values() for verdict in chapter]

    def asked(self, chapter: str | None = None) -> list[Verdict]:
        """Return the verdicts that its edition asks for, of one chapter or of all."""
        found = self.verdicts if chapter is None else self.chapters.get(chapter, ())
        return [v for v in found if self.edition.asks(v.claim, v.operation)]

    def known(self, *kinds: Known) -> int:
        """Count what is known to be of these kinds: by what it is, not by where."""
        found = [v for v in self.asked() if v.status is Status.EXPECTED_FAILURE]
        return len({v.reason for v in found if v.expected in kinds})


def standings(runs: Sequence[RunRead], edition: Edition | None = None) -> list[Standing]:
    """Gather the verdicts of runs by library, mode and version: what declares most comes first.

    They are counted against an edition, the newest if none is given.
    """
    versions = {
        (run.path, subject["backend"]): subject["version"]
        for run in runs
        for subject in run.header["subjects"]
    }
    found: dict[tuple[str, str], list[Verdict]] = {}
    for run in runs:
        for verdict in run.verdicts:
            version = versions.get((run.path, verdict.backend))
            # What is not present has no version, and no standing; what is judged in another dtype
            # counts there.
            if version and verdict.status is not Status.NOT_RUN and not verdict.is_judged_elsewhere:
                found.setdefault((verdict.library, version), []).append(verdict)
    gathered = [
        _standing(*name, verdicts, edition or current()) for name, verdicts in found.items()
    ]
    return sorted(gathered, key=lambda one: counts(one.asked())[1], reverse=True)


def _standing(
    library: str, version: str, verdicts: Sequence[Verdict], edition: Edition
) -> Standing:
    chapters: dict[str, list[Verdict]] = {}
    for verdict in sorted(verdicts, key=lambda v: v.chapter):
        chapters.setdefault(verdict.chapter, []).append(verdict)
    devices = list(dict.fromkeys(verdict.device for verdict in verdicts))
    told = [
        verdict.reason
        for verdict in verdicts
        if (verdict.claim, verdict.dtype, verdict.status) == (KINKS, "float64", Status.PASS)
    ]
    notes = [note for reason in told for note in (reason or "").split("; ") if ": " in note]
    answers = dict(UNSIGNED.sub("0.0", note).split(": ", 1) for note in notes)
    return Standing(library, version, devices, chapters, answers, edition)


def counts(verdicts: Sequence[Verdict]) -> tuple[int, int, int]:
    """Return how many verdicts passed, of how many declared, of how many in all."""
    statuses = Counter(verdict.status for verdict in verdicts)
    total = sum(statuses.values())
    return statuses[Status.PASS], total - statuses[Status.UNSUPPORTED], total


def overview(found: Sequence[Standing]) -> list[list[str]]:
    """Return a table with its head: a row for each library.

    What is red and known to nobody has a column of its own, where there is any.
    """
    red = [sum(v.status not in GREEN for v in one.asked()) for one in found]
    head = ["library", "on", "passed", "declared", "all", *["red"] * any(red), *KINDS, "at kinks"]
    measure = next((s.answers for s in found if s.library == MEASURE), {})
    return [
        head,
        *(
            [
                f"{one.library} {one.version}",
                ", ".join(one.devices),
                *map(str, counts(one.asked())),
                *[str(count)] * any(red),
                *(str(one.known(*kinds)) for kinds in KINDS.values()),
                _beside(one.answers, measure),
            ]
            for one, count in zip(found, red, strict=True)
        ),
    ]


def _beside(answers: Mapping[str, str], measure: Mapping[str, str]) -> str:
    shared = answers.keys() & measure.keys()
    others = sum(answers[kink] != measure[kink] for kink in shared)
    return f"{others} of {len(shared)}" if shared else ""


def by_chapter(found: Sequence[Standing]) -> list[list[str]]:
    """Return a table with its head: chapters by libraries, passed / declared / all."""
    names = sorted({chapter for one in found for chapter in one.chapters})
    rows = [["chapter", *(one.library for one in found)]]
    for name in names:
        cells = (counts(one.asked(name)) for one in found)
        words = ("/".join(map(str, cell)) if cell[2] else "" for cell in cells)
        rows.append([name.replace("_", " "), *words])
    return rows


def markdown(found: Sequence[Standing]) -> Iterator[str]:
    """Write both tables."""
    yield from grid(overview(found))
    yield from ("", "<details><summary>By chapter: passed / declared / all</summary>", "")
    yield from grid(by_chapter(found))
    yield from ("", "</details>")
    for edition in dict.fromkeys(one.edition.title for one in found):
        yield from ("", f"Counted against edition {edition}.")


def put(page: Path, lines: Sequence[str]) -> None:
    """Write `lines` between the marks of a page; raises OptionError if it has none."""
    try:
        text = bytes_of(page).decode("utf-8").replace("\r\n", "\n")
        parts = re.split(f"({BEGIN}\n|{END})", text)
        if len(parts) != 5:
            raise OptionError(f"--into {page}: write {BEGIN} and {END} into it, once, in two lines")
        parts[2] = "".join(f"{line}\n" for line in lines)
        page.write_text("".join(parts), encoding="utf-8", newline="\n")
    except UnicodeDecodeError:
        raise OptionError(f"--into {page}: is no text in UTF-8") from None
    except Unreadable as error:
        raise OptionError(f"--into {page}: {error}") from None
    except OSError as error:
        raise OptionError(f"--into {page}: cannot be written ({error.strerror})") from None
