"""A red claim is repeated in a fresh process: whether it depends on what ran before is told."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest

from bench import DOUBLED, SQUARED, WRONG, complaint
from gradspec.conformance.results.reading import read_any
from gradspec.conformance.results.verdict import Status

POISONED = """
def exp(self, x):
    type(self).poisoned = True
    return self.library.exp(x)

def mul(self, x, y):
    return x * y * 2.0 if self.poisoned else x * y

poisoned = False

def __init__(self):
    super().__init__()
    self.functions |= {"exp": self.exp, "mul": self.mul}
"""
"""An adapter in which mul is wrong once exp was called."""

POISONS = """
@claim("TST-05", about="exp")
def test_poisons(be):
    "The exponential of zero is one."
    be.check(be.exp(be.tensor([0.0])), [1.0])
"""


@pytest.fixture
def repeat(bench):
    """Run claims, and repeat what is red; return the run, and its verdicts by claim."""
    rows = ["TST-01", "TST-02", "TST-03", "TST-05", "TST-11"]
    bench.write(
        "sources.toml", bench.sources(*rows, "TST-04", *(f"TST-{n}" for n in range(20, 60)))
    )

    def run(*claims, words=("--alone", "300"), backend="reference"):
        bench.chapter(*claims)
        result = bench.run_apart(*words, backend=backend)
        # One that stopped at its first failure holds less than it planned.
        return result, {verdict.claim: verdict for verdict in read_any(bench.results).verdicts}

    return run


def test_what_fails_by_itself_fails_alone(repeat):
    result, verdicts = repeat(DOUBLED, WRONG)
    assert (verdicts["TST-03"].status, verdicts["TST-03"].alone) == (Status.FAIL, "fails")
    assert verdicts["TST-01"].alone is None
    result.stdout.fnmatch_lines(
        [
            "repeating 1 red verdict in fresh processes, up to 300 seconds",
            "*- in a fresh process -*",
            "it fails by itself",
            "repeated: 1 red again by itself in a fresh process",
        ]
    )


BETWEEN = [
    DOUBLED.replace('"TST-01", "TST-11"', f'"TST-{n}"').replace("doubled", f"doubled_{n}")
    for n in range(20, 23)
]
"""Claims that do no harm."""


@pytest.mark.long
@pytest.mark.parametrize("words", [[], ["-n", "1"]], ids=["here", "in a worker"])
def test_what_depends_on_another_claim_names_it(bench, repeat, words):
    result, verdicts = repeat(
        *(DOUBLED, POISONS, *BETWEEN, SQUARED),
        words=["--alone", "300", *words],
        backend=bench.adapter(POISONED),
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    wrong = verdicts["TST-02"]
    assert (wrong.status, wrong.alone) == (Status.FAIL, "passes")
    assert wrong.reason.startswith("result")
    assert wrong.reason.endswith(
        "; it passes by itself in a fresh process, and depends on what ran before it: it fails "
        "after TST-05 on mine-cpu-float64"
    )
    assert "it fails after:\n    TST-05 on mine-cpu-float64\n" in wrong.reproduction
    result.stdout.fnmatch_lines(["repeated: 1 green there: it depends on what ran before"])
    _, *again = shlex.split(re.search(r"(?m)^rerun: (.*)$", wrong.reproduction)[1])
    told = bench.pytester.run(sys.executable, "-m", "pytest", "--alone", "0", *again)
    told.assert_outcomes(passed=1, failed=1)


@pytest.mark.long
def test_a_claim_that_is_red_itself_is_suspected_first(bench, repeat):
    """And what is red after it, though it fails by itself too, is told apart from what does not."""
    red = POISONS.replace("[1.0]", "[3.0]")
    _, verdicts = repeat(*(red, *BETWEEN, WRONG, SQUARED), backend=bench.adapter(POISONED))
    assert {name: v.alone for name, v in verdicts.items() if v.alone} == {
        "TST-05": "fails",
        "TST-03": "fails",
        "TST-02": "passes",
    }
    assert verdicts["TST-02"].reason.endswith("it fails after TST-05 on mine-cpu-float64")


ONCE = """
@claim("TST-04", about="add")
def test_once(be):
    "Only the first run of all fails."
    be.add(be.tensor([1.0]), 1.0)
    if not os.path.exists("met.txt"):
        open("met.txt", "x").close()
        assert False, "first"
"""


def test_what_does_not_repeat_is_told_so(bench, repeat):
    _, verdicts = repeat(DOUBLED, ONCE)
    assert verdicts["TST-04"].alone == "passes"
    assert verdicts["TST-04"].reason == (
        "first; it passes by itself in a fresh process, and after all that ran before it as well: "
        "it does not repeat"
    )


# ---- in how many processes, and for how long -----------------------------------------------------

MANY = """
@claim("TST-{n}", about="add")
def test_{n}(be):
    "One and one are three."
    with open("processes.txt", "a") as file:
        print(os.getpid(), {n}, file=file)
    be.check(be.add(be.tensor([1.0]), 1.0), [{n}.0])
"""


@pytest.mark.long
def test_many_share_few_processes_in_the_reverse_of_their_order(bench, repeat):
    _, verdicts = repeat(*(MANY.format(n=n) for n in range(20, 60)))
    assert {verdict.alone for verdict in verdicts.values()} == {"fails"}
    ran = [line.split() for line in (bench.path / "processes.txt").read_text().splitlines()]
    processes = {}
    for process, number in ran:
        processes.setdefault(process, []).append(int(number))
    _, *fresh = processes.values()
    assert [len(each) for each in fresh] == [10] * 4
    assert all(each == sorted(each, reverse=True) for each in fresh)


@pytest.mark.long
def test_the_first_of_each_claim_comes_first_where_there_are_many_dtypes(bench, repeat):
    bench.chapter(*(MANY.format(n=n) for n in range(20, 23)))
    bench.run_apart("--alone", "300", "-n", "2", dtype=None)
    assert [v.alone for v in bench.all_verdicts()] == ["fails"] * 6


SLEEPS = """
@claim("TST-03", about="add")
def test_sleeps(be):
    "It takes its time and fails."
    import time
    be.add(be.tensor([1.0]), 1.0)
    time.sleep({seconds})
    assert False
"""


@pytest.mark.long
def test_what_there_is_no_time_for_is_not_repeated_and_told_so(repeat):
    result, verdicts = repeat(SLEEPS.format(seconds=6), words=["--alone", "4"])
    assert (verdicts["TST-03"].status, verdicts["TST-03"].alone) == (Status.FAIL, None)
    result.stdout.fnmatch_lines(["repeated: 1 not repeated: --alone SECONDS gives more time"])


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="an interruption is a signal of POSIX")
def test_who_interrupts_repeating_keeps_the_results(bench):
    bench.chapter(
        SLEEPS.format(
            seconds="1000 if os.path.exists('met.txt') else open('met.txt', 'x').close() or 0"
        )
    )
    options = ["--alone", "300", "--backend", "reference", "--dtype", "float64"]
    command = [sys.executable, "-m", "pytest", *options]
    with subprocess.Popen(  # noqa: S603
        command, cwd=bench.path, stdout=subprocess.PIPE, text=True
    ) as process:
        lines = []
        for line in process.stdout:
            lines.append(line.strip())
            if line.startswith("repeating 1 "):
                time.sleep(3)
                process.send_signal(signal.SIGINT)
    assert process.returncode == pytest.ExitCode.TESTS_FAILED
    assert "repeating was interrupted" in lines
    assert bench.verdicts()["TST-03"].alone is None


ENDS = """
@claim("TST-03", about="add")
def test_ends(be):
    "It ends its process."
    be.add(be.tensor([1.0]), 1.0)
    {deed}
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("deed", "words", "alone"),
    [
        ("os.abort()", ["--isolate"], "fails"),
        ("os._exit(0)", ["--isolate"], "fails"),
        ("__import__('time').sleep(1000)", ["--isolate", "--deadline", "20"], "fails"),
        ("os._exit(0) if 'PYTEST_XDIST_WORKER' in os.environ else None", ["--isolate"], "passes"),
    ],
    ids=["abort", "exit", "hang", "in a worker alone"],
)
def test_what_ends_its_process_is_repeated_as_well(repeat, deed, words, alone):
    _, verdicts = repeat(ENDS.format(deed=deed), DOUBLED, words=["--alone", "300", *words])
    assert verdicts["TST-03"].status in (Status.CRASH, Status.TIMEOUT)
    assert verdicts["TST-03"].alone == alone
    assert verdicts["TST-01"].alone is None


@pytest.mark.parametrize(
    "words",
    [["--alone", "0"], ["--alone", "300", "--pdb"], ["--alone", "300", "--collect-only"]],
    ids=["none", "pdb", "collect"],
)
def test_nothing_is_repeated_where_nothing_should_be(bench, words):
    bench.chapter(WRONG)
    result = bench.run_apart(*words)
    assert not any(line.startswith("repeat") for line in result.outlines)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("words", [["-x"], ["-x", "-n", "1"]], ids=["here", "in a worker"])
def test_a_run_that_stops_at_the_first_failure_repeats_it(repeat, words):
    _, verdicts = repeat(WRONG, DOUBLED, words=["--alone", "300", *words])
    assert verdicts["TST-03"].alone == "fails"


def test_what_a_baseline_knows_is_not_repeated(bench):
    bench.chapter(WRONG)
    bench.run()
    bench.results.rename(bench.path / "old.jsonl")
    result = bench.run("--alone", "300", "--baseline", "old.jsonl")
    assert not any(line.startswith("repeat") for line in result.outlines)


def test_what_was_not_run_is_not_repeated(bench):
    result = bench.run(
        "--alone", "300", backend=bench.adapter("def dtype_of(self, x):\n    return 'double'")
    )
    result.assert_outcomes(failed=1)
    assert not any(line.startswith("repeat") for line in result.outlines)


@pytest.mark.long
def test_files_of_the_run_stay_as_the_run_wrote_them(bench, repeat):
    bench.write(
        "pytest.ini", "[pytest]\naddopts = -n 1 --junit-xml=junit.xml -p no:cacheprovider\n"
    )
    _, verdicts = repeat(WRONG, DOUBLED)
    assert verdicts["TST-03"].alone == "fails"
    assert (bench.path / "junit.xml").read_text().count("<testcase") == 2


def test_a_run_repeats_with_its_own_seed_profile_and_filters(bench, repeat):
    seeded = WRONG.replace(
        "be.check(", "assert 'error' in str(__import__('warnings').filters)\n    be.check("
    )
    words = [
        "--hypothesis-seed",
        "7",
        "--hypothesis-profile",
        "quick",
        "-W",
        "error::FutureWarning",
    ]
    _, verdicts = repeat(seeded, words=["--alone", "300", *words], backend="reference")
    assert verdicts["TST-03"].alone == "fails"


# ---- options -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", ["-1", "nan", "inf"])
def test_what_is_no_time_is_refused(bench, seconds):
    result = bench.run("--alone", seconds)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "give a number of seconds" in complaint(result)


def test_verdicts_are_run_by_their_names_and_in_that_order(bench):
    bench.chapter(DOUBLED, WRONG, SQUARED)
    names = [f"{claim} on reference-cpu-float64" for claim in ("TST-02", "TST-01")]
    bench.run(*(word for name in names for word in ("--verdict", name)))
    assert [v.claim for v in bench.all_verdicts()] == ["TST-02", "TST-01"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("words", [[], ["-n", "1"]])
def test_a_verdict_that_nothing_has_is_refused(bench, words):
    result = bench.run_apart("--verdict", "TST-01 on reference-cpu-float63", *words)
    assert (
        "did you mean 'TST-01 on reference-cpu-float64'?"
        in result.stdout.str() + result.stderr.str()
    )
    assert result.ret in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERRUPTED)
