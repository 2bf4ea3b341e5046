"""The end of a run in a terminal: chapters by subjects, then the figures."""

from collections import Counter
from collections.abc import Iterator, Sequence

from .verdict import GREEN, Status, Verdict

WORDS = {
    Status.UNSUPPORTED: "unsupported",
    Status.EXPECTED_FAILURE: "expected failures",
    Status.NOT_RUN: "not run",
}


def table(verdicts: Sequence[Verdict]) -> list[list[str]]:
    """Return a table with its head: claims passed of claims declared, by chapter and subject.

    The second column counts all claims of a chapter; a cell with red claims says how many.
    """
    chapters: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        chapters.setdefault(verdict.chapter, []).append(verdict)
    subjects = sorted({v.subject for v in verdicts})
    rows = [["chapter", "claims", *subjects]]
    for name, settled in sorted(chapters.items()):
        cells = [cell([v for v in settled if v.subject == subject]) for subject in subjects]
        rows.append([name, str(len({v.claim for v in settled})), *cells])
    return rows


def matrix(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Return lines of the table, for a terminal."""
    yield from aligned(table(verdicts))


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Return lines of a table in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()


def cell(verdicts: Sequence[Verdict]) -> str:
    """Sum up one chapter on one subject."""
    declared = [v for v in verdicts if v.status not in (Status.UNSUPPORTED, Status.NOT_RUN)]
    if not declared and any(v.status is Status.NOT_RUN for v in verdicts):
        return "not run"
    if not verdicts:
        return ""
    passed = sum(v.status is Status.PASS for v in declared)
    red = sum(v.status not in GREEN for v in declared)
    return f"{passed}/{len(declared)}" + (f" {red} RED" if red else "")


def figures(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Return lines that say what was not passed, and how much was checked at what speed."""
    counts = Counter(v.status for v in verdicts)
    others = [f"{n} {WORDS.get(s, s)}" for s, n in sorted(counts.items()) if s is not Status.PASS]
    yield f"{counts[Status.PASS]} passed" + "".join(f", {text}" for text in others)
    cases = sum(v.drawn for v in verdicts)
    cpu = sum(v.cpu_seconds for v in verdicts)
    speed = f"{cases / cpu:.0f}" if cpu else "no"
    yield f"{cases} cases checked, {speed} cases per CPU-second"
