"""`gradspec operations`: what a library comes to, operation by operation."""

import re
from dataclasses import replace

import pytest

from gradspec.conformance.cli import main
from gradspec.conformance.results.verdict import WIDEST, Known, Status
from written import LACKING, PASSED, write_run

SINE = replace(PASSED, claim="GEN-04", chapter="operations", operation="sin")
SINGLE = replace(SINE, dtype="float32")
WIDE = replace(SINE, claim="GEN-14")
COSINE = replace(SINE, operation="cos")
EXPECTED = replace(COSINE, status=Status.EXPECTED_FAILURE, reason="off", expected=Known.DEFECT)
ABSENT = replace(LACKING, claim="GEN-04", chapter="operations", operation="tan", dtype="float32")
NARROW = replace(
    ABSENT, claim="GEN-14", operation="sin", reason=f"it is judged in float64, {WIDEST}"
)


@pytest.fixture
def told(tmp_path, capsys):
    def told(*verdicts, words=(), status=0):
        path = write_run(tmp_path / "run.jsonl", *verdicts, exit_status=status)
        assert main(["operations", str(path), *words]) == status
        lines = capsys.readouterr().out.splitlines()
        return [re.split(r" {2,}", line) for line in lines]

    return told


def test_dtypes_that_agree_are_one_word(told):
    verdicts = (SINE, SINGLE, WIDE, NARROW, EXPECTED, replace(COSINE, dtype="float32"), ABSENT)
    assert told(*verdicts, PASSED) == [
        ["operation", "GEN-04", "GEN-14"],
        ["cos", "known float64, holds float32", "-"],
        ["sin", "holds", "holds"],
        ["tan", "lacks", "-"],
    ]


@pytest.mark.parametrize(
    "status", [Status.FAIL, Status.ERROR, Status.CRASH, Status.TIMEOUT, Status.VACUOUS]
)
def test_what_is_neither_green_nor_known_is_red(told, status):
    red = replace(COSINE, status=status, reason="off", reproduction="rerun: it")
    assert told(SINE, red, words=["--only", "RED"], status=1) == [
        ["operation", "GEN-04"],
        ["cos", "RED"],
    ]


def test_claims_are_chosen_by_how_they_begin(told):
    more = (SINE, WIDE, replace(SINE, claim="EXT-01"))
    assert told(*more, words=["--claim", "GEN-1", "--claim", "EXT"])[0][1:] == ["EXT-01", "GEN-14"]
    assert told(*more, words=["--claim", "GEN"])[0][1:] == ["GEN-04", "GEN-14"]


def test_of_several_libraries_one_is_named(told, tmp_path, capsys):
    other = replace(COSINE, backend="reference")
    assert told(SINE, other, words=["--backend", "reference"])[1:] == [["cos", "holds"]]
    run = str(tmp_path / "run.jsonl")
    for words in ([], ["--backend", "jax"]):
        assert main(["operations", run, *words]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.endswith("has reference, torch; name one of them")
