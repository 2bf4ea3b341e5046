"""What is told of a history: a table of releases, then what came and what went."""

from collections.abc import Iterator
from itertools import groupby

from ..results.summary import grid
from .courses import DIFFERS, FAILS, HOLDS, LACKS, Course, History, turns_of

SHOWN = 8
"""Places of one course that are named; how many more there are is said."""

TITLES = {"came": "Came in {}: it held before", "went": "Went in {}: it failed before"}

COLUMNS = {HOLDS: "hold", FAILS: "fail", DIFFERS: "differ", LACKS: "lack"}


def lines_of(history: History) -> Iterator[str]:
    """Write a history as Markdown."""
    yield f"# {history.library}"
    yield ""
    yield from grid(
        [
            ["release", *COLUMNS.values(), "numpy"],
            *(
                [one.version, *(str(one.counts.get(c, 0)) for c in COLUMNS), one.numpy]
                for one in history.releases
            ),
        ]
    )
    turns = groupby(turns_of(history), key=lambda turn: (turn[0].version, turn[1]))
    for (version, way), group in turns:
        yield from ("", f"## {TITLES[way].format(version)}", "")
        yield from (_line(course) for _, _, course in group)
    always = [course for course in history.courses if not any(course.turns())]
    if always:
        count = sum(len(course.places) for course in always)
        yield ""
        yield f"{count} failures, of {len(always)} kinds, are as old as what is looked at."
    for kink, answers in history.conventions.items():
        pairs = zip(history.releases, answers, strict=True)
        told = "; ".join(f"{one.version}: {answer or 'none'}" for one, answer in pairs)
        yield from ("", f"{kink}: {told}")


def _line(course: Course) -> str:
    more = len(course.places) - SHOWN
    places = ", ".join(course.places[:SHOWN]) + (f" and {more} more" if more > 0 else "")
    link = f" ({course.link})" if course.link else ""
    return f"- {course.reason}{link}: {places} [{', '.join(course.dtypes)}]"
