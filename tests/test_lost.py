"""What an earlier run looked at and a later one does not is told, and is red."""

from dataclasses import replace

import pytest

from bench import DOUBLED, SQUARED, WRONG
from gradspec.conformance.cli import main
from gradspec.conformance.results.verdict import Status
from written import FAILED, LACKING, PASSED, SECOND, write_run

FINE, RED = 0, 1
KNOWN = replace(PASSED, status=Status.EXPECTED_FAILURE, expected="defect", reason="known")
ABSENT = replace(LACKING, status=Status.NOT_RUN, reason="no device")


def now(verdict, status):
    return replace(verdict, status=status, drawn=0, reason="torch does not declare hooks")


@pytest.fixture
def beside(tmp_path, capsys):
    """Compare two runs of these verdicts; return the exit status and what is told."""

    def compare(old, new, *words):
        paths = (write_run(tmp_path / "old.jsonl", *old), write_run(tmp_path / "new.jsonl", *new))
        status = main(["compare", *map(str, paths), *words])
        return status, capsys.readouterr().out

    return compare


@pytest.mark.parametrize("before", [PASSED, KNOWN, replace(FAILED, claim="ACC-01")])
@pytest.mark.parametrize(
    ("after", "told"),
    [
        ([], "vanished"),
        (
            [now(PASSED, Status.UNSUPPORTED)],
            "unsupported: torch does not declare hooks",
        ),
        ([now(PASSED, Status.NOT_RUN)], "not-run: torch does not declare hooks"),
    ],
    ids=["vanished", "unsupported", "not run"],
)
def test_what_was_looked_at_and_is_no_more_is_lost(beside, before, after, told):
    status, out = beside([before, SECOND], [*after, SECOND])
    assert status == RED
    assert "new failures: 0\n" in out
    assert "\nlost: 1\n" in out
    assert f"  ACC-01 on torch-cpu-float64: {before.status} -> {told}\n" in out
    assert beside([before, SECOND], [*after, SECOND], "--allow-lost")[0] == FINE


@pytest.mark.parametrize("before", [LACKING, ABSENT])
@pytest.mark.parametrize("after", [[], [LACKING], [ABSENT]])
def test_what_was_never_looked_at_is_not_lost(beside, before, after):
    status, out = beside([before, SECOND], [*after, SECOND])
    assert status == FINE
    assert "lost" not in out


def test_a_subject_that_vanished_is_told_in_one_line(beside):
    other = [replace(v, dtype="float32") for v in (PASSED, SECOND, LACKING)]
    status, out = beside([PASSED, SECOND, *other], [PASSED, SECOND])
    assert status == RED
    assert "\nlost: 1\n  torch-cpu-float32: the subject vanished, with 2 verdicts\n" in out


def test_what_was_gained_is_not_lost(beside):
    assert beside([LACKING, PASSED], [replace(LACKING, status=Status.PASS), PASSED])[0] == FINE
    assert beside([PASSED], [PASSED, SECOND])[0] == FINE


def test_runs_without_a_common_subject_are_not_compared(beside):
    other = replace(PASSED, backend="jax")
    status, out = beside([PASSED], [other])
    assert status == RED
    told = "not comparable: no subject in common; there torch-cpu-float64, here jax-cpu-float64\n"
    assert told in out
    assert beside([PASSED], [other], "--allow-lost")[0] == FINE


def test_new_failures_are_red_whatever_may_be_lost(beside):
    assert beside([PASSED, SECOND], [replace(FAILED, claim="ACC-01")], "--allow-lost")[0] == RED


def test_a_summary_beside_a_baseline_tells_what_is_lost(beside, tmp_path, capsys):
    beside([PASSED, SECOND], [PASSED])
    words = ["summary", str(tmp_path / "new.jsonl"), "--baseline", str(tmp_path / "old.jsonl")]
    assert main(words) == RED
    assert capsys.readouterr().out.startswith("## gradspec: 1 lost\n")
    assert main([*words, "--allow-lost"]) == FINE
    beside([PASSED], [replace(PASSED, backend="jax")])
    assert main(words) == RED
    assert capsys.readouterr().out.splitlines()[-1:] != ["## gradspec: as before"]


def test_all_that_is_lost_is_told(beside):
    many = [replace(PASSED, claim=f"ACC-{n}") for n in range(100, 160)]
    assert beside([PASSED, *many], [PASSED])[1].count("-> vanished") == 60


# ---- in a run ------------------------------------------------------------------------------------

NEEDY = SQUARED.replace("TST-02", "TST-04").replace("squared", "needy")
NEEDY = NEEDY.replace('about="mul"', 'about="mul", needs="hooks"')
WITHOUT_HOOKS = "capabilities = Reference.capabilities - {'hooks'}"


@pytest.fixture
def earlier(bench):
    """A run of two chapters in a folder, as a baseline; then a run of what is left."""
    bench.write("sources.toml", bench.sources(*(f"TST-{n:02}" for n in range(1, 12))))
    bench.chapter(DOUBLED, NEEDY)
    (bench.path / "test_planted.py").rename(bench.path / "test_others.py")
    bench.chapter(SQUARED, WRONG)
    adapter = bench.adapter("")
    bench.write("mine.toml", "")
    bench.run("--results", "old.jsonl", backend=adapter, dtype=None)

    def run(*words, backend=adapter, dtype=None):
        execute = bench.run_apart if "-n" in words else bench.run
        return execute("--baseline", "old.jsonl", *words, backend=backend, dtype=dtype)

    return run


@pytest.mark.sampled(2)
@pytest.mark.parametrize("words", [(), ("-n", "1")], ids=["here", "in workers"])
def test_a_claim_that_vanished_makes_a_run_red(bench, earlier, words):
    bench.chapter(WRONG)
    result = earlier(*words)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "new failures: 0",
            "lost: 2",
            "  TST-02 on mine-cpu-float32: pass -> vanished",
            "  TST-02 on mine-cpu-float64: pass -> vanished",
        ]
    )
    assert earlier(*words, "--allow-lost").ret == pytest.ExitCode.OK


@pytest.mark.sampled(2)
@pytest.mark.parametrize("words", [(), ("-n", "1")], ids=["here", "in workers"])
def test_a_chapter_that_vanished_makes_a_run_red(bench, earlier, words):
    (bench.path / "test_others.py").unlink()
    result = earlier(*words)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["lost: 4"])


def test_a_capability_that_was_lost_makes_a_run_red(bench, earlier):
    result = earlier(backend=bench.adapter(WITHOUT_HOOKS))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    lost = "  TST-04 on mine-cpu-float64: pass -> unsupported: mine does not declare hooks"
    result.stdout.fnmatch_lines(["lost: 2", lost])


def test_a_subject_that_is_no_longer_there_makes_a_run_red(bench, earlier):
    result = earlier(backend=bench.adapter("dtypes = ('float64',)"))
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["  mine-cpu-float32: the subject vanished, with 4 verdicts"])


def test_a_library_that_the_baseline_does_not_have_is_not_compared(earlier):
    result = earlier("-k", "not wrong", backend="reference")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    told = "not comparable: no subject in common; there mine-cpu-float16, mine-cpu-float32,*"
    result.stdout.fnmatch_lines([told])
    result = earlier("-k", "not wrong", "--allow-lost", backend="reference")
    assert result.ret == pytest.ExitCode.OK


NARROWED = {
    "-k": (["-k", "squared"], 2),
    "-m": (["-m", "contract"], 4),
    "--claim": (["--claim", "TST-01"], 2),
    "--shard": (["--shard", "1/2"], None),
    "--dtype": (["--dtype", "float32"], 4),
    "--deselect": (["--deselect", "test_others.py::test_needy"], 6),
    "a path": (["test_others.py"], 4),
    "a test": (["test_others.py::test_needy"], 2),
    "--ignore": (["--ignore", "test_others.py"], 4),
    "--ignore-glob": (["--ignore-glob", "*others*"], 4),
    "workers": (["-n", "1", "-k", "squared"], 2),
    "workers and a path": (["-n", "1", "test_others.py"], 4),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("words", "left"), NARROWED.values(), ids=NARROWED)
def test_what_a_run_leaves_out_on_purpose_has_not_vanished(bench, earlier, words, left):
    result = earlier(*words)
    assert result.ret == pytest.ExitCode.OK
    assert "lost" not in result.stdout.str()
    result.stdout.fnmatch_lines(["new failures: 0", "not run this time: *"])
    assert left is None or len(bench.all_verdicts()) == left


def test_what_a_narrowed_run_does_not_find_has_vanished_all_the_same(bench, earlier):
    bench.chapter(WRONG)
    result = earlier("-k", "TST-02 or TST-03")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["lost: 2"])


def test_a_folder_that_was_not_named_has_not_vanished(bench, earlier):
    for folder, file in (("a", "test_planted.py"), ("b", "test_others.py")):
        (bench.path / folder).mkdir()
        (bench.path / file).rename(bench.path / folder / file)
        (bench.path / folder / "sources.toml").write_text((bench.path / "sources.toml").read_text())
    result = earlier("a")
    assert result.ret == pytest.ExitCode.OK
    assert "lost" not in result.stdout.str()
