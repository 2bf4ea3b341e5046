"""What the page of a library tells of its releases: what came, what went, what is chosen anew."""

from collections.abc import Iterator
from typing import Any

from ..history.courses import DIFFERS, FAILS, HOLDS, LACKS, History, turns_of
from ..results.verdict import parted
from .material import Material
from .pages import SHOWN, kink_link, more_than_shown, places_of, short

NAMES = {HOLDS: "hold", FAILS: "fail", DIFFERS: "differ", LACKS: "lack"}


def told_of_releases(material: Material, library: str) -> Iterator[dict[str, Any]]:
    """Return what is told of each history of a library."""
    for history in material.histories:
        if history.library == library:
            yield _told(material, history)


def _told(material: Material, history: History) -> dict[str, Any]:
    turns = [
        {
            "version": short(release.version),
            "way": way,
            "reason": short(course.reason),
            "link": short(course.link),
            "dtypes": [*map(short, course.dtypes)],
            **places_of(material, map(parted, course.places)),
        }
        for release, way, course in turns_of(history)
    ]
    return {
        "releases": [
            {
                "version": short(one.version),
                "numpy": short(one.numpy),
                **{name: one.counts.get(letter, 0) for letter, name in NAMES.items()},
            }
            for one in history.releases
        ],
        "turns": turns[:SHOWN],
        "turns_more": more_than_shown(turns),
        "conventions": [
            {"kink": kink_link(material, kink), "answers": [*map(short, answers)]}
            for kink, answers in history.conventions.items()
        ][:SHOWN],
    }
