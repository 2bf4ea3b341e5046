"""A results file in less space: what is lacking in few lines, and the same verdicts when read."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gradspec.conformance.cli import main
from gradspec.conformance.results.reading import MOST_VERDICTS, BrokenRun, read_any, read_run
from gradspec.conformance.results.verdict import Status, dump
from written import FAILED, HEADER, LACKING, PASSED, SECOND, change_footer, run_lines, write_run

RESULTS = Path(__file__).parent.parent / "results"

OPERATED = [
    replace(LACKING, claim="GEN-01", operation=name, dtype=dtype)
    for name in ("sin", "cos", "tan")
    for dtype in ("float32", "float64")
][:-1]
ABSENT = replace(LACKING, claim="ACC-15", device="cuda", mode="vmap", status=Status.NOT_RUN)
RUN = [PASSED, LACKING, *OPERATED, FAILED, ABSENT, SECOND, replace(LACKING, claim="ACC-16")]


def kinds(path):
    """Return what the lines of a file are."""
    return [next(iter(json.loads(line))) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_short_file_holds_the_same_verdicts(tmp_path):
    path = write_run(tmp_path / "run.jsonl", *RUN)
    before = read_run(path)
    assert main(["shorten", str(path)]) == 1  # it is red, as before
    after = read_run(path)
    assert (after.header, after.footer) == (before.header, before.footer)
    by_key = [sorted(run.verdicts, key=lambda verdict: verdict.key) for run in (before, after)]
    assert by_key[0] == by_key[1]
    assert kinds(path) == ["header", *3 * ["verdict"], *2 * ["unchecked"], "footer"]
    text = path.read_bytes()
    main(["shorten", str(tmp_path)])
    assert path.read_bytes() == text


def test_less_than_a_whole_run_is_left_as_it_is(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text("".join(run_lines(*RUN, footer=False)), encoding="utf-8")
    text = path.read_bytes()
    assert main(["shorten", str(path)]) == 3
    assert path.read_bytes() == text
    assert list(tmp_path.iterdir()) == [path]


def test_verdicts_that_are_told_together_are_counted(tmp_path):
    path = write_run(tmp_path / "run.jsonl", *RUN)
    main(["shorten", str(path)])
    change_footer(path, statuses={"unsupported": 1})
    assert read_any(path).trouble.startswith("the footer counts other verdicts")


def test_few_bytes_may_not_tell_of_verdicts_without_end(tmp_path):
    path = tmp_path / "run.jsonl"
    many = [str(number) for number in range(1000)]
    together = {
        "verdict": {"backend": "torch", "device": "cpu", "status": "unsupported"},
        "claims": [["ACC-01", "accumulation", "law", many, many]] * (MOST_VERDICTS // 10**6 + 1),
    }
    path.write_text(dump({"header": {**HEADER, "subjects": []}}) + dump({"unchecked": together}))
    with pytest.raises(BrokenRun, match=f"more than {MOST_VERDICTS} verdicts"):
        read_any(path)


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_results_that_are_kept_are_short(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert not any(line.startswith('{"begun"') for line in lines)
    assert not any('"status": "unsupported"' in line for line in lines if '"claim"' in line)
