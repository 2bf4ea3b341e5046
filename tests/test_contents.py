"""The pages of contents tell of the specification as it is."""

from collections import Counter

import pytest

from contents import PAGES, SPEC, claims_of, kills_of, page_of, pages, plain
from gradspec.spec import test_accumulation
from mutation import mutants


def test_the_pages_are_up_to_date():
    written = {path: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
    written[SPEC / "README.md"] = (SPEC / "README.md").read_text(encoding="utf-8")
    assert written == pages(), "run `python tests/contents.py`"


def test_a_chapter_lists_its_claims_with_their_killers():
    claims = claims_of(test_accumulation)
    text = "\n".join(page_of(test_accumulation, claims, Counter({"ACC-01": 7, "ACC-05": 1})))
    assert "\n## ACC-01, ACC-51\n\nEach backward pass adds its gradient to .grad of every" in text
    assert "* Workload `accumulate`: " in text
    assert "*law, catches 7 mutants; notes 000:108, " in text
    assert "*law, catches 1 mutant; notes 002:706-723, " in text
    assert "*contract, catches 0 mutants; " in text
    assert "\n> notes say the gradient must be cleared before every backward" in text


@pytest.mark.parametrize("claim", ["ACC-01", "VEW-01", "GEN-17"])
def test_kills_are_counted(claim):
    """For whatever operation, and a mutant that dies of two of them is one."""
    ids = [{word.partition("[")[0] for word in mutant.kills} for mutant in mutants()]
    assert kills_of(mutants())[claim] == sum(claim in each for each in ids) > 0


def test_every_page_is_led_to():
    index = pages()[SPEC / "README.md"]
    assert all(f"(chapters/{path.name})" in index for path in pages() if path.parent == PAGES)


def test_no_line_of_a_law_is_read_as_markdown():
    assert plain("a < b\n  x_y * z") == r"a \< b x\_y \* z"
