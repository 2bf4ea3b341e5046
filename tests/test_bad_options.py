"""What cannot be honoured on the command line gets one line: the culprit, and what to do."""

import os
import threading
from pathlib import Path

import pytest

from bench import DOUBLED, WRONG, complaint

POSIX = pytest.mark.skipif(os.name != "posix", reason="not run: there are no such files here")


@pytest.mark.parametrize(
    ("words", "culprit", "remedy"),
    [
        (["--backend", "torhc"], "torhc", "did you mean 'torch'?"),
        (["--backend", "mine"], "mine", "module:Class"),
        (["--backend", "xyzzy"], "unknown backend; known are autograd, jax", "module:Class"),
        (
            ["--backend", "torhc"],
            "unknown backend; did you mean 'torch'?; known are",
            "module:Class",
        ),
        (["--device", "cdua"], "cdua", "did you mean 'cuda'?"),
        (["--dtype", "float46"], "float46", "declared: float16, float32, float64"),
        (["--claim", "TST-12"], "TST-12", "did you mean 'TST-1"),
        (["--claim", "nonsense"], "nonsense", "2 ids are collected"),
        (["--hypothesis-profile", "quikc"], "quikc", "known: quick, default, deep"),
        (["--hypothesis-seed", "lucky"], "lucky", "give one"),
        (["--require-device", "cdua"], "cdua", "did you mean 'cuda'?"),
        (["--results", "sources.toml/here"], "sources.toml/here", "a directory you may write to"),
        (["--results", "."], "--results .", "a directory you may write to"),
        (["--results", ""], "--results: no file is named", "leave the option out"),
        (["--baseline", ""], "--baseline: no file is named", "leave the option out"),
        (["--baseline", " "], "--baseline: no file is named", "leave the option out"),
        (["--baseline", "."], "--baseline .: is no file", "a folder, a device or a pipe"),
        (["--baseline", os.devnull], "--baseline", "a folder, a device or a pipe"),
        (["--shard", ""], "--shard", "give i/n"),
        (["--speed-budget", "abc"], "--speed-budget abc", "give seconds above 0"),
        (["--speed-budget", ""], "--speed-budget", "give seconds above 0"),
        (["--hypothesis-seed", "9" * 400], "--hypothesis-seed 999", "give one"),
    ],
    ids=lambda value: value[1][:20] if isinstance(value, list) else "",
)
def test_a_bad_option_is_refused_in_one_line(bench, words, culprit, remedy):
    result = bench.run(*words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert culprit in complaint(result)
    assert remedy in complaint(result)


@pytest.mark.parametrize("option", ["--require-device", "--device"])
def test_an_absent_device_is_refused_with_the_reason(bench, option):
    result = bench.run(option, "cuda")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"{option} cuda: no cuda device is seen by reference" in complaint(result)


def test_adapters_of_one_name_are_refused(bench):
    result = bench.run("--backend", bench.adapter("name = 'reference'"))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "two adapters are called 'reference'" in complaint(result)


def test_a_choice_that_leaves_no_subject_is_refused(bench):
    result = bench.run(backend=bench.adapter("def devices(self):\n    return ()"))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "no subject is left of mine" in complaint(result)


def test_a_disk_that_fills_up_ends_the_run_in_one_line(bench):
    bench.chapter(WRONG, DOUBLED)
    bench.write(
        "conftest.py",
        """
        import os
        from gradspec.conformance.results import writing

        def full(descriptor):
            raise OSError(28, "No space left on device")

        def pytest_runtest_setup(item):
            writing.os = type("os", (), {**vars(os), "fsync": full})
        """,
    )
    result = bench.run_apart()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "No space left on device" in complaint(result)


@pytest.mark.parametrize("words", [[], ["-n", "1"]], ids=["alone", "worker"])
def test_what_shows_when_the_first_claim_is_met_is_refused_in_one_line_too(bench, words):
    """Where no option of ours is given, nothing of ours looks at the others before."""
    bench.chapter(DOUBLED, WRONG)
    words = ["-p", "no:cacheprovider", "--hypothesis-seed", "lucky", *words]
    result = bench.pytester.runpytest_subprocess(*words, timeout=120)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--hypothesis-seed lucky: not a whole number; give one" in complaint(result)


def test_an_unknown_claim_is_refused_under_xdist_too(bench):
    result = bench.run_apart("--claim", "TST-12", "-n", "1")
    assert result.ret != pytest.ExitCode.OK
    assert "--claim TST-12: no collected claim has this id" in complaint(result)


@pytest.mark.parametrize(
    "words",
    [[], ["--results", "new/../old.jsonl"], pytest.param(["--results", "link"], marks=POSIX)],
)
def test_no_run_writes_over_its_own_baseline(bench, words):
    (bench.path / "new").mkdir()
    where = [] if not words else ["--results", "old.jsonl"]
    assert bench.run(*where).ret == pytest.ExitCode.OK
    file = bench.path / "old.jsonl" if words else bench.results
    if "link" in words:
        (bench.path / "link").symlink_to(file)
    before = file.read_bytes()
    result = bench.run(*words, "--baseline", str(file))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"--baseline {file}: is where the results of this run go" in complaint(result)
    assert file.read_bytes() == before


@POSIX
@pytest.mark.parametrize("name", ["/dev/zero", "/dev/urandom", "pipe"])
def test_no_baseline_is_read_without_end(bench, name):
    os.mkfifo(bench.path / "pipe")
    result = bench.run("--baseline", name)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"--baseline {name}: is no file" in complaint(result)


@POSIX
def test_results_may_be_thrown_away(bench):
    result = bench.run("--results", "/dev/null")
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(passed=1)


@POSIX
def test_results_may_go_into_a_pipe(bench):
    os.mkfifo(bench.path / "pipe")
    told = []
    reader = threading.Thread(target=lambda: told.extend((bench.path / "pipe").open()))
    reader.start()
    assert bench.run_apart("--results", "pipe").ret == pytest.ExitCode.OK
    reader.join(timeout=60)
    assert told[-1].startswith('{"footer": ')


@POSIX
def test_a_pipe_that_nobody_reads_is_not_waited_for(bench):
    os.mkfifo(bench.path / "pipe")
    result = bench.run("--results", "pipe")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--results pipe: cannot be written" in complaint(result)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="not run: there is no such device")
def test_a_device_that_is_full_is_told(bench):
    result = bench.run("--results", "/dev/full")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--results /dev/full: cannot be written (No space left" in complaint(result)
