"""Every reader of results tells what is not a whole run, what is red, and what is empty."""

from html import unescape

import pytest

from bench import DOUBLED, SQUARED, WRONG, complaint
from gradspec.conformance.cli import main
from gradspec.conformance.protocol.errors import OptionError
from gradspec.conformance.results.comparison import baseline_at
from gradspec.conformance.results.reading import BrokenRun, read_any, read_run
from gradspec.conformance.results.verdict import Status
from gradspec.conformance.results.writing import ResultsFile
from written import (
    DIGEST,
    FAILED,
    HEADER,
    LACKING,
    PASSED,
    SECOND,
    change_footer,
    subject,
    write_run,
)

FINE, RED, USAGE, NOT_WHOLE = 0, 1, 2, 3


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to be in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cut(path, keep):
    """Keep so many bytes of a file; of a negative number, all but so many."""
    path.write_bytes(path.read_bytes()[:keep])
    return path


def interrupted(path, status):
    return write_run(path, PASSED, exit_status=status, here=2)


NOT_A_WHOLE_RUN = {
    "no footer": (lambda path: write_run(path, PASSED, footer=False), "has no footer"),
    "a torn footer": (lambda path: cut(write_run(path, PASSED), -9), "has no footer"),
    "a torn verdict": (
        lambda path: cut(write_run(path, PASSED, SECOND, footer=False), -9),
        "has no footer (broken off in ACC-18 on torch-cpu-float64)",
    ),
    "a second try broken off": (
        lambda path: cut(write_run(path, PASSED, PASSED, footer=False), -9),
        "has no footer (broken off in ACC-01 on torch-cpu-float64)",
    ),
    "a torn header": (lambda path: cut(write_run(path, PASSED), 50), "is broken off in its header"),
    "nothing": (lambda path: cut(write_run(path, PASSED), 0), "is empty"),
    "a header alone": (lambda path: write_run(path, footer=False), "has no footer"),
    "interrupted": (lambda path: interrupted(path, 2), "interrupted"),
    "an internal error": (lambda path: interrupted(path, 3), "internal error"),
    "a usage error": (lambda path: interrupted(path, 4), "exit status is 4"),
    "another exit status": (lambda path: interrupted(path, 77), "exit status is 77"),
    "interrupted at the end": (lambda path: write_run(path, PASSED, exit_status=2), "interrupted"),
    "green and incomplete": (lambda path: write_run(path, PASSED, here=5), "holds 1 of 5 verdicts"),
    "red and incomplete": (lambda path: write_run(path, FAILED, here=5), "holds 1 of 5 verdicts"),
    "more than planned": (
        lambda path: write_run(path, PASSED, SECOND, here=1),
        "holds 2 of 1 verdicts",
    ),
    "no verdicts": (lambda path: write_run(path, exit_status=5), "holds no verdicts"),
    "no verdicts, and green": (lambda path: write_run(path), "holds no verdicts"),
    "no plan": (lambda path: write_run(path, PASSED, planned=False), "does not say how many"),
    "another count": (
        lambda path: change_footer(write_run(path, PASSED), statuses={"pass": 2}),
        "the footer counts other verdicts than the file holds",
    ),
}

COMMANDS = {
    "summary": ["summary", "run.jsonl"],
    "summary beside a baseline": ["summary", "run.jsonl", "--baseline", "good.jsonl"],
    "summary of a baseline": ["summary", "good.jsonl", "--baseline", "run.jsonl"],
    "compare as the new one": ["compare", "good.jsonl", "run.jsonl"],
    "compare as the old one": ["compare", "run.jsonl", "good.jsonl"],
    "standings": ["standings", "good.jsonl", "run.jsonl"],
    "merge": ["merge", "run.jsonl", "--output", "merged.jsonl"],
    "operations": ["operations", "run.jsonl"],
    "durations": ["durations", "good.jsonl", "run.jsonl"],
    "report": ["report", "good.jsonl", "run.jsonl", "--output", "page.html"],
    "site": ["site", "good.jsonl", "run.jsonl"],
    "site of older ones": ["site", "good.jsonl", "--older", "run.jsonl"],
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize(("made", "trouble"), NOT_A_WHOLE_RUN.values(), ids=NOT_A_WHOLE_RUN)
def test_no_reader_takes_for_whole_what_is_not(folder, capsys, words, made, trouble):
    write_run(folder / "good.jsonl", PASSED)
    made(folder / "run.jsonl")
    assert main(words) == NOT_WHOLE
    told = capsys.readouterr()
    (line,) = told.err.splitlines()
    assert line.startswith("gradspec: run.jsonl: ")
    assert trouble in line
    assert "green" not in told.out
    assert not (folder / "merged.jsonl").exists()
    assert not (folder / "page.html").exists()
    assert not (folder / "gradspec-site").exists()


@pytest.mark.parametrize(("made", "trouble"), NOT_A_WHOLE_RUN.values(), ids=NOT_A_WHOLE_RUN)
def test_no_baseline_is_less_than_a_whole_run(folder, made, trouble):
    made(folder / "run.jsonl")
    with pytest.raises(OptionError) as refusal:
        baseline_at(str(folder / "run.jsonl"))
    assert str(refusal.value).startswith(f"--baseline {folder / 'run.jsonl'}: ")
    assert trouble in str(refusal.value)


def test_a_summary_shows_what_there_is_of_a_run_that_is_not_whole(folder, capsys):
    write_run(folder / "run.jsonl", PASSED, FAILED, exit_status=2, here=5)
    assert main(["summary", "run.jsonl"]) == NOT_WHOLE
    told = capsys.readouterr().out
    assert told.startswith("## gradspec: not a whole run\n")
    assert "2 of 5 verdicts" in told
    assert "| accumulation | 2 | 1/2 1 RED |" in told
    assert "rerun: it" in told


def test_what_is_no_results_file_is_another_matter(folder, capsys):
    for text in ("nonsense", "{}\n", '{"header": {}}\n', "[1]", '{"he": ', "\0" * 1000):
        (folder / "run.jsonl").write_text(text, encoding="utf-8")
        assert main(["summary", "run.jsonl"]) == USAGE
        assert "run.jsonl: not a results file (line 1: " in capsys.readouterr().err


def test_what_holds_is_read_whole_or_not(folder):
    run = read_any(write_run(folder / "run.jsonl", PASSED, exit_status=2, here=2))
    assert run.verdicts == [PASSED]
    with pytest.raises(BrokenRun, match="interrupted"):
        read_run(run.path)


# ---- whole, and red ------------------------------------------------------------------------------

FAULTS = [{"backend": "jax", "reason": "cannot be imported (OSError: no libjax)"}]

RED_RUNS = {
    "a red verdict": (lambda path: write_run(path, PASSED, FAILED), "1 red verdict"),
    "a red exit status": (
        lambda path: write_run(path, PASSED, exit_status=1),
        "its exit status is 1, though no verdict is red",
    ),
    "nothing checked": (
        lambda path: write_run(path, LACKING, exit_status=5),
        "nothing was checked",
    ),
    "nothing checked, and green": (lambda path: write_run(path, LACKING), "nothing was checked"),
    "a fault": (
        lambda path: write_run(path, PASSED, faults=FAULTS),
        "jax was meant and did not run: cannot be imported (OSError: no libjax)",
    ),
    "a fault that showed late": (
        lambda path: change_footer(write_run(path, PASSED), faults=FAULTS),
        "jax was meant and did not run: cannot be imported (OSError: no libjax)",
    ),
}


@pytest.mark.parametrize("command", ["summary", "standings", "durations", "report"])
@pytest.mark.parametrize(("made", "alarm"), RED_RUNS.values(), ids=RED_RUNS)
def test_every_reader_says_what_is_red(folder, capsys, command, made, alarm):
    made(folder / "run.jsonl")
    assert main([command, "run.jsonl"]) == RED
    told = capsys.readouterr()
    assert f"gradspec: run.jsonl: red: {alarm}" in told.err.splitlines()
    assert "green" not in told.out
    if command == "report":
        assert f"red: {alarm}" in (folder / "gradspec.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("made", "alarm"), RED_RUNS.values(), ids=RED_RUNS)
def test_a_summary_shows_what_is_red(folder, capsys, made, alarm):
    made(folder / "run.jsonl")
    main(["summary", "run.jsonl"])
    head, *lines = unescape(capsys.readouterr().out).splitlines()
    if alarm == "1 red verdict":
        assert head == "## gradspec: 1 red"
    else:
        assert head == "## gradspec: red"
        assert f"- red: {alarm}" in lines


@pytest.mark.parametrize("command", ["summary", "standings", "durations", "report"])
def test_a_green_run_is_fine(folder, capsys, command):
    write_run(folder / "run.jsonl", PASSED, LACKING)
    assert main([command, "run.jsonl"]) == FINE
    assert not capsys.readouterr().err


@pytest.mark.parametrize("kind", ["a red exit status", "nothing checked", "a fault"])
def test_a_comparison_tells_what_is_red_in_either_run_and_blames_the_new_one(folder, capsys, kind):
    made, alarm = RED_RUNS[kind]
    made(folder / "red.jsonl")
    write_run(folder / "green.jsonl", PASSED, LACKING)
    assert main(["compare", "green.jsonl", "red.jsonl", "--allow-lost"]) == RED
    assert f"red: {alarm}" in capsys.readouterr().out.splitlines()
    assert main(["compare", "red.jsonl", "green.jsonl", "--allow-lost"]) == FINE
    assert f"note: the baseline is red: {alarm}" in capsys.readouterr().out.splitlines()


def test_parts_hand_on_what_is_red(folder, capsys):
    parts = [folder / "1.jsonl", folder / "2.jsonl"]
    words = {"exit_status": 1, "faults": FAULTS}
    for number, path in enumerate(parts, 1):
        write_run(path, PASSED, shard=f"{number}/2", **words)
    assert main(["merge", *map(str, parts), "--output", "whole.jsonl"]) == FINE
    run = read_run(folder / "whole.jsonl")
    assert run.faults == FAULTS
    assert main(["summary", "whole.jsonl"]) == RED


def test_a_fault_is_told_once_wherever_it_showed(folder):
    path = folder / "run.jsonl"
    header = {**HEADER, "subjects": [subject(PASSED)], "faults": FAULTS}
    late = {"backend": "mlx", "reason": "the process ended"}
    file = ResultsFile(path, header)
    file.add(PASSED)
    file.close(1, {"here": 1, "all": 1, "digest": DIGEST}, [*FAULTS, late])
    run = read_run(path)
    assert run.faults == [*FAULTS, late]
    assert run.footer["faults"] == [late]


# ---- in a run ------------------------------------------------------------------------------------

STOPPING = """
@claim("TST-02", about="mul")
def test_stopping(be):
    "Nobody interrupts."
    os.kill(os.getpid(), 2)
"""


@pytest.fixture
def broken_off(bench):
    """A run that was interrupted after its first claim, though its file has a footer."""
    bench.chapter(DOUBLED, STOPPING, WRONG)
    bench.run_apart("--results", "old.jsonl")
    assert '"footer"' in (bench.path / "old.jsonl").read_text()
    return bench


def test_a_run_that_was_interrupted_is_no_baseline(broken_off):
    broken_off.chapter(DOUBLED, SQUARED, WRONG)
    result = broken_off.run("--baseline", "old.jsonl")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--baseline old.jsonl: " in complaint(result)
    assert "interrupted" in complaint(result)


def test_a_run_says_itself_that_it_is_not_whole(bench):
    bench.chapter(WRONG, DOUBLED)
    result = bench.run("-x")
    result.stdout.fnmatch_lines(["not a whole run: *holds 1 of 2 verdicts*"])
    with pytest.raises(BrokenRun, match="holds 1 of 2 verdicts"):
        read_run(bench.results)


SKIPPING = """
import pytest

def pytest_collection_modifyitems(items):
    items[0].add_marker(pytest.mark.skip("not today"))
"""

SILENCING = """
def pytest_runtest_protocol(item):
    return True if "doubled" in item.name else None
"""


def test_a_claim_that_a_mark_skips_did_not_pass(bench):
    bench.chapter(DOUBLED, SQUARED)
    bench.write("conftest.py", SKIPPING)
    assert bench.run().ret == pytest.ExitCode.TESTS_FAILED
    verdict = bench.verdicts()["TST-01"]
    assert (verdict.status, verdict.drawn) == (Status.ERROR, 0)
    assert "not today" in verdict.reason


def test_a_run_in_which_a_claim_got_no_verdict_is_not_green(bench):
    bench.chapter(DOUBLED, SQUARED)
    bench.write("conftest.py", SILENCING)
    result = bench.run()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["not a whole run: *holds 1 of 2 verdicts*"])


def test_what_is_left_out_by_pytest_itself_was_not_planned(bench):
    bench.chapter(DOUBLED, WRONG, SQUARED)
    words = ["-p", "cacheprovider", "--backend", "reference", "--dtype", "float64"]
    bench.pytester.runpytest_inprocess(*words)
    bench.chapter(DOUBLED, WRONG.replace(", x)", ", x * x)"), SQUARED)
    result = bench.pytester.runpytest_inprocess(*words, "--last-failed")
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.OK
    assert read_run(bench.results).footer["planned"]["here"] == 1


def test_a_baseline_that_is_red_without_a_verdict_says_so(bench):
    bench.run("--results", "old.jsonl")
    change_footer(bench.path / "old.jsonl", faults=FAULTS)
    result = bench.run("--baseline", "old.jsonl")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["note: the baseline is red: jax was meant and did not run: *"])


def test_a_part_of_a_run_is_no_baseline(folder, capsys):
    write_run(folder / "part.jsonl", PASSED, shard="1/2")
    write_run(folder / "run.jsonl", PASSED)
    with pytest.raises(OptionError, match=r"is part 1/2 of a run; put it together with the others"):
        baseline_at(str(folder / "part.jsonl"))
    assert main(["compare", "part.jsonl", "run.jsonl"]) == USAGE
    assert "is part 1/2 of a run" in capsys.readouterr().err


LEAVING = """
import pytest

def pytest_runtest_logfinish(nodeid):
    if "doubled" in nodeid:
        pytest.exit("enough", returncode=0)
"""


@pytest.mark.parametrize("words", [(), ("-n", "1")], ids=["here", "in workers"])
def test_a_run_that_was_left_early_is_not_green(bench, words):
    bench.chapter(DOUBLED, SQUARED)
    bench.write("conftest.py", LEAVING)
    result = bench.run_apart(*words)
    assert result.ret != pytest.ExitCode.OK
    with pytest.raises(BrokenRun):
        read_run(bench.results)


def test_beside_a_baseline_a_run_without_claims_is_not_green(bench):
    bench.run("--results", "old.jsonl")
    bench.write("test_ordinary.py", "def test_ordinary(): pass")
    for words in (["test_ordinary.py"], ["-k", "ordinary"]):
        result = bench.run("--baseline", "old.jsonl", *words)
        assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
        result.stdout.fnmatch_lines(["no claim ran: *"])
    dry = bench.run("--baseline", "old.jsonl", "--collect-only")
    assert dry.ret == pytest.ExitCode.OK


def test_what_was_only_collected_is_no_run(bench):
    bench.run("--collect-only", "--results", "run.jsonl")
    with pytest.raises(BrokenRun, match="holds no verdicts"):
        read_run(bench.path / "run.jsonl")


def test_a_project_without_claims_is_left_alone(bench):
    (bench.path / "test_planted.py").unlink()
    bench.write("pytest.ini", "[pytest]\nmarkers = cuda: on a device")
    text = "import pytest\n\n@pytest.mark.cuda\ndef test_ordinary(): pass"
    bench.write("test_ordinary.py", text)
    assert bench.pytester.runpytest_inprocess("-m", "cuda").ret == pytest.ExitCode.OK
