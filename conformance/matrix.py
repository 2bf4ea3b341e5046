"""The end of a run in a terminal: chapters by subjects, then the figures."""

from collections import Counter
from collections.abc import Iterator, Sequence

from .results import GREEN, Status, Verdict

WORDS = {Status.UNSUPPORTED: "unsupported", Status.EXPECTED_FAILURE: "expected failures"}


def matrix(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Return lines of a table: passed of all claims, by chapter and subject.

    A cell with a claim that went red says how many did.
    """
    chapters = list(dict.fromkeys(v.chapter for v in verdicts))
    subjects = list(dict.fromkeys(v.subject for v in verdicts))
    cells = [["chapter", *subjects]]
    for chapter in chapters:
        of_chapter = [v for v in verdicts if v.chapter == chapter]
        cells.append(
            [chapter, *(cell([v for v in of_chapter if v.subject == s]) for s in subjects)]
        )
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()


def cell(verdicts: Sequence[Verdict]) -> str:
    """Sum up one chapter on one subject."""
    passed = sum(v.status is Status.PASS for v in verdicts)
    red = sum(v.status not in GREEN for v in verdicts)
    text = f"{passed}/{len(verdicts)}"
    return f"{text} {red} RED" if red else text


def figures(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Return lines that say what was not passed, and how much was checked at what speed."""
    counts = Counter(v.status for v in verdicts)
    others = [f"{n} {WORDS.get(s, s)}" for s, n in sorted(counts.items()) if s is not Status.PASS]
    yield f"{counts[Status.PASS]} passed" + "".join(f", {text}" for text in others)
    cases = sum(v.drawn for v in verdicts)
    cpu = sum(v.cpu_seconds for v in verdicts)
    speed = f"{cases / cpu:.0f}" if cpu else "no"
    yield f"{cases} cases checked, {speed} cases per CPU-second"
