"""Of several verdicts on the same thing the worst counts, for who writes and for who reads."""

from dataclasses import replace
from itertools import permutations

import pytest

from bench import DOUBLED, SQUARED, WRONG
from gradspec.conformance.cli import main
from gradspec.conformance.results.reading import read_run
from gradspec.conformance.results.verdict import SEVERITY, Status, settled
from gradspec.conformance.results.writing import ResultsFile
from written import DIGEST, FAILED, HEADER, PASSED, subject

FAILING = replace(FAILED, claim="ACC-01")


def test_the_order_of_severity_has_every_status():
    assert sorted(SEVERITY) == sorted(Status)


@pytest.mark.parametrize("tries", [*permutations([PASSED, FAILING, PASSED])])
def test_a_failure_that_passes_on_another_try_is_a_failure(tries):
    told = settled(tries)
    assert told == replace(FAILING, reason="off (it also came out as pass)")


def test_of_verdicts_that_are_alike_the_last_counts():
    last = replace(PASSED, seconds=9.0)
    assert settled([PASSED, last]) == last


def test_a_verdict_without_a_reason_gets_one():
    lacking = replace(PASSED, status=Status.UNSUPPORTED)
    assert settled([PASSED, lacking]).reason == "it also came out as pass"


def test_all_that_came_out_otherwise_is_told_the_worst_first():
    crash = replace(PASSED, status=Status.CRASH, reason="it died")
    assert settled([PASSED, FAILING, crash]).reason == "it died (it also came out as fail and pass)"


@pytest.mark.parametrize("tries", [*permutations([PASSED, FAILING])])
def test_a_file_is_read_as_it_was_written(tmp_path, tries):
    path = tmp_path / "run.jsonl"
    file = ResultsFile(path, {**HEADER, "subjects": [subject(PASSED)]})
    for verdict in tries:
        file.begin(verdict)
        file.add(verdict)
    file.close(1, {"here": 1, "all": 1, "digest": DIGEST})
    run = read_run(path)
    assert run.footer["statuses"] == {"fail": 1}
    assert run.verdicts == [settled(tries)]
    assert main(["merge", str(path), "--output", str(tmp_path / "x")]) == 2


# ---- runs that repeat ----------------------------------------------------------------------------

TWICE = """
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    for _ in range(2):
        runtestprotocol(item, nextitem=nextitem)
    return True
"""
"""What pytest-rerunfailures does with a test that fails."""

COUNTED = """
def pytest_generate_tests(metafunc):
    metafunc.fixturenames.append("step")
    metafunc.parametrize("step", range(2))
"""
"""What pytest-repeat does."""

MOODY = """
@claim("TST-03", about="mul")
def test_moody(be):
    "The first call of a process fails."
    be.mul(be.tensor([1.0]), 2.0)
    moods.append("bad")
    assert len(moods) > 1


moods = []
"""


@pytest.mark.parametrize("conftest", [TWICE, COUNTED], ids=["rerun", "count"])
def test_a_run_that_repeats_its_tests_can_be_read(bench, conftest):
    bench.chapter(DOUBLED, SQUARED)
    bench.write("conftest.py", conftest)
    result = bench.run()
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["2 passed"])
    run = read_run(bench.results)
    assert [v.status for v in run.verdicts] == [Status.PASS] * 2
    assert run.footer["planned"]["all"] == 2
    assert run.red is None


@pytest.mark.parametrize("conftest", [TWICE, COUNTED], ids=["rerun", "count"])
def test_a_failure_that_does_not_repeat_is_red(bench, conftest):
    bench.chapter(DOUBLED, MOODY)
    bench.write("conftest.py", conftest)
    result = bench.run_apart()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["planted * 1/2 1 RED"])
    run = read_run(bench.results)
    (red,) = run.failures
    assert red.status is Status.FAIL
    assert red.reason.endswith("(it also came out as pass)")
    assert run.footer["statuses"] == {"pass": 1, "fail": 1}


def test_a_failure_that_does_not_repeat_is_written_down_as_expected(bench, monkeypatch):
    monkeypatch.delenv("MOOD", raising=False)
    bench.chapter(MOODY)
    bench.write("conftest.py", TWICE)
    bench.run_apart("--update-expectations", backend=bench.adapter(""))
    assert 'claim = "TST-03"' in (bench.path / "mine.toml").read_text()


def test_each_worker_may_run_all(bench):
    bench.chapter(DOUBLED, WRONG)
    bench.run_apart("-n", "2", "--dist", "each")
    run = read_run(bench.results)
    assert {v.claim: v.status for v in run.verdicts} == {
        "TST-01": Status.PASS,
        "TST-03": Status.FAIL,
    }
    assert run.failures[0].reason.count("came out") == 0


def test_repeated_parts_are_still_parts_of_one_run(bench, capsys):
    bench.chapter(DOUBLED, SQUARED)
    bench.write("conftest.py", COUNTED)
    for i in (1, 2):
        bench.run("--shard", f"{i}/2", "--results", f"{i}.jsonl")
    parts = [str(bench.path / f"{i}.jsonl") for i in (1, 2)]
    assert main(["merge", *parts, "--output", str(bench.path / "whole.jsonl")]) == 0
    assert len(read_run(bench.path / "whole.jsonl").verdicts) == 2


@pytest.mark.parametrize(
    ("plugin", "words"),
    [("pytest_rerunfailures", ["--reruns", "1"]), ("pytest_repeat", ["--count", "2"])],
)
def test_the_plugins_that_repeat_do_as_well(bench, monkeypatch, plugin, words):
    pytest.importorskip(plugin)
    monkeypatch.delenv("MOOD", raising=False)
    bench.chapter(DOUBLED, MOODY)
    assert bench.run_apart(*words).ret == pytest.ExitCode.TESTS_FAILED
    (red,) = read_run(bench.results).failures
    assert red.reason.endswith("(it also came out as pass)")
