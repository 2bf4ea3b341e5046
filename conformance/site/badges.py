"""Badges: how much of what a library has holds, in the whole and in each chapter, as SVG."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..results.standings import Standing
from ..results.verdict import Verdict
from . import addresses
from .material import Material
from .outcomes import Outcome, tally
from .pages import named, short

PER_LETTER = 6.6
"""Pixels of a letter; the text is fitted to the place that this makes."""

LONGEST = 40
"""Letters of a side of a badge."""


@dataclass(frozen=True)
class Badge:
    """One badge: what stands on its left and right, and the class of its colour."""

    address: str
    left: str
    right: str
    outcome: str

    @property
    def text(self) -> str:
        """What it says, for whoever does not see it."""
        return f"{self.left}: {self.right}"

    @property
    def widths(self) -> tuple[int, int]:
        """How wide both sides are."""
        left, right = (round(len(side) * PER_LETTER) + 12 for side in (self.left, self.right))
        return left, right


def badges_of(material: Material) -> Iterator[Badge]:
    """Return the badges of every library, and of each of its chapters."""
    for one in material.libraries:
        yield badge_of(one)
        for chapter in one.chapters:
            place = addresses.badge(one.library, chapter)
            yield _badge(place, f"{one.library}: {named(chapter)}", one.asked(chapter))


def badge_of(standing: Standing) -> Badge:
    """Return the badge of a library."""
    address = addresses.badge(standing.library)
    left = f"gradspec {standing.edition.name}: {standing.library}"
    return _badge(address, left, standing.asked())


def _badge(address: str, left: str, verdicts: Sequence[Verdict]) -> Badge:
    found = tally(verdicts) or {"of": 0, "holds": 0, "outcome": Outcome.LACKS.value}
    right = f"{found['holds']} of {found['of']} hold" if found["of"] else "not declared"
    return Badge(address, short(left)[:LONGEST], right, found["outcome"])
