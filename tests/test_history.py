"""The history of a library: what came and what went, from runs of its releases."""

import json
from dataclasses import replace

import pytest

from bench import WRONG
from gradspec.conformance.claims.claim import Level
from gradspec.conformance.cli import main
from gradspec.conformance.history.courses import Course, history_of, turns_of
from gradspec.conformance.history.record import read, write
from gradspec.conformance.protocol.errors import OptionError
from gradspec.conformance.results.reading import BrokenRun, read_run
from gradspec.conformance.results.verdict import Status
from sites import DOCUMENTED, KNOWN, SINE, build, told
from written import LACKING, PASSED, subject, write_run

OFF = replace(SINE, status=Status.FAIL, reason="off by 3\nsecond line")
KINK = replace(PASSED, claim="CNV-01", level="convention", operation="abs", reason="abs(0): 0.0")


@pytest.fixture
def release(tmp_path):
    """Write the run of a release, and return its file."""

    def made(version, *verdicts, name=""):
        subjects = list({v.subject: {**subject(v), "version": version} for v in verdicts}.values())
        path = tmp_path / f"{name or version}.jsonl"
        return write_run(path, *verdicts, subjects=subjects)

    return made


def history(*paths):
    return history_of("torch", [read_run(path) for path in paths])


def letters(found):
    return {place: course.letters for course in found.courses for place in course.places}


def test_releases_stand_in_the_order_of_their_numbers(release):
    found = history(release("1.10", PASSED), release("1.9", PASSED), release("1.9rc1", PASSED))
    assert [one.version for one in found.releases] == ["1.9rc1", "1.9", "1.10"]


def test_what_failed_anywhere_has_a_course(release):
    found = history(
        release("1", SINE, PASSED, LACKING),
        release("2", OFF, PASSED),
        release("3", replace(KNOWN, claim="GEN-04", operation="sin"), PASSED, LACKING),
        release("4", replace(SINE, status=Status.UNEXPECTED_PASS, reason="no longer"), PASSED),
    )
    assert letters(found) == {"GEN-04[sin]": "hffh"}
    (course,) = found.courses
    # The newest failure says why.
    assert course.reason == "the order matters"
    assert course.link == "https://github.com/some/where/issues/7"
    assert [(one.version, way) for one, way, _ in turns_of(found)] == [("2", "came"), ("4", "went")]
    assert [one.counts for one in found.releases] == [
        {"h": 2, "f": 0, "d": 0, "l": 1},
        {"h": 1, "f": 1, "d": 0, "l": 0},
        {"h": 1, "f": 1, "d": 0, "l": 1},
        {"h": 2, "f": 0, "d": 0, "l": 0},
    ]


@pytest.mark.parametrize(
    ("course", "turns"),
    [
        ("hf", [(1, "came")]),
        ("hlf", [(2, "came")]),
        ("fh", [(1, "went")]),
        ("f.dh", [(3, "went")]),
        ("lf", []),
        (".f", []),
        ("fl", []),
        ("df", []),
        ("ff", []),
        ("hfhf", [(1, "came"), (2, "went"), (3, "came")]),
    ],
)
def test_a_failure_comes_where_it_held_before_and_goes_where_it_holds(course, turns):
    assert [*Course(course, "", "", ["float64"], ["GEN-04[sin]"]).turns()] == turns


@pytest.mark.parametrize("kind", ["difference", "parity", "missing"])
def test_what_is_no_defect_is_no_failure(release, kind):
    known = replace(DOCUMENTED, expected=kind)
    assert history(release("1", known), release("2", known)).courses == []


def test_failures_of_an_operation_that_went_alike_are_one_course(release):
    single = replace(OFF, dtype="float32", claim="GEN-01", reason="off by 4.5e-3")
    cosine = replace(OFF, operation="cos")
    found = history(release("1", OFF, single, cosine), release("2", cosine))
    assert {(*c.places, *c.dtypes, c.letters) for c in found.courses} == {
        ("GEN-01[sin]", "GEN-04[sin]", "float32", "float64", "f."),
        ("GEN-04[cos]", "float64", "ff"),
    }


def test_what_is_on_record_is_one_course_whatever_the_operation(release):
    known = [replace(KNOWN, claim="GEN-04", operation=name) for name in ("sin", "cos")]
    (course,) = history(release("1", *known)).courses
    assert course.places == ["GEN-04[cos]", "GEN-04[sin]"]


def test_what_a_release_does_not_have_yet_is_lacking(release):
    missing = replace(OFF, status=Status.ERROR, reason="module 'torch' has no attribute 'sin'")
    found = history(release("1", missing), release("2", SINE))
    assert (found.courses, found.releases[0].counts["l"]) == ([], 1)
    assert letters(history(release("1", replace(missing, status=Status.FAIL)))) == {
        "GEN-04[sin]": "f"
    }


def test_an_entry_of_what_a_release_does_not_have_yet_is_no_failure_of_it(bench):
    bench.chapter(WRONG.replace('about="mul"', 'about="mul", needs="torch"'))
    entry = '[[expected]]\nclaim = "TST-03"\nreason = "wrong"\nlink = "https://example.org/1"\n'
    bench.write("mine.toml", f"{entry}witness = {{ x = {{ array = [3.0] }}, times = 2 }}\n")
    bench.run(backend=bench.adapter("")).assert_outcomes(failed=1)
    found = history_of("mine", [read_run(bench.results)])
    assert (found.courses, found.releases[0].counts["l"]) == ([], 1)


def test_of_several_runs_of_a_release_the_worst_counts(release):
    runs = [release("1", SINE, name="a"), release("1", OFF, name="b"), release("2", SINE)]
    assert letters(history(*runs)) == {"GEN-04[sin]": "fh"}


def test_what_is_chosen_anew_is_told_and_fails_nowhere(release):
    other = replace(KINK, reason="abs(0): 1.0")
    found = history(release("1", KINK), release("2", KINK), release("3", other))
    assert found.conventions == {"abs(0)": ["0.0", "0.0", "1.0"]}
    assert KINK.level == Level.CONVENTION
    missed = replace(KINK, status=Status.FAIL, reason="no record")
    assert history(release("4", missed)).courses == []


def test_a_file_says_what_was_written(release, tmp_path):
    other = replace(KINK, reason="abs(0): 1.0")
    found = history(release("1", SINE, KINK), release("2", OFF, other))
    write(tmp_path / "deep" / "history.json", found)
    assert read(tmp_path / "deep" / "history.json") == found


def test_without_results_of_the_library_there_is_none(release):
    with pytest.raises(OptionError, match=r"no results of jax are in .*1\.jsonl"):
        history_of("jax", [read_run(release("1", SINE))])


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda whole: whole.update(kind="speed"), "kind"),
        (lambda whole: whole["releases"].clear(), "releases"),
        (lambda whole: whole["courses"][0].update(letters="hx"), "letters"),
        (lambda whole: whole["courses"][0].update(letters="hfh"), "2 releases have 3 letters"),
        (lambda whole: whole["conventions"].update(kink=["0"]), "2 releases have 1 letters"),
        (lambda whole: whole["releases"][0].update(mood="good"), "mood"),
    ],
)
def test_a_file_that_is_none_is_refused_in_a_line(release, tmp_path, change, complaint):
    path = tmp_path / "history.json"
    write(path, history(release("1", SINE), release("2", OFF)))
    whole = json.loads(path.read_text(encoding="utf-8"))
    change(whole)
    path.write_text(json.dumps(whole), encoding="utf-8")
    with pytest.raises(BrokenRun, match="not a history of releases") as refusal:
        read(path)
    assert complaint in str(refusal.value)
    assert "\n" not in str(refusal.value)


# ---- the command, and the site -------------------------------------------------------------------


def test_the_command_tells_and_keeps(release, tmp_path, capsys):
    runs = [str(release("1", SINE)), str(release("2", OFF))]
    output = tmp_path / "history.json"
    words = [word for run in runs for word in ("--results", run)]
    assert main(["history", "torch", *words, "--output", str(output)]) == 0
    printed = capsys.readouterr().out
    assert "| 2 | 0 | 1 | 0 | 0 | 2.4.6 |" in printed
    assert "## Came in 2: it held before\n\n- off by 3: GEN-04[sin] [float64]" in printed
    assert read(output).library == "torch"


def test_nothing_to_run_is_said(capsys):
    assert main(["history", "torch"]) == 2
    assert "name releases to run, or files of --results" in capsys.readouterr().err


def test_a_library_that_is_no_extra_needs_its_name(tmp_path, capsys):
    assert main(["history", "unheard", "1.0", "--cache", str(tmp_path)]) == 2
    assert "--package" in capsys.readouterr().err


@pytest.mark.long
def test_the_page_of_a_library_shows_its_releases(release, tmp_path):
    runs = [release("1", SINE, KINK), release("2", OFF, replace(KINK, reason="abs(0): 1.0"))]
    write(tmp_path / "torch-history.json", history(*runs))
    site = build(tmp_path, runs[1], tmp_path / "torch-history.json", status=1)
    (shown,) = told(site, "library/torch.html")["history"]
    assert [one["version"] for one in shown["releases"]] == ["1", "2"]
    (turn,) = shown["turns"]
    assert (turn["version"], turn["way"], turn["reason"]) == ("2", "came", "off by 3")
    assert turn["places"][0]["operation"]["text"] == "sin"
    assert shown["conventions"][0]["answers"] == ["0.0", "1.0"]
    page = (site / "library" / "torch.html").read_text(encoding="utf-8")
    assert "came in 2" in page
    assert 'href="#releases"' in page
