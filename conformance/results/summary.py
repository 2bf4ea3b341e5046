"""A run as Markdown, for the page that CI shows."""

import html
from collections.abc import Iterator, Sequence

from ..untrusted.texts import printable
from .alike import alike
from .comparison import Comparison
from .matrix import figures, table
from .reading import RunRead
from .verdict import Verdict, name_of

FAILURES = 30
"""How many failures are shown in full; CI cuts what is longer than a megabyte."""

LONGEST = 4000
"""Characters of a failure that are shown."""


def summary(run: RunRead, comparison: Comparison | None = None) -> Iterator[str]:
    """Return lines of Markdown in which whatever the run holds is text and nothing else."""
    failures = comparison.failures if comparison else run.failures
    yield f"## gradspec: {_result(run, comparison)}"
    if run.trouble:
        yield from ("", _text(run.trouble))
    if comparison:
        yield from ("", *_pre("\n".join(comparison.lines())))
    else:
        yield from ("", *(f"- red: {_text(alarm)}" for alarm in run.alarms))
    yield ""
    yield from grid(table(run.verdicts))
    yield ""
    yield from (f"{_text(line)}  " for line in figures(run.verdicts))
    yield ""
    yield from (_subject(subject) for subject in run.header["subjects"])
    groups = alike(failures)
    for group in groups[:FAILURES]:
        yield from _failure(group)
    if len(groups) > FAILURES:
        yield f"\nand {len(groups) - FAILURES} more kinds in the results file"


def _result(run: RunRead, comparison: Comparison | None) -> str:
    """Say in a few words what came of a run."""
    if run.trouble:
        return "not a whole run"
    if comparison:
        counts = {"new failures": len(comparison.failures), "lost": len(comparison.lost)}
        told = [f"{count} {what}" for what, count in counts.items() if count]
        told += ["not comparable"] * (not comparison.comparable) + ["red"] * bool(run.alarms)
        return ", ".join(told) or "as before"
    return f"{len(run.failures)} red" if run.failures else "red" if run.alarms else "all green"


def grid(rows: Sequence[list[str]]) -> Iterator[str]:
    """Write a table with its head, in which whatever a cell holds is text."""
    head, *body = rows
    yield _row(head)
    yield _row(["---"] * len(head), raw=True)
    yield from map(_row, body)


def _failure(group: Sequence[Verdict]) -> Iterator[str]:
    verdict, others = group[0], len(group) - 1
    title = f"{verdict.chapter}: {name_of(verdict.key)}: {verdict.status}"
    title += f" (and {others} more)" if others else ""
    yield f"\n<details><summary>{_text(title)}: {_text(str(verdict.reason))[:500]}</summary>\n"
    yield from _pre(verdict.reproduction or "")
    yield "\n</details>"


def _subject(fields: dict[str, str]) -> str:
    words = f"{fields['subject']}: {fields['version']} on {fields['device_model']}"
    return f"- {_text(words)}"


def _pre(text: str) -> Iterator[str]:
    lines = text[:LONGEST].splitlines()
    yield "<pre>" + "\n".join(html.escape(printable(line)) for line in lines) + "</pre>"


def _text(text: str) -> str:
    """Write text so that no character of it is markup, a mention or a link."""
    return "".join(
        c if c.isalnum() or c in " .,;()/=+" else f"&#{ord(c)};" for c in printable(text)
    )


def _row(cells: list[str], *, raw: bool = False) -> str:
    return f"| {' | '.join(cells if raw else map(_text, cells))} |"
