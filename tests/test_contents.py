"""The page of contents tells of the specification as it is."""

from collections import Counter

import pytest

from contents import PAGE, cell, page, section
from gradspec.spec import test_accumulation
from mutation import mutants


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python tests/contents.py`"


def test_a_chapter_lists_its_claims_with_their_killers():
    text = "\n".join(section(test_accumulation, Counter({"ACC-01": 7})))
    assert "| ACC-01, ACC-51 | Each backward pass adds its gradient to .grad of every" in text
    assert "workload `accumulate`" in text
    (line,) = [line for line in text.splitlines() if line.startswith("| ACC-01")]
    assert line.endswith("| 7 |")


@pytest.mark.parametrize("claim", ["ACC-01", "VEW-01"])
def test_kills_are_counted(claim):
    count = sum(claim in mutant.kills for mutant in mutants())
    (line,) = [line for line in page().splitlines() if line.startswith(f"| {claim}")]
    assert line.endswith(f"| {count} |")


def test_a_cell_is_one_line_that_markdown_leaves_alone():
    assert cell("a | b\n  x_y * z") == r"a \| b x\_y \* z"
