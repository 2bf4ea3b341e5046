"""A run as Markdown, for the page that CI shows."""

import html
from collections.abc import Iterator, Sequence

from .comparison import Comparison
from .matrix import figures, table
from .results import GREEN, RunRead, Verdict, name_of
from .texts import printable

FAILURES = 30
"""How many failures are shown in full; CI cuts what is longer than a megabyte."""

LONGEST = 4000
"""Characters of a failure that are shown."""


def summary(run: RunRead, comparison: Comparison | None = None) -> Iterator[str]:
    """Return lines of Markdown in which whatever the run holds is text and nothing else."""
    red = [verdict for verdict in run.verdicts if verdict.status not in GREEN]
    if comparison:
        failures = comparison.failures
        yield f"## gradspec: {len(failures)} new failures" if failures else "## gradspec: as before"
        yield from ("", *_pre("\n".join(comparison.lines())))
    else:
        yield f"## gradspec: {len(red)} red" if red else "## gradspec: all green"
        failures = sorted(red, key=lambda v: (v.chapter, v.key))
    yield ""
    yield from grid(table(run.verdicts))
    yield ""
    yield from (f"{_text(line)}  " for line in figures(run.verdicts))
    yield ""
    yield from (_subject(subject) for subject in run.header["subjects"])
    for verdict in failures[:FAILURES]:
        yield from _failure(verdict)
    if len(failures) > FAILURES:
        yield f"\nand {len(failures) - FAILURES} more in the results file"


def grid(rows: Sequence[list[str]]) -> Iterator[str]:
    """Write a table with its head, in which whatever a cell holds is text."""
    head, *body = rows
    yield _row(head)
    yield _row(["---"] * len(head), raw=True)
    yield from map(_row, body)


def _failure(verdict: Verdict) -> Iterator[str]:
    title = f"{verdict.chapter}: {name_of(verdict.key)}: {verdict.status}"
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
