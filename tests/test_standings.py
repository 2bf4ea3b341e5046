"""The table of libraries says what their results files say."""

from dataclasses import replace
from pathlib import Path

import pytest

from gradspec.conformance.claims.editions import current
from gradspec.conformance.cli import main
from gradspec.conformance.results.reading import RunRead, read_run
from gradspec.conformance.results.standings import (
    BEGIN,
    END,
    by_chapter,
    markdown,
    overview,
    standings,
)
from gradspec.conformance.results.verdict import WIDEST, Status, Verdict
from written import write_run

ROOT = Path(__file__).parent.parent

PASSED = Verdict("ACC-01", "accumulation", "law", "torch", "cpu", "float64", Status.PASS)
LACKING = replace(PASSED, claim="VEW-09", chapter="views", status=Status.UNSUPPORTED)
KNOWN = replace(PASSED, status=Status.EXPECTED_FAILURE, expected="defect", reason="x (https://y)")
KINK = replace(PASSED, claim="CNV-01", chapter="kinks", operation="abs", reason="abs(0): [0.0]")


def run(*verdicts, path="a", **versions):
    """Return a run of these verdicts; versions by backend, 1.0 if none is given."""
    names = dict.fromkeys(verdict.backend for verdict in verdicts)
    subjects = [{"backend": name, "version": versions.get(name, "1.0")} for name in names]
    return RunRead(Path(path), {"subjects": subjects}, list(verdicts), {})


def test_the_page_of_the_project_is_up_to_date():
    """`gradspec standings results --into docs/libraries.md` writes it."""
    runs = [read_run(path) for path in sorted((ROOT / "results").glob("*.jsonl"))]
    text = ROOT.joinpath("docs", "libraries.md").read_text(encoding="utf-8")
    assert "\n".join([BEGIN, *markdown(standings(runs)), END]) in text


def test_passed_declared_and_all_are_counted():
    red = replace(PASSED, claim="ACC-05", status=Status.FAIL)
    absent = replace(PASSED, device="cuda", status=Status.NOT_RUN)
    found = standings([run(PASSED, red, LACKING, absent)])
    head, row = overview(found)
    assert row == ["torch 1.0", "cpu", "1", "2", "3", "1", "0", "0", "0", ""]
    assert head[5:7] == ["red", "defects"]
    assert by_chapter(found)[1:] == [["accumulation", "1/2/2"], ["views", "0/0/1"]]


def test_what_is_judged_in_the_widest_dtype_alone_counts_once():
    other = replace(LACKING, dtype="float32")
    elsewhere = replace(other, claim="ACC-01", reason=f"it is judged in float64, {WIDEST}")
    row = overview(standings([run(PASSED, elsewhere, other)]))[1]
    assert row[2:5] == ["1", "1", "2"]


def test_a_defect_counts_once_wherever_it_shows():
    elsewhere = replace(KNOWN, claim="ACC-05", dtype="float32")
    another = replace(KNOWN, claim="ACC-14", reason="z (https://y)")
    choice = replace(KNOWN, claim="ACC-60", expected="difference")
    habit = replace(KNOWN, claim="ACC-09", expected="parity", reason="h (https://y)")
    refused = replace(KNOWN, claim="ACC-53", expected="missing", reason="r (https://y)")
    row = overview(standings([run(KNOWN, elsewhere, another, choice, habit, refused)]))[1]
    assert row[-4:-1] == ["2", "2", "1"]


@pytest.mark.parametrize(
    ("answer", "told"),
    [("abs(0): [0.0]", "0 of 1"), ("abs(0): [-0.0]", "0 of 1"), ("abs(0): [-0.05]", "1 of 1")],
)
def test_answers_at_kinks_are_compared_with_those_of_torch(answer, told):
    other = replace(KINK, backend="mine", reason=answer)
    rows = overview(standings([run(KINK, other)]))
    assert [row[-1] for row in rows] == ["at kinks", "0 of 1", told]


def test_two_versions_of_a_library_stand_apart_and_the_one_that_declares_more_first():
    found = standings([run(LACKING, path="b", torch="2.0"), run(PASSED)])
    assert [row[0] for row in overview(found)] == ["library", "torch 1.0", "torch 2.0"]


def test_hostile_names_are_text():
    evil = replace(PASSED, backend="<img src=x>|`\x1b[x](http://y)@all")
    told = "\n".join(markdown(standings([run(evil)])))
    for bad in ("<img", "|`", "\x1b", "](http", "@all"):
        assert bad not in told


def test_a_page_keeps_what_is_around_the_marks(tmp_path):
    page, results = tmp_path / "page.md", write_run(tmp_path / "results.jsonl", PASSED)
    page.write_text(f"above\n{BEGIN}\nold\n{END}\nbelow\n", encoding="utf-8")
    for _ in range(2):
        assert main(["standings", str(results), "--into", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"above\n{BEGIN}\n| library |")
    assert text.endswith(f"\n\nCounted against edition {current().title}.\n{END}\nbelow\n")
    assert "old" not in text


def test_a_page_without_marks_is_refused(tmp_path, capsys):
    page, results = tmp_path / "page.md", write_run(tmp_path / "results.jsonl", PASSED)
    page.write_text("text\n", encoding="utf-8")
    assert main(["standings", str(results), "--into", str(page)]) == 2
    assert f"page.md: write {BEGIN} and {END} into it" in capsys.readouterr().err
    assert page.read_text(encoding="utf-8") == "text\n"
